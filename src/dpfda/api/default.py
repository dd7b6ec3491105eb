"""The mean people get by default: from a checked call to a release of the recipe."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.api.call import Call
from dpfda.mechanisms.choices import Choice
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.readers.scattered import ScatteredTable
from dpfda.recipes.mean import OUTSIDE_FOR_BANDS, TWO_FROM, Outcome, Plan
from dpfda.recipes.private import PrivateLooks, Step, private_mean
from dpfda.recipes.spread import SPREAD_SHARE, SpreadPlan, person_curves
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.smooth.powers import PowerLaw
from dpfda.release.smoothing import Smoothing
from dpfda.release.spread import Spread
from dpfda.release.stage import Sensitivity, Stage
from dpfda.release.view import BasisView
from dpfda.spaces.basis import Basis
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import FourierBasis
from dpfda.spaces.interval import Floats
from dpfda.spaces.splines import SplineBasis, spline_knots
from dpfda.summaries.features import CurveFeatures
from dpfda.summaries.scattered import ScatteredFeatures

#: Points of the basis where curves have no common grid.
OWN_POINTS = 101
#: Points at which distances from the released curve are taken, for `spread=True`.
SPREAD_POINTS = 65
NAMES = {1: "one look", 2: "two looks"}


@dataclass(frozen=True)
class RecipeWords:
    """The words of a call that speak of the recipe.

    Parameters
    ----------
    value_range : (Fraction, Fraction)
        Lowest and highest value.
    stages : int or None
        1, 2, or the rule's choice.
    spread : bool
        Whether the standard deviations of single curves are released as well.
    smooth : bool
        Whether the function is drawn through the smoothed numbers.
    law : str or None
        "blocks" or "gaussian", where several groups must agree on it.
    """

    value_range: tuple[Fraction, Fraction]
    stages: int | None
    spread: bool
    smooth: bool
    law: str | None = None


def mean_by_recipe(call: Call, words: RecipeWords) -> Release:
    """Release the mean by the recipe of looks."""
    lower, upper = words.value_range
    half, middle = (upper - lower) / 2, (upper + lower) / 2
    grid = _grid(call)
    plan = plan_of(call, words, len(grid))
    basis = _basis(call, grid, plan.functions)
    coefficients, errors = _coefficients(call, basis, words.value_range)
    unit = call.who
    variances = _spread_plan(call) if words.spread else None
    extra = () if variances is None else (variances.event,)
    outcome, looks = private_mean(plan, coefficients, call.neighbours, unit, call.n, call.budget, extra)
    smoothing = Smoothing(
        PowerLaw(float(half)),
        float(half) * outcome.combined.values,
        float(half) ** 2 * outcome.combined.variances,
    )
    stages, spread = _stages(plan, looks, outcome, call.n), None
    if variances is not None:
        spread, stage = _spread(variances, basis, coefficients, smoothing, outcome, half, call.n)
        stages = (*stages, stage)
    # From here on public arithmetic only.
    last = looks.steps[-1]
    law = _law(last, half, errors)
    guarantee = Guarantee.of(
        last.event,
        last.lattice,
        call.n,
        stages[0 if plan.looks == 1 else 2].sensitivity,
        ("mean-by-looks.md", "lattice.md", *last.choice.law.proofs, "composition.md"),
        call.vouched(*_claims(words, call)),
    ).in_stages(
        NAMES[plan.looks],
        stages,
        call.epsilon,
        call.delta if plan.law == "gaussian" else Fraction(0),
        (*plan.notes, *_outcome_notes(outcome), *_delta_note(call, plan)),
        ("smoothing.md", *(("selection.md",) if plan.looks == 2 else ()), *(("spread.md",) if spread else ())),
    )
    view = _view(call, basis, middle)
    raw = float(half) * outcome.answers[-1].values
    return Release(raw, view, law, guarantee, smoothing if words.smooth else None, spread)


def plan_of(call: Call, words: RecipeWords, most: int) -> Plan:
    """Return the recipe's plan for a call; what `spread=True` takes is taken off first."""
    share = SPREAD_SHARE if words.spread else Fraction(0)
    plan = Plan.of(call.design, (1 - share) * call.epsilon, call.delta, most, words.stages, words.law)
    return replace(plan, outside=OUTSIDE_FOR_BANDS) if words.spread else plan


def for_groups(words: RecipeWords, calls: tuple[Call, ...]) -> RecipeWords:
    """Return words under which every group takes the same steps, where steps of Gaussian noise must add up.

    The smallest group decides on the number of looks, the largest on the noise.
    """
    if not calls[0].delta:
        return words
    small, large = (pick(calls, key=lambda call: call.design) for pick in (min, max))
    looks = plan_of(small, words, len(_grid(small))).looks
    law = plan_of(large, replace(words, stages=looks), len(_grid(large))).law
    return replace(words, stages=looks, law=law)


def events_of(call: Call, words: RecipeWords) -> tuple[Event, ...]:
    """Return what a call will be charged for, before anything is drawn, after checking that it can be done."""
    grid = _grid(call)
    plan = plan_of(call, words, len(grid))
    _basis(call, grid, plan.functions)
    spread = _spread_plan(call) if words.spread else None
    looks = PrivateLooks(plan, np.zeros((plan.functions, 0)), call.neighbours, call.who, call.n)
    return (*looks.events, *(() if spread is None else (spread.event,)))


def _spread_plan(call: Call) -> SpreadPlan:
    points = np.linspace(call.interval.start, call.interval.end, SPREAD_POINTS)
    share = SPREAD_SHARE * call.epsilon
    return SpreadPlan.of(call.interval, points, call.design, share, call.neighbours, call.who)


