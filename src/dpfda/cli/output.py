"""What commands print, and how they wait."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress, TaskID

from dpfda.errors import ParameterError
from dpfda.readers.csv import read_column, read_curves
from dpfda.readers.table import CurveTable
from dpfda.release.envelope import refuse_existing, write_whole

#: Waiting shorter than this needs no bar.
PATIENCE = 1.0
PICTURES = (".png", ".pdf", ".svg")

SPENDS = "This release has spent its epsilon. Running the command again draws new noise and spends again: the epsilons add up."


def say(text: str) -> None:
    """Print to standard output, as it is."""
    typer.echo(text)


def warn(text: str) -> None:
    """Print to standard error."""
    typer.echo(text, err=True)


def whole(text: str) -> int:
    """Read a whole number from the command line."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a whole number") from None


def number(text: str) -> float:
    """Read a number from the command line."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a number with a decimal point") from None


def read_table(curves: Path, unit: str | None, unit_file: Path | None, header_is_grid: bool) -> CurveTable:
    """Read curves, with ids from their own file or from a column of another."""
    if unit_file is not None and unit is None:
        raise ParameterError("--unit-file needs --unit, the name of the column of person ids in it")
    with bar("reading curves") as progress:
        table = read_curves(curves, None if unit_file else unit, progress, header_is_grid)
    if unit_file is None or unit is None:
        return table
    return CurveTable(table.values, table.grid, read_column(unit_file, unit), table.source, unit)


class Bar:
    """A progress bar on standard error that appears once a job has taken more than a second."""

    def __init__(self, label: str) -> None:
        self._label, self._start = label, time.monotonic()
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def __call__(self, share: float) -> None:
        """Report the share that is done."""
        if self._progress is None and time.monotonic() - self._start > PATIENCE:
            self._progress = Progress(console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._label, total=1.0)
            self._progress.start()
        if self._progress is not None:
            self._progress.update(self._task, completed=share)

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def bar(label: str) -> Iterator[Bar]:
    """Show a bar for as long as the block runs, if it runs long."""
    shown = Bar(label)
    try:
        yield shown
    finally:
        shown.close()


def check_picture(path: Path, overwrite: bool) -> None:
    """Refuse a picture that could not be written, before anything is spent."""
    if path.suffix.lower() not in PICTURES:
        raise ParameterError(f"the picture {path} must end in {', '.join(PICTURES)}")
    refuse_existing(path, overwrite)


def save_picture(axes_drawer: Any, path: Path, overwrite: bool) -> None:
    """Draw on fresh axes and write the file whole."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.2), layout="constrained")
    axes_drawer(figure.subplots())
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix.lower()[1:], dpi=150)
    write_whole(path, data.getvalue(), overwrite)
