"""Coverage of the bands over 20000 draws of the noise, at the dimensions that are used.

The standard error of a coverage of .95 over 20000 draws is .0015; 1 % is 6.5 of them, a false alarm of 1e-10.
"""

from fractions import Fraction

import numpy as np
import pytest

from dpfda.mechanisms import MECHANISMS
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.law import NoiseLaw
from dpfda.spaces.interval import Interval
from dpfda.summaries.mean import CellMean

DRAWS = 20_000


def coverage(name, cells, neighbours, level, simultaneous, n=500):
    mechanism = MECHANISMS[name]
    summary = CellMean((0.0, 0.3, 1.0), Interval(0.0, 1.0), cells, Fraction(0), Fraction(1))
    lattice = Lattice.plan(summary.records, mechanism.body.unit(cells), Fraction(1), neighbours)
    curves = np.random.default_rng(1).uniform(0, 1, (n, 3))
    total = np.array(summary.tally(curves, lattice).total)
    truth = summary.means(tuple(total[:cells].tolist()), float(n), lattice)
    noise = mechanism.draw(lattice.noisy_dimension, lattice.scale, DRAWS)
    weight, step = lattice.count_weight, float(lattice.steps[0])
    inside = np.empty((DRAWS, cells), bool)
    half = None
    for i, z in enumerate(noise):
        count = (total[-1] + z[-1]) / weight if weight else float(n)
        raw = 0.5 + step * (total[:cells] + z[:cells]) / count
        if half is None or weight:
            law = NoiseLaw(
                name,
                lattice.noisy_dimension,
                lattice.scale,
                (step,) * cells,
                0.5,
                count,
                weight,
                (summary.rounding(lattice),) * cells,
            )
            half = law.half_widths(raw, level, simultaneous)
        inside[i] = np.abs(raw - truth) <= half
        if weight and i >= 2000:
            return inside[:i].all(axis=1).mean() if simultaneous else inside[:i].mean()
    return inside.all(axis=1).mean() if simultaneous else inside.mean(axis=0).mean()


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("cells", [1, 8, 16])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_simultaneous_bands(name, cells, level):
    assert coverage(name, cells, Neighbours.REPLACE_ONE, level, True) == pytest.approx(level, abs=0.01)


@pytest.mark.parametrize("name", list(MECHANISMS))
def test_pointwise_bands(name):
    assert coverage(name, 8, Neighbours.REPLACE_ONE, 0.95, False) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("name", list(MECHANISMS))
@pytest.mark.parametrize("simultaneous", [True, False])
def test_bands_with_a_noisy_count_hold_at_least_their_level(name, simultaneous):
    """2000 draws: .95 - .025 is 5 standard errors below; the band is wider than it must be, never narrower."""
    assert coverage(name, 4, Neighbours.ADD_REMOVE, 0.95, simultaneous) >= 0.925


def test_the_test_has_power():
    """A half-width 10 % too small covers less than the level minus 1 %."""
    mechanism = MECHANISMS["cube"]
    k = mechanism.half_width(0.95, 8, 1 << 32, 8)
    z = np.abs(mechanism.draw(8, 1 << 32, DRAWS)).max(axis=1)
    assert (z <= k).mean() == pytest.approx(0.95, abs=0.01)
    assert (z <= 0.9 * k).mean() < 0.94
