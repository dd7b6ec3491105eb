"""Squared error of releases of real curves, exact noise, 200 releases each."""

from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dpfda
from dpfda.readers.csv import read_column
from dpfda.readers.table import CurveTable
from dpfda.summaries.mean import cells_rule, fill_gaps

EPSILONS = ("1/8", "1/4", "1/2", "1", "2", "4")
RELEASES = 200
SETS = {
    "DTI, range 0..1": ("dti_cca.csv", (0, 1), None),
    "DTI by person, range 0..1": ("dti_cca.csv", (0, 1), "dti_meta.csv"),
    "electricity, range 0..3000": ("electricity_monday.csv", (0, 3000), None),
    "growth, range 50..220": ("growth_height.csv", (50, 220), None),
}


def trapezoid(grid: NDArray[np.float64]) -> NDArray[np.float64]:
    w = np.zeros(len(grid))
    d = np.diff(grid) / 2
    w[:-1] += d
    w[1:] += d
    return np.asarray(w / w.sum())


def persons(
    table: CurveTable, value_range: tuple[float, float], ids: list[object] | None
) -> tuple[NDArray[np.float64], float]:
    """Return the exact mean of clipped curves, by person where ids are given, and the largest squared norm."""
    grid = np.array(table.grid)
    curves = np.clip(fill_gaps(table.values, grid), *value_range)
    if ids is not None:
        curves = np.array(
            [curves[[i for i, other in enumerate(ids) if other == one]].mean(axis=0) for one in dict.fromkeys(ids)]
        )
    return curves.mean(axis=0), float((curves**2 @ trapezoid(grid)).max())


def errors(table: CurveTable, value_range: tuple[int, int], ids: list[object] | None, mechanism: str) -> list[str]:
    """Mean squared L2 error over (largest norm)^2 for each epsilon, with its standard error in per cent."""
    grid = np.array(table.grid)
    weights = trapezoid(grid)
    truth, largest = persons(table, value_range, ids)
    cells = []
    for epsilon in EPSILONS:
        squares = [
            float(weights @ (_release(table, epsilon, value_range, ids, mechanism)(grid) - truth) ** 2) / largest
            for _ in range(RELEASES)
        ]
        mean, se = np.mean(squares), np.std(squares) / RELEASES**0.5
        cells.append(f"{mean:.1e} ({se / mean:.0%})")
    return cells


def _release(
    table: CurveTable,
    epsilon: str,
    value_range: tuple[int, int],
    ids: list[object] | None,
    mechanism: str,
) -> dpfda.Release:
    return dpfda.mean(table, epsilon=epsilon, value_range=value_range, unit=ids, mechanism=mechanism)


def tables(data: Path | None) -> str:
    if data is None:
        return ""
    lines = [
        "## Accuracy",
        "",
        f"Mean squared L2 error against the exact mean over the squared largest norm of a curve, {RELEASES} releases with "
        "exact noise; in brackets the standard error in per cent.",
        "",
        "| data, noise | " + " | ".join(f"eps {e}" for e in EPSILONS) + " |",
        "| --- |" + " --- |" * len(EPSILONS),
    ]
    for name, (file, value_range, meta) in SETS.items():
        table = dpfda.read_curves(data / file)
        ids = None if meta is None else read_column(data / meta, "ID")
        for mechanism in ("cube", "laplace"):
            cells = errors(table, value_range, ids, mechanism)
            lines.append(f"| {name}, {mechanism} | " + " | ".join(cells) + " |")
    n = len(dpfda.read_curves(data / "dti_cca.csv").values)
    counts = [cells_rule(n, Fraction(e)) for e in EPSILONS]
    lines.append("| cells for DTI | " + " | ".join(map(str, counts)) + " |")
    return "\n".join([*lines, ""])
