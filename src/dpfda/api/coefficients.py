"""The mean in a basis: from a checked call to a release."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np

from dpfda.api.auto import CellPlan, choose_plan
from dpfda.api.bases import BasisWords, farthest, public_centre, view_of
from dpfda.api.call import Call
from dpfda.api.cells import CellWords, mean_over_cells
from dpfda.api.plans import Frame, Plan, check_noise_kernel
from dpfda.mechanisms import mechanism_named
from dpfda.privatise import privatise
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.stage import Sensitivity
from dpfda.summaries.operator import OperatorMean


def mean_in_basis(call: Call, words: BasisWords) -> Release:
    """Release coefficients of the mean in a basis, or what "auto" finds better."""
    check_noise_kernel(words)
    grid = call.mesh
    share = 1.0 if words.value_range is not None else farthest(grid, call.domain, words.bound_norm)
    frame = Frame(grid, public_centre(words.center, grid), float(words.bound) * share)
    chosen = choose_plan(call, words, frame)
    if isinstance(chosen.plan, CellPlan):
        assert words.value_range is not None  # noqa: S101 - cells are a candidate for ranges alone
        pure = replace(call, delta=Fraction(0))
        cube = mechanism_named("cube")
        return mean_over_cells(pure, CellWords(words.value_range, cube, chosen.plan.cells, notes=chosen.notes))
    words, plan = chosen.words, chosen.plan
    choice, lattice, summary = plan.choice, plan.lattice, plan.summary
    noisy = privatise(
        summary,
        call.table.values,
        choice.law,
        lattice,
        call.epsilon,
        Fraction(0) if choice.law.pure else call.delta,
        people=call.people,
        budget=call.budget,
        label=choice.label,
    )
    # From here on public arithmetic only.
    count = noisy.count(lattice, call.n)
    steps = np.array([float(step) for step in lattice.steps])
    law = NoiseLaw(
        mechanism=choice.label,
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        steps=tuple(steps.tolist()),
        middle=0.0,
        count=count,
        count_weight=lattice.count_weight,
        rounding=tuple(summary.rounding(lattice).tolist()),
        sizes=getattr(choice.law, "sizes", ()),
    )
    own = ("noise-kernel.md",) if isinstance(summary, OperatorMean) else ()
    guarantee = Guarantee.of(
        noisy.event,
        lattice,
        call.n,
        _sensitivity(plan, call.n),
        ("mean-over-basis.md", *own, "lattice.md", *choice.law.proofs, "composition.md"),
        call.vouched(*_claims(words, plan, frame.reach)),
        chosen.notes,
    )
    noise_of = words.kernel if words.noise_kernel is None else words.noise_kernel
    view = view_of(plan.basis, grid, frame.centre, _power(words, plan), noise_of, plan.estimator.thresholds)
    raw = steps * np.array([s / count for s in noisy.sums[: len(steps)]])
    return Release(raw, view, law, guarantee)


def _power(words: BasisWords, plan: Plan) -> float | None:
    """Return v over the decay of the kernel, for noise whose variance falls like j^-v; None where nothing limits derivatives.

    One for the kernel's noise, 2 eta for Gaussian noise matched to the axes, eta for the others.
    """
    if words.noise_kernel is None and plan.estimator.kind != "quadratic":
        return None
    if words.noise == "kernel":
        return None if plan.label == "finite-basis" else 1.0
    return words.eta * (2 if plan.label in ("gaussian", "ball") else 1)


def _sensitivity(plan: Plan, n: int | None) -> Sensitivity:
    """Return the reach of the mean's differences in the body (public n), or the norm of one record's sums (hidden n)."""
    summary, choice, lattice = plan.summary, plan.choice, plan.lattice
    general = isinstance(summary, OperatorMean)
    proof = "noise-kernel.md" if general else "mean-over-basis.md"
    if n is None:
        value = Fraction(lattice.bound) * lattice.steps[0] / choice.body.weights[0]
        return Sensitivity(_short(value), lattice.sensitivity, "norm of one record's sums and count", proof)
    value = _short(summary.influence(n).reach(choice.body))
    formulas = {
        "cross-polytope": "(2 tau/n) sqrt(sum_j (a_j/b_j)^2)",
        "ball": "(2 tau/n) max_j a_j/b_j",
        "blocks": "(2 tau/n) sqrt(sum over blocks of max (a_j/b_j)^2)",
    }
    kind = "cross-polytope" if choice.law.name == "laplace" else "blocks" if choice.label == "blocks" else "ball"
    formula = formulas[kind] if summary.norm == "l2" else "(2 tau/n) max_j a_j/b_j"
    if general:
        formula = (
            "(2 tau/n) the largest singular value of B^-1 A"
            if kind == "ball"
            else "(2 tau/n) sqrt(sum_j d_j), diag(d) >= (B^-1 A)(B^-1 A)'"
        )
    return Sensitivity(value, lattice.sensitivity, formula, proof)


def _short(value: Fraction) -> Fraction:
    """Return a fraction of a few digits; square roots are in it, so no digit more is known."""
    return Fraction(float(value))


def _claims(words: BasisWords, plan: Plan, reach: float) -> list[str]:
    noise = words.noise if words.noise_kernel is None else f"of {words.noise_kernel!r}, {plan.basis.count} functions"
    claims = [
        f"The estimator, {plan.estimator.words} the functions of {words.source}, and the noise ({noise}) were not chosen by looking "
        "at these data."
    ]
    if words.value_range is not None:
        low, high = map(float, words.value_range)
        claims.append(
            f"The range of values, {low:.10g} to {high:.10g}, was not read from these data; values outside it were clipped."
        )
    else:
        claims.append(
            f"The bound {float(words.bound):.10g} on the {words.bound_norm} norm of a curve around its centre, and the centre, were "
            f"not read from these data; curves beyond it were shrunk, and values farther than {reach:.4g} from the centre clipped."
        )
    return claims
