"""The application, and how its errors are said: one or two sentences on standard error, exit status 2."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated, Any

import typer

from dpfda.cli.check import check_command
from dpfda.cli.density import density_command, gathered, sample_command
from dpfda.cli.look import evaluate_command, plot_command, show_command
from dpfda.cli.mean import mean_command
from dpfda.cli.output import say, warn
from dpfda.cli.study import compare_command, demo_command, simulate_command
from dpfda.errors import DpfdaError
from dpfda.version import __version__

app = typer.Typer(
    help="Release functions learned from people's data under differential privacy, with a proof.",
    add_completion=False,
    pretty_exceptions_enable=False,
)
for _name, _command in (
    ("mean", mean_command),
    ("density", density_command),
    ("sample", sample_command),
    ("check", check_command),
    ("show", show_command),
    ("evaluate", evaluate_command),
    ("plot", plot_command),
    ("simulate", simulate_command),
    ("compare", compare_command),
    ("demo", demo_command),
):
    app.command(_name)(_command)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"dpfda {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Release functions learned from people's data under differential privacy, with a proof."""


#: typer carries its own copy of click, or the installed one: its BadParameter tells which.
_UsageError: Any = typer.BadParameter.__mro__[1]


def _range_in_one_word() -> bool:
    """Tell whether --range was followed by one word where two numbers belong."""
    words = sys.argv[1:]
    at = words.index("--range") if "--range" in words else len(words)
    return any(word.startswith("--") or "," in word for word in words[at + 1 : at + 3])


def _say_warning(message: Warning | str, *_: object, **__: object) -> None:
    warn(f"dpfda: warning: {message}")


def run() -> None:
    """Run the command line; the entry point of `dpfda`."""
    warnings.showwarning = _say_warning
    try:
        status = app(args=gathered(sys.argv[1:]) or ["--help"], standalone_mode=False)
    except DpfdaError as error:
        warn(f"dpfda: {error}")
        sys.exit(2)
    except typer.Abort:
        warn("dpfda: interrupted")
        sys.exit(130)
    except Exception as error:
        if not isinstance(error, _UsageError):
            raise
        hint = "; --range takes two numbers, such as --range 0 1" if _range_in_one_word() else ""
        warn(f"dpfda: {error.format_message().rstrip('.')}{hint}: see dpfda --help")
        sys.exit(2)
    sys.exit(status if isinstance(status, int) else 0)
