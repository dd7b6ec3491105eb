"""Reading the fields of a parsed file one by one, with errors that say which is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpfda.errors import FormatError


@dataclass(frozen=True)
class Fields:
    """A JSON object at a place in a file; every getter checks the type and names the place."""

    values: dict[str, Any]
    place: str = ""

    def _get(self, key: str) -> Any:
        if key not in self.values:
            raise self.wrong(key, "is missing")
        return self.values[key]

    def wrong(self, key: str, what: str) -> FormatError:
        """Return the error for one field."""
        return FormatError(f"the release file is damaged: {self.place}{key} {what}")

    def text(self, key: str) -> str:
        """Return a text."""
        value = self._get(key)
        if not isinstance(value, str):
            raise self.wrong(key, "must be a text")
        return value

    def whole(self, key: str, least: int) -> int:
        """Return a whole number."""
        value = self._get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 1 << 53:
            raise self.wrong(key, f"must be a whole number from {least}")
        return value

    def number(self, key: str) -> float:
        """Return a finite number."""
        return self._finite(key, self._get(key))

    def numbers(self, key: str, least: int = 1) -> list[float]:
        """Return a list of at least so many finite numbers."""
        value = self._get(key)
        if not isinstance(value, list) or len(value) < least:
            raise self.wrong(key, "must be a list of numbers")
        return [self._finite(key, v) for v in value]

    def table(self, key: str, columns: int) -> list[list[float]]:
        """Return a list of rows of so many finite numbers."""
        value = self._get(key)
        if (
            not isinstance(value, list)
            or not value
            or not all(isinstance(r, list) and len(r) == columns for r in value)
        ):
            raise self.wrong(key, f"must be rows of {columns} numbers")
        return [[self._finite(key, v) for v in row] for row in value]

    def ragged(self, key: str) -> list[list[float]]:
        """Return lists of finite numbers, of any lengths from 1."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(row, list) and row for row in value):
            raise self.wrong(key, "must be lists of numbers")
        return [[self._finite(key, v) for v in row] for row in value]

    def wholes(self, key: str) -> list[int]:
        """Return a list of whole numbers from 1; it may be empty."""
        value = self._get(key)
        if not isinstance(value, list) or any(isinstance(v, bool) or not isinstance(v, int) or v < 1 for v in value):
            raise self.wrong(key, "must be a list of whole numbers from 1")
        return list(value)

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise self.wrong(key, "must be true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
            raise self.wrong(key, "must be a list of texts")
        return tuple(value)

    def fraction(self, key: str) -> Fraction:
        """Return an exact number, written as a text such as "1/10"."""
        text = self.text(key)
        if not re.fullmatch("[0-9]{1,400}(/[1-9][0-9]{0,399})?", text):
            raise self.wrong(key, 'must be a fraction such as "1/10"')
        return Fraction(text)

    def inside(self, key: str) -> Fields:
        """Return the fields of an object inside this one."""
        return self._object(self._get(key), key)

    def objects(self, key: str) -> list[Fields]:
        """Return the fields of every object of a list."""
        value = self._get(key)
        if not isinstance(value, list):
            raise self.wrong(key, "must be a list")
        return [self._object(v, f"{key}[{i}]") for i, v in enumerate(value)]

    def _object(self, value: Any, key: str) -> Fields:
        if not isinstance(value, dict):
            raise self.wrong(key, "must be an object")
        return Fields(value, f"{self.place}{key}.")

    def _finite(self, key: str, value: Any) -> float:
        try:
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise self.wrong(key, "must hold finite numbers")
            return float(value)
        except OverflowError:
            raise self.wrong(key, "must hold finite numbers") from None