def _grid(call: Call) -> Floats:
    """Return the points the basis lives on."""
    if isinstance(call.table, ScatteredTable):
        return np.linspace(call.interval.start, call.interval.end, OWN_POINTS)
    grid = np.array(call.table.grid)
    return grid if isinstance(call.interval, Circle) else spline_knots(grid, call.interval)


def _basis(call: Call, grid: Floats, count: int) -> Basis:
    if isinstance(call.interval, Circle):
        return FourierBasis(call.interval, count)
    return SplineBasis.on(grid, call.interval, count)


def _coefficients(call: Call, basis: Basis, ends: tuple[Fraction, Fraction]) -> tuple[Floats, Floats]:
    """Return every person's coefficients, a column a person, and a bound on what rounding moved them."""
    if isinstance(call.table, ScatteredTable):
        scattered = ScatteredFeatures(basis, *ends)
        return scattered.of(call.table.times, call.table.values, call.people), scattered.errors
    features = CurveFeatures(basis, np.array(call.table.grid), *ends)
    return features.of(call.table.values, call.people), features.errors


def _law(step: Step, half: Fraction, errors: Floats) -> NoiseLaw:
    """Return how the noise of the last look reaches `raw`, in the units of the values."""
    lattice = step.lattice
    return NoiseLaw(
        mechanism=step.event.mechanism,
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        steps=tuple(float(half * s) for s in lattice.steps),
        middle=tuple((float(half) * step.look.centre).tolist()),
        count=step.count,
        count_weight=lattice.count_weight,
        rounding=tuple(step.look.rounding(lattice, errors).tolist()),
        sizes=getattr(step.choice.law, "sizes", ()),
    )


def _view(call: Call, basis: Basis, middle: Fraction) -> BasisView:
    if isinstance(basis, SplineBasis):
        carrier, mixing, knots = basis.carrier, basis.mixing, basis.carrier.knots
        return BasisView(call.interval, carrier, mixing, knots, np.full(len(knots), float(middle)), 1)
    ends = np.array([call.interval.start, call.interval.end])
    return BasisView(call.interval, basis, np.eye(basis.count), ends, np.full(2, float(middle)), 1)


def _stages(plan: Plan, looks: PrivateLooks, outcome: Outcome, n: int | None) -> tuple[Stage, ...]:
    """Return the charged steps with their sensitivities."""
    names = ("the mean in the first ellipsoid", "the mean around it in an ellipsoid of the chosen radius")
    means = [
        Stage(name, step.event, _sensitivity(step.look.radius, step.choice, step.lattice, n, step))
        for name, step in zip(names, looks.steps, strict=False)
    ]
    if looks.radius_event is None:
        return (means[0],)
    count = Sensitivity(
        Fraction(1), 1, "a person lies in or outside an ellipsoid: a count moves by one", "selection.md"
    )
    return (means[0], Stage(f"its radius, {float(outcome.radius or 0):.4g}", looks.radius_event, count), means[1])


def _sensitivity(radius: Fraction, choice: Choice, lattice: Lattice, n: int | None, step: Step) -> Sensitivity:
    """Return how far a look's mean can move in the body's norm, in units of half the range."""
    if n is None:
        value = Fraction(lattice.bound) * lattice.steps[0] / choice.body.weights[0]
        return Sensitivity(
            Fraction(float(value)), lattice.sensitivity, "norm of one record's sums and count", "mean-by-looks.md"
        )
    value = Fraction(float(step.look.influence(n).reach(choice.body)))
    reach = "" if choice.label == "gaussian" else " sqrt(sum over blocks of s_g^-2)"
    return Sensitivity(value, lattice.sensitivity, f"(2 x {float(radius):.4g}/n){reach}", "mean-by-looks.md")


def _spread(
    plan: SpreadPlan,
    basis: Basis,
    coefficients: Floats,
    smoothing: Smoothing,
    outcome: Outcome,
    half: Fraction,
    n: int | None,
) -> tuple[Spread, Stage]:
    """Release the variances around the smoothed curve."""
    table = basis.evaluate(np.array(plan.points)) * float(half)
    centre = table @ (smoothing.posterior.mean / float(half))
    cap = float(half) ** 2 * plan.cap(outcome.radius)
    return plan.run(person_curves(table, coefficients), centre, Fraction(cap), n)


def _claims(words: RecipeWords, call: Call) -> list[str]:
    low, high = map(float, words.value_range)
    claims = [
        f"The range of values, {low:.10g} to {high:.10g}, was not read from these data; values outside it were clipped."
    ]
    if words.stages is not None:
        claims.append(f"The number of looks, {words.stages}, was not chosen by looking at these data.")
    return claims


def _outcome_notes(outcome: Outcome) -> tuple[str, ...]:
    if outcome.radius is None:
        return ()
    return (
        f"The radius came out at {float(outcome.radius):.4g} of half the range (paid for above); the two looks are averaged by their "
        "precisions, as far as they agree.",
    )


def _delta_note(call: Call, plan: Plan) -> tuple[str, ...]:
    notes = []
    if call.delta and plan.law != "gaussian":
        notes.append(
            "delta was not needed: less noise is expected of the pure mechanism, so the guarantee has delta 0."
        )
    if plan.looks == 2 and plan.n * plan.epsilon < TWO_FROM:
        notes.append(
            f"Two looks were asked for where n epsilon, {float(plan.n * plan.epsilon):.3g}, is below {TWO_FROM}."
        )
    return tuple(notes)
