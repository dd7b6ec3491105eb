"""What the fields of a release file say of one another: a file that contradicts itself is not believed."""

from __future__ import annotations

from dpfda.errors import FormatError, ParameterError
from dpfda.mechanisms import MECHANISMS, Mechanism
from dpfda.mechanisms.choices import law_of
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.fields import Fields
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.stage import Stage, covers
from dpfda.release.view import CellView

#: The event of a private choice, which has no lattice.
SELECTION = "permute-and-flip"


def check_file(fields: Fields, release: Release) -> None:
    """Raise `FormatError` where the guarantee does not follow from the integers, or the parts do not fit each other."""
    g, law = release.guarantee, release.law
    hidden = g.neighbours is Neighbours.ADD_REMOVE
    values = len(release.raw)
    blocks = (law.mechanism == "blocks") != bool(law.sizes) or (law.sizes and sum(law.sizes) != values)
    cells = isinstance(release.view, CellView)
    stages = g.stages or tuple(Stage("the release", event, g.sensitivity) for event in g.events)
    ran = {"bound": g.bound, "scale": g.scale, "dimension": g.dimension, "count_weight": g.count_weight}
    contradictions = {
        "law does not fit the guarantee": (law.mechanism, law.dimension, law.scale, law.count_weight)
        != (g.mechanism, g.dimension, g.scale, g.count_weight),
        "law does not fit the interpolation": cells != (law.mechanism in MECHANISMS),
        "law does not fit the number of values": law.dimension != values + hidden,
        "law.steps, rounding or sizes do not fit the values": (len(law.steps), len(law.rounding)) != (values, values)
        or (isinstance(law.middle, tuple) and len(law.middle) != values)
        or blocks,
        "law has a step, a count or a rounding that cannot be": _impossible(law),
        "spread.law cannot be": release.spread is not None and _impossible(release.spread.law),
        "guarantee.n does not fit the neighbours": (g.n is None) != hidden or (g.count_weight > 0) != hidden,
        "law.count is not the public n": g.n is not None and law.count != g.n,
        "guarantee.lattice.count_weight is larger than the bound": g.count_weight > g.bound,
        "guarantee.epsilon is not greater than 0": g.epsilon <= 0,
        "guarantee.events do not add up to its epsilon": not covers(g.events, g.epsilon, g.delta)
        or (all(e.square is None for e in g.events) and sum(e.epsilon for e in g.events) != g.epsilon),
        "guarantee.events do not hold the one that its lattice and sensitivity speak of": not any(
            (s.event.mechanism, dict(s.event.parameters), s.sensitivity) == (g.mechanism, ran, g.sensitivity)
            for s in stages
        ),
        "guarantee.events do not fit the guarantee": any(
            (e.neighbours, e.unit) != (g.neighbours, g.unit) or e.delta > g.delta for e in g.events
        ),
        "guarantee.delta is not 0, though all noise is pure": g.delta != 0 and all(e.square is None for e in g.events),
    }
    for words, true in contradictions.items():
        if true:
            raise FormatError(f"the release file is damaged: {words}")
    for stage in stages:
        _check_stage(fields, stage, hidden)


def _impossible(law: NoiseLaw) -> bool:
    return min(law.steps) <= 0 or law.count <= 0 or min(law.rounding) < 0


def _check_stage(fields: Fields, stage: Stage, hidden: bool) -> None:
    """Check that the integers of one step give what its event states."""
    event, units = stage.event, stage.sensitivity.units
    parameters = dict(event.parameters)
    if event.mechanism == SELECTION:
        if event.square is not None or event.delta or units != 1 or parameters.get("sensitivity") != 1:
            raise fields.wrong("guarantee.stages", f"hold a choice ({stage.what}) that cannot be")
        return
    law = _law(event)
    if units != parameters.get("bound", 0) * (1 if hidden else 2) or stage.sensitivity.value <= 0:
        raise fields.wrong("guarantee.sensitivity", "does not follow from the bound")
    scale = parameters.get("scale", 0)
    if scale < 1:
        raise fields.wrong("guarantee.events", "have no scale")
    if event.square != law.square(units, scale) or (law.pure and event.delta != 0):
        raise fields.wrong("guarantee.delta", "does not fit the mechanism")
    try:
        law.confirm(units, scale, event.epsilon, event.delta)
    except ParameterError:
        raise fields.wrong("guarantee.epsilon", "does not follow from the sensitivity and the scale") from None


def _law(event: Event) -> Mechanism:
    return MECHANISMS[event.mechanism] if event.mechanism in MECHANISMS else law_of(event.mechanism, ())
