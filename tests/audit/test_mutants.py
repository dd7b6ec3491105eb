"""Mistakes that would break the guarantee, made on purpose; each must fail the check that the real code passes.

A check is a function that returns True for sound code.  Every test runs it on the real code and on the mutant.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpfda.audit import audit_epsilon, worst_pair
from dpfda.errors import BudgetError
from dpfda.mechanisms import MECHANISMS
from dpfda.noise.bits import Bits
from dpfda.noise.geometric import geometric
from dpfda.noise.laplace import laplace
from dpfda.privacy.bodies import Cube
from dpfda.privacy.budget import Budget
from dpfda.privacy.lattice import MAX_BOUND, Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.privatise import Noisy, privatise
from dpfda.readers import records
from dpfda.spaces.interval import Interval
from dpfda.summaries.base import Tally
from dpfda.summaries.mean import CellMean
from dpfda.summaries.units import People
from tests.laws import chi_square_ok, laplace_pmf

GRID = tuple(np.linspace(0, 1, 23).tolist())
SUMMARY = CellMean(GRID, Interval(0.0, 1.0), 3, Fraction(0), Fraction(1))
LATTICE = Lattice.plan(SUMMARY.records, Cube.unit(3), Fraction(1), Neighbours.REPLACE_ONE)


def moves_at_most_the_sensitivity(summary, lattice, people=None):
    """Hostile rows against the opposite ones: the sums may not differ by more than the lattice says."""
    rest = np.full((3, len(GRID)), 0.5)
    hostile = [1e3, -1e3, 1.7, np.inf, -np.inf, np.nan]
    for value in hostile:
        for other in hostile:
            sums = []
            for v in (value, other):
                rows = np.vstack([rest, np.full((4, len(GRID)), v)])
                groups = None if people is None else People.of(["a", "b", "c", *people], len(rows))
                rows = rows if people is not None else rows[:4]
                sums.append(summary.tally(rows, lattice, groups).total)
            if lattice.body.plain_norm([a - b for a, b in zip(*sums, strict=True)]) > lattice.sensitivity:
                return False
    return True


def each_record_by_itself(summary, lattice):
    """The integers of a row may not depend on which rows stand beside it, or in which order."""
    rows = np.random.default_rng(1).uniform(0.2, 0.8, (4000, len(summary.grid)))

    def integers(some):
        return [block.tolist() for block in lattice.enforce(lattice.quantise(summary.vectors(some, lattice)))]

    whole = integers(rows)
    alone = [integers(row[None])[0] for row in rows]
    shuffled = integers(rows[::-1])[::-1]
    return whole == alone == shuffled and integers(rows[:7]) == whole[:7]


# ------------------------------------------------------------------------------------------------ the mutants


class Unclipped(Lattice):
    """The enforcement left out: what the map gives is believed."""

    def quantise(self, vectors):
        return np.rint(np.nan_to_num(vectors, posinf=0, neginf=0)).astype(np.int64)

    def enforce(self, integers):
        return integers


class CastFirst(Lattice):
    """NaN cast to an integer before it is caught."""

    def quantise(self, vectors):
        with np.errstate(invalid="ignore"):
            return np.rint(vectors).astype(np.int64)

    def enforce(self, integers):
        return np.where(np.abs(integers) > self.bound, np.sign(integers) * self.bound, integers)


class RawValues(CellMean):
    """A map that does not clip the curves: the lattice alone must hold."""

    def vectors(self, rows, lattice):
        finite = np.clip(rows, -1e200, 1e200)  # NaN stays NaN
        return (finite - 0.5) @ (self._weights.T / 2.0**29) * (2.0 * lattice.bound)


class FloatProduct(CellMean):
    """Real values times real weights in BLAS: how a row is rounded depends on the rows beside it."""

    def vectors(self, rows, lattice):
        weights = np.random.default_rng(0).dirichlet(np.ones(rows.shape[1]), self.cells)
        return np.asarray((rows - 0.5) @ weights.T * (2.0 * lattice.bound))


class OwnBound(CellMean):
    """Clipped and scaled by the largest deviation in the data."""

    def vectors(self, rows, lattice):
        largest = np.abs(rows - 0.5).max()
        return super().vectors(0.5 + (rows - 0.5) / (2 * largest), lattice)


class ColumnMeans(CellMean):
    """Gaps filled with the other persons' values."""

    def vectors(self, rows, lattice):
        gap = rows > 0.79
        filled = np.where(gap, rows.mean(axis=0), rows)
        return super().vectors(filled, lattice)


