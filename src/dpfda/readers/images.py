"""Images and volumes, an array with an axis a coordinate for every record, as one checked table of long rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from dpfda.errors import DataError, ParameterError
from dpfda.readers.records import read_ids
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Floats


@dataclass(frozen=True)
class ImageTable:
    """Images as they were given, before anything is clipped.

    Parameters
    ----------
    values : array (n, m1 m2)
        A row an image, its last axis fastest; NaN where a pixel is missing.
    grid : tuple of tuples of float
        Where the pixels lie along each axis.
    ids : sequence, optional
        One id a row.
    source : str
        How the guarantee names where the grid was declared.
    """

    values: Floats
    grid: tuple[tuple[float, ...], ...]
    ids: Sequence[object] | None = None
    source: str = "grid="

    @property
    def shape(self) -> tuple[int, ...]:
        """How many pixels lie along each axis."""
        return tuple(map(len, self.grid))


def are_images(curves: Any, grid: Any, domain: Any) -> bool:
    """Tell whether the call speaks of images: by an array of them, by a box, or by nested lists with a grid.

    Nested lists without a grid are curves that each have points of their own.
    """
    deep = int(getattr(curves, "ndim", 0)) > 2 or (grid is not None and _depth(curves) > 2)
    return deep or isinstance(domain, Box)


def read_images(images: Any, grid: Any, unit: Any, domain: Any) -> ImageTable:
    """Return images with their grid and ids, every one of them usable; or say what is wrong."""
    stack = _stack(images)
    axes = stack.ndim - 1
    if isinstance(domain, Box) and len(domain.axes) != axes:
        raise ParameterError(
            f"the domain {domain.words} has {len(domain.axes)} axes, but {_shape_words(stack.shape)} have {axes}: give a box with an "
            "axis for each axis of an image, or a stack with one more axis, the images"
        )
    if domain is not None and not isinstance(domain, Box):
        raise ParameterError(
            f"images live on a box: give domain=dpfda.Box((0, 1), (0, 1)) or leave it out, not {domain!r:.60}"
        )
    grids = _grids(grid, stack.shape)
    if isinstance(unit, str):
        raise ParameterError(
            f"unit={unit!r} names a column, but images have none: give the ids themselves, one an image"
        )
    _check_pixels(stack)
    return ImageTable(stack.reshape(len(stack), -1), grids, None if unit is None else read_ids(unit))


def _depth(curves: Any) -> int:
    """Return how many axes an array has, or how deep lists are nested, looking at the first of each."""
    if isinstance(curves, list | tuple):
        return 1 + (_depth(curves[0]) if curves else 0)
    return int(getattr(curves, "ndim", 0))


def _stack(images: Any) -> Floats:
    if isinstance(images, np.ma.MaskedArray):
        images = np.ma.filled(images.astype(np.float64), np.nan)  # a masked pixel is a missing one
    try:
        given = np.asarray(images)
        if given.dtype.kind not in "iufb":
            raise TypeError
        stack = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(
            "images must be one array of real numbers, n x m1 x m2 (or n x m1 x m2 x m3), all of one size"
        ) from None
    if stack.ndim not in (3, 4):
        raise DataError(
            f"images on a box must be a stack n x m1 x m2 (or n x m1 x m2 x m3), not an array of shape {stack.shape}; a table of curves "
            "goes with a grid of one axis and an interval for a domain"
        )
    if not len(stack):
        raise DataError("the stack holds no image")
    return np.ascontiguousarray(stack)


def _grids(grid: Any, shape: tuple[int, ...]) -> tuple[tuple[float, ...], ...]:
    axes = len(shape) - 1
    example = f"grid=({', '.join('xyz'[:axes])})"
    if grid is None:
        raise ParameterError(f"images need grid=: where the pixels lie along each axis, {example}")
    if not isinstance(grid, tuple | list) or len(grid) != axes or any(np.ndim(axis) == 0 for axis in grid):
        raise ParameterError(
            f"an array of {axes + 1} dimensions is a stack of {_shape_words(shape)}, whose grid is {axes} lists of increasing numbers, "
            f"{example}; curves are a table with a row a curve"
        )
    return tuple(_axis(points, k, size, shape) for k, (points, size) in enumerate(zip(grid, shape[1:], strict=True)))


def _axis(points: Any, k: int, size: int, shape: tuple[int, ...]) -> tuple[float, ...]:
    try:
        axis = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        axis = np.zeros((0, 0))
    if axis.ndim != 1 or not np.isfinite(axis).all():
        raise ParameterError(f"axis {k + 1} of grid= must be a list of increasing finite numbers")
    if len(axis) != size:
        turned = len(shape) == 3 and len(axis) == shape[2 - k]
        hint = (
            "; the axes seem to be exchanged: give images.transpose(0, 2, 1), or the grids the other way round"
            if turned
            else ""
        )
        raise ParameterError(
            f"axis {k + 1} of grid= has {len(axis)} points, but {_shape_words(shape)} have {size} pixels along it{hint}"
        )
    if size < 2:
        raise DataError(f"an image needs at least two pixels along every axis, not {size} along axis {k + 1}")
    wrong = [i for i, (a, b) in enumerate(pairwise(axis.tolist())) if a >= b]
    if wrong:
        raise ParameterError(
            f"axis {k + 1} of grid= must increase, but point {wrong[0] + 2} does not lie above point {wrong[0] + 1}"
        )
    return tuple(axis.tolist())


def _check_pixels(stack: Floats) -> None:
    infinite = np.isinf(stack)
    if infinite.any():
        at = tuple(int(i) + 1 for i in np.argwhere(infinite)[0])
        raise DataError(f"image {at[0]} is infinite at pixel {at[1:]}: put a number there, or NaN if it is missing")
    known = np.isfinite(stack).reshape(len(stack), -1).sum(axis=1)
    if (known < 2).any():
        at_row = int(np.flatnonzero(known < 2)[0])
        raise DataError(
            f"image {at_row + 1} has {'no value' if known[at_row] == 0 else 'one value'}: an image needs at least two known pixels; "
            "complete it, or leave it out by a rule that does not depend on the other images"
        )


def _shape_words(shape: tuple[int, ...]) -> str:
    return f"images of {' x '.join(map(str, shape[1:]))} pixels"
