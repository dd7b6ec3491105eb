"""The default mean on real and made-up curves: squared error of exact releases, 200 each."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dpfda
from benchmarks.accuracy import EPSILONS, RELEASES, persons, trapezoid
from dpfda.readers.csv import read_column
from dpfda.readers.table import CurveTable

Floats = NDArray[np.float64]
SETS = {
    "DTI": ("dti_cca.csv", (0, 1), None),
    "DTI by person": ("dti_cca.csv", (0, 1), "dti_meta.csv"),
    "electricity": ("electricity_monday.csv", (0, 3000), None),
    "growth": ("growth_height.csv", (50, 220), None),
}
#: How far a range that is two or three times too wide reaches, around the same middle.
WIDTHS = (1, 2, 3)
STRESS: dict[str, Callable[[Floats], Floats]] = {
    "a step": lambda t: np.where(t < 0.43, 0.3, 0.7),
    "eight periods of a sine": lambda t: 0.5 + 0.25 * np.sin(16 * np.pi * t),
    "a spike": lambda t: 0.3 + 0.5 * np.exp(-0.5 * ((t - 0.6) / 0.02) ** 2),
    "white noise around a sine": lambda t: 0.5 + 0.25 * np.sin(2 * np.pi * t),
}


def squared_errors(
    table: CurveTable, value_range: tuple[float, float], ids: list[object] | None, **words: object
) -> list[tuple[float, float]]:
    """Mean squared L2 error over the largest squared norm, with its standard error, for each epsilon."""
    grid = np.array(table.grid)
    weights = trapezoid(grid)
    truth, largest = persons(table, value_range, ids)
    found = []
    for epsilon in EPSILONS:
        squares = [
            float(weights @ (_release(table, epsilon, value_range, ids, words)(grid) - truth) ** 2) / largest
            for _ in range(RELEASES)
        ]
        found.append((float(np.mean(squares)), float(np.std(squares) / RELEASES**0.5)))
    return found


def _release(
    table: CurveTable,
    epsilon: str,
    value_range: tuple[float, float],
    ids: list[object] | None,
    words: dict[str, object],
) -> dpfda.Release:
    return dpfda.mean(table, groups=None, epsilon=epsilon, value_range=value_range, unit=ids, **words)


def stressed(name: str, n: int = 400, points: int = 101) -> CurveTable:
    """Curves of one shape with levels and sizes of their own; white noise beside the sine."""
    rng, t = np.random.default_rng(7), np.linspace(0, 1, points)
    mean = STRESS[name](t)
    curves = 0.5 + (mean - 0.5) * rng.uniform(0.7, 1.3, (n, 1)) + rng.normal(0, 0.05, (n, 1))
    if "white noise" in name:
        curves = curves + rng.normal(0, 0.15, curves.shape)
    return CurveTable(np.clip(curves, 0, 1), tuple(t.tolist()))


def row(name: str, cells: list[tuple[float, float]]) -> str:
    return f"| {name} | " + " | ".join(f"{m:.1e} ({s / m:.0%})" for m, s in cells) + " |"


def tables(data: Path | None) -> str:
    head = [
        "| curves, recipe | " + " | ".join(f"eps {e}" for e in EPSILONS) + " |",
        "| --- |" + " --- |" * len(EPSILONS),
    ]
    lines = ["## The default mean", ""]
    if data is not None:
        lines += [
            f"Mean squared L2 error against the exact mean over the squared largest norm of a curve, {RELEASES} releases with exact "
            "noise; in brackets the standard error in per cent.",
            "",
            *head,
        ]
        for name, (file, ends, meta) in SETS.items():
            table = dpfda.read_curves(data / file)
            ids = None if meta is None else read_column(data / meta, "ID")
            middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
            for width in WIDTHS if meta is None else (1,):
                wide = (middle - width * half, middle + width * half)
                label = f"{name}, range {wide[0]:g}..{wide[1]:g}"
                lines.append(row(f"{label}, default", squared_errors(table, wide, ids)))
                if width == 1:
                    lines.append(row(f"{label}, one look", squared_errors(table, wide, ids, stages=1)))
                    lines.append(row(f"{label}, rough", squared_errors(table, wide, ids, shape="rough")))
        lines.append("")
    lines += [
        "400 made-up curves of one shape on [0, 1], range 0..1, each with a level and a size of its own:",
        "",
        *head,
    ]
    for name in STRESS:
        for words in ({}, {"shape": "rough"}):
            label = f"{name}, {words.get('shape', 'smooth')}"
            lines.append(row(label, squared_errors(stressed(name), (0, 1), None, **words)))
    return "\n".join([*lines, ""])


def tails(data: Path, releases: int = 400) -> str:
    """Return how often a release of real curves errs more than ten times the usual, and with which radius."""
    lines = []
    for name, width, epsilons in (
        ("DTI", 1, ("1/2", "1", "2")),
        ("DTI", 3, ("1/2", "1")),
        ("electricity", 3, ("1/2", "1")),
        ("growth", 1, ("2", "4")),
        ("growth", 3, ("2", "4")),
    ):
        file, ends, _ = SETS[name]
        middle, half = (ends[0] + ends[1]) / 2, (ends[1] - ends[0]) / 2
        wide = (middle - width * half, middle + width * half)
        table = dpfda.read_curves(data / file)
        grid = np.array(table.grid)
        truth, _ = persons(table, wide, None)
        for epsilon in epsilons:
            squares = np.array(
                [
                    trapezoid(grid) @ (_release(table, epsilon, wide, None, {})(grid) - truth) ** 2
                    for _ in range(releases)
                ]
            )
            share = float((squares > 10 * np.median(squares)).mean())
            lines.append(
                f"{name}, range {wide[0]:g}..{wide[1]:g}, epsilon {epsilon}: {share:.2%} beyond ten times the median"
            )
    return "\n".join(lines)


if __name__ == "__main__":
    import os
    import sys

    folder = os.environ.get("DPFDA_DATA")
    if folder and "tails" in sys.argv[1:]:
        print(tails(Path(folder)))
    else:
        print(tables(Path(folder) if folder else None))
