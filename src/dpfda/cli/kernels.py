"""Kernels in one word: matern:1.5:0.1, gaussian:0.2, exponential:0.1, periodic:0.5:24."""

from __future__ import annotations

from collections.abc import Callable

import typer

from dpfda.errors import ParameterError
from dpfda.kernels import Exponential, Gaussian, Kernel, Matern, Periodic

_KINDS: dict[str, tuple[Callable[..., Kernel], tuple[str, ...]]] = {
    "matern": (Matern, ("NU", "LENGTH")),
    "gaussian": (Gaussian, ("LENGTH",)),
    "exponential": (Exponential, ("LENGTH",)),
    "periodic": (Periodic, ("LENGTH", "PERIOD")),
}
HELP = (
    "Kernel whose eigenfunctions are the basis: "
    + ", ".join(":".join((name, *numbers)) for name, (_, numbers) in _KINDS.items())
    + "; lengths in the units of the grid. Several may be added with +."
)


def read_kernel(text: str) -> Kernel:
    """Read a kernel, or a sum of them, from one word."""
    terms = [_term(part) for part in text.split("+")]
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def _term(text: str) -> Kernel:
    name, *numbers = text.strip().split(":")
    if name not in _KINDS or len(numbers) != len(_KINDS[name][1]):
        forms = ", ".join(":".join((kind, *words)) for kind, (_, words) in _KINDS.items())
        raise typer.BadParameter(f"{text!r} is not a kernel: write one of {forms}, such as matern:1.5:0.1")
    try:
        return _KINDS[name][0](*map(float, numbers))
    except (ValueError, ParameterError) as error:
        raise typer.BadParameter(f"{text!r} is not a kernel: {error}") from None
