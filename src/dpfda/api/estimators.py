"""The papers' estimators as axes on the leading functions of a basis, from public numbers alone."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from dpfda.api.bases import FAMILIES, BasisWords, decay, eigenvalues, functions, most, smoothness_class
from dpfda.api.call import Call
from dpfda.api.words import read_count
from dpfda.errors import ParameterError
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis

#: Penalties and numbers of functions that `auto` tries where the caller left them free.
_PENALTIES = tuple(10.0 ** (-k / 2) for k in range(14))
_COUNTS = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 90)


@dataclass(frozen=True)
class Estimator:
    """Axes of the estimator on the leading functions of a basis, and how it was made.

    Parameters
    ----------
    kind : "quadratic", "absolute" or "truncate"
        Which.
    basis : Basis or BoxBasis
        The functions.
    axes : array
        a_j.
    eigenvalues : array
        Of the kernel; ones where there is none.
    decay : float
        How fast they fall.
    words : str
        What it is, for the reader of the guarantee.
    bias : float
        The largest squared distance of a curve of the public class of norm one to its own estimate.
    thresholds : array
        Of the absolute penalty.
    """

    kind: str
    basis: Basis | BoxBasis
    axes: Floats
    eigenvalues: Floats
    decay: float
    words: str
    bias: float
    thresholds: Floats = field(default_factory=lambda: np.zeros(0))


def estimator(call: Call, words: BasisWords) -> Estimator:
    """Return the estimator that was asked for, or the default."""
    kind, asked = _check(words), _asked(words)
    points, n, eps = call.points, call.design, float(call.epsilon)
    if kind == "truncate":
        count = asked or min(max(round(0.6 * math.sqrt(n * eps)), 1), most(call.domain), points)
        return _truncated(functions(words, call.domain, count, exact=asked is not None), call, words)
    basis = functions(words, call.domain, asked or min(most(call.domain), points), exact=asked is not None)
    if kind == "absolute":
        return _absolute(basis, call, words, _penalty(call, words, n, eps, 2))
    return _quadratic(basis, call, words, _penalty(call, words, n, eps, 1))


def free_estimators(call: Call, words: BasisWords) -> tuple[Estimator, ...]:
    """Return the estimators that `auto` may choose from: what the caller named is kept, what was left open is tried."""
    kind, asked = _check(words), _asked(words)
    if kind == "absolute" or (words.penalty is not None):
        return (estimator(call, words),)
    basis = functions(words, call.domain, asked or min(most(call.domain), call.points), exact=asked is not None)
    return tuple(chain(_quadratics(basis, call, words, kind), _truncations(basis, call, words, kind, asked)))


def _quadratics(basis: Basis | BoxBasis, call: Call, words: BasisWords, kind: str) -> Iterator[Estimator]:
    if words.kernel is not None and kind == "quadratic":
        first = float(eigenvalues(basis, words)[0]) ** words.eta
        yield from (_quadratic(basis, call, words, first * share) for share in _PENALTIES)


def _truncations(
    basis: Basis | BoxBasis, call: Call, words: BasisWords, kind: str, asked: int | None
) -> Iterator[Estimator]:
    if kind == "truncate" or words.estimator is None:
        counts = (asked,) if asked is not None else (c for c in _COUNTS if c <= basis.count)
        yield from (_truncated(basis.truncate(count), call, words, whole=basis) for count in counts)


def _check(words: BasisWords) -> str:
    """Check the words of an estimator and return its kind."""
    kind = words.estimator or ("quadratic" if words.kernel is not None else "truncate")
    if (words.kernel is None) == (words.basis is None):
        raise ParameterError(
            f"mechanism={words.mechanism!r} needs exactly one of kernel=, such as dpfda.Matern(1.5, length), and basis=, one of "
            f"{', '.join(map(repr, FAMILIES))}"
        )
    if kind == "truncate":
        if words.penalty is not None:
            raise ParameterError("estimator='truncate' has no penalty: components= is its number of functions")
        return kind
    if kind not in ("quadratic", "absolute"):
        raise ParameterError(f"estimator must be 'quadratic', 'absolute' or 'truncate', not {kind!r}")
    if words.kernel is None:
        raise ParameterError(f"estimator={kind!r} needs kernel=, whose eigenvalues it penalises with")
    if isinstance(words.eta, bool) or not isinstance(words.eta, int | float) or not 0 < words.eta < 100:
        raise ParameterError(f"eta must be a number between 0 and 100, not {words.eta!r}")
    return kind


def _asked(words: BasisWords) -> int | None:
    return None if words.components is None else read_count(words.components, "components", 1, 480)


def _truncated(
    basis: Basis | BoxBasis, call: Call, words: BasisWords, whole: Basis | BoxBasis | None = None
) -> Estimator:
    ones = np.ones(basis.count)
    return Estimator(
        "truncate",
        basis,
        ones,
        eigenvalues(basis, words),
        decay(words.kernel, call.domain),
        f"the first {basis.count} of",
        _worst(ones, smoothness_class(whole or basis)),
    )


def _quadratic(basis: Basis | BoxBasis, call: Call, words: BasisWords, psi: float) -> Estimator:
    powers = eigenvalues(basis, words) ** words.eta
    axes = powers / (powers + psi)
    keep = max(1, int((axes > 1e-9 * axes[0]).sum()))
    bias = _worst(axes[:keep], smoothness_class(basis))
    basis = basis.truncate(keep)
    return Estimator(
        "quadratic",
        basis,
        axes[:keep],
        eigenvalues(basis, words),
        decay(words.kernel, call.domain),
        f"quadratic penalty {psi:.6g} with eta {words.eta:g} on the first {keep} of",
        bias,
    )


def _absolute(basis: Basis | BoxBasis, call: Call, words: BasisWords, psi: float) -> Estimator:
    """Return the estimator that soft-thresholds the j-th coefficient at psi/(2 lambda_j^(eta/2)).

    Thresholding is 1-Lipschitz and comes after the noise; coefficients from the first on whose threshold is at least the
    bound are zero for every data set, so they get no noise (Lin and Reimherr 2026, remark 13).
    """
    thresholds = psi / (2 * eigenvalues(basis, words) ** (words.eta / 2))
    keep = int(np.argmax(np.append(thresholds, math.inf) >= float(words.bound)))
    if keep == 0:
        raise ParameterError(f"penalty {psi:.3g} is so large that every coefficient is zero: choose a smaller one")
    bias = (
        _worst(np.ones(keep), smoothness_class(basis)) + float((thresholds[:keep] ** 2).sum()) / float(words.bound) ** 2
    )
    basis = basis.truncate(keep)
    note = (
        f"absolute penalty {psi:.6g} with eta {words.eta:g}, thresholds after the noise, on the first {basis.count} of"
    )
    return Estimator(
        "absolute",
        basis,
        np.ones(keep),
        eigenvalues(basis, words),
        decay(words.kernel, call.domain),
        note,
        bias,
        thresholds[:keep],
    )


def _worst(axes: Floats, smooth: Floats) -> float:
    """Return the largest sum (1 - a_j)^2 u_j^2 over curves with sum u_j^2/lambda_j <= 1/lambda_0, left-out functions included.

    What lies beyond the functions that are known has an eigenvalue of at most the last known one's.
    """
    kept = float(((1 - axes) ** 2 * smooth[: len(axes)]).max())
    rest = float(smooth[min(len(axes), len(smooth) - 1)])
    return max(kept, rest) / float(smooth[0])


def _penalty(call: Call, words: BasisWords, n: int, eps: float, share: int) -> float:
    """Return psi: a number, or the public rule of Lin and Reimherr 2026, section 4.4 and corollary 15, constants one.

    (n eps^2)^(-eta beta/(share (beta + 2))), with share 1 for the quadratic and 2 for the absolute penalty.
    """
    penalty = "pss" if words.penalty is None else words.penalty
    beta = decay(words.kernel, call.domain)
    if penalty == "pss":
        if math.isinf(beta):
            raise ParameterError(
                "penalty='pss' needs eigenvalues that fall like a power, which this kernel's do not: give penalty= a number, "
                "such as 0.01, or use a Matern kernel"
            )
        return float((n * eps**2) ** (-words.eta * beta / (share * (beta + 2))))
    if isinstance(penalty, bool) or not isinstance(penalty, int | float) or not 0 < penalty < math.inf:
        raise ParameterError(f"penalty must be a number above 0 or 'pss', not {penalty!r}")
    return float(penalty)
