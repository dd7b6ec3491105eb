"""The mean in a basis: estimators of the papers, with their mechanisms and better ones."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.api.call import Call
from dpfda.api.words import read_count
from dpfda.errors import ParameterError
from dpfda.kernels import Kernel
from dpfda.mechanisms.choices import Choice, check_compatible, choose, energy
from dpfda.privacy.lattice import Lattice
from dpfda.privatise import privatise
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.release import Release
from dpfda.release.stage import Sensitivity
from dpfda.release.view import BasisView
from dpfda.spaces.basis import Basis
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.spectrum import Spectrum, computable, spectrum
from dpfda.summaries.coefficients import CoefficientMean

FAMILIES: dict[str, type[Basis]] = {"legendre": LegendreBasis, "cosine": CosineBasis, "fourier": FourierBasis}
#: Most functions that are used unless `components` says otherwise.
MOST = 64
#: Derivatives that are offered where nothing limits them.
ALL_DERIVATIVES = 4


@dataclass(frozen=True)
class BasisWords:
    """The words of a call that speak of a basis."""

    mechanism: str
    bound: Fraction
    bound_norm: str
    center: Any
    value_range: tuple[Fraction, Fraction] | None
    kernel: Kernel | None
    basis: str | None
    noise: str
    estimator: str | None
    penalty: float | str | None
    eta: float
    components: int | None
    calibration: str


@dataclass(frozen=True)
class Estimator:
    """Axes of the estimator on the leading functions of a basis, and how it was made."""

    kind: str
    basis: Basis
    axes: Floats
    eigenvalues: Floats
    decay: float
    words: str
    thresholds: Floats = field(default_factory=lambda: np.zeros(0))


def mean_in_basis(call: Call, words: BasisWords) -> Release:
    """Release coefficients of the mean in a basis."""
    grid = np.array(call.curves.grid)
    estimator = _estimator(call, words, len(grid))
    centre = _centre(words.center, grid)
    reach = float(words.bound) * (
        1.0 if words.value_range is not None else _farthest(grid, call.domain, words.bound_norm)
    )
    summary = CoefficientMean(estimator.basis, grid, centre, estimator.axes, words.bound, words.bound_norm, reach)
    plans = {label: _plan(call, words, label, estimator, summary) for label in _candidates(call, words)}
    energies = {label: energy(*plan, call.design) for label, plan in plans.items()}
    chosen = min(energies, key=energies.__getitem__)
    words = replace(words, mechanism=chosen)
    choice, lattice = plans[chosen]
    noisy = privatise(
        summary,
        call.curves.values,
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
    guarantee = Guarantee.of(
        noisy.event,
        lattice,
        call.n,
        _sensitivity(summary, choice, lattice, call.n),
        ("mean-over-basis.md", "lattice.md", *choice.law.proofs, "composition.md"),
        call.vouched(*_claims(words, estimator, reach)),
        _why(energies),
    )
    carrier, mixing = _carrier(estimator.basis)
    view = BasisView(call.domain, carrier, mixing, grid, centre, _derivatives(words, estimator), estimator.thresholds)
    raw = steps * np.array([s / count for s in noisy.sums[: len(steps)]])
    return Release(raw, view, law, guarantee)


def _candidates(call: Call, words: BasisWords) -> tuple[str, ...]:
    """Return the mechanisms to choose from: the one that was named, or those that fit where "auto" was."""
    if words.mechanism != "auto":
        return (words.mechanism,)
    pure = ("iclp", "finite-basis") if words.noise == "kernel" else ("blocks", "iclp", "ball")
    return (*pure, "gaussian") if call.delta > 0 else pure


def _plan(
    call: Call, words: BasisWords, label: str, estimator: Estimator, summary: CoefficientMean
) -> tuple[Choice, Lattice]:
    """Return a mechanism with its lattice, from public numbers alone."""
    if estimator.kind == "quadratic":
        check_compatible(label, words.noise, float(words.eta), estimator.decay)
    choice = choose(label, words.noise, estimator.axes, estimator.eigenvalues)
    delta = Fraction(0) if choice.law.pure else call.delta
    ratio = choice.law.calibrate(call.epsilon, delta, words.calibration)
    return choice, Lattice.plan(summary.records, choice.body, ratio, call.neighbours)


def _why(energies: dict[str, float]) -> tuple[str, ...]:
    """Say why a mechanism was chosen, where there was a choice; all of them share the estimator, and so its bias."""
    if len(energies) == 1:
        return ()
    best, *others = sorted(energies, key=energies.__getitem__)
    against = ", ".join(f"{label} {math.sqrt(energies[label]):.3g}" for label in others)
    return (
        f"auto chose {best}, from public numbers alone: its expected noise has root mean square "
        f"{math.sqrt(energies[best]):.3g}, against {against} for the same estimator.",
    )


def _estimator(call: Call, words: BasisWords, points: int) -> Estimator:
    """Choose functions and axes from public numbers alone."""
    n, eps = call.design, float(call.epsilon)
    kind = words.estimator or ("quadratic" if words.kernel is not None else "truncate")
    if (words.kernel is None) == (words.basis is None):
        raise ParameterError(
            f"mechanism={words.mechanism!r} needs exactly one of kernel=, such as dpfda.Matern(1.5, length), and basis=, one of "
            f"{', '.join(map(repr, FAMILIES))}"
        )
    asked = None if words.components is None else read_count(words.components, "components", 1, 480)
    if kind == "truncate":
        count = asked or min(max(round(0.6 * math.sqrt(n * eps)), 1), MOST, points)
        if words.penalty is not None:
            raise ParameterError("estimator='truncate' has no penalty: components= is its number of functions")
        basis = _basis(call, words, count, exact=asked is not None)
        return Estimator(
            kind, basis, np.ones(basis.count), _eigenvalues(basis), _decay(words), f"the first {basis.count} of"
        )
    if kind not in ("quadratic", "absolute"):
        raise ParameterError(f"estimator must be 'quadratic', 'absolute' or 'truncate', not {kind!r}")
    if words.kernel is None:
        raise ParameterError(f"estimator={kind!r} needs kernel=, whose eigenvalues it penalises with")
    if isinstance(words.eta, bool) or not isinstance(words.eta, int | float) or not 0 < words.eta < 100:
        raise ParameterError(f"eta must be a number between 0 and 100, not {words.eta!r}")
    basis = _basis(call, words, asked or min(MOST, points), exact=asked is not None)
    if kind == "absolute":
        return _absolute(basis, words, _penalty(words, n, eps, 2))
    psi = _penalty(words, n, eps, 1)
    powers = _eigenvalues(basis) ** words.eta
    axes = powers / (powers + psi)
    keep = max(1, int((axes > 1e-9 * axes[0]).sum()))
    basis = basis.truncate(keep)
    return Estimator(
        kind,
        basis,
        axes[:keep],
        _eigenvalues(basis),
        _decay(words),
        f"quadratic penalty {psi:.6g} with eta {words.eta:g} on the first {keep} of",
    )


def _absolute(basis: Basis, words: BasisWords, psi: float) -> Estimator:
    """Return the estimator that soft-thresholds the j-th coefficient at psi/(2 lambda_j^(eta/2)).

    Thresholding is 1-Lipschitz and comes after the noise; coefficients from the first on whose threshold is at least the
    bound are zero for every data set, so they get no noise (Lin and Reimherr 2026, remark 13).
    """
    thresholds = psi / (2 * _eigenvalues(basis) ** (words.eta / 2))
    keep = int(np.argmax(np.append(thresholds, math.inf) >= float(words.bound)))
    if keep == 0:
        raise ParameterError(f"penalty {psi:.3g} is so large that every coefficient is zero: choose a smaller one")
    basis = basis.truncate(keep)
    note = (
        f"absolute penalty {psi:.6g} with eta {words.eta:g}, thresholds after the noise, on the first {basis.count} of"
    )
    return Estimator("absolute", basis, np.ones(keep), _eigenvalues(basis), _decay(words), note, thresholds[:keep])


def _penalty(words: BasisWords, n: int, eps: float, share: int) -> float:
    """Return psi: a number, or the public rule of Lin and Reimherr 2026, section 4.4 and corollary 15, constants one.

    (n eps^2)^(-eta beta/(share (beta + 2))), with share 1 for the quadratic and 2 for the absolute penalty.
    """
    penalty = "pss" if words.penalty is None else words.penalty
    decay = _decay(words)
    if penalty == "pss":
        if math.isinf(decay):
            raise ParameterError(
                "penalty='pss' needs eigenvalues that fall like a power, which this kernel's do not: give penalty= a number, "
                "such as 0.01, or use a Matern kernel"
            )
        return float((n * eps**2) ** (-words.eta * decay / (share * (decay + 2))))
    if isinstance(penalty, bool) or not isinstance(penalty, int | float) or not 0 < penalty < math.inf:
        raise ParameterError(f"penalty must be a number above 0 or 'pss', not {penalty!r}")
    return float(penalty)


def _basis(call: Call, words: BasisWords, count: int, exact: bool) -> Basis:
    if words.kernel is None:
        if words.basis not in FAMILIES:
            raise ParameterError(f"basis must be one of {', '.join(map(repr, FAMILIES))}, not {words.basis!r}")
        return FAMILIES[words.basis](call.domain, count)
    find = spectrum if exact else computable
    return find(words.kernel, call.domain, count)


def _eigenvalues(basis: Basis) -> Floats:
    return basis.eigenvalues if isinstance(basis, Spectrum) else np.ones(basis.count)


def _decay(words: BasisWords) -> float:
    return math.inf if words.kernel is None else words.kernel.decay


def _carrier(basis: Basis) -> tuple[Basis, Floats]:
    return (basis.carrier, basis.mixing) if isinstance(basis, Spectrum) else (basis, np.eye(basis.count))


def _centre(center: Any, grid: Floats) -> Floats:
    """Return the public centre on the grid: a number, values on the grid, or a function."""
    try:
        given = center(grid) if callable(center) else center
        values = np.broadcast_to(np.asarray(given, dtype=np.float64), grid.shape)
    except (TypeError, ValueError):
        raise ParameterError(
            f"center must be a number, {len(grid)} values on the grid, or a function of the grid"
        ) from None
    if not np.isfinite(values).all():
        raise ParameterError("center must be finite on the whole grid")
    return np.array(values)


def _farthest(grid: Floats, domain: Interval, norm: str) -> float:
    """Return how far from its centre a value of a curve of norm one may lie.

    With the mass w of a point's hat (its end carried on to the domain's), the squared norm of the broken line is at least a third
    of sum w x^2.  A bound on the l1 norm of coefficients bounds no value; four times as much is allowed there.
    """
    steps = np.diff(grid)
    weights = (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)) / 2
    weights[0] += grid[0] - domain.start
    weights[-1] += domain.end - grid[-1]
    return math.sqrt(3 * domain.length / float(weights.min())) * (1.0 if norm == "l2" else 4.0)


def _derivatives(words: BasisWords, estimator: Estimator) -> int:
    """Return how many derivatives exist under the noise.

    Its variance falls like j^-v: v = beta for the kernel's noise, 2 beta eta for Gaussian noise matched to the axes, beta eta
    for the others.  A derivative of order k has finite energy as functions are added when v - 2k > 1.
    """
    if estimator.kind != "quadratic" or math.isinf(estimator.decay):
        return ALL_DERIVATIVES
    if words.noise == "kernel":
        power = estimator.decay if words.mechanism != "finite-basis" else math.inf
    else:
        power = estimator.decay * words.eta * (2 if words.mechanism in ("gaussian", "ball") else 1)
    if math.isinf(power):
        return ALL_DERIVATIVES
    return max(0, min(ALL_DERIVATIVES, math.ceil((power - 1) / 2) - 1))


def _sensitivity(summary: CoefficientMean, choice: Choice, lattice: Lattice, n: int | None) -> Sensitivity:
    """Return the reach of the mean's differences in the body (public n), or the norm of one record's sums (hidden n)."""
    if n is None:
        value = Fraction(lattice.bound) * lattice.steps[0] / choice.body.weights[0]
        return Sensitivity(
            _short(value), lattice.sensitivity, "norm of one record's sums and count", "mean-over-basis.md"
        )
    value = _short(summary.influence(n).reach(choice.body))
    formulas = {
        "cross-polytope": "(2 tau/n) sqrt(sum_j (a_j/b_j)^2)",
        "ball": "(2 tau/n) max_j a_j/b_j",
        "blocks": "(2 tau/n) sqrt(sum over blocks of max (a_j/b_j)^2)",
    }
    kind = "cross-polytope" if choice.law.name == "laplace" else "blocks" if choice.label == "blocks" else "ball"
    formula = formulas[kind] if summary.norm == "l2" else "(2 tau/n) max_j a_j/b_j"
    return Sensitivity(value, lattice.sensitivity, formula, "mean-over-basis.md")


def _short(value: Fraction) -> Fraction:
    """Return a fraction of a few digits; square roots are in it, so no digit more is known."""
    return Fraction(float(value))


def _claims(words: BasisWords, estimator: Estimator, reach: float) -> list[str]:
    source = repr(words.kernel) if words.kernel is not None else f"the {words.basis} basis"
    claims = [
        f"The estimator, {estimator.words} the functions of {source}, and the noise ({words.noise}) were not chosen by looking "
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
