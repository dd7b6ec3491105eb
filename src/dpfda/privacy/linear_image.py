"""The influence of an ellipsoid with general axes: a ball under a matrix.

Noise of one kernel on an estimator of another has this set: in the eigenfunctions of the noise the estimator is no diagonal
matrix (docs/proofs/noise-kernel.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Body
from dpfda.privacy.influence import Influence

Floats = NDArray[np.float64]

#: Steps of the ascents, and where they start; what they reach makes the bound tight, not true.
_STEPS, _STARTS = 300, 48


@dataclass(frozen=True, eq=False)
class LinearImage(Influence):
    """{ A v : |v|_2 <= radius }.

    With G = B^-1 A and H = G G', the norm of blocks at A v is the largest s'G v over s whose parts s_g, one a block, have length
    one, so at most radius sqrt(s'H s).  For every D = diag(d_g) >= H that is at most

        D = radius sqrt(sum over blocks of d_g),

    which is exact for one block (the ball: the largest singular value of G) and for a diagonal A, and otherwise at most
    sqrt(pi/2) above the largest norm for blocks of one (the cross-polytope) when the d_g are best.  The cube's is
    radius times the longest row of G, exactly.

    Parameters
    ----------
    radius : Fraction
        Of the ball.
    matrix : array (dimension, J)
        A.
    """

    radius: Fraction
    matrix: Floats

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.radius <= 0 or self.matrix.shape[0] != self.dimension or not np.isfinite(self.matrix).all():
            raise ParameterError(
                "an image of a ball needs a radius above 0 and a finite matrix with a row a coordinate"
            )

    def reach(self, body: Body) -> Fraction:
        """Return a proven upper bound on the largest norm, exact for the ball and the cube."""
        scaled = self._scaled(body)
        parts = body.parts()
        if parts is None:
            return self.radius * Fraction(float(np.sqrt((scaled**2).sum(axis=1)).max()))
        return self.radius * Fraction(math.sqrt(_dominating(scaled @ scaled.T, parts)[0].sum()) * (1 + 1e-12))

    def farthest(self, body: Body) -> tuple[Fraction, ...]:
        """Return a member of the set with the largest norm that an ascent finds: for the ball and the cube, the largest."""
        scaled = self._scaled(body)
        parts = body.parts()
        if parts is None:
            best = scaled[int((scaled**2).sum(axis=1).argmax())]
        else:
            _, lifted = _dominating(scaled @ scaled.T, parts)
            row = np.arange(self.dimension)[:, None]
            mixed = lifted @ np.cos(
                1 + row * np.arange(1, _STARTS + 1)
            )  # directions that no coordinate is missing from
            starts = [*(scaled.T @ mixed).T, *scaled, np.linalg.svd(scaled)[2][0]]
            ends = [_ascend(scaled, parts, start) for start in starts if np.abs(start).max() > 1e-100]
            best = max(ends, key=lambda v: _norm(scaled @ v, parts))
        unit = best / (np.linalg.norm(best) * (1 + 1e-14))
        return tuple(self.radius * Fraction(float(x)) for x in self.matrix @ unit)

    def contains(self, difference: tuple[Fraction, ...]) -> bool:
        """Tell whether a difference lies in the set, up to rounding: its shortest preimage is not longer than the radius."""
        wanted = np.array([float(d) for d in difference])
        preimage = np.linalg.lstsq(self.matrix, wanted, rcond=1e-13)[0]
        near = np.abs(self.matrix @ preimage - wanted).max() <= 1e-9 * max(float(np.abs(wanted).max()), 1e-300)
        return bool(near and np.linalg.norm(preimage) <= float(self.radius) * (1 + 1e-9))

    def _scaled(self, body: Body) -> Floats:
        return np.asarray(self.matrix / np.array([float(b) for b in body.weights])[:, None])


def _dominating(square: Floats, parts: list[range]) -> tuple[Floats, Floats]:
    """Return d_g with diag(d_g) >= H and a small sum, and the factor of the relaxed problem that they were found from.

    max tr(H V V') over factors V whose blocks have norm one is concave in disguise for a square V; H V/|H V|, block by block, climbs
    it, and at the top d_g = |(H V)_g| dominates.  Wherever the climb stops, the d_g are scaled up until they do.
    """
    values, vectors = np.linalg.eigh(square)
    top = max(float(values[-1]), 1e-300)
    lifted = _normalised(vectors * np.sqrt(np.maximum(values, 1e-12 * top)), parts)[0]
    sizes = np.ones(len(parts))
    for _ in range(_STEPS):
        lifted, sizes = _normalised(square @ lifted, parts)
    sizes = np.maximum(sizes, 1e-9 * sizes.max())
    roots = np.sqrt(np.repeat(sizes, [len(part) for part in parts]))
    return sizes * float(np.linalg.eigvalsh(square / np.outer(roots, roots))[-1]) * (1 + 1e-12), lifted


def _normalised(table: Floats, parts: list[range]) -> tuple[Floats, Floats]:
    starts = [part.start for part in parts]
    sizes = np.sqrt(np.add.reduceat((table**2).sum(axis=1), starts))
    lengths = np.repeat(np.maximum(sizes, 1e-300), [len(part) for part in parts])
    return table / lengths[:, None], sizes


def _norm(vector: Floats, parts: list[range]) -> float:
    return float(np.sqrt(np.add.reduceat(vector**2, [part.start for part in parts])).sum())


def _ascend(scaled: Floats, parts: list[range], start: Floats) -> Floats:
    """Climb |G v|_K over the unit sphere: v becomes G's of the block directions of G v."""
    v = start / np.linalg.norm(start)
    for _ in range(_STEPS):
        directions, _ = _normalised((scaled @ v)[:, None], parts)
        after = scaled.T @ directions[:, 0]
        after = after / np.linalg.norm(after)
        if np.abs(after - v).max() < 1e-15:
            break
        v = after
    return np.asarray(v)
