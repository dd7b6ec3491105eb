"""Products of orthonormal functions of the axes of a box, the largest eigenvalues first."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.kernels import Kernel
from dpfda.spaces.basis import Basis
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.nodes import midpoints
from dpfda.spaces.spectrum import computable

#: Functions of one axis, and in all, that are tried; what is below this share of the largest eigenvalue is left out.
_MOST_ON_AXIS, MOST, _LEAST = 64, {1: 64, 2: 160, 3: 240}, 1e-6
FAMILIES: dict[str, type[Basis]] = {"cosine": CosineBasis, "fourier": FourierBasis}


@dataclass(frozen=True, eq=False)
class ProductBasis:
    """phi_m(x) = prod_i phi_{index[m, i]}(x_i), orthonormal in the measure of total mass 1.

    Parameters
    ----------
    bases : tuple of Basis
        Of every axis.
    index : array (M, d)
        Which function of every axis.
    eigenvalues : array (M,)
        Of the kernel, decreasing.
    """

    bases: tuple[Basis, ...]
    index: NDArray[np.int64] = field(repr=False)
    eigenvalues: Floats = field(repr=False)

    @property
    def count(self) -> int:
        """M."""
        return len(self.index)

    @property
    def axes(self) -> tuple[Interval, ...]:
        """The box."""
        return tuple(basis.domain for basis in self.bases)

    def evaluate(self, points: Floats) -> Floats:
        """Return the functions at points: a row a point, a column a function."""
        total = np.ones((len(points), self.count))
        for axis, basis in enumerate(self.bases):
            total *= basis.evaluate(points[:, axis])[:, self.index[:, axis]]
        return total

    def on_grid(self, size: int) -> Floats:
        """Return the functions at the middles of size^d equal cells, the last axis fastest."""
        total = np.ones((1, self.count))
        for axis, basis in enumerate(self.bases):
            one = basis.evaluate(basis.domain.start + basis.domain.length * midpoints(size))[:, self.index[:, axis]]
            total = (total[:, None, :] * one[None, :, :]).reshape(-1, self.count)
        return total

    def first(self, count: int) -> ProductBasis:
        """Return the first functions."""
        return ProductBasis(self.bases, self.index[:count], self.eigenvalues[:count])


def kernel_products(axes: tuple[Interval, ...], kernels: tuple[Kernel, ...]) -> ProductBasis:
    """Return products of the eigenfunctions of one kernel an axis: those of the product kernel."""
    found = [computable(kernel, axis, _MOST_ON_AXIS) for kernel, axis in zip(kernels, axes, strict=True)]
    return _sorted(tuple(found), [one.eigenvalues for one in found])


def family_products(axes: tuple[Interval, ...], kernels: tuple[Kernel, ...], name: str) -> ProductBasis:
    """Return cosines or Fourier waves with the kernel's Fourier transform as eigenvalues.

    They are the eigenfunctions of the kernel reflected at the ends (cosine) or carried around (Fourier, and every circle), which
    keep all of a record's mass inside.
    """
    if name not in FAMILIES:
        raise ParameterError(f"basis must be one of 'kernel', {', '.join(map(repr, FAMILIES))}, not {name!r}")
    bases, values = [], []
    for axis, kernel in zip(axes, kernels, strict=True):
        family = "fourier" if isinstance(axis, Circle) else name
        basis = FAMILIES[family](axis, _MOST_ON_AXIS)
        j = np.arange(basis.count)
        frequency = math.pi * j if family == "cosine" else 2 * math.pi * ((j + 1) // 2)
        bases.append(basis)
        values.append(_transform(kernel.stretched(1 / axis.length), np.asarray(frequency, float)))
    return _sorted(tuple(bases), values)


def line_mass(kernel: Kernel) -> float:
    """Return the integral of a kernel over the whole line."""
    return float(_transform(kernel, np.zeros(1))[0])


def _transform(kernel: Kernel, frequencies: Floats) -> Floats:
    """Return int k(|u|) cos(w u) du over the line, by a Gauss rule on pieces that follow kernel and waves."""
    reach = 60 * max(kernel.lengths)
    pieces = 64 + math.ceil(float(frequencies.max()) * reach / math.pi)
    x, w = np.polynomial.legendre.leggauss(16)
    knots = np.unique(np.concatenate([np.linspace(0, reach, pieces + 1), np.geomspace(reach * 1e-6, reach, 60)]))
    half = np.diff(knots)[:, None] / 2
    u = (knots[:-1, None] + half * (1 + x)).ravel()
    values = kernel.profile(u) * (half * w).ravel()
    if values[-16:].max() > 1e-9 * np.abs(values).max():
        raise ParameterError(f"{kernel} does not die out, so a density cannot be smoothed with it")
    return np.asarray([2 * float(values @ np.cos(one * u)) for one in frequencies])


def _sorted(bases: tuple[Basis, ...], values: list[Floats]) -> ProductBasis:
    products = values[0]
    for more in values[1:]:
        products = np.multiply.outer(products, more)
    order = np.argsort(-products, axis=None, kind="stable")[: MOST[len(bases)]]
    eigenvalues = products.ravel()[order]
    keep = eigenvalues > _LEAST * eigenvalues[0]
    index = np.stack(np.unravel_index(order[keep], products.shape), axis=1)
    return ProductBasis(bases, index.astype(np.int64), eigenvalues[keep])
