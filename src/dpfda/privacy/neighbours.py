"""Which two data sets are neighbours."""

from __future__ import annotations

from enum import StrEnum

from dpfda.errors import ParameterError


class Neighbours(StrEnum):
    """The change that a release hides.

    `REPLACE_ONE` changes everything about one person; the number of persons n is public.  `ADD_REMOVE` lets one person
    come or go; n is then part of what is hidden and is released with noise.
    """

    REPLACE_ONE = "replace-one"
    ADD_REMOVE = "add-remove"

    @classmethod
    def read(cls, value: object) -> Neighbours:
        """Return the relation a caller named."""
        try:
            return cls(str(value))
        except ValueError:
            raise ParameterError(
                f"neighbours must be 'replace-one' (n is public) or 'add-remove' (n is hidden), not {value!r}"
            ) from None
