"""The functions of a mean in a basis, on an interval, a circle or a box; all of it from public words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Tensor
from dpfda.release.box_view import BoxView
from dpfda.release.view import BasisView
from dpfda.spaces.basis import Basis
from dpfda.spaces.box import Box
from dpfda.spaces.box_spectrum import box_computable, box_spectrum, decay_on_box
from dpfda.spaces.carried import carried
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.product import BoxBasis, product_basis
from dpfda.spaces.spectrum import Spectrum, computable, spectrum

FAMILIES: dict[str, type[Basis]] = {"legendre": LegendreBasis, "cosine": CosineBasis, "fourier": FourierBasis}
#: Most functions that are used unless `components` says otherwise, on an interval and on a box.
MOST, MOST_ON_BOX = 64, 100
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
    kernel: Kernel | Tensor | None
    basis: str | Sequence[str] | None
    noise: str
    noise_kernel: Kernel | Tensor | None
    estimator: str | None
    penalty: float | str | None
    eta: float
    components: int | None
    calibration: str

    @property
    def source(self) -> str:
        """Where the functions come from, in words."""
        return repr(self.kernel) if self.kernel is not None else f"the {self.basis} basis"


def most(domain: Interval | Box) -> int:
    """Return how many functions are used at the most unless the caller says otherwise."""
    return MOST_ON_BOX if isinstance(domain, Box) else MOST


def eigenfunctions(kernel: Kernel | Tensor, domain: Interval | Box, count: int, exact: bool) -> Basis | BoxBasis:
    """Return leading eigenfunctions of a kernel: `count` of them, or at the most that many where not `exact`."""
    if isinstance(domain, Box):
        return (box_spectrum if exact else box_computable)(kernel, domain, count)
    if isinstance(kernel, Tensor):
        raise ParameterError(
            f"{kernel} is a product over axes, but {domain.words} has one: give a kernel such as {kernel.factors[0]}"
        )
    return (spectrum if exact else computable)(kernel, domain, count)


def functions(words: BasisWords, domain: Interval | Box, count: int, exact: bool) -> Basis | BoxBasis:
    """Return the leading functions of the kernel or of the family that was named."""
    if words.kernel is not None:
        return eigenfunctions(words.kernel, domain, count, exact)
    if isinstance(domain, Box):
        axes = len(domain.axes)
        names = (words.basis,) * axes if isinstance(words.basis, str) else tuple(words.basis or ())
        if len(names) != axes:
            raise ParameterError(
                f"basis= names {len(names)} families, but {domain.words} has {axes} axes: give one, or one an axis"
            )
        return product_basis(domain, [_family(name) for name in names], count)
    return _family(words.basis)(domain, count)


def _family(name: object) -> type[Basis]:
    if not isinstance(name, str) or name not in FAMILIES:
        raise ParameterError(f"basis must be one of {', '.join(map(repr, FAMILIES))}, not {name!r}")
    return FAMILIES[name]


def eigenvalues(basis: Basis | BoxBasis, words: BasisWords) -> Floats:
    """Return the eigenvalues of the kernel, or ones where a family was named."""
    if words.kernel is None:
        return np.ones(basis.count)
    return basis.eigenvalues if isinstance(basis, Spectrum | BoxBasis) else np.ones(basis.count)


def smoothness_class(basis: Basis | BoxBasis) -> Floats:
    """Return lambda_j of the class of curves that `auto` bounds the bias over: the kernel's, or (1 + j)^-4 for a family."""
    if isinstance(basis, Spectrum | BoxBasis):
        return basis.eigenvalues
    return np.asarray((1.0 + np.arange(basis.count)) ** -4)


def decay(kernel: Kernel | Tensor | None, domain: Interval | Box) -> float:
    """Return the beta of eigenvalues that fall like j^-beta on the domain; infinite for a family."""
    if kernel is None:
        return math.inf
    return decay_on_box(kernel, len(domain.axes)) if isinstance(domain, Box) else kernel.decay


