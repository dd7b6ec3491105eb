"""From noisy sums to a released density with its guarantee."""

from __future__ import annotations

from dpfda.api.density_words import DensityCall
from dpfda.privacy.lattice import Lattice
from dpfda.privatise import Noisy
from dpfda.release.density import Density
from dpfda.release.density_view import DensityView
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.stage import Sensitivity, Stage
from dpfda.spaces.interval import Floats


def finish(
    call: DensityCall,
    noisy: Noisy,
    lattice: Lattice,
    law: NoiseLaw,
    view: DensityView,
    raw: Floats,
    sensitivity: Sensitivity,
    proofs: tuple[str, ...],
    notes: tuple[str, ...],
    stages: tuple[Stage, ...],
) -> Density:
    """Return the release; public arithmetic only."""
    guarantee = Guarantee.of(noisy.event, lattice, call.n, sensitivity, proofs, call.vouched, notes)
    if stages:
        last = Stage("the density", noisy.event, sensitivity)
        total = sum((stage.event.epsilon for stage in stages), noisy.event.epsilon)
        guarantee = guarantee.in_stages(
            "private bandwidth",
            (*stages, last),
            total,
            noisy.event.delta,
            proofs=("density-width.md", "selection.md"),
        )
    return Density(raw, view, law, guarantee, call.names)
