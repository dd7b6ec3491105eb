"""Orthonormal functions on a box: sums of products of functions of one coordinate."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.spaces.basis import Basis
from dpfda.spaces.box import Box
from dpfda.spaces.families import FourierBasis
from dpfda.spaces.interval import Floats

#: Share of the squared coefficients that may lie beyond what counts as a function's fastest turn.
_BEYOND = 1e-6


@dataclass(frozen=True, eq=False)
class BoxBasis:
    """phi_j(x) = sum_p mixing_pj prod_k f_k,terms[p,k](x_k), orthonormal in the measure of total mass 1 on a box.

    Parameters
    ----------
    domain : Box
        Where they live.
    factors : tuple of Basis
        Orthonormal functions f_k of each coordinate.
    terms : array (P, d)
        Which function of each coordinate is in each product.
    mixing : array (P, M)
        Orthonormal columns.
    eigenvalues : array (M,)
        Of the kernel they are eigenfunctions of; what a public class of surfaces may assume where there is none.
    errors : array (M,)
        A bar on the relative error of each eigenvalue.
    """

    domain: Box
    factors: tuple[Basis, ...]
    terms: NDArray[np.int64]
    mixing: Floats
    eigenvalues: Floats
    errors: Floats

    @property
    def count(self) -> int:
        """How many functions."""
        return int(self.mixing.shape[1])

    @property
    def turns(self) -> tuple[int, ...]:
        """How fast the functions turn along each axis: like polynomials or waves of this many."""
        return tuple(int((beyond > _BEYOND).sum(axis=0).max()) + 2 for beyond in self._beyond())

    def turns_of(self, variances: Floats, left_out: float) -> tuple[int, ...]:
        """Return how fast sum_j z_j phi_j turns, z of these variances, but for a share of its energy that is left out."""
        shares = variances / variances.sum()
        return tuple(int((beyond @ shares > left_out).sum()) + 2 for beyond in self._beyond())

    def _beyond(self) -> Iterator[Floats]:
        """Yield for each axis the share of each function that lies beyond each factor: a row a factor, a column a function."""
        for k, factor in enumerate(self.factors):
            mass = np.zeros((factor.count, self.count))
            np.add.at(mass, self.terms[:, k], self.mixing**2)
            yield 1 - np.cumsum(mass, axis=0)

    def evaluate(self, points: Floats, orders: Sequence[int] | None = None) -> Floats:
        """Return the functions, or partial derivatives of theirs, at points: a row a point, a column a function."""
        return np.asarray(self._products(points, orders) @ self.mixing)

    def synthesise(self, coefficients: Floats, points: Floats, orders: Sequence[int] | None = None) -> Floats:
        """Return sum_j coefficients_j phi_j at points, or a partial derivative of it."""
        return np.asarray(self._products(points, orders) @ (self.mixing @ coefficients))

    def truncate(self, count: int) -> BoxBasis:
        """Return the first `count` functions."""
        keep = min(count, self.count)
        used = np.flatnonzero((self.mixing[:, :keep] != 0).any(axis=1))
        return BoxBasis(
            self.domain,
            self.factors,
            self.terms[used],
            self.mixing[used, :keep],
            self.eigenvalues[:keep],
            self.errors[:keep],
        )

    def projection(self, grid: tuple[Floats, ...]) -> Floats:
        """Return the matrix from the values on a mesh to coefficients, a row a function, the mesh's last axis fastest.

        It integrates the function that is linear in each coordinate between the points of the mesh, carried on at its end values to
        the faces of the box (around a circle: closed), against each function.
        """
        return self._contract([factor.projection(points) for factor, points in zip(self.factors, grid, strict=True)])

    def overlaps(self, other: BoxBasis) -> Floats:
        """Return the inner products <phi_i, other_j> with another basis of the same box, carried by the same families."""
        tables = [mine.overlaps(theirs) for mine, theirs in zip(self.factors, other.factors, strict=True)]
        dense = other._contract([np.eye(factor.count) for factor in other.factors])
        return self._contract(tables) @ dense.T

    def _products(self, points: Floats, orders: Sequence[int] | None) -> Floats:
        """Return the products of the terms at points, a row a point."""
        orders = (0,) * len(self.factors) if orders is None else orders
        values = np.ones((len(points), len(self.terms)))
        for k, factor in enumerate(self.factors):
            values *= factor.evaluate(points[:, k], orders[k])[:, self.terms[:, k]]
        return values

    def _contract(self, matrices: list[Floats]) -> Floats:
        """Return for each function sum_p mixing_p (row terms[p, 0] of the first matrix) x (row of the second) x ..."""
        shape = tuple(len(m) for m in matrices)
        whole = np.zeros((self.count, *shape))
        whole[(slice(None), *self.terms.T)] = self.mixing.T
        for matrix in matrices:
            whole = np.tensordot(whole, matrix, axes=([1], [0]))
        return whole.reshape(self.count, -1)


def product_basis(domain: Box, families: Sequence[type[Basis]], count: int) -> BoxBasis:
    """Return the first `count` products of closed-form functions, one family an axis, by total degree.

    The degree of a wave is its number of turns.  Of equal total degree the more even one comes first.  `eigenvalues` fall like
    (1 + degree)^-4, what a surface with two square-integrable derivatives may have at the most.
    """
    most = range(count)
    degrees = [[(j + 1) // 2 if family is FourierBasis else j for j in most] for family in families]
    # Enough candidates: all products of total degree at most the least that gives `count` of them.
    top = 0
    while True:
        axes = [[j for j in most if degree[j] <= top] for degree in degrees]
        found = [
            (sum(d), max(d), t)
            for t in itertools.product(*axes)
            if sum(d := tuple(degree[j] for degree, j in zip(degrees, t, strict=True))) <= top
        ]
        if len(found) >= count:
            break
        top += 1
    best = sorted(found)[:count]
    terms = np.array([t for _, _, t in best], dtype=np.int64)
    factors = tuple(
        family(axis, int(terms[:, k].max()) + 1)
        for k, (family, axis) in enumerate(zip(families, domain.axes, strict=True))
    )
    smooth = np.array([(1.0 + degree) ** -4 for degree, _, _ in best])
    return BoxBasis(domain, factors, terms, np.eye(count), smooth, np.zeros(count))
