"""Private selection: frequencies against exact laws, and the exact laws against the claimed epsilon."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpfda.errors import ParameterError
from dpfda.noise.bits import Bits
from dpfda.noise.choose import coin, exponential_mechanism, permute_and_flip
from tests.laws import chi_square_ok


def flip_law(scores, epsilon, sensitivity=1):
    """P(i) by summing over every order of the candidates."""
    p = [math.exp(-epsilon * (max(scores) - s) / (2 * sensitivity)) for s in scores]
    law, orders = np.zeros(len(p)), list(itertools.permutations(range(len(p))))
    for order in orders:
        left = 1.0
        for i in order:
            law[i] += left * p[i] / len(orders)
            left *= 1 - p[i]
    return law


def exponential_law(scores, epsilon):
    w = np.exp(epsilon * (np.array(scores) - max(scores)) / 2)
    return w / w.sum()


@pytest.mark.parametrize(("choose", "law"), [(permute_and_flip, flip_law), (exponential_mechanism, exponential_law)])
@pytest.mark.parametrize("scores", [(0, -1, -3), (-5, -5), (2, 0, 1, 2, -9)])
def test_frequencies(choose, law, scores):
    drawn = [choose(scores, Fraction(1)) for _ in range(20_000)]
    places = range(len(scores))
    assert chi_square_ok(drawn, places, law(scores, 1.0))
    assert not chi_square_ok(drawn, places, law(scores, 1.4)) or len(set(scores)) == 1


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-1, 1)), min_size=2, max_size=5),
    st.sampled_from([0.1, 1.0, 3.0]),
)
def test_neighbours_never_pass_epsilon(pairs, epsilon):
    here, there = [s for s, _ in pairs], [s + d for s, d in pairs]
    for law in (flip_law, exponential_law):
        ratio = np.abs(np.log(law(here, epsilon)) - np.log(law(there, epsilon))).max()
        assert ratio <= epsilon * (1 + 1e-9)


def test_epsilon_is_nearly_attained():
    """One candidate far below, and neighbours that move it and the best in opposite directions."""
    here, there = flip_law([0, -8], 1.0), flip_law([1, -9], 1.0)
    assert 0.99 < math.log(here[1] / there[1]) <= 1.0


def test_a_score_that_moves_more_needs_its_sensitivity():
    drawn = [permute_and_flip((0, -6), Fraction(1), sensitivity=3) for _ in range(20_000)]
    assert chi_square_ok(drawn, range(2), flip_law((0, -6), 1.0, 3))
    assert not chi_square_ok(drawn, range(2), flip_law((0, -6), 1.0, 1))


@pytest.mark.parametrize("exponent", [Fraction(0), Fraction(1, 3), Fraction(1), Fraction(7, 2)])
def test_coin(exponent):
    tosses = [int(coin(exponent, Bits())) for _ in range(20_000)]
    p = math.exp(-exponent)
    if not exponent:
        assert all(tosses)
        return
    assert chi_square_ok(tosses, (0, 1), (1 - p, p))
    less = math.exp(-exponent * Fraction(8, 10))
    assert not chi_square_ok(tosses, (0, 1), (1 - less, less))


def test_the_best_is_always_among_the_taken_and_huge_gaps_end():
    assert permute_and_flip((0, -(10**30)), Fraction(1)) == 0
    assert permute_and_flip((5,), Fraction(1, 100)) == 0


def test_what_cannot_be_chosen():
    with pytest.raises(ParameterError, match="nothing to choose from"):
        permute_and_flip((), Fraction(1))
    with pytest.raises(ParameterError, match="whole number from 1"):
        exponential_mechanism((1, 2), Fraction(1), sensitivity=0)
    with pytest.raises(ParameterError, match="too small to choose with"):
        permute_and_flip((1, 2), Fraction(1, 10**15))
