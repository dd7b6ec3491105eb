"""`dpfda simulate` and `dpfda demo`: no real data touched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from matplotlib.axes import Axes
from rich.console import Console
from rich.table import Table

from dpfda.api.compare import compare
from dpfda.api.mean import mean
from dpfda.api.people import people_needed
from dpfda.api.simulate import SHAPES, simulate
from dpfda.cli.kernels import HELP as KERNEL_HELP
from dpfda.cli.kernels import read_kernel
from dpfda.cli.mean import RANGE_HELP
from dpfda.cli.output import number, save_picture, say, whole
from dpfda.datasets.made_up import made_up_curves
from dpfda.errors import FileError, ParameterError
from dpfda.release.envelope import write_whole


def simulate_command(
    n: Annotated[int | None, typer.Option("--n", parser=whole, metavar="N", help="How many persons.")] = None,
    points: Annotated[int, typer.Option(parser=whole, metavar="N", help="How many grid points.")] = 101,
    epsilon: Annotated[str | None, typer.Option(help="Privacy to spend: 1, 0.5 or 1/2.")] = None,
    value_range: Annotated[tuple[str, str] | None, typer.Option("--range", help=RANGE_HELP, metavar="LOW HIGH")] = None,
    smoothness: Annotated[
        str, typer.Option(help="What single curves look like: very smooth, smooth, wavy or rough.")
    ] = "smooth",
    error: Annotated[
        float | None,
        typer.Option(
            parser=number, metavar="ERROR", help="In place of --n: say how many persons this typical error takes."
        ),
    ] = None,
    delta: Annotated[str, typer.Option(help="Allows Gaussian noise: much less than 1/n.")] = "0",
    cells: Annotated[
        int | None, typer.Option(parser=whole, metavar="N", help="Number of cells in place of the rule's.")
    ] = None,
    neighbours: Annotated[str, typer.Option(help="replace-one or add-remove.")] = "replace-one",
) -> None:
    """Show what error to expect, or how many persons it takes, from public numbers alone: nothing is read or spent."""
    public: dict[str, Any] = {
        "points": points,
        "epsilon": epsilon,
        "value_range": value_range,
        "smoothness": smoothness,
    }
    public |= {"neighbours": neighbours, "delta": delta}
    if error is not None:
        if n is not None:
            raise ParameterError("--n and --error are two questions: give one of them")
        for shape in SHAPES:
            try:
                found = f"{people_needed(error=error, shape=shape, **public, rng=np.random.default_rng(1))} persons"
            except ParameterError as problem:
                if "is not reached" not in str(problem):
                    raise
                found = "not reached: too sharp for the functions of the recipe"
            say(f"a mean like {shape}: {found}")
        say(f"About so many persons give a typical error (root mean square) of {error:g} with the default recipe.")
        return
    study = simulate(n=n, cells=cells, **public, rng=np.random.default_rng(1))
    low, high = study.value_range
    table = Table(
        title=(
            f"{n} persons, {points} grid points, epsilon {study.epsilon}, range {low:g} to {high:g}, {smoothness} curves: "
            f"{study.functions} functions, or {study.cells} cells"
        ),
        title_justify="left",
    )
    table.add_column("typical error if the mean is")
    for expected in study.expected:
        table.add_column(expected.mechanism, justify="right")
    table.add_row("(noise before smoothing)", *(f"{e.noise_sd:.3g}" for e in study.expected), end_section=True)
    for i, (shape, _) in enumerate(study.expected[0].errors):
        errors = [e.errors[i][1] for e in study.expected]
        table.add_row(shape, *(f"{error:.3g} ({error / (high - low):.1%})" for error in errors))
    Console().print(table)
    say(
        "Root mean square over the domain (per cent of the range), on made-up means that use half of the range. default and\n"
        "rough are the recipes (--shape), cube and laplace are mechanisms on cells, not smoothed."
    )


def compare_command(
    n: Annotated[int, typer.Option("--n", parser=whole, metavar="N", help="How many persons.")],
    points: Annotated[int, typer.Option(parser=whole, metavar="N", help="How many grid points.")] = 101,
    epsilon: Annotated[str | None, typer.Option(help="Privacy to spend: 1, 0.5 or 1/2.")] = None,
    value_range: Annotated[tuple[str, str] | None, typer.Option("--range", help=RANGE_HELP, metavar="LOW HIGH")] = None,
    delta: Annotated[str, typer.Option(help="For the Gaussian mechanism.")] = "1e-6",
    kernel: Annotated[Any, typer.Option(parser=read_kernel, metavar="KERNEL", help=KERNEL_HELP)] = None,
    eta: Annotated[
        float, typer.Option(parser=number, metavar="ETA", help="Power of the kernel in the penalty.")
    ] = 1.25,
) -> None:
    """Compare every mechanism's expected error, from public numbers alone: nothing is read and nothing is spent."""
    found = compare(n=n, points=points, epsilon=epsilon, value_range=value_range, delta=delta, kernel=kernel, eta=eta)
    say(found.title)
    table = Table()
    table.add_column("mechanism")
    table.add_column("noise alone", justify="right")
    for shape, _ in found.rows[0].errors:
        table.add_column(shape, justify="right")
    for row in found.rows:
        name = f"{row.mechanism} ({row.noise})"
        table.add_row(name, f"{row.noise_rms:.3g}", *(f"{error:.3g}" for _, error in row.errors))
    Console().print(table)
    say(
        "Root mean square over the domain, in the units of the values, on made-up means that use half of the range; lengths of\n"
        "kernels on a domain of length 1."
    )


def demo_command(
    folder: Annotated[Path, typer.Option(help="Where to put the files.")] = Path("dpfda-demo"),
) -> None:
    """Make up 500 curves, release their mean at epsilon 1 and draw it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot make the folder {folder}: {error.strerror}") from None
    grid, curves = made_up_curves(500, rng=np.random.default_rng(2026))
    data, out, picture = folder / "curves.csv", folder / "mean.json", folder / "mean.png"
    lines = [",".join(f"{x:.6g}" for x in row) for row in [grid, *curves]]
    write_whole(data, ("\n".join(lines) + "\n").encode(), overwrite=True)
    release = mean(data, epsilon=1, value_range=(0, 1))
    release.save(out, overwrite=True)

    def draw(ax: Axes) -> None:
        release.plot(ax)
        ax.plot(grid, curves.mean(axis=0), "k:", linewidth=1.3, label="exact mean of these made-up people")
        ax.set_xlabel("hour of the day")
        ax.set_ylabel("mean activity")
        ax.legend(frameon=False, fontsize="small")

    save_picture(draw, picture, overwrite=True)
    say(release.summary())
    say("")
    say(f"Made-up curves: {data}")
    say(f"Release:        {out}")
    say(f"Picture:        {picture}")
    say(f"The same by hand: dpfda mean {data} --epsilon 1 --range 0 1 --out my-mean.json --plot my-mean.png")