def public_centre(center: Any, grid: Floats | tuple[Floats, ...]) -> Floats:
    """Return the public centre on the grid, as one row: a number, values on the grid, or a function of the coordinates."""
    coordinates = np.meshgrid(*grid, indexing="ij") if isinstance(grid, tuple) else [grid]
    shape = coordinates[0].shape
    try:
        given = center(*coordinates) if callable(center) else center
        values = np.broadcast_to(np.asarray(given, dtype=np.float64), shape)
    except (TypeError, ValueError):
        size = " x ".join(map(str, shape))
        raise ParameterError(f"center must be a number, {size} values on the grid, or a function of the grid") from None
    if not np.isfinite(values).all():
        raise ParameterError("center must be finite on the whole grid")
    return np.array(values).ravel()


def farthest(grid: Floats | tuple[Floats, ...], domain: Interval | Box, norm: str) -> float:
    """Return how far from its centre a value of a record of norm one may lie.

    With the mass w of a point's hat (its end carried on to the domain's), the squared norm of the broken line is at least a third
    of sum w x^2; in d coordinates masses multiply and the third becomes 3^-d.  A bound on the l1 norm of coefficients bounds no
    value; four times as much is allowed there.
    """
    grids, axes = (grid, domain.axes) if isinstance(grid, tuple) and isinstance(domain, Box) else ((grid,), (domain,))
    share = 1.0
    for points, axis in zip(grids, axes, strict=True):
        steps = np.diff(points)
        weights = (np.append(steps, 0.0) + np.insert(steps, 0, 0.0)) / 2
        weights[0] += points[0] - axis.start
        weights[-1] += axis.end - points[-1]
        share *= float(weights.min()) / (3 * axis.length)
    return math.sqrt(1 / share) * (1.0 if norm == "l2" else 4.0)


def view_of(
    basis: Basis | BoxBasis,
    grid: Floats | tuple[Floats, ...],
    centre: Floats,
    power: float | None,
    kernel: Kernel | Tensor | None,
    thresholds: Floats,
) -> BasisView | BoxView:
    """Return how coefficients of these functions become a curve or a surface.

    `power` times the decay of `kernel` is the v of noise whose variance falls like j^-v; None where nothing limits derivatives.
    """
    if not isinstance(basis, BoxBasis):
        assert not isinstance(grid, tuple)  # noqa: S101 - an interval has one grid
        carrier, mixing = (basis.carrier, basis.mixing) if isinstance(basis, Spectrum) else (basis, np.eye(basis.count))
        limit = math.inf if power is None or kernel is None else power * kernel.decay
        return BasisView(basis.domain, carrier, mixing, grid, centre, _orders((limit - 1) / 2), thresholds)
    assert isinstance(grid, tuple)  # noqa: S101
    each, total = _box_orders(basis.domain, power, kernel)
    plain = replace(basis, factors=tuple(carried(factor) for factor in basis.factors))
    table = centre.reshape([len(points) for points in grid])
    if np.ptp(centre) == 0:  # a constant needs no mesh
        grid = tuple(points[[0, -1]] for points in grid)
        table = np.full([2] * len(grid), centre[0])
    return BoxView(basis.domain, plain, grid, table, each, total, thresholds)


def _orders(limit: float) -> int:
    """Return the largest whole number below the limit, up to what is offered."""
    return ALL_DERIVATIVES if math.isinf(limit) else max(0, min(ALL_DERIVATIVES, math.ceil(limit) - 1))


def _box_orders(domain: Box, power: float | None, kernel: Kernel | Tensor | None) -> tuple[tuple[int, ...], int]:
    """Return how many derivatives exist along each axis, and altogether.

    Noise of variance j^-v has a derivative of order k with finite energy when v - 2 k/d > 1 on a box of d axes, all orders
    together; for products of kernels when that holds along each axis by itself.
    """
    axes = len(domain.axes)
    if isinstance(kernel, Tensor) and power is not None:
        each = tuple(_orders((power * factor.decay - 1) / 2) for factor in kernel.factors)
        return each, sum(each)
    if kernel is None or power is None:
        return (ALL_DERIVATIVES,) * axes, ALL_DERIVATIVES * axes
    one = _orders(axes * (power * decay_on_box(kernel, axes) - 1) / 2)
    return (one,) * axes, one
