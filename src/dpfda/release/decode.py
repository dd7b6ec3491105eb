"""From a file back to a release, with everything checked."""

from __future__ import annotations

from typing import cast

import numpy as np

from dpfda.errors import FormatError, ParameterError
from dpfda.mechanisms import MECHANISMS
from dpfda.mechanisms.choices import DENSITY_LABELS, LAWS
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.encode import FAMILIES
from dpfda.release.fields import Fields
from dpfda.release.guarantee import Guarantee, Sensitivity
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.view import BasisView, CellView, View
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import Interpolation


def mean_of_fields(fields: Fields) -> Release:
    """Return the mean a file holds, checked."""
    raw = np.array(fields.numbers("raw"))
    release = Release(
        raw=raw,
        view=_view(fields, _interval(fields), len(raw)),
        law=law_of_fields(fields.inside("law")),
        guarantee=guarantee_of_fields(fields.inside("guarantee")),
    )
    _check(fields, release)
    return release


def _view(fields: Fields, domain: Interval, count: int) -> View:
    interpolation = fields.text("interpolation")
    if interpolation in ("line", "spline"):
        return CellView(domain, count, cast("Interpolation", interpolation))
    if interpolation != "basis":
        raise fields.wrong("interpolation", "must be 'line', 'spline' or 'basis'")
    f = fields.inside("basis")
    families = {name: family for family, name in FAMILIES.items()}
    if f.text("carrier") not in families:
        raise f.wrong("carrier", f"must be one of {', '.join(families)}")
    mixing = np.array(f.table("mixing", count))
    grid, centre = np.array(f.numbers("centre_grid")), np.array(f.numbers("centre"))
    if len(grid) != len(centre) or (np.diff(grid) <= 0).any():
        raise f.wrong("centre", "does not fit its grid")
    carrier = families[f.text("carrier")](domain, len(mixing))
    thresholds = np.array(f.numbers("thresholds", least=0))
    if thresholds.size not in (0, count) or (thresholds < 0).any():
        raise f.wrong("thresholds", "must be none, or one for every value")
    return BasisView(domain, carrier, mixing, grid, centre, f.whole("derivatives", 0), thresholds)


def _interval(fields: Fields) -> Interval:
    ends = fields.numbers("domain")
    if len(ends) != 2:
        raise fields.wrong("domain", "must hold two numbers")
    try:
        return Circle(*ends) if fields.flag("periodic") else Interval(*ends)
    except ParameterError as error:
        raise fields.wrong("domain", f"is wrong: {error}") from None


def law_of_fields(f: Fields) -> NoiseLaw:
    """Return the law a file holds."""
    return NoiseLaw(
        mechanism=_mechanism(f),
        dimension=f.whole("dimension", 1),
        scale=f.whole("scale", 1),
        steps=tuple(f.numbers("steps")),
        middle=f.number("middle"),
        count=f.number("count"),
        count_weight=f.whole("count_weight", 0),
        rounding=tuple(f.numbers("rounding")),
        sizes=tuple(f.wholes("sizes")),
    )


def guarantee_of_fields(f: Fields) -> Guarantee:
    """Return the guarantee a file holds."""
    lattice, sensitivity = f.inside("lattice"), f.inside("sensitivity")
    return Guarantee(
        epsilon=f.fraction("epsilon"),
        delta=f.fraction("delta"),
        neighbours=_neighbours(f),
        unit=f.text("unit"),
        n=None if f.values.get("n") is None else f.whole("n", 1),
        mechanism=_mechanism(f),
        bound=lattice.whole("bound", 1),
        scale=lattice.whole("scale", 1),
        dimension=lattice.whole("dimension", 1),
        count_weight=lattice.whole("count_weight", 0),
        sensitivity=Sensitivity(
            sensitivity.fraction("value"),
            sensitivity.whole("units", 1),
            sensitivity.text("formula"),
            sensitivity.text("proof"),
        ),
        proofs=f.texts("proofs"),
        vouched=f.texts("vouched"),
        events=tuple(_event(e) for e in f.objects("events")),
        version=f.text("version"),
        notes=f.texts("notes"),
    )


def _event(f: Fields) -> Event:
    parameters = f.inside("parameters")
    return Event(
        mechanism=f.text("mechanism"),
        epsilon=f.fraction("epsilon"),
        delta=f.fraction("delta"),
        square=None if f.values.get("square") is None else f.fraction("square"),
        neighbours=_neighbours(f),
        unit=f.text("unit"),
        parameters=tuple((name, parameters.whole(name, 0)) for name in parameters.values),
    )


def _mechanism(f: Fields) -> str:
    name = f.text("mechanism")
    if name not in MECHANISMS and name not in LAWS and name not in DENSITY_LABELS:
        raise f.wrong("mechanism", f"is {name!r}, which this dpfda does not know")
    return name


def _neighbours(f: Fields) -> Neighbours:
    try:
        return Neighbours(f.text("neighbours"))
    except ValueError:
        raise f.wrong("neighbours", "is not a relation this dpfda knows") from None


def _check(fields: Fields, release: Release) -> None:
    """Check what the fields say of one another: a file that contradicts itself is not believed."""
    g, law = release.guarantee, release.law
    hidden = g.neighbours is Neighbours.ADD_REMOVE
    lattice = (g.mechanism, g.dimension, g.scale, g.count_weight)
    ran = {"bound": g.bound, "scale": g.scale, "dimension": g.dimension, "count_weight": g.count_weight}
    values = len(release.raw)
    blocks = (law.mechanism == "blocks") != bool(law.sizes) or (law.sizes and sum(law.sizes) != values)
    cells = isinstance(release.view, CellView)
    contradictions = {
        "law does not fit the guarantee": (law.mechanism, law.dimension, law.scale, law.count_weight) != lattice,
        "law does not fit the interpolation": cells != (law.mechanism in MECHANISMS),
        "law does not fit the number of values": law.dimension != values + hidden,
        "law.steps, rounding or sizes do not fit the values": (len(law.steps), len(law.rounding)) != (values, values)
        or blocks,
        "law has a step, a count or a rounding that cannot be": min(law.steps) <= 0
        or law.count <= 0
        or min(law.rounding) < 0,
        "guarantee.n does not fit the neighbours": (g.n is None) != hidden or (g.count_weight > 0) != hidden,
        "law.count is not the public n": g.n is not None and law.count != g.n,
        "guarantee.sensitivity does not follow from the bound": g.sensitivity.units != g.bound * (1 if hidden else 2)
        or g.sensitivity.value <= 0,
        "guarantee.lattice.count_weight is larger than the bound": g.count_weight > g.bound,
        "guarantee.epsilon is not greater than 0": g.epsilon <= 0,
        "guarantee.events do not add up to its epsilon": sum(e.epsilon for e in g.events) != g.epsilon,
        "guarantee.events do not fit the guarantee": any(
            (e.mechanism, e.delta, e.neighbours, e.unit, dict(e.parameters))
            != (g.mechanism, g.delta, g.neighbours, g.unit, ran)
            for e in g.events
        ),
    }
    for words, true in contradictions.items():
        if true:
            raise FormatError(f"the release file is damaged: {words}")
    mechanism, units = law.law, g.sensitivity.units
    if any(e.square != mechanism.square(units, g.scale) for e in g.events) or (mechanism.pure and g.delta != 0):
        raise fields.wrong("guarantee.delta", "does not fit the mechanism")
    try:
        mechanism.confirm(units, g.scale, g.epsilon, g.delta)
    except ParameterError:
        raise fields.wrong("guarantee.epsilon", "does not follow from the sensitivity and the scale") from None
