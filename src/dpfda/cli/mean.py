"""`dpfda mean`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dpfda.api.mean import count_clipped, mean
from dpfda.api.words import read_epsilon, read_range
from dpfda.cli.output import SPENDS, check_picture, read_table, save_picture, say, warn, whole
from dpfda.errors import ParameterError
from dpfda.mechanisms import mechanism_named
from dpfda.privacy.amounts import words
from dpfda.release.envelope import refuse_existing, refuse_foreign

#: Above this epsilon a warning is printed.
WEAK = 10

RANGE_HELP = (
    "Lowest and highest value a curve may have, such as --range 0 1. Take it from what is known about the quantity (the "
    "limits of a device, a definition, an earlier public study), NEVER from these data: a range read from the data gives "
    "away its extreme persons. Values outside are clipped. The noise grows in proportion to the width, so twice as wide a "
    "range costs as much as half the epsilon."
)


def mean_command(
    curves: Annotated[Path, typer.Argument(help="CSV file: the header holds the grid, every row is a curve.")],
    epsilon: Annotated[
        str | None,
        typer.Option(help="Privacy to spend: 1, 0.5 or 1/2. Smaller protects more and adds more noise."),
    ] = None,
    value_range: Annotated[tuple[str, str] | None, typer.Option("--range", help=RANGE_HELP, metavar="LOW HIGH")] = None,
    out: Annotated[Path | None, typer.Option(help="File for the release, such as mean.json.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture to draw as well: .png, .pdf or .svg.")] = None,
    domain: Annotated[
        tuple[str, str] | None,
        typer.Option(help="Ends of the domain; by default those of the grid.", metavar="START END"),
    ] = None,
    unit: Annotated[
        str | None,
        typer.Option(help="Column of person ids: a person's curves are averaged and protected together."),
    ] = None,
    unit_file: Annotated[
        Path | None, typer.Option(help="CSV file that holds the --unit column, a row for every curve.")
    ] = None,
    neighbours: Annotated[
        str, typer.Option(help="replace-one (the number of persons is public) or add-remove (it is hidden).")
    ] = "replace-one",
    design_n: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="Public guess of the number of persons, for add-remove."),
    ] = None,
    mechanism: Annotated[str, typer.Option(help="The noise: cube or laplace.")] = "cube",
    cells: Annotated[
        int | None,
        typer.Option(
            parser=whole,
            metavar="N",
            help="Number of cells in place of the rule's; never chosen by looking at the data.",
        ),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace output files that exist.")] = False,
    header_is_grid: Annotated[
        bool, typer.Option("--header-is-grid", help="Believe the first line also where it looks like a curve.")
    ] = False,
    count: Annotated[
        bool,
        typer.Option(
            "--count-clipped-not-private",
            help="Print how many values lie outside the range. The number is NOT private: for the data's owner alone.",
        ),
    ] = False,
) -> None:
    """Release the mean curve of a CSV file under differential privacy."""
    _check_words(epsilon, value_range, mechanism)
    if out is None:
        raise ParameterError(
            "--out is missing: name the file for the release, such as --out mean.json, or its epsilon would be "
            "spent for nothing"
        )
    refuse_existing(out, overwrite)
    refuse_foreign(out)
    if plot is not None:
        if plot.absolute() == out.absolute():
            raise ParameterError(f"--out and --plot name the same file, {out}: give the picture a name of its own")
        check_picture(plot, overwrite)
    table = read_table(curves, unit, unit_file, header_is_grid)
    release = mean(
        table,
        epsilon=epsilon,
        value_range=value_range,
        domain=domain,
        neighbours=neighbours,
        design_n=design_n,
        unit=unit,
        mechanism=mechanism,
        cells=cells,
    )
    release.save(out, overwrite)
    if plot is not None:
        save_picture(release.plot, plot, overwrite)
    say(release.summary())
    say("")
    say(f"Release: {out}" + (f"   Picture: {plot}" if plot else ""))
    if count and value_range is not None:
        warn(
            f"NOT PRIVATE, for the data's owner alone: {count_clipped(table, value_range)} of {table.values.size} values "
            "lay outside the range and were clipped."
        )
    if release.guarantee.epsilon > WEAK:
        warn(f"Epsilon {words(release.guarantee.epsilon)} is hardly any protection: 1 is a common choice.")
    warn(SPENDS)


def _check_words(epsilon: str | None, value_range: tuple[str, str] | None, mechanism: str) -> None:
    """Check the words before a long file is read."""
    if epsilon is None:
        raise ParameterError(
            "--epsilon is missing: say how much privacy may be spent, such as --epsilon 1 (smaller protects more)"
        )
    read_epsilon(epsilon)
    if value_range is None:
        raise ParameterError(
            "--range is missing: give the lowest and highest value a curve may have, such as --range 0 1, from what is "
            "known about the quantity and never from these data; see dpfda mean --help"
        )
    read_range(value_range)
    mechanism_named(mechanism)
