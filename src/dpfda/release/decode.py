"""From a file back to a release, with everything checked."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any, cast

import numpy as np

from dpfda.errors import ParameterError
from dpfda.mechanisms import MECHANISMS
from dpfda.mechanisms.choices import DENSITY_LABELS, LAWS
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.box_file import box_view
from dpfda.release.consistent import SELECTION, check_file
from dpfda.release.encode import FAMILIES, SMOOTHED
from dpfda.release.fields import Fields
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.smooth.cells import CellPowerLaw
from dpfda.release.smooth.powers import PowerLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread
from dpfda.release.stage import Sensitivity, Stage
from dpfda.release.view import BasisView, CellView, View
from dpfda.spaces.basis import Functions
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import Interpolation
from dpfda.spaces.splines import CardinalSplines


def mean_of_fields(fields: Fields) -> Release:
    """Return the mean a file holds, checked."""
    kind = fields.text("kind")
    raw = np.array(fields.numbers("raw"))
    smoothed = fields.text("interpolation").startswith(SMOOTHED)
    release = Release(
        raw=raw,
        view=_view(fields, _interval(fields), len(raw)) if kind == "mean" else box_view(fields, len(raw)),
        law=law_of_fields(fields.inside("law")),
        guarantee=guarantee_of_fields(fields.inside("guarantee")),
        smoothing=_smoothing(fields.inside("smoothing"), len(raw)) if smoothed else None,
        spread=_spread(fields.inside("spread")) if "spread" in fields.values else None,
    )
    check_file(fields, release)
    return release


def _smoothing(f: Fields, count: int) -> Smoothing:
    priors: dict[str, type[Any]] = {PowerLaw.name: PowerLaw, CellPowerLaw.name: CellPowerLaw}
    if f.text("prior") not in priors:
        raise f.wrong("prior", f"is {f.text('prior')!r}, and this dpfda knows {', '.join(priors)}")
    prior, given = priors[f.text("prior")], f.inside("parameters")
    smoother = prior(**{field.name: given.number(field.name) for field in dataclass_fields(prior)})
    observed, variances = np.array(f.numbers("observed")), np.array(f.numbers("variances"))
    if (
        len(observed) != count
        or len(variances) != count
        or (variances <= 0).any()
        or getattr(smoother, "unit", 1.0) <= 0
    ):
        raise f.wrong("observed", "and variances do not fit the values")
    smoothing = Smoothing(smoother, observed, variances)
    stated, found = np.array(f.numbers("values")), smoothing.posterior.mean
    if len(stated) != count or np.abs(stated - found).max() > 1e-6 * max(1e-300, float(np.abs(found).max())):
        raise f.wrong("values", "do not follow from what was observed")
    return smoothing


def _spread(f: Fields) -> Spread:
    edges, variances = np.array(f.numbers("edges", 2)), np.array(f.numbers("variances"))
    law = law_of_fields(f.inside("law"))
    if len(edges) != len(variances) + 1 or (np.diff(edges) <= 0).any() or len(law.steps) != len(variances):
        raise f.wrong("edges", "do not fit the variances")
    return Spread(edges, variances, f.number("cap"), law)


def _view(fields: Fields, domain: Interval, count: int) -> View:
    interpolation = fields.text("interpolation").removeprefix(SMOOTHED)
    if interpolation in ("line", "spline"):
        return CellView(domain, count, cast("Interpolation", interpolation))
    if interpolation != "basis":
        raise fields.wrong("interpolation", "must be 'line', 'spline' or 'basis', or one of them after 'smoothed-'")
    f = fields.inside("basis")
    mixing = np.array(f.table("mixing", count))
    grid, centre = np.array(f.numbers("centre_grid")), np.array(f.numbers("centre"))
    if len(grid) != len(centre) or (np.diff(grid) <= 0).any():
        raise f.wrong("centre", "does not fit its grid")
    thresholds = np.array(f.numbers("thresholds", least=0))
    if thresholds.size not in (0, count) or (thresholds < 0).any():
        raise f.wrong("thresholds", "must be none, or one for every value")
    carrier = _carrier(f, domain, len(mixing))
    return BasisView(domain, carrier, mixing, grid, centre, f.whole("derivatives", 0), thresholds)


def _carrier(f: Fields, domain: Interval, count: int) -> Functions:
    families: dict[str, type[Any]] = {name: family for family, name in FAMILIES.items()}
    name = f.text("carrier")
    if name not in families:
        raise f.wrong("carrier", f"must be one of {', '.join(families)}")
    if families[name] is not CardinalSplines:
        return cast("Functions", families[name](domain, count))
    knots = np.array(f.numbers("knots", 2))
    if len(knots) != count or (np.diff(knots) <= 0).any() or (knots[0], knots[-1]) != (domain.start, domain.end):
        raise f.wrong("knots", "do not fit the domain and the functions")
    return CardinalSplines(domain, count, knots)


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
        middle=tuple(f.numbers("middle")) if isinstance(f.values.get("middle"), list) else f.number("middle"),
        count=f.number("count"),
        count_weight=f.whole("count_weight", 0),
        rounding=tuple(f.numbers("rounding")),
        sizes=tuple(f.wholes("sizes")),
    )


def guarantee_of_fields(f: Fields) -> Guarantee:
    """Return the guarantee a file holds."""
    lattice = f.inside("lattice")
    events = tuple(_event(e) for e in f.objects("events"))
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
        sensitivity=_sensitivity(f.inside("sensitivity")),
        proofs=f.texts("proofs"),
        vouched=f.texts("vouched"),
        events=events,
        version=f.text("version"),
        notes=f.texts("notes"),
        recipe=f.text("recipe") if "recipe" in f.values else "",
        stages=_stages(f, events) if "stages" in f.values else (),
    )


def _stages(f: Fields, events: tuple[Event, ...]) -> tuple[Stage, ...]:
    stages = f.objects("stages")
    if len(stages) != len(events):
        raise f.wrong("stages", "do not fit the events")
    return tuple(
        Stage(s.text("what"), event, _sensitivity(s.inside("sensitivity")))
        for s, event in zip(stages, events, strict=True)
    )


def _sensitivity(f: Fields) -> Sensitivity:
    return Sensitivity(f.fraction("value"), f.whole("units", 1), f.text("formula"), f.text("proof"))


def _event(f: Fields) -> Event:
    parameters = f.inside("parameters")
    return Event(
        mechanism=f.text("mechanism") if f.text("mechanism") == SELECTION else _mechanism(f),
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
