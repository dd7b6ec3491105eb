"""`dpfda mean`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dpfda.api.mean import mean
from dpfda.api.together import check_mechanism
from dpfda.api.words import read_epsilon, read_range
from dpfda.cli.inputs import LongColumns, read_labels
from dpfda.cli.kernels import HELP as KERNEL_HELP
from dpfda.cli.kernels import read_kernel
from dpfda.cli.output import SPENDS, check_picture, number, read_table, save_picture, say, warn, whole
from dpfda.errors import ParameterError
from dpfda.mechanisms import MECHANISMS
from dpfda.privacy.amounts import exact, words
from dpfda.release.envelope import refuse_existing, refuse_foreign
from dpfda.release.groups import group_paths
from dpfda.spaces.circle import Circle

NEVER = "Never from these data."

#: Above this epsilon a warning is printed.
WEAK = 10

RANGE_HELP = (
    "Lowest and highest value a curve may have, such as --range 0 1. Take it from what is known about the quantity (the "
    "limits of a device, a definition, an earlier public study), NEVER from these data: a range read from the data gives "
    "away its extreme persons. Values outside are clipped. The noise grows in proportion to the width, so twice as wide a "
    "range costs as much as half the epsilon."
)


def mean_command(
    curves: Annotated[
        Path,
        typer.Argument(
            help="CSV file: the header holds the grid, every row is a curve; or a long table, with --id --time --value."
        ),
    ],
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
    periodic: Annotated[
        bool,
        typer.Option("--periodic", help="The ends of --domain are one point: hours of a day, angles. For a basis."),
    ] = False,
    unit: Annotated[
        str | None,
        typer.Option(help="Column of person ids: a person's curves are averaged and protected together."),
    ] = None,
    unit_file: Annotated[
        Path | None, typer.Option(help="CSV file that holds the --unit column, a row for every curve.")
    ] = None,
    long_id: Annotated[
        str | None, typer.Option("--id", help="The file is a long table, a row a measurement: the column of curves.")
    ] = None,
    time: Annotated[str | None, typer.Option(help="With --id: the column of times.")] = None,
    value: Annotated[str | None, typer.Option(help="With --id: the column of values.")] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="Column of public groups in --group-file: a curve a group, at the price of one, a file each."
        ),
    ] = None,
    group_file: Annotated[
        Path | None, typer.Option(help="CSV file that holds the --group column, a row for every curve.")
    ] = None,
    neighbours: Annotated[
        str, typer.Option(help="replace-one (the number of persons is public) or add-remove (it is hidden).")
    ] = "replace-one",
    design_n: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="Public guess of the number of persons, for add-remove."),
    ] = None,
    shape: Annotated[
        str, typer.Option(help="What single curves look like: smooth, or rough (with jumps or sharp spikes).")
    ] = "smooth",
    stages: Annotated[str, typer.Option(help="Looks at the data: 1, 2 or rule.")] = "rule",
    spread: Annotated[
        bool,
        typer.Option(
            "--spread", help="Spend a fifth of epsilon on the spread of single curves: a band for the population."
        ),
    ] = False,
    mechanism: Annotated[
        str | None,
        typer.Option(
            help="The noise by name, in place of the recipe: cube or laplace on cells; gaussian, iclp, finite-basis, ball, blocks "
            "or auto in a basis."
        ),
    ] = None,
    cells: Annotated[
        int | None,
        typer.Option(
            parser=whole,
            metavar="N",
            help="Number of cells in place of the rule's; never chosen by looking at the data.",
        ),
    ] = None,
    delta: Annotated[str, typer.Option(help="Much less than 1/n, such as 1e-6: allows Gaussian noise.")] = "0",
    bound: Annotated[
        str | None,
        typer.Option(help="In a basis, in place of --range: largest norm of a curve around --center. " + NEVER),
    ] = None,
    bound_norm: Annotated[str, typer.Option(help="l2 (a root mean square) or l1 (of the coefficients).")] = "l2",
    center: Annotated[
        float | None, typer.Option(parser=number, metavar="VALUE", help="Public level for --bound.")
    ] = None,
    kernel: Annotated[Any, typer.Option(parser=read_kernel, metavar="KERNEL", help=KERNEL_HELP)] = None,
    basis: Annotated[str | None, typer.Option(help="legendre, cosine or fourier, in place of --kernel.")] = None,
    noise: Annotated[
        str, typer.Option(help="matched (least for the estimator) or kernel (as in the papers).")
    ] = "matched",
    estimator: Annotated[
        str | None, typer.Option(help="quadratic (the default with a kernel), absolute or truncate.")
    ] = None,
    penalty: Annotated[
        str | None, typer.Option(help="Of the quadratic or absolute estimator: a number, or pss, a public rule.")
    ] = None,
    eta: Annotated[float, typer.Option(parser=number, metavar="ETA", help="Power of the kernel in the penalty.")] = 1.0,
    components: Annotated[
        int | None,
        typer.Option(parser=whole, metavar="N", help="How many functions; never chosen by looking at the data."),
    ] = None,
    calibration: Annotated[
        str, typer.Option(help="Of Gaussian noise: analytic (exact) or classic (the papers').")
    ] = "analytic",
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
    _check_words(epsilon, value_range, mechanism, bound)
    where = _circle(domain) if periodic else domain
    if out is None:
        raise ParameterError(
            "--out is missing: name the file for the release, such as --out mean.json, or its epsilon would be "
            "spent for nothing"
        )
    columns = LongColumns.read(long_id, time, value, unit, unit_file, header_is_grid)
    if columns is not None and group is not None:
        raise ParameterError(
            "--group is for a file with a row a curve; split a long table by group, and release each part"
        )
    labels = None if group is None else read_labels(group, group_file)
    for path in (out,) if labels is None else group_paths(out, tuple(dict.fromkeys(labels))):
        refuse_existing(path, overwrite)
        refuse_foreign(path)
    if plot is not None:
        if plot.absolute() == out.absolute():
            raise ParameterError(f"--out and --plot name the same file, {out}: give the picture a name of its own")
        check_picture(plot, overwrite)
    table = read_table(curves, unit, unit_file, header_is_grid) if columns is None else columns.table(curves)
    released = mean(
        table,
        groups=labels,
        epsilon=epsilon,
        value_range=value_range,
        domain=where,
        neighbours=neighbours,
        design_n=design_n,
        unit=unit if columns is None else None,
        shape=shape,
        stages=int(stages) if stages in ("1", "2") else stages,
        spread=spread,
        mechanism=mechanism,
        cells=cells,
        delta=delta,
        bound=bound,
        bound_norm=bound_norm,
        center=center,
        kernel=kernel,
        basis=basis,
        noise=noise,
        estimator=estimator,
        penalty=penalty if penalty in (None, "pss") else number(str(penalty)),
        eta=eta,
        components=components,
        calibration=calibration,
    )
    released.save(out, overwrite)
    if plot is not None:
        save_picture(released.plot, plot, overwrite)
    say(released.summary())
    say("")
    files = (out,) if labels is None else group_paths(out, tuple(dict.fromkeys(labels)))
    say(f"Release: {', '.join(map(str, files))}" + (f"   Picture: {plot}" if plot else ""))
    if count and value_range is not None:
        low, high = map(float, read_range(value_range))
        with np.errstate(invalid="ignore"):
            outside = int(((table.values < low) | (table.values > high)).sum())
        warn(
            f"NOT PRIVATE, for the data's owner alone: {outside} of {int((~np.isnan(table.values)).sum())} values "
            "lay outside the range and were clipped."
        )
    if read_epsilon(epsilon) > WEAK:
        warn(f"Epsilon {words(read_epsilon(epsilon))} is hardly any protection: 1 is a common choice.")
    warn(SPENDS)


def _circle(domain: tuple[str, str] | None) -> Circle:
    """Return the circle that --periodic asks for; where it closes must be said."""
    if domain is None:
        raise ParameterError(
            "--periodic needs --domain, whose ends are one point, such as --domain 0 24 for hours of the day"
        )
    start, end = (float(exact(word, "an end of --domain")) for word in domain)
    return Circle(start, end)


def _check_words(
    epsilon: str | None, value_range: tuple[str, str] | None, mechanism: str | None, bound: str | None
) -> None:
    """Check the words before a long file is read."""
    if epsilon is None:
        raise ParameterError(
            "--epsilon is missing: say how much privacy may be spent, such as --epsilon 1 (smaller protects more)"
        )
    read_epsilon(epsilon)
    check_mechanism(mechanism)
    if bound is not None and mechanism is None:
        raise ParameterError(
            "--bound is for a mean in a basis: name a --mechanism, such as --mechanism auto --kernel matern:1.5:LENGTH"
        )
    if value_range is not None:
        read_range(value_range)
    elif bound is None or mechanism is None or mechanism in MECHANISMS:
        raise ParameterError(
            "--range is missing: give the lowest and highest value a curve may have, such as --range 0 1, from what is "
            "known about the quantity and never from these data; see dpfda mean --help"
        )
