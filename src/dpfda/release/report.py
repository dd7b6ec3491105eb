"""A release in words: a summary, a statement for an assessment, the papers to cite."""

from __future__ import annotations

import textwrap

import numpy as np

from dpfda.privacy.amounts import words
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.bands import Band, CurveBand
from dpfda.release.box_bands import BoxBand
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread
from dpfda.release.view import CellView, View

_METHOD = (
    "Hall, Rinaldo, Wasserman (2013). Differential privacy for functions and functional data. J. Mach. Learn. Res. 14.",
    "Mirshani, Reimherr, Slavkovic (2019). Formal privacy for functional data with Gaussian perturbations. ICML 2019.",
    "Lin, Reimherr (2026). Pure differential privacy for functional summaries with a Laplace-like process.",
)

_SELECTION = (
    "McKenna, Sheldon (2020). Permute-and-flip: a new mechanism for differentially private selection. NeurIPS 33."
)


def summary(
    view: View,
    law: NoiseLaw,
    guarantee: Guarantee,
    band: Band | CurveBand | BoxBand,
    smoothing: Smoothing | None = None,
) -> str:
    """Return what was released, what is promised and on which conditions."""
    g, domain = guarantee, view.domain
    half = float(np.max(band.upper - band.lower)) / 2
    on_cells = isinstance(view, CellView)
    what = (
        "all unreleased cell averages lie"
        if on_cells
        else f"the whole unreleased {view.noun}, as public rules shaped it (clipped, moved, penalised, cut off), lies"
    )
    where = f"released one{'s' if on_cells else ''}" + (", before smoothing" if smoothing else "")
    size = (
        f"standard deviation {law.noise_sd:.3g} in each cell average"
        if on_cells
        else f"root mean square {law.noise_rms:.3g} over the domain"
    )
    lines = [
        *_wrap(f"Private mean {view.noun} on {domain.words}, {shape(view, len(law.steps), 'equal ')}, {_who(law, g)}."),
        "",
        f"Guarantee: epsilon {words(g.epsilon)}, delta {words(g.delta)}, neighbours {g.neighbours}, unit one {g.unit}.",
        *_wrap(g.sentence),
        "",
        f"Noise: {g.mechanism}, {size}.",
        *_wrap(
            f"95 % band of the noise: {what} within {half:.3g} of the {where}."
            if np.isfinite(half)
            else "95 % band: unlimited, for the noise on the number of records is larger than the number itself."
        ),
        *(_wrap(f"Smoothed after the noise, which is free: {smoothing.smoother.words}.") if smoothing else ()),
        *_large_delta(g),
        *(line for note in g.notes for line in _wrap(f"Choice: {note}")),
        *_steps(g),
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


def _steps(guarantee: Guarantee) -> list[str]:
    """Return the steps of a recipe and what each cost."""
    if len(guarantee.stages) < 2:
        return []
    total = f"epsilon {words(guarantee.epsilon)}" + (f", delta {words(guarantee.delta)}" if guarantee.delta else "")
    return [
        "",
        f"What was charged, together {total}:",
        *(f"  {i}. {s}" for i, s in enumerate(guarantee.stages, start=1)),
    ]


def statement(law: NoiseLaw, guarantee: Guarantee, noun: str = "curve") -> str:
    """Return a paragraph for a data-protection assessment."""
    g = guarantee
    conditions = "; ".join(f"({i}) {c[0].lower()}{c[1:].rstrip('.')}" for i, c in enumerate(g.vouched, start=1))
    return (
        f"The published mean {noun} was computed from the data of {_who(law, g)} and released with {_kind(g)}-differential "
        f"privacy, epsilon = {words(g.epsilon)}, delta = {words(g.delta)}, by dpfda {g.version} ({_how(g)}, "
        f"neighbouring data sets: {g.neighbours}, unit of protection: one {g.unit}). {g.sentence} This holds whatever else "
        "an attacker knows and whatever is done with the publication afterwards. Each contribution was bounded in integer "
        "arithmetic before it was added up, and the noise was drawn exactly, in integers, from the operating system's "
        f"generator; the proofs are the pages {', '.join(g.proofs)} of the package's documentation. The guarantee rests on "
        f"what the data's owner vouches for: {conditions}. It does not cover other publications from the same data, whose "
        "losses add to this one, nor what could be learned about a person without that person's data."
    )


def spread(released: Spread, band: Band | CurveBand | BoxBand) -> str:
    """Return what is known of single curves, and of the population's mean."""
    sds = np.sqrt(np.maximum(released.raw, 0.0))
    half = float(np.max(band.upper - band.lower)) / 2
    sizes = f"{sds.min():.3g}" if len(sds) == 1 else f"{sds.min():.3g} to {sds.max():.3g} over {len(sds)} cells"
    return "\n".join(
        _wrap(
            f"Spread: single curves lie about {sizes} from the mean (standard deviation, noisy). 95 % band for the population's mean: "
            f"within {half:.3g} of the released numbers, before smoothing."
        )
    )


def _large_delta(guarantee: Guarantee) -> list[str]:
    """Say so where delta is so large that a release which publishes a few persons outright would satisfy it."""
    n = guarantee.n
    if not guarantee.delta or n is None or guarantee.delta * n <= 1:
        return []
    return _wrap(
        f"WARNING: delta {words(guarantee.delta)} is larger than 1/n. With such a delta even the publication of some person's data would be "
        "allowed now and then: choose one well below 1/n, such as 1e-6."
    )


def _how(guarantee: Guarantee) -> str:
    """Return "cube mechanism", or the steps of a recipe."""
    if len(guarantee.stages) < 2:
        return f"{guarantee.mechanism} mechanism"
    steps = "; ".join(str(stage) for stage in guarantee.stages)
    return f"in {len(guarantee.stages)} steps whose losses add up to that: {steps}"


def _kind(guarantee: Guarantee) -> str:
    return "(epsilon, delta)" if guarantee.delta else "epsilon"


def citations(law: NoiseLaw, guarantee: Guarantee) -> tuple[str, ...]:
    """Return the papers behind the method and the mechanism."""
    selected = any(event.mechanism == "permute-and-flip" for event in guarantee.events)
    return (*_METHOD, *law.law.citations, *((_SELECTION,) if selected else ()))


def shape(view: View, count: int, kind: str = "") -> str:
    """Return "8 equal cells" or "20 basis functions"."""
    if isinstance(view, CellView):
        return cells(count, kind)
    return f"{count} basis function{'' if count == 1 else 's'}"


def cells(count: int, kind: str = "") -> str:
    """Return "1 cell" or "8 cells"."""
    return f"{count} {kind}cell{'' if count == 1 else 's'}"


def _who(law: NoiseLaw, guarantee: Guarantee) -> str:
    people = "people" if guarantee.unit == "person" else "curves"
    if guarantee.neighbours is Neighbours.REPLACE_ONE:
        return f"{guarantee.n} {people} (a public number)"
    return f"about {law.count:.0f} {people} (a released, noisy number)"


def _wrap(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, 96, initial_indent=first, subsequent_indent=rest)
