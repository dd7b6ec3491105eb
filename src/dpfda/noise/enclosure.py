"""Real random variables rounded to integers, exactly: ball arithmetic around uniforms whose bits are read on demand.

A draw is a function of a few real uniforms.  Their first bits give an enclosure of the result (Arb, through
python-flint); while it holds more than one integer, more bits *of the same uniforms* are read.  So what is returned is the
nearest integer to the real draw, whatever the precision was (docs/proofs/rounded.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import flint

from dpfda.errors import EntropyError
from dpfda.noise.bits import Bits

#: Bits of the uniforms that are tried one after another; each step settles all but a share 2^-64 or less of draws.
_PRECISIONS = (128, 256, 512, 1024, 2048, 4096)


class Uniform:
    """A real uniform on (0, 1) whose bits are read when they are needed, and never twice."""

    def __init__(self, bits: Bits) -> None:
        self._bits, self._value, self._count = bits, 0, 0

    def enclose(self, precision: int) -> flint.arb:
        """Return a ball that holds the uniform: exactly [v, v + 1] / 2^count."""
        while self._count < precision:
            self._value = (self._value << 64) | int(self._bits.words(1)[0])
            self._count += 64
        return flint.arb((2 * self._value + 1, -self._count - 1), (1, -self._count - 1))


def settle(answer: Callable[[Sequence[flint.arb]], list[int] | None], uniforms: int, bits: Bits) -> list[int]:
    """Return what `answer` says of enclosures of fresh uniforms; it says None while they are too wide."""
    reals = [Uniform(bits) for _ in range(uniforms)]
    for precision in _PRECISIONS:
        with flint.ctx.workprec(precision + 64):
            found = answer([real.enclose(precision) for real in reals])
        if found is not None:
            return found
    raise EntropyError("4096 bits did not settle a draw: the operating system's random bits are broken")


def nearest(balls: Iterable[flint.arb]) -> list[int] | None:
    """Return the nearest integers to reals in balls, or None where a ball holds more than one candidate."""
    found = []
    for ball in balls:
        whole = (ball + flint.arb(0.5)).floor().unique_fmpz() if ball.is_finite() else None
        if whole is None:
            return None
        found.append(int(whole))
    return found


def normal_pair(u: flint.arb, v: flint.arb) -> tuple[flint.arb, flint.arb]:
    """Return two independent standard normals from two uniforms (Box and Muller; no rejection)."""
    radius, turn = (-2 * u.log()).sqrt(), 2 * v
    return radius * turn.cos_pi(), radius * turn.sin_pi()
