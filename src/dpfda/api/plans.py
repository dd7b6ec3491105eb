"""A mechanism with its lattice for an estimator, and what both would do: from public numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.api.bases import BasisWords, decay, eigenfunctions, most
from dpfda.api.call import Call
from dpfda.api.estimators import Estimator
from dpfda.errors import ParameterError
from dpfda.mechanisms.choices import Choice, check_compatible, choose, energy
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis
from dpfda.spaces.spectrum import Spectrum
from dpfda.summaries.coefficients import CoefficientMean
from dpfda.summaries.operator import OperatorMean


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that is settled before the data are touched.

    Parameters
    ----------
    label : str
        The mechanism's name.
    estimator : Estimator
        What it protects.
    summary : CoefficientMean or OperatorMean
        What is added up over records.
    basis : Basis or BoxBasis
        The functions whose coefficients are released.
    choice : Choice
        Law and body.
    lattice : Lattice
        Steps, bound and scale.
    noise : float
        The expected squared norm of the noise.
    bias : float
        A bound on the squared norm of what the estimator changes in a curve of the public class.
    """

    label: str
    estimator: Estimator
    summary: CoefficientMean | OperatorMean
    basis: Basis | BoxBasis
    choice: Choice
    lattice: Lattice
    noise: float
    bias: float

    @property
    def error(self) -> float:
        """Noise and bias together."""
        return self.noise + self.bias


@dataclass(frozen=True, eq=False)
class Frame:
    """Where records are known and around what: what every plan of a call shares."""

    grid: Floats | tuple[Floats, ...]
    centre: Floats
    reach: float


def plan(call: Call, words: BasisWords, frame: Frame, label: str, estimator: Estimator) -> Plan:
    """Return the plan of one mechanism for one estimator, or say why there is none."""
    own = decay(words.noise_kernel, call.domain) if words.noise_kernel is not None else None
    if estimator.kind == "quadratic":
        check_compatible(label, words.noise, float(words.eta), estimator.decay, own)
    if words.noise_kernel is None:
        summary: CoefficientMean | OperatorMean = CoefficientMean(
            estimator.basis, frame.grid, frame.centre, estimator.axes, words.bound, words.bound_norm, frame.reach
        )
        basis, values, bias = estimator.basis, estimator.eigenvalues, estimator.bias
        choice = choose(label, words.noise, estimator.axes, values)
    else:
        basis, crossing = _noise_functions(call, words, estimator)
        values = _positive(basis)
        summary = OperatorMean(
            estimator.basis, crossing * estimator.axes, frame.grid, frame.centre, words.bound, frame.reach
        )
        bias = _bias(estimator, crossing)
        choice = choose(label, words.noise, np.ones(basis.count), values)
    delta = Fraction(0) if choice.law.pure else call.delta
    ratio = choice.law.calibrate(call.epsilon, delta, words.calibration)
    lattice = Lattice.plan(summary.records, choice.body, ratio, call.neighbours)
    noise = energy(choice, lattice, call.design)
    return Plan(label, estimator, summary, basis, choice, lattice, noise, bias * float(words.bound) ** 2)


def check_noise_kernel(words: BasisWords) -> None:
    """Refuse words that do not go with a kernel of the noise's own."""
    if words.noise_kernel is None:
        return
    wrong = {
        "noise_kernel= goes with noise='kernel': matched noise is shaped to the estimator": words.noise != "kernel",
        "noise_kernel= goes with kernel=, whose eigenvalues the estimator uses; a family of functions has none": words.kernel
        is None,
        "noise_kernel= goes with bound_norm='l2'": words.bound_norm != "l2",
        "noise_kernel= does not go with estimator='absolute', whose thresholds belong to the eigenfunctions of kernel=": words.estimator
        == "absolute",
    }
    for message, true in wrong.items():
        if true:
            raise ParameterError(message)


def _noise_functions(call: Call, words: BasisWords, estimator: Estimator) -> tuple[Basis | BoxBasis, Floats]:
    """Return the noise kernel's leading eigenfunctions, and their inner products with the estimator's, a row each."""
    assert words.noise_kernel is not None  # noqa: S101 - the caller looked
    count = words.components or min(most(call.domain), call.points)
    basis = eigenfunctions(words.noise_kernel, call.domain, count, exact=words.components is not None)
    if isinstance(basis, BoxBasis):
        assert isinstance(estimator.basis, BoxBasis)  # noqa: S101 - both live on the call's domain
        return basis, basis.overlaps(estimator.basis)
    assert isinstance(estimator.basis, Basis)  # noqa: S101
    return basis, basis.overlaps(estimator.basis)


def _positive(basis: Basis | BoxBasis) -> Floats:
    assert isinstance(basis, Spectrum | BoxBasis)  # noqa: S101 - eigenfunctions have eigenvalues
    return basis.eigenvalues


def _bias(estimator: Estimator, crossing: Floats) -> float:
    """Bound what the estimator, cut to the noise's functions, changes in a curve of the public class of norm one.

    The curve u'phi becomes (C diag(a) u)'psi, so the squared distance is u'Q u with Q = I - C'A - A'C + A'A; the part of the curve
    beyond the estimator's functions adds at most its own bound.
    """
    image = crossing * estimator.axes
    both = crossing.T @ image
    square = np.eye(len(estimator.axes)) - both - both.T + image.T @ image
    roots = np.sqrt(estimator.eigenvalues / estimator.eigenvalues[0])
    inside = float(np.linalg.eigvalsh(square * np.outer(roots, roots))[-1])
    return max(inside, 0.0) + float(roots[-1]) ** 2
