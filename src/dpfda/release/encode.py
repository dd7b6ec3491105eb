"""From a release to plain lists and words (docs/release-format.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpfda.privacy.event import Event
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.view import BasisView, CellView, View
from dpfda.spaces.basis import Basis
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis

if TYPE_CHECKING:
    from dpfda.release.release import Release


#: How the families of functions are called in files.
FAMILIES: dict[type[Basis], str] = {LegendreBasis: "legendre", CosineBasis: "cosine", FourierBasis: "fourier"}


def content(release: Release) -> dict[str, Any]:
    """Return what a file holds of a release."""
    return {
        "kind": "mean",
        "domain": [release.domain.start, release.domain.end],
        "periodic": isinstance(release.domain, Circle),
        **_view(release.view),
        "raw": release.raw.tolist(),
        "law": law_fields(release.law),
        "guarantee": guarantee_fields(release.guarantee),
    }


def _view(view: View) -> dict[str, Any]:
    if isinstance(view, BasisView):
        return {
            "interpolation": "basis",
            "basis": {
                "carrier": FAMILIES[type(view.carrier)],
                "mixing": view.mixing.tolist(),
                "centre_grid": view.centre_grid.tolist(),
                "centre": view.centre.tolist(),
                "derivatives": view.derivatives,
                "thresholds": view.thresholds.tolist(),
            },
        }
    if isinstance(view, CellView):
        return {"interpolation": view.interpolation}
    raise TypeError(f"no file format for {type(view).__name__}")


def law_fields(law: NoiseLaw) -> dict[str, Any]:
    """Return what a file holds of a law."""
    return {
        "mechanism": law.mechanism,
        "dimension": law.dimension,
        "scale": law.scale,
        "steps": list(law.steps),
        "middle": law.middle,
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
        "sensitivity": {
            "value": str(g.sensitivity.value),
            "units": g.sensitivity.units,
            "formula": g.sensitivity.formula,
            "proof": g.sensitivity.proof,
        },
        "proofs": list(g.proofs),
        "vouched": list(g.vouched),
        "events": [_event(e) for e in g.events],
        "version": g.version,
        "notes": list(g.notes),
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
