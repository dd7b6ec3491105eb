"""`dpfda density` and `dpfda sample`."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dpfda.api.density import density
from dpfda.api.words import read_epsilon
from dpfda.cli.output import SPENDS, check_picture, number, save_picture, say, warn, whole
from dpfda.errors import ParameterError
from dpfda.privacy.amounts import words
from dpfda.release.density import Density
from dpfda.release.envelope import refuse_existing, refuse_foreign, write_whole
from dpfda.release.load import load
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval

#: Options of `dpfda density` that take several words, which are joined by commas before they are read.
_SEVERAL = ("--columns", "--domain", "--bandwidth")
#: Above this epsilon a warning is printed.
WEAK = 10


def gathered(arguments: list[str]) -> list[str]:
    """Return the arguments with the words after --columns, --domain and --bandwidth joined by commas."""
    if arguments[:1] != ["density"]:
        return arguments
    joined: list[str] = []
    open_list = False
    for word in arguments:
        if open_list and not word.startswith("--"):
            joined[-1] = f"{joined[-1]},{word}" if joined[-1] not in _SEVERAL else joined[-1]
            if joined[-1] in _SEVERAL:
                joined.append(word)
            continue
        open_list = word in _SEVERAL
        joined.append(word)
    return joined


def density_command(
    points: Annotated[Path, typer.Argument(help="CSV file: the first line names the columns, every row is a record.")],
    epsilon: Annotated[
        str | None, typer.Option(help="Privacy to spend: 1, 0.5 or 1/2. Smaller protects more and adds more noise.")
    ] = None,
    domain: Annotated[
        str | None,
        typer.Option(
            metavar="LOW HIGH ...",
            help="Ends of what values can be, a pair a column. From what is known about them, NEVER from these data.",
        ),
    ] = None,
    column: Annotated[str | None, typer.Option(help="The column of the values.")] = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAME ...", help="Two or three columns, for a joint density.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="File for the release, such as density.json.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Picture to draw as well: .png, .pdf or .svg.")] = None,
    periodic: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Columns whose domain is a circle (hours, angles), with commas; or all."),
    ] = None,
    bandwidth: Annotated[
        str | None,
        typer.Option(
            metavar="WIDTH ...",
            help="Width of a kernel estimate, one or one a column; rule or private. Without it the density itself.",
        ),
    ] = None,
    kernel: Annotated[str, typer.Option(help="gaussian, exponential, matern-3/2 or matern-5/2.")] = "gaussian",
    mechanism: Annotated[
        str | None,
        typer.Option(help="cells (the default), iclp, gaussian, finite-basis, ball, blocks, bernstein or auto."),
    ] = None,
    delta: Annotated[
        str, typer.Option(help="For --mechanism gaussian or auto: much less than 1/n, such as 1e-6.")
    ] = "0",
    unit: Annotated[str | None, typer.Option(help="Column of person ids: a person counts once.")] = None,
    neighbours: Annotated[
        str, typer.Option(help="replace-one (n is public) or add-remove (it is hidden).")
    ] = "replace-one",
    design_n: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="Public guess of the number of records, for add-remove."),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace output files that exist.")] = False,
) -> None:
    """Release the density of columns of a CSV file under differential privacy."""
    if epsilon is None:
        raise ParameterError("--epsilon is missing: say how much privacy may be spent, such as --epsilon 1")
    read_epsilon(epsilon)
    if (column is None) == (columns is None):
        raise ParameterError("give exactly one of --column and --columns, such as --column age")
    names = [column] if column is not None else str(columns).split(",")
    if out is None:
        raise ParameterError("--out is missing: name the file for the release, such as --out density.json")
    axes = _axes(domain, periodic, names)
    refuse_existing(out, overwrite)
    refuse_foreign(out)
    if plot is not None:
        if plot.absolute() == out.absolute():
            raise ParameterError(f"--out and --plot name the same file, {out}: give the picture a name of its own")
        check_picture(plot, overwrite)
    release = density(
        points,
        domain=axes,
        epsilon=epsilon,
        delta=delta,
        kernel=kernel,
        bandwidth=_bandwidth(bandwidth),
        mechanism=mechanism,
        neighbours=neighbours,
        design_n=design_n,
        unit=unit,
        columns=names,
    )
    release.save(out, overwrite)
    if plot is not None:
        save_picture(release.plot, plot, overwrite)
    say(release.summary())
    say("")
    say(f"Release: {out}" + (f"   Picture: {plot}" if plot else ""))
    if release.guarantee.epsilon > WEAK:
        warn(f"Epsilon {words(release.guarantee.epsilon)} is hardly any protection: 1 is a common choice.")
    warn(SPENDS)


def sample_command(
    release: Annotated[Path, typer.Argument(help="A density that `dpfda density --out` wrote.")],
    n: Annotated[int, typer.Option("-n", parser=whole, metavar="N", help="How many synthetic records.")],
    out: Annotated[Path, typer.Option(help="CSV file to write.")],
    seed: Annotated[int | None, typer.Option(parser=whole, metavar="SEED", help="For the same records again.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that exists.")] = False,
) -> None:
    """Write synthetic records drawn from a released density: free, and as private as the release."""
    loaded = load(release)
    if not isinstance(loaded, Density):
        raise ParameterError(f"{release} holds a mean curve: synthetic records come from a density")
    refuse_existing(out, overwrite)
    drawn = loaded.sample(n, np.random.default_rng(seed))
    lines = [",".join(loaded.names)]
    lines += [",".join(f"{value:.9g}" for value in np.atleast_1d(row)) for row in drawn]
    write_whole(out, ("\n".join(lines) + "\n").encode(), overwrite)
    say(f"{n} synthetic records: {out}")


def _axes(domain: str | None, periodic: str | None, names: list[str]) -> list[Interval]:
    if domain is None:
        raise ParameterError(
            "--domain is missing: give the ends of what values can be, from what is known about them and never from these data, such as "
            "--domain 0 100"
        )
    ends = [number(word) for word in domain.split(",")]
    if len(ends) != 2 * len(names):
        raise ParameterError(
            f"--domain has {len(ends)} numbers for {len(names)} columns: give two a column, such as --domain 0 100"
        )
    around = names if periodic == "all" else [] if periodic is None else periodic.split(",")
    for name in around:
        if name not in names:
            raise ParameterError(f"--periodic names {name!r}, which is not among the columns {', '.join(names)}")
    pairs = list(pairwise(ends))[::2]
    return [Circle(*pair) if name in around else Interval(*pair) for name, pair in zip(names, pairs, strict=True)]


def _bandwidth(text: str | None) -> str | float | list[float] | None:
    if text is None or text in ("rule", "private"):
        return text
    widths = [number(word) for word in text.split(",")]
    return widths[0] if len(widths) == 1 else widths
