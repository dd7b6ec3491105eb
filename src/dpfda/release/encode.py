"""From a release to plain lists and words (docs/release-format.md)."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from dpfda.privacy.event import Event
from dpfda.release.box_file import box_content
from dpfda.release.box_view import BoxView
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread
from dpfda.release.stage import Sensitivity, Stage
from dpfda.release.view import BasisView, CellView, View
from dpfda.spaces.basis import Functions
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.splines import CardinalSplines

if TYPE_CHECKING:
    from dpfda.release.release import Release


#: How the families of functions are called in files.
FAMILIES: dict[type[Functions], str] = {
    LegendreBasis: "legendre",
    CosineBasis: "cosine",
    FourierBasis: "fourier",
    CardinalSplines: "natural-spline",
}
#: Before the name of an interpolation whose function is drawn through smoothed numbers.
SMOOTHED = "smoothed-"


def content(release: Release) -> dict[str, Any]:
    """Return what a file holds of a release."""
    view = _view(release.view)
    if release.smoothing is not None:
        view["interpolation"] = SMOOTHED + view["interpolation"]
        view["smoothing"] = _smoothing(release.smoothing)
    if release.spread is not None:
        view["spread"] = _spread(release.spread)
    return {
        **view,
        "raw": release.raw.tolist(),
        "law": law_fields(release.law),
        "guarantee": guarantee_fields(release.guarantee),
    }


def _smoothing(smoothing: Smoothing) -> dict[str, Any]:
    posterior = smoothing.posterior
    return {
        "prior": smoothing.smoother.name,
        "parameters": {f.name: getattr(smoothing.smoother, f.name) for f in fields(cast("Any", smoothing.smoother))},
        "observed": smoothing.observed.tolist(),
        "variances": smoothing.variances.tolist(),
        "values": posterior.mean.tolist(),
        "sds": posterior.sds.tolist(),
    }


def _spread(spread: Spread) -> dict[str, Any]:
    return {
        "edges": spread.edges.tolist(),
        "variances": spread.raw.tolist(),
        "cap": spread.cap,
        "law": law_fields(spread.law),
    }


def _view(view: View) -> dict[str, Any]:
    if isinstance(view, BoxView):
        return box_content(view)
    domain = view.domain
    head = {"kind": "mean", "domain": [domain.start, domain.end], "periodic": isinstance(domain, Circle)}
    if isinstance(view, BasisView):
        carrier = view.carrier
        knots = {"knots": carrier.knots.tolist()} if isinstance(carrier, CardinalSplines) else {}
        return head | {
            "interpolation": "basis",
            "basis": {
                "carrier": FAMILIES[type(carrier)],
                **knots,
                "mixing": view.mixing.tolist(),
                "centre_grid": view.centre_grid.tolist(),
                "centre": view.centre.tolist(),
                "derivatives": view.derivatives,
                "thresholds": view.thresholds.tolist(),
            },
        }
    if isinstance(view, CellView):
        return head | {"interpolation": view.interpolation}
    raise TypeError(f"no file format for {type(view).__name__}")


def law_fields(law: NoiseLaw) -> dict[str, Any]:
    """Return what a file holds of a law."""
    return {
        "mechanism": law.mechanism,
        "dimension": law.dimension,
        "scale": law.scale,
        "steps": list(law.steps),
        "middle": list(law.middle) if isinstance(law.middle, tuple) else law.middle,
        "count": law.count,
        "count_weight": law.count_weight,
        "rounding": list(law.rounding),
        "sizes": list(law.sizes),
    }


def guarantee_fields(guarantee: Guarantee) -> dict[str, Any]:
    """Return what a file holds of a guarantee."""
    g = guarantee
    return {
        "epsilon": str(g.epsilon),
        "delta": str(g.delta),
        "neighbours": str(g.neighbours),
        "unit": g.unit,
        "n": g.n,
        "mechanism": g.mechanism,
        "lattice": {
            "bound": g.bound,
            "scale": g.scale,
            "dimension": g.dimension,
            "count_weight": g.count_weight,
        },
        "sensitivity": _sensitivity(g.sensitivity),
        "proofs": list(g.proofs),
        "vouched": list(g.vouched),
        "events": [_event(e) for e in g.events],
        "version": g.version,
        "notes": list(g.notes),
        **({"recipe": g.recipe} if g.recipe else {}),
        **({"stages": [_stage(stage) for stage in g.stages]} if g.stages else {}),
    }


def _stage(stage: Stage) -> dict[str, Any]:
    return {"what": stage.what, "sensitivity": _sensitivity(stage.sensitivity)}


def _sensitivity(sensitivity: Sensitivity) -> dict[str, Any]:
    return {
        "value": str(sensitivity.value),
        "units": sensitivity.units,
        "formula": sensitivity.formula,
        "proof": sensitivity.proof,
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "mechanism": event.mechanism,
        "epsilon": str(event.epsilon),
        "delta": str(event.delta),
        "square": None if event.square is None else str(event.square),
        "neighbours": str(event.neighbours),
        "unit": event.unit,
        "parameters": dict(event.parameters),
    }
