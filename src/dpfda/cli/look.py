"""`dpfda show`, `dpfda evaluate`, `dpfda plot`: free looks at a release that was made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dpfda.cli.output import check_picture, number, save_picture, say
from dpfda.errors import ParameterError
from dpfda.release.density import Density
from dpfda.release.load import load
from dpfda.spaces.box import Box

ReleaseFile = Annotated[Path, typer.Argument(help="A release that `dpfda mean` or `dpfda density` wrote.")]


def show_command(
    release: ReleaseFile,
    statement: Annotated[
        bool,
        typer.Option("--statement", help="Print the paragraph for a data-protection assessment instead."),
    ] = False,
    citations: Annotated[bool, typer.Option("--citations", help="Print the papers to cite instead.")] = False,
) -> None:
    """Print what was released, what is guaranteed and on which conditions."""
    loaded = load(release)
    if statement:
        say(loaded.statement())
    if citations:
        say("\n".join(loaded.citations()))
    if not statement and not citations:
        say(loaded.summary())


def evaluate_command(
    release: ReleaseFile,
    at: Annotated[
        str,
        typer.Option(help="Points of the domain, separated by commas: --at 0,0.25,0.5; of a surface --at 0:0.5,1:0.2"),
    ],
) -> None:
    """Print the released function at points: a line a point, its coordinates and the value."""
    loaded = load(release)
    if isinstance(loaded, Density):
        axes = len(loaded.axes)
    else:
        axes = len(loaded.domain.axes) if isinstance(loaded.domain, Box) else 1
    points = []
    for text in at.split(","):
        try:
            point = [float(coordinate) for coordinate in text.split(":")]
        except ValueError:
            point = []
        if len(point) != axes:
            example = "0,0.25,0.5" if axes == 1 else ",".join([":".join(["0.25"] * axes)] * 2)
            what = "numbers" if axes == 1 else f"points of {axes} coordinates, x:y,"
            raise ParameterError(f"--at must be {what} separated by commas, such as --at {example}, not {text!r}")
        points.append(point)
    where = np.array(points)
    for coordinates, value in zip(where, loaded(where if axes > 1 else where[:, 0]), strict=True):
        say(f"{','.join(f'{c:.10g}' for c in coordinates)},{value:.6g}")


def plot_command(
    release: ReleaseFile,
    out: Annotated[
        Path | None, typer.Option(help="Picture to write: .png, .pdf or .svg; by default beside the release.")
    ] = None,
    level: Annotated[
        float, typer.Option(parser=number, metavar="LEVEL", help="Level of the band of the noise.")
    ] = 0.95,
    x_label: Annotated[str | None, typer.Option(help="What the horizontal axis shows; t by default.")] = None,
    y_label: Annotated[str | None, typer.Option(help="What the vertical axis shows; mean by default.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a picture that exists.")] = False,
) -> None:
    """Draw the released function with its band."""
    loaded = load(release)
    picture = out or release.with_suffix(".png")
    check_picture(picture, overwrite)
    own = {name: text for name, text in (("xlabel", x_label), ("ylabel", y_label)) if text is not None}
    save_picture(lambda ax: loaded.plot(ax, level).set(**own), picture, overwrite)
    say(f"Picture: {picture}")
