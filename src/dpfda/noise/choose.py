"""Choosing one of finitely many public candidates by an integer score, from integers alone."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpfda.errors import ParameterError
from dpfda.noise.bernoulli import bernoulli_exp
from dpfda.noise.bits import Bits, below

#: Epsilons are rounded down to so many binary places, so that every coin is one of small integers.
PLACES = 40


def permute_and_flip(scores: Sequence[int], epsilon: Fraction, sensitivity: int = 1, bits: Bits | None = None) -> int:
    """Return the place of a candidate with a high score: epsilon-private where no score moves by more than `sensitivity`.

    The candidates are visited in a random order, each is taken with probability

        exp(-epsilon (best - score) / (2 sensitivity)),                 (McKenna and Sheldon 2020, algorithm 1)

    and the first one taken is returned; the best is always taken when its turn comes (docs/proofs/selection.md).

    Parameters
    ----------
    scores : sequence of int
        One a candidate; the larger the better.
    epsilon : Fraction
        What the choice costs; rounded down to 2^-40.
    sensitivity : int
        How far a score can move between neighbours.
    bits : Bits, optional
        The operating system's by default; only tests give another.
    """
    rate, whole, bits = _rate(scores, epsilon, sensitivity), [int(s) for s in scores], bits or Bits()
    best, waiting = max(whole), list(range(len(whole)))
    while True:
        turn = int(below(np.array([len(waiting)]), bits)[0])
        candidate = waiting.pop(turn)
        if coin((best - whole[candidate]) * rate, bits):
            return candidate


def exponential_mechanism(
    scores: Sequence[int], epsilon: Fraction, sensitivity: int = 1, bits: Bits | None = None
) -> int:
    """Return a candidate with probability proportional to exp(epsilon score / (2 sensitivity)), exactly.

    Candidates are proposed uniformly and kept with probability exp(-epsilon (best - score)/(2 sensitivity)) until one is
    (McSherry and Talwar 2007; docs/proofs/selection.md).  `permute_and_flip` never does worse.
    """
    rate, whole, bits = _rate(scores, epsilon, sensitivity), [int(s) for s in scores], bits or Bits()
    best = max(whole)
    while True:
        candidate = int(below(np.array([len(whole)]), bits)[0])
        if coin((best - whole[candidate]) * rate, bits):
            return candidate


def coin(exponent: Fraction, bits: Bits) -> bool:
    """Return True with probability exp(-exponent), exactly, for a rational exponent of at least 0.

    exp(-(k + r)) is k coins of exp(-1) and one of exp(-r); the first that fails ends it.
    """
    one = np.array([1])
    whole, rest = divmod(exponent.numerator, exponent.denominator)
    for _ in range(whole):
        if not bernoulli_exp(one, one, bits)[0]:
            return False
    return rest == 0 or bool(bernoulli_exp(np.array([rest]), np.array([exponent.denominator]), bits)[0])


def _rate(scores: Sequence[int], epsilon: Fraction, sensitivity: int) -> Fraction:
    """Return the factor of a score's gap in the exponent, rounded down."""
    if not len(scores):
        raise ParameterError("there is nothing to choose from: give at least one candidate")
    return rate_of(epsilon, sensitivity)


def rate_of(epsilon: Fraction, sensitivity: int) -> Fraction:
    """Return epsilon / (2 sensitivity), rounded down to 2^-40; an error where nothing is left of it.

    What is charged before a choice calls it first, so that nothing is spent on a choice that cannot be made.
    """
    if sensitivity < 1:
        raise ParameterError(f"the sensitivity of a score is a whole number from 1, not {sensitivity!r}")
    rate = Fraction(int(epsilon / (2 * sensitivity) * (1 << PLACES)), 1 << PLACES)
    if rate <= 0:
        least = Fraction(2 * sensitivity, 1 << PLACES)
        raise ParameterError(
            f"epsilon {float(epsilon):.3g} is too small to choose with: here a choice takes at least {float(least):.2g}"
        )
    return rate
