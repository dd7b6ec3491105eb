import os

import numpy as np
import pytest

from dpfda.errors import EntropyError
from dpfda.noise.bernoulli import bernoulli_exp
from dpfda.noise.bits import Bits, below
from tests.laws import chi_square_ok


class Replay(Bits):
    """Given words instead of the operating system's; when they run out, an error."""

    def __init__(self, words):
        self.left = list(words)

    def words(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count, "more words were read than the test gave"
        return np.array(taken, dtype=np.uint64)


def test_words_come_from_the_operating_system(monkeypatch):
    asked = []
    monkeypatch.setattr(os, "urandom", lambda n: asked.append(n) or b"\x01" * n)
    assert Bits().words(3).tolist() == [0x0101010101010101] * 3
    assert asked == [24]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 8, 1000])
def test_below_is_uniform(n):
    drawn = below(np.full(1 << 17, n), Bits())
    assert chi_square_ok(drawn, range(n), np.full(n, 1 / n)) or n == 1
    assert drawn.min() >= 0
    assert drawn.max() < n


def test_uniform_test_has_power():
    """Taking the remainder of three bits instead of rejecting makes 0, 1, 2 twice as likely as 3, 4."""
    biased = np.arange(1 << 17) % 8 % 5
    assert not chi_square_ok(biased, range(5), np.full(5, 0.2))


def test_below_reads_top_bits_and_rejects():
    # n = 5 takes the top 3 bits: 7, 5 are thrown away, 4 is kept.
    words = [7 << 61, 5 << 61, (4 << 61) | 12345]
    replay = Replay(words)
    assert below(np.array([5]), replay).tolist() == [4]
    assert replay.left == []


def test_below_at_its_largest_limit():
    n = (1 << 53) - 1
    assert below(np.array([n]), Replay([(n - 1) << 11])).tolist() == [n - 1]
    for wrong in (0, -1, 1 << 53):
        with pytest.raises(ValueError, match="2\\^53"):
            below(np.array([wrong]), Bits())


def test_stuck_bits_are_noticed():
    class Stuck(Bits):
        def words(self, count):
            return np.full(count, np.iinfo(np.uint64).max, dtype=np.uint64)

    class Zero(Bits):
        def words(self, count):
            return np.zeros(count, dtype=np.uint64)

    with pytest.raises(EntropyError):
        below(np.array([5]), Stuck())
    with pytest.raises(EntropyError):
        bernoulli_exp(np.array([1]), np.array([1]), Zero())


@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 1), (1, 3), (2, 3), (17, 20), ((1 << 44) - 1, 1 << 44)])
def test_bernoulli_exp(a, b):
    tosses = 1 << 17
    p = np.exp(-a / b)
    heads = bernoulli_exp(np.full(tosses, a), np.full(tosses, b), Bits())
    if a == 0:
        assert heads.all()
    else:
        assert chi_square_ok(heads.astype(int), (0, 1), (1 - p, p))


def test_bernoulli_exp_by_replay():
    # exp(-1/2): step 1 draws below 2 and goes on at 0; step 2 draws below 4 and stops at 1..3, an even step: False.
    assert not bernoulli_exp(np.array([1]), np.array([2]), Replay([0, 1 << 62]))[0]
    # Stopping at once is an odd step: True.
    assert bernoulli_exp(np.array([1]), np.array([2]), Replay([1 << 63]))[0]
