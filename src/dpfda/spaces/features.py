"""What a record at a point of a box is turned into: coefficients of its bump in a basis, or its bump's values on a lattice.

The bump of a record at x is, relative to the uniform density, k(., x)/int k over the whole line (an axis each): the kernel estimate of
the papers, which loses what reaches over an end.  With eta above 1 it is K^eta(., x)/int K^eta(s, x) ds, of mass one inside.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from dpfda.errors import ParameterError
from dpfda.kernels import Kernel
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import midpoints
from dpfda.spaces.products import ProductBasis, family_products, kernel_products, line_mass

#: Copies of a kernel around a circle on either side, in lengths of the kernel.
_REACH = 60
#: Lattice points of the Bernstein mechanism in all.
MOST_LATTICE = 1 << 10


@dataclass(frozen=True, eq=False)
class Features:
    """Coefficients of a record's bump.

    Parameters
    ----------
    basis : ProductBasis
        The functions.
    multipliers : array (M,)
        A record's coefficients are these times the functions at its place (over its mass).
    mass : array (cells^d,)
        What the bump of a record in each cell is divided by.
    cells : int
        An axis.
    """

    basis: ProductBasis
    multipliers: Floats = field(repr=False)
    mass: Floats = field(repr=False)
    cells: int

    @property
    def table(self) -> Floats:
        """Coefficients of a record in each cell: a row a cell."""
        return np.asarray(self.basis.on_grid(self.cells) * self.multipliers / self.mass[:, None])

    @property
    def axes(self) -> Floats:
        """The a_j of theta_j = a_j u_j with features u in a ball."""
        return np.sqrt(self.multipliers)

    def first(self, count: int) -> Features:
        """Return the first functions only; masses stay."""
        return Features(self.basis.first(count), self.multipliers[:count], self.mass, self.cells)


def spectral(axes: tuple[Interval, ...], kernels: tuple[Kernel, ...], basis: str, eta: float, cells: int) -> Features:
    """Return the features of a product of one kernel an axis, in its eigenfunctions, in cosines or in waves."""
    if basis == "kernel":
        functions = kernel_products(axes, kernels)
        scale = math.prod(axis.length / line_mass(kernel) for axis, kernel in zip(axes, kernels, strict=True))
    else:
        functions = family_products(axes, kernels, basis)
        scale = 1 / functions.eigenvalues[0]
    if eta == 1:
        return Features(functions, scale * functions.eigenvalues, np.ones(cells ** len(axes)), cells)
    # Any multiple of the kernel gives the same bumps of mass one.
    powers = (functions.eigenvalues / functions.eigenvalues[0]) ** eta
    on_grid = functions.on_grid(cells)
    mass = (on_grid * powers) @ on_grid.mean(axis=0)
    return Features(functions, powers, mass, cells)


def bernstein(axes: tuple[Interval, ...], kernels: tuple[Kernel, ...], order: int, cells: int) -> Floats:
    """Return the values of the bump of a record in each cell at the lattice points nu/K: a row a cell."""
    check_lattice(order, len(axes))
    table: Floats = np.ones((1, 1))
    for axis, kernel in zip(axes, kernels, strict=True):
        one = bump(axis, kernel, np.linspace(0, 1, order + 1), midpoints(cells)).T
        table = np.asarray(np.kron(table, one))
    return table


def check_lattice(order: int, dimension: int) -> None:
    """Raise an error where there would be too many lattice points."""
    size = (order + 1) ** dimension
    if size > MOST_LATTICE:
        raise ParameterError(
            f"{order + 1} lattice points an axis are {size} in all: the Bernstein mechanism here has at most {MOST_LATTICE}"
        )


def bump(axis: Interval, kernel: Kernel, points: Floats, centres: Floats) -> Floats:
    """Return k(points, centres) relative to the uniform density, both given as shares of an axis; around a circle it goes on."""
    away = axis.length * (points[:, None] - centres)
    if isinstance(axis, Circle):
        turns = 1 + math.ceil(_REACH * max(kernel.lengths) / axis.length)
        total = sum(kernel.profile(np.abs(away + n * axis.length)) for n in range(-turns, turns + 1))
    else:
        total = kernel.profile(np.abs(away))
    return np.asarray(total * (axis.length / line_mass(kernel)))


def bernstein_polynomials(order: int, points: Floats) -> Floats:
    """Return C(K, v) x^v (1 - x)^(K - v) at points of [0, 1]: a row a point, a column a v."""
    v = np.arange(order + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = v * np.log(points)[:, None] + (order - v) * np.log1p(-points)[:, None]
    logs = np.where((v == 0) & (points[:, None] == 0) | (v == order) & (points[:, None] == 1), 0.0, logs)
    logs = np.where(np.isnan(logs), -np.inf, logs)
    counts = [math.lgamma(order + 1) - math.lgamma(one + 1) - math.lgamma(order - one + 1) for one in v]
    return np.asarray(np.exp(logs + np.array(counts)))


def least_error_count(axes_lengths: Floats, multipliers: Floats, noise: float, independent: bool) -> int:
    """Return the number of functions of least noise plus what is cut off, from public numbers.

    Noise matched to axes a costs `noise` (sum a_j)^2 under pure epsilon, `noise` sum a_j^2 for Gaussian noise; what is cut off
    is at most the sum of the squared multipliers.
    """
    energy = np.cumsum(axes_lengths**2) if independent else np.cumsum(axes_lengths) ** 2
    cut = np.append(np.cumsum((multipliers**2)[::-1])[::-1][1:], 0.0)
    return int(np.argmin(noise * energy + cut)) + 1
