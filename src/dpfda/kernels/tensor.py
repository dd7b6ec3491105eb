"""A product of one-dimensional kernels, one for every axis of a box."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpfda.errors import ParameterError
from dpfda.kernels.base import Kernel, Product, Scaled
from dpfda.kernels.gaussian import Gaussian


@dataclass(frozen=True, init=False)
class Tensor:
    """k(x, y) = k_1(x_1, y_1) k_2(x_2, y_2) ..., one kernel an axis of a `Box`.

    Its eigenpairs are the products of the axes' own.  A kernel that is given to a box without this is a function of the Euclidean
    distance instead, which is the same for Gaussian kernels alone.

    Parameters
    ----------
    *factors : Kernel
        Two or three, in the order of the axes.

    Examples
    --------
    >>> Tensor(Gaussian(0.2), Gaussian(0.4)).variance
    1.0
    """

    factors: tuple[Kernel, ...]

    def __init__(self, *factors: Kernel) -> None:
        wrong = [f for f in factors if not isinstance(f, Kernel)]
        if wrong or len(factors) not in (2, 3):
            raise ParameterError(
                "Tensor takes two or three kernels, one an axis, such as dpfda.Tensor(dpfda.Matern(1.5, 0.1), "
                f"dpfda.Matern(1.5, 0.2)), not {wrong[0] if wrong else len(factors)!r}"
            )
        object.__setattr__(self, "factors", tuple(factors))

    @property
    def decay(self) -> float:
        """The beta of eigenvalues that fall like j^-beta, up to powers of log j: the roughest axis rules."""
        return min(f.decay for f in self.factors)

    @property
    def lengths(self) -> tuple[float, ...]:
        """Every length scale in it."""
        return tuple(length for f in self.factors for length in f.lengths)

    @property
    def variance(self) -> float:
        """k(x, x)."""
        return math.prod(f.variance for f in self.factors)

    def __repr__(self) -> str:
        return f"Tensor({', '.join(map(repr, self.factors))})"


def factorised(kernel: Kernel, axes: int) -> Tensor | None:
    """Return a function of the Euclidean distance as a product over axes, where it is one: Gaussian kernels are."""
    if isinstance(kernel, Gaussian):
        return Tensor(*(kernel,) * axes)
    if isinstance(kernel, Scaled):
        whole = factorised(kernel.kernel, axes)
        return None if whole is None else Tensor(Scaled(whole.factors[0], kernel.factor), *whole.factors[1:])
    if isinstance(kernel, Product):
        one, other = factorised(kernel.first, axes), factorised(kernel.second, axes)
        if one is None or other is None:
            return None
        return Tensor(*(Product(a, b) for a, b in zip(one.factors, other.factors, strict=True)))
    return None
