"""Leading eigenpairs of a kernel on a domain, evaluated anywhere on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Scaled, Sum
from dpfda.spaces.basis import Basis
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import FourierBasis, LegendreBasis
from dpfda.spaces.galerkin import galerkin_matrix
from dpfda.spaces.interval import Floats, Interval

#: Relative error of an eigenvalue up to which it is believed.
ACCURACY = 1e-6
#: Most polynomials or frequencies that are tried.
_MOST = 480
#: Lengths after which a profile that is wrapped around a circle is nothing to float64.
_REACH = 100


@dataclass(frozen=True, eq=False)
class Spectrum(Basis):
    """Eigenfunctions phi_j of a kernel's integral operator, with eigenvalues lambda_0 >= lambda_1 >= ... > 0.

    The measure has total mass 1, so the eigenvalues sum to k(x, x) with all of them.

    Parameters
    ----------
    kernel : Kernel
        In the units of the domain.
    eigenvalues : array (count,)
        lambda_j.
    errors : array (count,)
        A bar on the relative error of each.
    trace : float
        The sum of all eigenvalues.
    carrier : Basis
        Polynomials or waves that carry the eigenfunctions.
    mixing : array (carrier.count, count)
        Their coefficients, orthonormal columns.
    """

    kernel: Kernel
    eigenvalues: Floats
    errors: Floats
    trace: float
    carrier: Basis
    mixing: Floats

    @property
    def resolution(self) -> int:
        return self.carrier.count

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        return np.asarray(self.carrier.evaluate(points, order) @ self.mixing)

    def truncate(self, count: int) -> Spectrum:
        keep = min(count, self.count)
        return Spectrum(
            self.domain,
            keep,
            self.kernel,
            self.eigenvalues[:keep],
            self.errors[:keep],
            self.trace,
            self.carrier,
            self.mixing[:, :keep],
        )

    def truncate_to_share(self, left_out: float) -> Spectrum:
        """Return the fewest functions whose eigenvalues leave out at most this share of the trace."""
        missing = 1 - np.cumsum(self.eigenvalues) / self.trace
        enough = np.flatnonzero(missing <= left_out)
        if not enough.size:
            raise ParameterError(
                f"{self.count} eigenpairs leave out {missing[-1]:.2g} of the trace, more than {left_out:g}: ask for more of them"
            )
        return self.truncate(int(enough[0]) + 1)

    def power(self, eta: float) -> Floats:
        """Return the eigenvalues of K^eta."""
        return np.asarray(self.eigenvalues**eta)


def spectrum(kernel: Kernel, domain: Interval, count: int) -> Spectrum:
    """Return the leading `count` eigenpairs of a kernel on an interval or a circle; computed once and reused.

    On an interval by Galerkin's method in Legendre polynomials, on a circle in closed form from the Fourier coefficients
    of the wrapped profile.

    Raises
    ------
    ParameterError
        Where a length is so long, or so many pairs are asked for, that float64 cannot tell them from zero.
    """
    _check_length(kernel, domain)
    found = _compute(kernel, domain, count)
    good = int(np.argmin(np.append(found.errors <= ACCURACY, False)))
    if good < count:
        raise ParameterError(
            f"only {good} eigenpairs of this kernel can be computed in float64 to a relative error of {ACCURACY:g}, not "
            f"{count}: ask for {good} or fewer, or choose a shorter or rougher kernel"
        )
    return found.truncate(count)


def computable(kernel: Kernel, domain: Interval, most: int) -> Spectrum:
    """Return the leading eigenpairs, `most` or as many as float64 knows to the accuracy."""
    _check_length(kernel, domain)
    found = _compute(kernel, domain, most)
    good = int(np.argmin(np.append(found.errors <= ACCURACY, False)))
    return found.truncate(max(1, min(good, most)))


def _check_length(kernel: Kernel, domain: Interval) -> None:
    if max(kernel.lengths) > 10 * domain.length:
        raise ParameterError(
            f"a kernel of length {max(kernel.lengths):g} on a domain of length {domain.length:g} is a constant for every "
            "purpose: choose a length below the domain's"
        )


@lru_cache(maxsize=64)
def _compute(kernel: Kernel, domain: Interval, count: int) -> Spectrum:
    return _on_circle(kernel, domain, count) if isinstance(domain, Circle) else _on_interval(kernel, domain, count)


def _on_interval(kernel: Kernel, domain: Interval, count: int) -> Spectrum:
    relative = kernel.stretched(1 / domain.length)
    size = max(64, 2 * count)
    while True:
        matrix = galerkin_matrix(relative, size)
        values, vectors = np.linalg.eigh(matrix)
        values, vectors = values[::-1][:count], vectors[:, ::-1][:, :count]
        # Ritz values only grow with the size, so a smaller size shows how much is still missing; plus rounding.
        smaller = np.linalg.eigvalsh(matrix[: size * 4 // 5, : size * 4 // 5])[::-1][:count]
        rounding = 4 * np.finfo(float).eps * math.sqrt(size) * values[0]
        with np.errstate(divide="ignore"):
            missing = np.abs(values - smaller) / np.maximum(values, 1e-300)
            errors = missing + rounding / np.maximum(values, 1e-300)
        if (missing <= ACCURACY / 2).all() or size >= _MOST or rounding > ACCURACY * values[-1]:
            break
        size = min(2 * size, _MOST)
    # What is below rounding is noise, which a derivative would magnify.
    vectors = np.where(np.abs(vectors) < 1e-13, 0.0, vectors)
    signs = np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(count)])
    carrier = LegendreBasis(domain, size)
    eigenvalues = np.maximum(values, 0.0)
    return Spectrum(domain, count, kernel, eigenvalues, errors, kernel.variance, carrier, vectors * signs)


def _on_circle(kernel: Kernel, domain: Interval, count: int) -> Spectrum:
    """Fourier coefficients of the wrapped profile sum_n k(d + n L): the eigenvalues, twice each but the first.

    The wrapped profile is symmetric about half the circle and smooth between 0 and there, so a Gauss rule on that half is
    exact to rounding.
    """
    waves = count // 2 + 1
    values, finer = (_wave_values(kernel, domain.length, waves, nodes) for nodes in (3 * waves + 100, 4 * waves + 180))
    size = 2 * waves - 1
    which = (np.arange(size) + 1) // 2
    order = np.argsort(-finer[which], kind="stable")[:count]
    eigenvalues = np.maximum(finer[which][order], 0.0)
    off = np.abs(finer - values)[which][order] + 16 * np.finfo(float).eps * finer[0]
    mixing = np.zeros((size, count))
    mixing[order, np.arange(count)] = 1.0
    trace = float(_wrapped(kernel, domain.length, np.zeros(1))[0])
    carrier = FourierBasis(domain, size)
    return Spectrum(domain, count, kernel, eigenvalues, off / np.maximum(eigenvalues, 1e-300), trace, carrier, mixing)


def _wave_values(kernel: Kernel, length: float, waves: int, nodes: int) -> Floats:
    """Return (1/L) int_0^L wrapped(d) cos(2 pi k d / L) dd for k < waves."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    power = 3 if kernel.singular else 1
    v = (x + 1) / 2
    d = length / 2 * v**power
    masses = w / 2 * power * v ** (power - 1)
    k = np.arange(waves)
    return np.asarray((_wrapped(kernel, length, d) * masses) @ np.cos(2 * math.pi * np.outer(d, k) / length))


def _wrapped(kernel: Kernel, length: float, d: Floats) -> Floats:
    """Return sum_n k(d + n L), or k itself where it already repeats around the circle; term by term in a sum."""
    if isinstance(kernel, Sum):
        return _wrapped(kernel.first, length, d) + _wrapped(kernel.second, length, d)
    if isinstance(kernel, Scaled):
        return kernel.factor * _wrapped(kernel.kernel, length, d)
    trial = np.linspace(0.0, length, 17)
    if np.allclose(kernel.profile(trial), kernel.profile(trial + length), rtol=1e-12, atol=1e-12 * kernel.variance):
        return kernel.profile(d)
    if float(kernel.profile(np.array([_REACH * max(kernel.lengths)]))[0]) > 1e-12 * kernel.variance:
        raise ParameterError(
            f"{kernel} does not repeat around a circle of length {length:g} and does not die out either: give it a period that "
            "divides the circle"
        )
    images = 1 + math.ceil(_REACH * max(kernel.lengths) / length)
    total = np.zeros_like(d)
    for n in range(-images, images + 1):
        total += kernel.profile(np.abs(d + n * length))
    return total
