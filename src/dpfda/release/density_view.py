"""How released numbers become a density on a fine public grid: by a posterior over nodes, in a basis, or by polynomials."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dpfda.kernels import Exponential, Gaussian, Kernel, Matern
from dpfda.release.law import NoiseLaw
from dpfda.release.linear import LinearPosterior
from dpfda.release.smooth.base import Posterior
from dpfda.release.smooth.blurred import Blurred
from dpfda.release.smooth.kernel_sample import KernelSample
from dpfda.release.smooth.log_gaussian import LogGaussian, overlaps
from dpfda.release.smooth.separable import Separable
from dpfda.spaces.circle import Circle
from dpfda.spaces.features import bernstein_polynomials, bump
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import midpoints

#: Shapes of kernels, at length one.
SHAPES: dict[str, Kernel] = {
    "gaussian": Gaussian(1.0),
    "exponential": Exponential(1.0),
    "matern-3/2": Matern(1.5, 1.0),
    "matern-5/2": Matern(2.5, 1.0),
}
#: Points in a bin over which a kernel is averaged.
_INSIDE = 64
#: Points an axis of the fine grid.
GRID = {1: 1024, 2: 128, 3: 32}


@dataclass(frozen=True)
class Width:
    """The public bandwidth: a width an axis, or a matrix as (rows of) numbers; in the units of the domain.

    Parameters
    ----------
    shape : str
        Which kernel.
    widths : tuple of float
        One an axis; empty with a matrix.
    matrix : tuple of tuple of float
        H of the Gaussian kernel with covariance H; empty with widths.
    """

    shape: str
    widths: tuple[float, ...] = ()
    matrix: tuple[tuple[float, ...], ...] = ()

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernel of every axis."""
        return tuple(SHAPES[self.shape].stretched(width) for width in self.widths)

    def __str__(self) -> str:
        if self.matrix:
            return f"a {self.shape} kernel with matrix {[list(row) for row in self.matrix]}"
        return f"a {self.shape} kernel of width {' x '.join(f'{w:g}' for w in self.widths)}"


@dataclass(frozen=True, eq=False)
class DensityView(ABC):
    """A public way from released numbers to values on the fine grid, relative to the uniform density.

    Parameters
    ----------
    axes : tuple of Interval
        The box.
    width : Width or None
        Of the kernel estimate that is wanted; None for the density itself.
    """

    axes: tuple[Interval, ...]
    width: Width | None

    @property
    def grid(self) -> int:
        """G, points of the fine grid an axis."""
        return GRID[len(self.axes)]

    @abstractmethod
    def posterior(self, raw: Floats, law: NoiseLaw) -> Posterior:
        """Return values on the grid, flattened, their standard deviations, and draws of what they stand for."""

    @property
    def smoothed(self) -> bool:
        """Whether a prior stands between the released numbers and the values."""
        return False

    @property
    def target(self) -> str:
        """What a band around these records' values is a band of, in words."""
        if self.width is None:
            return "the density the records come from"
        return "the kernel estimate of exactly these records"

    @property
    def left_out(self) -> str:
        """What the unreleased function itself leaves out and the band does not count in, a sentence or none."""
        return ""


@dataclass(frozen=True, eq=False)
class NodeView(DensityView):
    """Shares of the records in hat functions of N^d nodes, smoothed.

    Parameters
    ----------
    nodes : int
        N.
    """

    nodes: int

    @property
    def grid(self) -> int:
        if len(self.axes) == 1 and self.width is None:
            return LogGaussian(self.nodes, 1.0).grid
        return GRID[len(self.axes)]

    @property
    def smoothed(self) -> bool:
        return True

    def posterior(self, raw: Floats, law: NoiseLaw) -> Posterior:
        periodic = tuple(isinstance(axis, Circle) for axis in self.axes)
        n = law.count
        observed, variances = raw * n, (law.sds * n) ** 2
        if len(self.axes) > 1:
            whole = Separable(self.nodes, n, periodic, self.grid, sampling=self.width is None)
            if self.width is None:
                return whole.fit(observed, variances)
            return Blurred(whole, self._blur(self.width)).fit(observed, variances)
        prior = LogGaussian(self.nodes, n, periodic[0])
        if self.width is None:
            return prior.fit(observed, variances)
        there, here = midpoints(self.grid), midpoints(prior.grid)
        return KernelSample(prior, bump(self.axes[0], self.width.kernels[0], there, here)).fit(observed, variances)

    def _blur(self, width: Width) -> Floats:
        """Return the kernel at all differences of grid points along every axis, (2G-1)^d, an average over cells included."""
        away = np.arange(1 - self.grid, self.grid) / self.grid
        if width.matrix:
            precision = np.linalg.inv(np.array(width.matrix))
            lines = np.meshgrid(*[away * axis.length for axis in self.axes], indexing="ij")
            offsets = np.stack(lines, axis=-1)
            total = np.zeros(offsets.shape[:-1])
            turns = [(-1, 0, 1) if isinstance(axis, Circle) else (0,) for axis in self.axes]
            for turn in product(*turns):
                moved = offsets + [n * axis.length for n, axis in zip(turn, self.axes, strict=True)]
                total += np.exp(-0.5 * np.einsum("...i,ij,...j->...", moved, precision, moved))
            volume = math.prod(axis.length for axis in self.axes)
            scale = volume / math.sqrt(np.linalg.det(2 * math.pi * np.array(width.matrix)))
            return np.asarray(total * scale / self.grid ** len(self.axes))
        total = np.ones(())
        for axis, kernel in zip(self.axes, width.kernels, strict=True):
            total = np.multiply.outer(total, bump(axis, kernel, away, np.zeros(1))[:, 0] / self.grid)
        return np.asarray(total)