class RowsSummed(CellMean):
    """A person's rows are all added, not averaged."""

    def _blocks(self, rows, lattice, people):
        return super()._blocks(rows, lattice, None)


def recast(kind):
    fields = {name: getattr(LATTICE, name) for name in LATTICE.__dataclass_fields__}
    return kind(**fields)


def resummary(kind):
    return kind(GRID, SUMMARY.domain, 3, Fraction(0), Fraction(1))


# ------------------------------------------------------------------------------------------------ the tests


def test_noise_scaled_by_nine_tenths():
    class Shrunken(type(MECHANISMS["cube"])):
        def draw(self, dimension, scale, size, bits=None):
            return super().draw(dimension, scale * 9 // 10, size, bits)

    records = replace(SUMMARY, cells=1).records
    lattice = Lattice.plan(records, Cube.unit(1), Fraction(1), Neighbours.REPLACE_ONE)
    pair = worst_pair(records, lattice)
    assert audit_epsilon(MECHANISMS["cube"], lattice.scale, pair, 1.0, trials=400_000).passed
    assert not audit_epsilon(Shrunken(), lattice.scale, pair, 1.0, trials=400_000).passed


def test_a_clip_left_out():
    assert moves_at_most_the_sensitivity(SUMMARY, LATTICE)
    assert moves_at_most_the_sensitivity(resummary(RawValues), LATTICE), "the lattice holds without the first clip"
    assert moves_at_most_the_sensitivity(SUMMARY, recast(Unclipped)), "the first clip holds without the lattice"
    assert not moves_at_most_the_sensitivity(resummary(RawValues), recast(Unclipped))


def test_a_nan_cast_before_it_is_caught():
    assert moves_at_most_the_sensitivity(resummary(RawValues), LATTICE)
    assert not moves_at_most_the_sensitivity(resummary(RawValues), recast(CastFirst))


@pytest.mark.parametrize("mutant", [FloatProduct, OwnBound, ColumnMeans])
def test_records_that_touch_one_another(mutant):
    """At the finest lattice there is, and 256000 integers, so that a last bit shows."""
    words = (tuple(np.linspace(0, 1, 93).tolist()), Interval(0.0, 1.0), 64, Fraction(0), Fraction(1))
    fine = Lattice.plan(CellMean(*words).records, Cube.unit(64), Fraction(1, 4096), Neighbours.REPLACE_ONE)
    assert fine.bound == MAX_BOUND
    assert each_record_by_itself(CellMean(*words), fine)
    assert not each_record_by_itself(mutant(*words), fine)


def test_rows_of_a_person_not_averaged():
    one = ["x"] * 4
    assert moves_at_most_the_sensitivity(SUMMARY, LATTICE, one)
    assert not moves_at_most_the_sensitivity(resummary(RowsSummed), LATTICE, one)


def test_minus_zero_redrawn_by_sign_only():
    def mutant(scale, size, bits=None):
        bits = bits or Bits()
        minus, magnitude = (bits.words(size) & np.uint64(1)).astype(bool), geometric(scale, size, bits)
        return np.where(minus, -magnitude, magnitude)  # at zero the sign is drawn again, which changes nothing

    values = np.arange(-40, 41)
    assert chi_square_ok(laplace(1, 1 << 17), values, laplace_pmf(values, 1))
    assert not chi_square_ok(mutant(1, 1 << 17), values, laplace_pmf(values, 1))


def charged_before_noise(verb):
    """A draw that fails leaves the charge, and a refusal leaves no draw."""
    drawn = []

    class Watched(type(MECHANISMS["cube"])):
        def draw(self, *words):
            drawn.append(1)
            raise RuntimeError("power cut")

    rows, full, empty = np.full((5, len(GRID)), 0.5), Budget(1), Budget("0.5")
    with pytest.raises(RuntimeError, match="power cut"):
        verb(SUMMARY, rows, Watched(), LATTICE, Fraction(1), budget=full)
    kept = full.spent == 1 and len(drawn) == 1
    with pytest.raises((BudgetError, RuntimeError)):
        verb(SUMMARY, rows, Watched(), LATTICE, Fraction(1), budget=empty)
    return kept and len(drawn) == 1


def test_charge_after_the_noise():
    def mutant(summary, rows, mechanism, lattice, epsilon, people=None, budget=None):
        tally = summary.tally(rows, lattice, people)
        sums = mechanism.perturb(tally.total, lattice)
        noisy = privatise(summary, rows, mechanism, lattice, epsilon, people=people, budget=budget)
        return Noisy(sums, noisy.event)

    assert charged_before_noise(privatise)
    assert not charged_before_noise(mutant)


def test_a_count_in_the_noise_free_divisor():
    """Under add-remove the sums alone, divided by the true n, would not be covered: n must be in the noisy vector."""
    lattice = Lattice.plan(SUMMARY.records, Cube.unit(3), Fraction(1), Neighbours.ADD_REMOVE)
    tally = SUMMARY.tally(np.full((5, len(GRID)), 0.5), lattice)
    assert isinstance(tally, Tally)
    assert len(tally.total) == lattice.noisy_dimension == 4
    assert tally.total[3] == 5 * lattice.count_weight


def test_low_order_bits_do_not_tell_neighbours_apart():
    """The output is a public function of an integer that every data set can reach: the sets of low bits agree.

    Cells of a coarse lattice and 1e5 draws, so that every reachable integer near the middle is seen on both sides; the
    mutant adds float noise to the float mean, and its bits give the mean away.
    """
    lattice = Lattice.plan(SUMMARY.records, Cube.unit(3), Fraction(1 << 16), Neighbours.REPLACE_ONE)
    lattice = replace(lattice, ratio=Fraction(64, lattice.sensitivity))
    assert lattice.scale == 64
    rest = np.full((2, len(GRID)), 0.4)
    tallies = [SUMMARY.tally(np.vstack([rest, np.full((1, len(GRID)), v)]), lattice) for v in (0.0, 1.0)]
    noise = [MECHANISMS["cube"].draw(3, lattice.scale, 100_000) for _ in tallies]

    def bits(values):
        return set((np.ascontiguousarray(values).view(np.uint64) & np.uint64(0xFFF)).tolist())

    def window(tally, z):
        """Released values whose integer lies in one public window that both sides reach."""
        sums = np.array(tally.total) + z
        middle = (np.array(tallies[0].total) + np.array(tallies[1].total)) // 2
        near = (np.abs(sums - middle) <= 40).all(axis=1)
        return np.array([SUMMARY.means(tuple(s), 3.0, lattice) for s in sums[near].tolist()])

    # The neighbours are 2C apart; a window between them is reached from both when C is small beside the scale.
    small = replace(lattice, bound=16, steps=tuple(s * lattice.bound / 16 for s in lattice.steps))
    tallies = [SUMMARY.tally(np.vstack([rest, np.full((1, len(GRID)), v)]), small) for v in (0.0, 1.0)]
    lattice = replace(small, ratio=Fraction(64, small.sensitivity))
    a, b = (window(t, z) for t, z in zip(tallies, noise, strict=True))
    assert min(len(a), len(b)) > 1000
    assert bits(a[:, 0]) == bits(b[:, 0])

    rng = np.random.default_rng(1)
    floats = [t.total[0] / 3 * float(lattice.steps[0]) + rng.integers(-40, 40, 5000) * 0.1 for t in tallies]
    assert bits(floats[0]) != bits(floats[1])


def test_the_type_of_one_row_does_not_change_the_others():
    """One row of texts among rows of half precision: read as one array, all the others would go through their decimals."""
    rows = [np.full(len(GRID), 0.3, np.float16) for _ in range(50)]
    before = records.read(rows, GRID, None).values
    after = records.read([["0.3"] * len(GRID), *rows[1:]], GRID, None).values
    assert (before[1:] == after[1:]).all()
    together = np.asarray([np.array(["0.3"] * len(GRID)), *rows[1:]]).astype(np.float64)
    assert not (before[1:] == together[1:]).all(), "the mutant: one type for the table"
