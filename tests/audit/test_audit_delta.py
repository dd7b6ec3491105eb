"""Audits of Gaussian, spherical and block noise; each fails a sound mechanism with probability at most 1e-6."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpfda.audit import audit_epsilon, check_scales, worst_pair
from dpfda.mechanisms import BallMechanism, BlocksMechanism, GaussianMechanism
from dpfda.privacy.influence import Ellipsoid
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from tests.audit.test_audit import shrunken

LAWS = [GaussianMechanism(), BallMechanism(), BlocksMechanism((1,))]
DELTA = Fraction(1, 10)


def plan(mechanism, dimension=1, neighbours=Neighbours.REPLACE_ONE):
    delta = Fraction(0) if mechanism.pure else DELTA
    records = Ellipsoid(dimension, Fraction(1, 2))
    ratio = mechanism.calibrate(Fraction(1), delta, "analytic")
    lattice = Lattice.plan(records, mechanism.body_of((Fraction(1),) * dimension), ratio, neighbours)
    return lattice, worst_pair(records, lattice), float(delta)


def smaller(mechanism, factor):
    if isinstance(mechanism, BlocksMechanism):

        class Smaller(BlocksMechanism):
            def draw(self, dimension, scale, size, bits=None):
                return super().draw(dimension, int(scale * factor), size, bits)

        return Smaller(mechanism.sizes)
    return shrunken(mechanism, factor)


@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: m.name)
def test_noise_a_fifth_too_small_fails_at_once(mechanism):
    """Few trials for every day; `make audit` sees 10 %."""
    lattice, pair, delta = plan(mechanism)
    trials = 60_000
    honest = audit_epsilon(mechanism, lattice.scale, pair, 1.0, delta=delta, trials=trials)
    assert honest.passed
    assert honest.lower > 0.75
    assert not audit_epsilon(smaller(mechanism, 0.8), lattice.scale, pair, 1.0, delta=delta, trials=trials).passed


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("mechanism", LAWS, ids=lambda m: m.name)
def test_ten_per_cent_too_small(mechanism, neighbours):
    lattice, pair, delta = plan(mechanism, neighbours=neighbours)
    assert audit_epsilon(mechanism, lattice.scale, pair, 1.0, delta=delta, trials=400_000).passed
    assert not audit_epsilon(smaller(mechanism, 0.9), lattice.scale, pair, 1.0, delta=delta, trials=400_000).passed


class FloatGaussian(GaussianMechanism):
    """numpy's normals in place of the exact ones: it is the constant that is on trial here, with 2e7 draws."""

    def draw(self, dimension, scale, size, bits=None):
        return np.rint(np.random.default_rng().normal(0, scale, (size, dimension))).astype(np.int64)


@pytest.mark.slow
@pytest.mark.parametrize(("constant", "passes"), [("papers", False), ("analytic", True)])
def test_the_papers_constant_fails_at_epsilon_ten(constant, passes):
    """sqrt(2 log(2/delta))/epsilon at epsilon 10, delta .1: its real delta is .264."""
    mechanism = FloatGaussian()
    classic = Fraction(math.sqrt(2 * math.log(20))) / 10
    ratio = classic if constant == "papers" else mechanism.calibrate(Fraction(10), Fraction(1, 10), "analytic")
    records = Ellipsoid(1, Fraction(1, 2))
    lattice = Lattice.plan(records, mechanism.body_of((Fraction(1),)), ratio, Neighbours.REPLACE_ONE)
    pair = worst_pair(records, lattice)
    result = audit_epsilon(mechanism, lattice.scale, pair, 10.0, delta=0.1, trials=20_000_000)
    assert result.passed == passes


@pytest.mark.parametrize(
    "mechanism", [GaussianMechanism(), BallMechanism(), BlocksMechanism((2, 5, 1))], ids=lambda m: m.name
)
def test_scales_at_many_dimensions(mechanism):
    assert check_scales(mechanism, 8, 1 << 32, draws=8000).passed
    assert not check_scales(smaller(mechanism, 0.9), 8, 1 << 32, draws=8000).passed


def test_mechanisms_confirm_their_integers():
    from dpfda.errors import ParameterError

    for mechanism in LAWS:
        lattice, _, delta = plan(mechanism)
        mechanism.confirm(lattice.sensitivity, lattice.scale, Fraction(1), Fraction(delta))
        with pytest.raises(ParameterError, match="does not give epsilon"):
            mechanism.confirm(lattice.sensitivity, lattice.scale * 9 // 10, Fraction(1), Fraction(delta))


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_theorem_8_as_printed_fails(dimension):
    """Lin and Reimherr's theorem 8 read literally: unit-variance Laplace coordinates times Delta/epsilon, a scale short by sqrt 2.

    The ICLP of a Matern kernel at epsilon 1; the right scale passes the same audit.
    """
    from dpfda.kernels import Matern
    from dpfda.mechanisms.choices import choose
    from dpfda.spaces.interval import Interval
    from dpfda.spaces.spectrum import spectrum

    lam = spectrum(Matern(1.5, 0.1), Interval(0.0, 1.0), dimension).eigenvalues
    axes = lam / (lam + 0.01)
    choice = choose("iclp", "kernel", axes, lam)
    records = Ellipsoid(dimension, Fraction(1), tuple(Fraction(float(a)) for a in axes))
    lattice = Lattice.plan(records, choice.body, Fraction(1), Neighbours.REPLACE_ONE)
    pair = worst_pair(records, lattice)
    assert audit_epsilon(choice.law, lattice.scale, pair, 1.0, trials=200_000).passed
    literal = shrunken(choice.law, 2**-0.5)
    result = audit_epsilon(literal, lattice.scale, pair, 1.0, trials=200_000)
    assert not result.passed
    assert result.lower > 1.2