@dataclass(frozen=True, eq=False)
class BinView(DensityView):
    """Shares of the records in runs of bins on one axis, smoothed.

    Parameters
    ----------
    edges : tuple of float
        Ends of the bins.
    together : int
        Bins in a run.
    """

    edges: tuple[float, ...]
    together: int

    @property
    def target(self) -> str:
        if self.width is None:
            return super().target
        return "the kernel estimate of exactly these records, each spread evenly over its bin"

    @property
    def runs(self) -> Floats:
        """Ends of the runs."""
        ends = np.array(self.edges)
        return np.append(ends[:-1][:: self.together], ends[-1])

    @property
    def grid(self) -> int:
        return LogGaussian(len(self.runs) - 1, 1.0).grid if self.width is None else GRID[1]

    @property
    def smoothed(self) -> bool:
        return True

    def posterior(self, raw: Floats, law: NoiseLaw) -> Posterior:
        axis, n = self.axes[0], law.count
        runs, bins = ((ends - axis.start) / axis.length for ends in (self.runs, np.array(self.edges)))
        prior = LogGaussian(len(runs) - 1, n, isinstance(axis, Circle), tuple(runs.tolist()))
        observed, variances = raw * n, (law.sds * n) ** 2
        if self.width is None:
            return prior.fit(observed, variances)
        inside = bins[:-1, None] + np.diff(bins)[:, None] * midpoints(_INSIDE)
        kernel = bump(axis, self.width.kernels[0], midpoints(self.grid), inside.ravel())
        kernel = kernel.reshape(self.grid, -1, _INSIDE).mean(axis=2)
        pool = overlaps(np.arange(prior.grid + 1) / prior.grid, bins)
        held = np.eye(len(runs) - 1)[
            np.arange(len(bins) - 1) // self.together
        ]  # by number: a bin may have no width here
        return KernelSample(prior, kernel, pool, held).fit(observed, variances)


@dataclass(frozen=True, eq=False)
class BasisDensityView(DensityView):
    """sum_m values_m prod_axes functions_axis[., index[m, axis]] on the grid.

    Parameters
    ----------
    functions : tuple of array (G, M_axis)
        On the grid of every axis.
    index : array (M, d)
        Which function of every axis.
    """

    functions: tuple[Floats, ...] = field(repr=False)
    index: NDArray[np.int64] = field(repr=False)

    @property
    def target(self) -> str:
        return f"what would have been released without noise, these records' first {len(self.index)} coefficients in the basis"

    @property
    def left_out(self) -> str:
        return (
            "How far that is from the kernel estimate is not in the band: records were moved to the middles of public cells, and what "
            "the further functions hold was cut off."
        )

    @cached_property
    def matrix(self) -> Floats:
        """The functions on the grid, G^d x M."""
        total = np.ones((1, len(self.index)))
        for axis, functions in enumerate(self.functions):
            one = functions[:, self.index[:, axis]]
            total = (total[:, None, :] * one[None, :, :]).reshape(-1, len(self.index))
        return total

    def posterior(self, raw: Floats, law: NoiseLaw) -> Posterior:
        return LinearPosterior.of(self.matrix, raw, law)


@dataclass(frozen=True, eq=False)
class BernsteinView(DensityView):
    """Polynomials through noisy values at nu/K: the operator I - (I - B)^h of Alda and Rubinstein (2017).

    Parameters
    ----------
    order : int
        K.
    iterations : int
        h, 1 for the plain operator.
    """

    order: int
    iterations: int

    @property
    def target(self) -> str:
        return f"the polynomial that would have been released without noise, of order {self.order} on every axis"

    @property
    def left_out(self) -> str:
        return (
            "How far that is from the kernel estimate is not in the band: records were moved to the middles of public cells, and a "
            "polynomial through values on a lattice is smoother than what it stands for."
        )

    @cached_property
    def matrix(self) -> Floats:
        """How each lattice value moves the polynomial on the grid, G^d x (K+1)^d."""
        lattice = np.linspace(0, 1, self.order + 1)
        d = len(self.axes)
        here = bernstein_polynomials(self.order, lattice)
        fine = bernstein_polynomials(self.order, midpoints(self.grid))
        on_lattice, there = _kron([here] * d), _kron([fine] * d)
        rest = np.eye((self.order + 1) ** d)
        total = np.zeros_like(rest)
        for _ in range(self.iterations):
            total = total + rest
            rest = rest - on_lattice @ rest
        return np.asarray(there @ total)

    def posterior(self, raw: Floats, law: NoiseLaw) -> Posterior:
        return LinearPosterior.of(self.matrix, raw, law)


def _kron(matrices: list[Floats]) -> Floats:
    total: Floats = np.ones((1, 1))
    for matrix in matrices:
        total = np.asarray(np.kron(total, matrix))
    return total
