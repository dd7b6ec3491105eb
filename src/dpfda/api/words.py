"""Turning a user's words into checked values: ranges, domains, counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.privacy.amounts import exact, exact_epsilon
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Interval


def read_epsilon(epsilon: Any) -> Fraction:
    """Return epsilon exactly; it is always asked for."""
    if epsilon is None:
        raise ParameterError(
            "epsilon is missing: say how much privacy may be spent, such as epsilon=1 (smaller protects more)"
        )
    return exact_epsilon(epsilon)


def read_range(value_range: Any) -> tuple[Fraction, Fraction]:
    """Return the ends of the public range of values; it is always asked for."""
    if value_range is None:
        raise ParameterError(
            "value_range is missing: give the lowest and highest value a curve may have, from what is known about the "
            "quantity and never from these data, such as value_range=(0, 1)"
        )
    lower, upper = _pair(value_range, "value_range")
    if lower >= upper:
        raise ParameterError(
            f"value_range ({float(lower):g}, {float(upper):g}) is {'empty' if lower == upper else 'reversed'}: give the "
            "lowest value first"
        )
    width, size = upper - lower, max(abs(lower), abs(upper))
    if size > 10**100 or width < Fraction(1, 10**100) or width < size / 10**9:
        raise ParameterError(
            f"value_range ({float(lower):g}, {float(upper):g}) cannot be told apart in floating point: choose other units, "
            "or subtract a public constant from the values"
        )
    return lower, upper


def read_domain(domain: Any, grid: tuple[float, ...]) -> Interval:
    """Return the domain, by default from the first to the last grid point, and check that it holds the grid."""
    if domain is None and grid:
        return Interval(grid[0], grid[-1])
    if isinstance(domain, Interval):
        domain.require(np.array(grid), "the grid point")
        return domain
    start, end = _pair(domain, "domain")
    interval = Interval(float(start), float(end))
    interval.require(np.array(grid), "the grid point")
    return interval


def read_box(domain: Box | None, grid: tuple[tuple[float, ...], ...]) -> Box:
    """Return the box of images, by default from the first to the last pixel of each axis, and check that it holds them."""
    box = Box(*((axis[0], axis[-1]) for axis in grid)) if domain is None else domain
    for interval, axis in zip(box.axes, grid, strict=True):
        interval.require(np.array(axis), "the grid point")
    return box


def read_design_n(design_n: Any, neighbours: Neighbours) -> int | None:
    """Return the public guess of n that add-remove needs, and nothing else may have."""
    if neighbours is Neighbours.REPLACE_ONE:
        if design_n is not None:
            raise ParameterError("design_n is for neighbours='add-remove' only: under replace-one n itself is public")
        return None
    if design_n is None:
        raise ParameterError(
            "neighbours='add-remove' hides n, so the number of cells needs design_n=, a public guess of n that was not "
            "taken from these data; a wrong guess costs accuracy, never privacy"
        )
    return read_count(design_n, "design_n", 1)


def read_count(value: Any, name: str, least: int, most: int | None = None) -> int:
    """Return a whole number in a range, or say which there are."""
    if value is None:
        raise ParameterError(f"{name} is missing: give a whole number from {least}")
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ParameterError(f"{name} must be a whole number from {least}, not {value!r}")
    if most is not None and value > most:
        raise ParameterError(f"{name} must be at most {most}, not {value!r}")
    return int(value)


def _pair(value: Any, name: str) -> tuple[Fraction, Fraction]:
    try:
        if isinstance(value, str):
            raise TypeError
        first, second = value
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be two numbers, such as (0, 1), not {value!r:.60}") from None
    for end in (first, second):
        if isinstance(end, float) and not math.isfinite(end):
            raise ParameterError(f"{name} must have finite ends, not ({first}, {second})")
    return exact(first, f"an end of {name}"), exact(second, f"an end of {name}")
