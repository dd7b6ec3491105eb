"""From a file back to a release, with everything checked."""

from __future__ import annotations

import math
from os import PathLike
from typing import cast

import numpy as np

from dpfda.errors import FormatError, ParameterError
from dpfda.mechanisms import MECHANISMS
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.release import envelope
from dpfda.release.fields import Fields
from dpfda.release.guarantee import Guarantee, Sensitivity
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import Interpolation


def load(path: str | PathLike[str]) -> Release:
    """Read a release that `Release.save` or `dpfda mean --out` wrote.

    The file is checked before it is believed: its format, its hash, the type of every field, finite numbers, and that its
    noise scale really gives the epsilon it states.  The hash finds accidents; it is not a signature.

    Examples
    --------
    >>> release = dpfda.load("mean.json")  # doctest: +SKIP
    """
    fields = Fields(envelope.read(path))
    if fields.text("kind") != "mean":
        raise fields.wrong("kind", f"is {fields.text('kind')!r}, and this dpfda knows 'mean'")
    domain = fields.numbers("domain")
    interpolation = fields.text("interpolation")
    if interpolation not in ("line", "spline"):
        raise fields.wrong("interpolation", "must be 'line' or 'spline'")
    release = Release(
        raw=np.array(fields.numbers("raw")),
        domain=_interval(fields, domain),
        interpolation=cast("Interpolation", interpolation),
        law=_law(fields.inside("law")),
        guarantee=_guarantee(fields.inside("guarantee")),
    )
    _check(fields, release)
    return release


def _interval(fields: Fields, ends: list[float]) -> Interval:
    if len(ends) != 2:
        raise fields.wrong("domain", "must hold two numbers")
    try:
        return Interval(*ends)
    except ParameterError as error:
        raise fields.wrong("domain", f"is wrong: {error}") from None


def _law(f: Fields) -> NoiseLaw:
    return NoiseLaw(
        mechanism=_mechanism(f),
        dimension=f.whole("dimension", 1),
        scale=f.whole("scale", 1),
        step=f.number("step"),
        middle=f.number("middle"),
        count=f.number("count"),
        count_weight=f.whole("count_weight", 0),
        rounding=f.number("rounding"),
    )


def _guarantee(f: Fields) -> Guarantee:
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
    )


def _event(f: Fields) -> Event:
    parameters = f.inside("parameters")
    return Event(
        mechanism=f.text("mechanism"),
        epsilon=f.fraction("epsilon"),
        delta=f.fraction("delta"),
        neighbours=_neighbours(f),
        unit=f.text("unit"),
        parameters=tuple((name, parameters.whole(name, 0)) for name in parameters.values),
    )


def _mechanism(f: Fields) -> str:
    name = f.text("mechanism")
    if name not in MECHANISMS:
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
    contradictions = {
        "law does not fit the guarantee": (law.mechanism, law.dimension, law.scale, law.count_weight) != lattice,
        "law does not fit the number of values": law.dimension != len(release.raw) + hidden,
        "law has a step, a count or a rounding that cannot be": law.step <= 0 or law.count <= 0 or law.rounding < 0,
        "guarantee.n does not fit the neighbours": (g.n is None) != hidden or (g.count_weight > 0) != hidden,
        "law.count is not the public n": g.n is not None and law.count != g.n,
        "guarantee.sensitivity does not follow from the bound": g.sensitivity.units != g.bound * (1 if hidden else 2)
        or g.sensitivity.value <= 0,
        "guarantee.lattice.count_weight is larger than the bound": g.count_weight > g.bound,
        "guarantee.epsilon is not greater than 0": g.epsilon <= 0,
        "guarantee.delta is not 0, as it is for these mechanisms": g.delta != 0,
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
    if g.scale != math.ceil(g.sensitivity.units / g.epsilon):
        raise fields.wrong("guarantee.epsilon", "does not follow from the sensitivity and the scale")
