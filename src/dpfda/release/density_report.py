"""A released density in words: a summary, a statement for an assessment, the papers to cite."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from dpfda.privacy.amounts import words
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.density_view import BasisDensityView, BernsteinView, BinView, DensityView, NodeView
from dpfda.release.law import NoiseLaw

if TYPE_CHECKING:
    from dpfda.release.density import Density

_SPECTRAL = (
    "Hall, Rinaldo, Wasserman (2013). Differential privacy for functions and functional data. J. Mach. Learn. Res. 14.",
    "Lin, Reimherr (2026). Pure differential privacy for functional summaries with a Laplace-like process.",
)
_BERNSTEIN = (
    "Aldà, Rubinstein (2017). The Bernstein mechanism: function release under differential privacy. AAAI 2017.",
)
_SMOOTHED = (
    "Riihimäki, Vehtari (2014). Laplace approximation for logistic Gaussian process density estimation. Bayesian Anal. 9.",
)


def shape(view: DensityView) -> str:
    """Return "19 nodes" or "20 basis functions"."""
    d = len(view.axes)
    if isinstance(view, NodeView):
        return " x ".join([str(view.nodes)] * d) + " nodes"
    if isinstance(view, BinView):
        return f"{len(view.runs) - 1} bins"
    if isinstance(view, BernsteinView):
        return " x ".join([str(view.order + 1)] * d) + " lattice points"
    if isinstance(view, BasisDensityView):
        return f"{len(view.index)} basis functions"
    raise TypeError(f"no words for {type(view).__name__}")


def summary(release: Density) -> str:
    """Return what was released, what is promised and on which conditions."""
    g, view, law = release.guarantee, release.view, release.law
    box = " x ".join(f"[{axis.start:g}, {axis.end:g}]" for axis in release.axes)
    estimand = "the density itself" if view.width is None else f"the kernel estimate with {view.width}"
    sds = release.posterior.sds / release.function.volume
    noise = (
        f"standard deviation {law.noise_sd * law.count:.3g} records in each {'node' if isinstance(view, NodeView) else 'bin'}"
        if isinstance(view, NodeView | BinView)
        else f"root mean square {float(np.sqrt(np.mean(sds**2))):.3g} over the domain"
    )
    lines = [
        *_wrap(f"Private density on {box}: {estimand}, from {shape(view)}, {_who(release)}."),
        "",
        f"Guarantee: epsilon {words(g.epsilon)}, delta {words(g.delta)}, neighbours {g.neighbours}, unit one {g.unit}.",
        *_wrap(g.sentence),
        "",
        f"Noise: {g.mechanism}, {noise}.",
        *_wrap(
            "Smoothed after the noise, which is free, under a public prior; typical standard deviation of the result "
            f"{float(np.sqrt(np.mean(sds**2))):.3g}."
            if view.smoothed
            else "Not smoothed: the estimate may be negative; probabilities and samples come from the nearest density."
        ),
        *_wrap(
            f"Mass of the estimate inside the domain: {release.mass:.4f}. "
            + (
                ""
                if view.width is None
                else "Probabilities, quantiles and samples come from the density scaled to mass one."
            )
        ),
        *(line for note in g.notes for line in _wrap(f"Choice: {note}")),
        *_events(release),
        "",
        "The caller vouched for:",
        *(line for claim in g.vouched for line in _wrap(claim, "  - ", "    ")),
        "",
        *_wrap(
            f"For the proof (docs/proofs/{g.sensitivity.proof}): sensitivity {g.sensitivity.formula} = "
            f"{float(g.sensitivity.value):.6g}; as integers, the sum moves by at most {g.sensitivity.units} and the noise "
            f"has scale {g.scale}."
        ),
        "",
        *_wrap("Any further release from the same data spends again; the epsilons add up."),
        f"dpfda {g.version}",
    ]
    return "\n".join(lines)


def statement(release: Density) -> str:
    """Return a paragraph for a data-protection assessment."""
    g = release.guarantee
    conditions = "; ".join(f"({i}) {c[0].lower()}{c[1:].rstrip('.')}" for i, c in enumerate(g.vouched, start=1))
    kind = "(epsilon, delta)" if g.delta else "epsilon"
    return (
        f"The published density was computed from the data of {_who(release)} and released with {kind}-differential privacy, "
        f"epsilon = {words(g.epsilon)}, delta = {words(g.delta)}, by dpfda {g.version} ({g.mechanism} mechanism, neighbouring data "
        f"sets: {g.neighbours}, unit of protection: one {g.unit}). {g.sentence} This holds whatever else an attacker knows and "
        "whatever is done with the publication afterwards, synthetic records drawn from it included. Each contribution was bounded "
        "in integer arithmetic before it was added up, and the noise was drawn exactly, in integers, from the operating system's "
        f"generator; the proofs are the pages {', '.join(g.proofs)} of the package's documentation. The guarantee rests on what "
        f"the data's owner vouches for: {conditions}. It does not cover other publications from the same data, whose losses add "
        "to this one, nor what could be learned about a person without that person's data."
    )


def citations(law: NoiseLaw, view: DensityView) -> tuple[str, ...]:
    """Return the papers behind the method and the mechanism."""
    if view.smoothed:
        return (*_SMOOTHED, *law.law.citations)
    return (*(_BERNSTEIN if isinstance(view, BernsteinView) else _SPECTRAL), *law.law.citations)


def _events(release: Density) -> list[str]:
    g = release.guarantee
    if len(g.events) < 2:
        return []
    return ["", "What was charged:", *(f"  {i}. {event}" for i, event in enumerate(g.events, start=1))]


def _who(release: Density) -> str:
    g = release.guarantee
    if g.neighbours is Neighbours.REPLACE_ONE:
        return f"{g.n} {_plural(g.unit)} (a public number)"
    return f"about {release.law.count:.0f} {_plural(g.unit)} (a released, noisy number)"


def _plural(unit: str) -> str:
    return "people" if unit == "person" else f"{unit}s"


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, 96, initial_indent=first, subsequent_indent=rest)
