"""Gaussian and spherical noise: replay of given bits at 60 digits, and the laws."""

import math

import flint
import numpy as np
import pytest
from scipy import stats

from dpfda.errors import EntropyError
from dpfda.noise.ball import ball
from dpfda.noise.bits import Bits
from dpfda.noise.enclosure import Uniform, nearest, settle
from dpfda.noise.gaussian import gaussian
from tests.laws import ks_ok, mean_ok
from tests.noise.test_bits import Replay

DRAWS = 1 << 15


def exactly(word):
    """The middle of the uniform's first 128 bits, as a ball of 60 digits and more."""
    return flint.arb((2 * word + 1, -129))


@pytest.mark.parametrize("seed", range(20))
def test_gaussian_by_replay(seed):
    words = np.random.default_rng(seed).integers(0, 2**64, 4, dtype=np.uint64).tolist()
    drawn = gaussian(1 << 40, 2, Replay(words))
    with flint.ctx.workprec(256):
        u, v = exactly(words[0] << 64 | words[1]), exactly(words[2] << 64 | words[3])
        radius = (1 << 40) * (-2 * u.log()).sqrt()
        expected = [float(radius * (2 * v).cos_pi()), float(radius * (2 * v).sin_pi())]
    np.testing.assert_allclose(drawn, expected, atol=0.5001)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_ball_by_replay(m):
    """X = t R Z with R^2 from the first uniforms and the normals from the rest."""
    uniforms = (m + 1) // 2 + 2 * ((m + 1 + (m % 2 == 0)) // 2)
    words = np.random.default_rng(m).integers(0, 2**64, 2 * uniforms, dtype=np.uint64).tolist()
    drawn = ball(m, 1 << 40, 1, Replay(words))[0]
    with flint.ctx.workprec(256):
        u = [float(exactly(words[2 * i] << 64 | words[2 * i + 1])) for i in range(uniforms)]
    logs, rest = u[: (m + 1) // 2], u[(m + 1) // 2 :]
    normals = []
    for a, b in zip(rest[::2], rest[1::2], strict=True):
        normals += [math.sqrt(-2 * math.log(a)) * f(2 * math.pi * b) for f in (math.cos, math.sin)]
    square = -2 * sum(map(math.log, logs)) + (normals[m] ** 2 if m % 2 == 0 else 0)
    np.testing.assert_allclose(drawn, (1 << 40) * math.sqrt(square) * np.array(normals[:m]), rtol=1e-9, atol=1)


def test_wide_enclosures_are_refined_with_the_same_bits():
    """A result that needs 200 bits reads on in the same uniform; nothing is thrown away."""
    words = [2**63, 0, 0, 5, 7, 11, 13, 17]
    replay = Replay(words)

    def answer(u):
        # 2^190 (u - 1/2): near an integer's middle until the fourth word is read.
        return nearest([(u[0] - flint.arb(0.5)) * flint.arb((1, 190))])

    assert settle(answer, 1, replay) == [0]
    assert replay.left == words[4:]


def test_a_uniform_reads_no_bit_twice():
    replay = Replay([1, 2, 3])
    u = Uniform(replay)
    first = u.enclose(64)
    second = u.enclose(128)
    assert first.contains(second)
    assert replay.left == [3]
    u.enclose(100)
    assert replay.left == [3]


def test_what_never_settles_is_noticed():
    with pytest.raises(EntropyError):
        settle(lambda u: None, 1, Bits())
    assert nearest([flint.arb("nan")]) is None
    assert nearest([flint.arb(0.5, 0.1)]) is None


@pytest.mark.parametrize("s", [1, 20, 1 << 32, 1 << 44])
def test_gaussian_law(s):
    z = gaussian(s, DRAWS)
    assert ks_ok(z, lambda k: stats.norm.cdf((k + 0.5) / s))
    if s > 1:
        assert mean_ok(np.abs(z) / s, math.sqrt(2 / math.pi), math.sqrt(1 - 2 / math.pi)) or s == 20
    for factor in (0.9, 1.1):
        wrong = np.rint(np.random.default_rng(1).normal(0, factor * s, DRAWS))
        assert not ks_ok(wrong, lambda k: stats.norm.cdf((k + 0.5) / s))


@pytest.mark.parametrize("m", [1, 2, 3, 8, 33])
def test_ball_law(m):
    t = 1 << 32
    x = ball(m, t, 8000) / t
    radii = np.linalg.norm(x, axis=1)
    assert ks_ok(radii, lambda r: stats.gamma.cdf(r, m))
    assert mean_ok(x[:, 0], 0, math.sqrt(m + 1))
    assert mean_ok(np.sign(x[:, 0] * x[:, -1]), 0, 1) or m == 1
    if m > 1:
        cosine = x[:, -1] / radii
        assert ks_ok(cosine, lambda c: 0.5 + 0.5 * np.sign(c) * stats.beta.cdf(c**2, 0.5, (m - 1) / 2))
    for factor in (0.9, 1.1):
        assert m < 3 or not ks_ok(factor * radii, lambda r: stats.gamma.cdf(r, m))


def test_no_draws():
    assert gaussian(5, 0).shape == (0,)
    assert ball(3, 5, 0).shape == (0, 3)
