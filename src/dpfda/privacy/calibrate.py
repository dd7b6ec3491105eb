"""How much Gaussian noise (epsilon, delta) needs: the exact curve, and the papers' constant where it is true.

For Gaussian noise of standard deviation sd on a summary that moves by at most D, with mu = D/sd,

    delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)      (Balle and Wang 2018, theorem 8)

and no smaller delta holds.  Everything is decided in ball arithmetic: a multiplier is returned only when an enclosure of
its delta lies below the one asked for (docs/proofs/gaussian.md).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import flint

from dpfda.errors import ParameterError

_PRECISION = 320
_LEAST = flint.arb((1, -4096))
#: Multipliers are found to this relative accuracy, on the private side.
_STEP = Fraction(1, 1 << 24)


def delta_of(epsilon: Fraction, square: Fraction) -> Fraction:
    """Return an upper bound, tight to 60 digits, on delta at epsilon for mu^2 = square."""
    with flint.ctx.workprec(_PRECISION):
        return _upper(_curve(epsilon, square))


def multiplier(epsilon: Fraction, delta: Fraction, calibration: str = "analytic") -> Fraction:
    """Return m = sd/D: the least one up to a relative 6e-8 (`"analytic"`), or the papers' (`"classic"`).

    Raises
    ------
    ParameterError
        Where delta is not between 0 and 1, or the classic constant does not give what it claims.
    """
    if not 0 < delta < 1:
        raise ParameterError(f"Gaussian noise needs a delta between 0 and 1, such as 1e-6, not {float(delta):g}")
    if calibration == "analytic":
        return _analytic(epsilon, delta)
    if calibration != "classic":
        raise ParameterError(f"calibration must be 'analytic' or 'classic', not {calibration!r}")
    classic = _up(math.sqrt(2 * math.log(2 / delta)) / float(epsilon))
    real = delta_of(epsilon, 1 / classic**2)
    if real > delta:
        raise ParameterError(
            f"calibration='classic' is false at epsilon {float(epsilon):g} and delta {float(delta):g}: its real delta is "
            f"{float(real):.3g}; use calibration='analytic'"
        )
    return classic


@lru_cache(maxsize=256)
def _analytic(epsilon: Fraction, delta: Fraction) -> Fraction:
    low, high = Fraction(1, 1 << 20), Fraction(1)
    while not _enough(epsilon, delta, high):
        low, high = high, 2 * high
    while _enough(epsilon, delta, low):
        low, high = low / 2, low
    while high - low > _STEP * high:
        middle = (low + high) / 2
        low, high = (low, middle) if _enough(epsilon, delta, middle) else (middle, high)
    return _up(float(high))


def _enough(epsilon: Fraction, delta: Fraction, m: Fraction) -> bool:
    return delta_of(epsilon, 1 / m**2) <= delta


def _up(value: float) -> Fraction:
    """Return a short fraction at or above a positive float."""
    places = 40 - math.frexp(value)[1]
    return (
        Fraction(math.ceil(Fraction(math.nextafter(value, math.inf)) * Fraction(2) ** places), 1)
        / Fraction(2) ** places
    )


def _curve(epsilon: Fraction, square: Fraction) -> flint.arb:
    eps, mu = _arb(epsilon), _arb(square).sqrt()
    return _phi(mu / 2 - eps / mu) - eps.exp() * _phi(-mu / 2 - eps / mu)


def _phi(x: flint.arb) -> flint.arb:
    return (-x / flint.arb(2).sqrt()).erfc() / 2


def _arb(value: Fraction) -> flint.arb:
    return flint.arb(flint.fmpq(value.numerator, value.denominator))


def _upper(ball: flint.arb) -> Fraction:
    """Return the upper end of a ball as an exact fraction, at least 0."""
    if bool(ball.upper() < _LEAST):  # as good as nothing, and its exponent may have more digits than fit in memory
        return Fraction(1, 1 << 4096)
    mantissa, exponent = ball.upper().man_exp()
    return max(Fraction(0), Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
