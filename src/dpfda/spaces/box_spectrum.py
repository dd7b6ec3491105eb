"""Leading eigenpairs of a kernel on a box: products of one-dimensional ones, or by Galerkin's method in products of polynomials."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Tensor, factorised
from dpfda.spaces.box import Box
from dpfda.spaces.box_galerkin import box_galerkin_matrix
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import LegendreBasis
from dpfda.spaces.interval import Floats
from dpfda.spaces.product import BoxBasis
from dpfda.spaces.spectrum import ACCURACY, computable

#: Most products of polynomials that are tried, by the number of axes: an eigenvalue problem of this size.
_MOST = {2: 2025, 3: 2744}


def box_spectrum(kernel: Kernel | Tensor, domain: Box, count: int) -> BoxBasis:
    """Return the leading `count` eigenpairs of a kernel on a box; computed once and reused.

    A `Tensor` has the products of its axes' eigenpairs.  Any other kernel is a function of the Euclidean distance; where that
    factors over the axes (Gaussian kernels) it is treated as a `Tensor`, else by Galerkin's method.

    Raises
    ------
    ParameterError
        Where fewer pairs are known to the accuracy; the error says how many.
    """
    found = _compute(kernel, domain, count)
    good = _good(found)
    if good < count:
        raise ParameterError(
            f"only {good} eigenpairs of this kernel can be computed on {domain.words} to a relative error of {ACCURACY:g}, not "
            f"{count}: ask for {good} or fewer, or give a product of kernels, dpfda.Tensor(...)"
        )
    return found.truncate(count)


def box_computable(kernel: Kernel | Tensor, domain: Box, most: int) -> BoxBasis:
    """Return the leading eigenpairs, `most` or as many as are known to the accuracy."""
    found = _compute(kernel, domain, most)
    return found.truncate(max(1, min(_good(found), most)))


def decay_on_box(kernel: Kernel | Tensor, axes: int) -> float:
    """Return the beta of eigenvalues that fall like j^-beta on a box.

    A kernel with a spectral density that falls like |w|^-s has beta = s/d in d dimensions (Weyl's law); on an interval s is
    `decay`, and a Matern kernel of the Euclidean distance has s = decay - 1 + d.  For a product the roughest axis rules.
    """
    if isinstance(kernel, Tensor) or math.isinf(kernel.decay):
        return kernel.decay
    return (kernel.decay - 1 + axes) / axes


def _good(found: BoxBasis) -> int:
    return int(np.argmin(np.append(found.errors <= ACCURACY, False)))


@lru_cache(maxsize=32)
def _compute(kernel: Kernel | Tensor, domain: Box, count: int) -> BoxBasis:
    axes = len(domain.axes)
    if isinstance(kernel, Tensor):
        if len(kernel.factors) != axes:
            raise ParameterError(
                f"{kernel} has {len(kernel.factors)} factors, but {domain.words} has {axes} axes: give one kernel an axis"
            )
        return _products(kernel, domain, count)
    whole = factorised(kernel, axes)
    return _products(whole, domain, count) if whole is not None else _galerkin(kernel, domain, count)


def _products(kernel: Tensor, domain: Box, count: int) -> BoxBasis:
    """Return the largest products; one that could be below an eigenvalue which is not known is left out."""
    parts = [computable(k, axis, count) for k, axis in zip(kernel.factors, domain.axes, strict=True)]
    values, errors = np.ones(()), np.zeros(())
    for part in parts:
        values, errors = np.multiply.outer(values, part.eigenvalues), np.add.outer(errors, part.errors)
    first = math.prod(float(part.eigenvalues[0]) for part in parts)
    # The next eigenvalue of an axis is at most its last known one; an axis with `count` of them hides nothing of the first `count`.
    unknown = [float(p.eigenvalues[-1] / p.eigenvalues[0]) * first for p in parts if p.count < count]
    order = np.argsort(-values.ravel(), kind="stable")[:count]
    order = order[values.ravel()[order] >= max(unknown, default=0.0)]
    terms = np.stack(np.unravel_index(order, values.shape), axis=1).astype(np.int64)
    factors = tuple(p.truncate(int(terms[:, k].max()) + 1) for k, p in enumerate(parts))
    return BoxBasis(domain, factors, terms, np.eye(len(order)), values.ravel()[order], errors.ravel()[order])


def _galerkin(kernel: Kernel, domain: Box, count: int) -> BoxBasis:
    """Ritz values grow with the number of polynomials: a smaller number shows what is missing, more nodes what quadrature is worth."""
    _check_radial(kernel, domain)
    lengths = tuple(axis.length for axis in domain.axes)
    sizes, values, vectors, errors = _first_sizes(lengths, count), np.zeros(0), np.zeros((0, 0)), np.full(1, np.inf)
    while True:
        matrix = box_galerkin_matrix(kernel, lengths, sizes)
        values, vectors = _leading(matrix, count)
        smaller = _inside(sizes, tuple(max(size * 4 // 5, 1) for size in sizes))
        fewer, _ = _leading(matrix[np.ix_(smaller, smaller)], count)
        fewer = np.append(fewer, np.zeros(len(values) - len(fewer)))
        rounding = 4 * np.finfo(float).eps * math.sqrt(len(matrix)) * values[0]
        errors = (np.abs(values - fewer) + rounding) / np.maximum(values, 1e-300)
        larger = tuple(math.ceil(size * 1.25) for size in sizes)
        if (errors <= ACCURACY / 2).all() or math.prod(larger) > _MOST[len(sizes)] or rounding > ACCURACY * values[-1]:
            break
        sizes = larger
    off = float(np.linalg.norm(box_galerkin_matrix(kernel, lengths, sizes, 4) - matrix))
    errors = errors + off / np.maximum(values, 1e-300)
    vectors = np.where(np.abs(vectors) < 1e-13, 0.0, vectors)
    vectors = vectors * np.sign(vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))])
    terms = np.stack(np.unravel_index(np.arange(len(matrix)), sizes), axis=1).astype(np.int64)
    factors = tuple(LegendreBasis(axis, size) for axis, size in zip(domain.axes, sizes, strict=True))
    return BoxBasis(domain, factors, terms, vectors, np.maximum(values, 0.0), errors)


def _check_radial(kernel: Kernel, domain: Box) -> None:
    if not kernel.radial:
        raise ParameterError(
            f"{kernel} is no kernel of the Euclidean distance: give one kernel an axis, such as dpfda.Tensor({kernel}, ...)"
        )
    if any(isinstance(axis, Circle) for axis in domain.axes):
        raise ParameterError(
            "the Euclidean distance does not go around a circle: on a box with a Circle for an axis give one kernel an axis, "
            "dpfda.Tensor(...)"
        )
    lengths = [axis.length for axis in domain.axes]
    if max(lengths) > 8 * min(lengths) or max(kernel.lengths) > 100 * max(lengths):
        raise ParameterError(
            f"eigenpairs of a kernel of length {max(kernel.lengths):g} on {domain.words} are not computed where an axis is more than 8 "
            "times as long as another, or the kernel 100 times as long as the box: give one kernel an axis, dpfda.Tensor(...)"
        )


def _first_sizes(lengths: tuple[float, ...], count: int) -> tuple[int, ...]:
    """Return how many polynomials an axis to begin with: the leading functions fill an octant of a ball of frequencies."""
    axes = len(lengths)
    radius = ({2: 4 / math.pi, 3: 6 / math.pi}[axes] * count / math.prod(lengths)) ** (1 / axes)
    wide = {2: 2.8, 3: 1.6}[axes] * radius
    sizes = tuple(math.ceil(wide * length) + 6 for length in lengths)
    while math.prod(sizes) > _MOST[axes]:
        wide *= 0.95
        sizes = tuple(math.ceil(wide * length) + 6 for length in lengths)
    return sizes


def _inside(sizes: tuple[int, ...], smaller: tuple[int, ...]) -> list[int]:
    index = np.arange(math.prod(sizes)).reshape(sizes)
    return [int(i) for i in index[tuple(slice(0, size) for size in smaller)].ravel()]


def _leading(matrix: Floats, count: int) -> tuple[Floats, Floats]:
    values, vectors = np.linalg.eigh(matrix)
    return values[::-1][:count], vectors[:, ::-1][:, :count]
