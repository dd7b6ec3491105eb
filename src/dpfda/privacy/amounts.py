"""Exact privacy parameters: "0.1", "1/10", 0.1 and Fraction(1, 10) are one number."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpfda.errors import ParameterError

#: What a caller may write for epsilon.
Amount: TypeAlias = int | float | str | Decimal | Fraction

#: Below this no number of people gives a useful answer; above it nobody is protected.
LEAST_EPSILON = Fraction(1, 10**6)
MOST_EPSILON = Fraction(10**6)
#: Longer numerators and denominators than this nobody means.
_MOST_BITS = 256


def exact(value: object, name: str) -> Fraction:
    """Return the number a person meant by `value`, as a fraction.

    A float is read as the shortest decimal that prints it, so 0.1 is one tenth and not 3602879701896397/2^55.
    """
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        if isinstance(value, Fraction):
            return value
        if isinstance(value, int | np.integer):
            if abs(int(value)) > 10**300:
                raise OverflowError
            return Fraction(int(value))
        if isinstance(value, float | np.floating):
            return Fraction(Decimal(repr(float(value))))
        if isinstance(value, Decimal):
            return _decimal(str(value))
        if isinstance(value, str):
            # A short text only: "1e999999999" would make a fraction of a billion digits.
            return Fraction(value.strip()) if "/" in value else _decimal(value.strip())
        raise TypeError
    except (TypeError, ValueError, OverflowError, InvalidOperation, ZeroDivisionError):
        comma = ": write a decimal point, not a comma" if isinstance(value, str) and "," in value else ""
        raise ParameterError(
            f"{name} must be a finite number such as 1, 0.5 or '1/2', not {_short(value)}{comma}"
        ) from None


def exact_epsilon(value: object) -> Fraction:
    """Return epsilon as an exact fraction, or say what is wrong with it."""
    epsilon = exact(value, "epsilon")
    if max(epsilon.numerator, epsilon.denominator).bit_length() > _MOST_BITS:
        raise ParameterError("epsilon has too many digits: a few are enough, such as 0.333")
    if epsilon <= 0:
        raise ParameterError(f"epsilon must be greater than 0, not {_short(value)}: 1 is a common choice")
    if epsilon < LEAST_EPSILON:
        raise ParameterError(
            f"epsilon {_short(value)} is too small to release anything: the least that is accepted is 0.000001"
        )
    if epsilon > MOST_EPSILON:
        raise ParameterError(
            f"epsilon {_short(value)} protects nobody: the most that is accepted is 1000000, and 1 is a common choice"
        )
    return epsilon


def exact_delta(value: object) -> Fraction:
    """Return delta as an exact fraction, or say what is wrong with it."""
    delta = exact(value, "delta")
    if not 0 <= delta < 1:
        raise ParameterError(
            f"delta must lie in [0, 1), not {_short(value)}: much less than 1/n is usual, such as 1e-6"
        )
    if 0 < delta < Fraction(1, 10**60) or delta.denominator.bit_length() > _MOST_BITS:
        raise ParameterError(
            f"delta {_short(value)} is too small, or has too many digits, to compute with: use 0 or 1e-60 and more"
        )
    return delta


def words(amount: Fraction) -> str:
    """Write a fraction as a short decimal where that is exact, as a quotient where it is not."""
    places = next((k for k in range(13) if 10**k % amount.denominator == 0), None)
    if places is None:
        return str(amount)
    digits = str(abs(amount.numerator) * (10**places // amount.denominator)).rjust(places + 1, "0")
    sign = "-" if amount < 0 else ""
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def _decimal(text: str) -> Fraction:
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > 300:
        raise ValueError
    return Fraction(number)


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        text = "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."
