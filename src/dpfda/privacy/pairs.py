"""The largest difference between two of finitely many integer records: a sensitivity by comparing all pairs.

Where records are snapped to public cells there are only so many integer vectors, and how far a sum can move when one record is
replaced is the largest |q_a - q_b| over pairs of them: exactly in l1 and in the largest coordinate, and rounded up, by about a
millionth, where square roots are taken (docs/proofs/density-spectral.md).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import ParameterError
from dpfda.privacy.bodies import Body, CrossPolytope, Cube

#: Most records whose pairs are compared.
MOST_RECORDS = 1 << 12
#: Entries and sums of entries up to here are exact in int64 and float64.
_MOST_SIZE = 1 << 42
#: Rows compared at once.
_ROWS = 64


def largest_pair(records: NDArray[np.int64], body: Body) -> int:
    """Return at least max |q_a - q_b| over pairs of rows, in the plain norm of `body`, and hardly more.

    Parameters
    ----------
    records : array (at most 2^12, M)
        Integer vectors whose absolute values sum to at most 2^42 each.
    body : Body
        Whose norm, with weights one, measures.
    """
    _check(records)
    if isinstance(body, CrossPolytope):
        return _manhattan(records)
    if isinstance(body, Cube):
        return int((records.max(axis=0) - records.min(axis=0)).max())
    return _blocks(records, body.parts() or [range(records.shape[1])])


def largest_norm(records: NDArray[np.int64], body: Body) -> int:
    """Return the largest plain norm of a row, rounded up."""
    _check(records)
    return max(body.plain_norm([int(q) for q in row]) for row in records)


def _check(records: NDArray[np.int64]) -> None:
    if len(records) > MOST_RECORDS:
        raise ParameterError(f"pairs are compared among at most {MOST_RECORDS} records, not {len(records)}")
    if records.dtype != np.int64 or np.abs(records.astype(np.float64)).sum(axis=1).max() > _MOST_SIZE:
        raise ParameterError("pairs are compared among integers whose sizes sum to at most 2^42")


def _manhattan(records: NDArray[np.int64]) -> int:
    """Return the largest l1 distance: sums of at most 2^43, so int64 is exact."""
    largest = 0
    for row in range(len(records) - 1):
        largest = max(largest, int(np.abs(records[row + 1 :] - records[row]).sum(axis=1).max()))
    return largest


def _blocks(records: NDArray[np.int64], parts: list[range]) -> int:
    """Return the largest sum of the blocks' roots, from |a|^2 + |b|^2 - 2 <a, b> in float64 with its error added.

    A product of integers of at most 2^42 in up to 2^10 coordinates is off by less than 2^-42 |a||b|, whatever order it is added up
    in, so the square of a distance is off by less than 2^-40 (|a| + |b|)^2, which is added before the root.
    """
    if records.shape[1] > 1 << 10:
        raise ParameterError(f"pairs are compared in at most 1024 coordinates, not {records.shape[1]}")
    real = records.astype(np.float64)
    largest = 0.0
    for first in range(0, len(real), _ROWS):
        total = np.zeros((len(real[first : first + _ROWS]), len(real)))
        for part in parts:
            some, all_ = real[first : first + _ROWS, part.start : part.stop], real[:, part.start : part.stop]
            left, right = (some**2).sum(axis=1)[:, None], (all_**2).sum(axis=1)
            size = (np.sqrt(left) + np.sqrt(right)) ** 2
            square = np.maximum(left + right - 2 * some @ all_.T, 0.0) + 2.0**-40 * size
            total += np.sqrt(square)
        largest = max(largest, float(total.max()))
    return math.ceil(largest * (1 + 2.0**-40)) + 1
