"""`dpfda check`: a look at a file before anything is spent, for the data's owner alone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dpfda.api.words import read_range
from dpfda.cli.inputs import LongColumns
from dpfda.cli.output import read_table, say, warn
from dpfda.readers import records
from dpfda.readers.scattered import ScatteredTable
from dpfda.spaces.interval import Floats
from dpfda.summaries.units import People


def check_command(
    curves: Annotated[Path, typer.Argument(help="CSV file: the header holds the grid, every row is a curve.")],
    value_range: Annotated[
        tuple[str, str] | None, typer.Option("--range", help="Count the values outside this range.", metavar="LOW HIGH")
    ] = None,
    unit: Annotated[str | None, typer.Option(help="Column of person ids.")] = None,
    unit_file: Annotated[Path | None, typer.Option(help="CSV file that holds the --unit column.")] = None,
    header_is_grid: Annotated[
        bool, typer.Option("--header-is-grid", help="Believe the first line also where it looks like a curve.")
    ] = False,
    long_id: Annotated[str | None, typer.Option("--id", help="A long table: its column of curves.")] = None,
    time: Annotated[str | None, typer.Option(help="With --id: the column of times.")] = None,
    value: Annotated[str | None, typer.Option(help="With --id: the column of values.")] = None,
) -> None:
    """See whether a file can be used: curves, grid, gaps, values outside a range. NOT private, spends nothing."""
    ends = None if value_range is None else read_range(value_range)
    columns = LongColumns.read(long_id, time, value, unit, unit_file, header_is_grid)
    if columns is not None:
        _check_long(columns.table(curves), ends)
        return
    table = records.read(read_table(curves, unit, unit_file, header_is_grid), None, unit)
    n, points = table.values.shape
    say(f"{n} curves on {points} grid points from {table.grid[0]:g} to {table.grid[-1]:g}; every curve can be used.")
    first = ", ".join(f"{t:g}" for t in table.grid[:6]) + (", ..." if points > 6 else "")
    say(f"The first line was taken for the grid, which every release publishes: {first}")
    if table.ids is not None:
        say(f"{len(People.of(table.ids, n))} persons by {unit}.")
    gaps = int(np.isnan(table.values).sum())
    say(
        f"{gaps} missing values in {int(np.isnan(table.values).any(axis=1).sum())} curves will be filled within the curve."
    )
    _say_outside(table.values, ends)


def _check_long(table: ScatteredTable, ends: tuple[Fraction, Fraction] | None) -> None:
    points = np.isfinite(table.values).sum(axis=1)
    say(
        f"{len(points)} curves of {points.min()} to {points.max()} points each, from {np.nanmin(table.times):g} to "
        f"{np.nanmax(table.times):g}; every curve can be used."
    )
    if table.ids is not None:
        say(f"{len(People.of(table.ids, len(points)))} persons.")
    _say_outside(table.values, ends)


def _say_outside(values: Floats, ends: tuple[Fraction, Fraction] | None) -> None:
    if ends is not None:
        lower, upper = map(float, ends)
        with np.errstate(invalid="ignore"):
            outside = int(((values < lower) | (values > upper)).sum())
        say(
            f"{outside} of {int(np.isfinite(values).sum())} values lie outside {lower:g} to {upper:g} and would be clipped."
        )
    warn(
        "NOT PRIVATE: for the data's owner alone. Do not choose a range by trying: take it from what is known beforehand."
    )
