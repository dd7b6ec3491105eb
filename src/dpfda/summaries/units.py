"""Several rows a person: the rows' integer vectors are averaged before the bound is enforced."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpfda.errors import DataError

#: Rows of at most 2^42 units each, twice whose sum int64 holds for certain.
_ROWS_IN_INT64 = 1 << 19


@dataclass(frozen=True)
class People:
    """Which rows belong to which person.

    `order` lists the rows, person by person; `starts` tells where in it each person begins.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]

    @classmethod
    def of(cls, ids: Sequence[object], rows: int, what: str = "curve") -> People:
        """Group rows by id; ids may be numbers or texts, and none may be missing.  `what` a row is, for errors."""
        if len(ids) != rows:
            raise DataError(f"there are {len(ids)} ids for {rows} {what}s: give one id a {what}, in the same order")
        codes: dict[object, int] = {}
        try:
            code = np.array([codes.setdefault(name, len(codes)) for name in clean_ids(ids, what)], dtype=np.int64)
        except TypeError:
            raise DataError("an id is neither a number nor a text: give ids that can be told apart") from None
        order = np.argsort(code, kind="stable")
        starts = np.searchsorted(code[order], np.arange(len(codes)))
        return cls(order, starts.astype(np.int64))

    @property
    def codes(self) -> NDArray[np.int64]:
        """The number of the person each row belongs to."""
        counts = np.diff(np.append(self.starts, len(self.order)))
        codes = np.empty(len(self.order), np.int64)
        codes[self.order] = np.repeat(np.arange(len(counts)), counts)
        return codes

    def __len__(self) -> int:
        return len(self.starts)

    def blocks(self, rows: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield row numbers of whole persons, about `rows` at a time, and where each person starts among them."""
        ends = np.append(self.starts[1:], len(self.order))
        first = 0
        while first < len(self.starts):
            base = self.starts[first]
            last = max(first + 1, int(np.searchsorted(ends, base + rows, side="right")))
            yield self.order[base : ends[last - 1]], self.starts[first:last] - base
            first = last

    @staticmethod
    def averages(vectors: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return each person's average, rounded to the nearest integer; in integers, so the rows' order cannot matter.

        The nearest integer to the average of numbers in [-C, C] lies in [-C, C].
        """
        counts = np.diff(np.append(starts, len(vectors)))
        wide = vectors.astype(object) if counts.max(initial=0) > _ROWS_IN_INT64 else vectors
        sums = np.add.reduceat(wide, starts, axis=0)
        rows = counts[:, None]
        return np.asarray((2 * sums + rows) // (2 * rows), dtype=np.int64)


def clean_ids(ids: Sequence[object], what: str = "curve") -> list[object]:
    """Return ids as they are compared, blanks around texts taken off; a missing one, or texts among numbers, is an error."""
    found: list[object] = []
    texts = 0
    for row, name in enumerate(ids):
        if _is_missing(name):
            raise DataError(f"the id of row {row + 1} is missing: every {what} must belong to a person")
        texts += isinstance(name, str)
        if texts not in (0, row + 1):
            raise DataError(
                f"the ids are texts and numbers mixed, from row {row + 1} on: make them all one kind, or 1 and '1' would "
                "be two persons"
            )
        found.append(name.strip() if isinstance(name, str) else name)
    return found


def _is_missing(name: object) -> bool:
    """Tell whether an id is None, blank, NaN, or pandas' NA, whose comparison is neither true nor false."""
    try:
        if name is None or name is np.ma.masked:
            return True
        return bool(name != name) or (isinstance(name, str) and not name.strip())  # noqa: PLR0124
    except TypeError:
        return True
