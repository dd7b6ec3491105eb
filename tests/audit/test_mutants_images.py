"""Mistakes in the way of images to integers, made on purpose: each lets one record move another's integers, and is seen."""

from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest

from dpfda.mechanisms.choices import choose
from dpfda.privacy.lattice import MAX_BOUND, Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.box import Box
from dpfda.spaces.families import CosineBasis
from dpfda.spaces.product import product_basis
from dpfda.summaries.coefficients import CoefficientMean
from dpfda.summaries.images import fill_images
from dpfda.summaries.products import IntegerProduct
from tests.audit.test_mutants import each_record_by_itself

GRID = (np.linspace(0, 1, 20), np.linspace(0, 1, 20))
BASIS = product_basis(Box((0, 1), (0, 1)), (CosineBasis, CosineBasis), 24)


class Images(CoefficientMean):
    """The real summary; images are flat rows for the check."""

    mutant = IntegerProduct

    @cached_property
    def _product(self):
        return self.mutant(self.basis.projection(GRID), self.reach)

    def vectors(self, rows, lattice):
        return super().vectors(rows[:, :400], lattice)


class FloatProduct(IntegerProduct):
    """Real values times real weights in BLAS: how a row is rounded depends on the rows beside it."""

    def integers(self, values):
        return values

    def __call__(self, integers):
        return integers @ self.matrix.T


class TooManyBits(IntegerProduct):
    """Values of 2^40 units: partial sums pass 2^53 and are rounded, in an order that BLAS chooses."""

    def integers(self, values):
        return np.rint(values * (2.0**40 / self.reach))

    def __call__(self, integers):
        return super().__call__(integers) / 2.0**17


class Floats(Images):
    mutant = FloatProduct


class Bits(Images):
    mutant = TooManyBits


class FromOthers(Images):
    """Missing pixels filled with the other persons' values."""

    def vectors(self, rows, lattice):
        gap = rows > 0.79
        return super().vectors(np.where(gap, rows.mean(axis=0), rows), lattice)


class FromThemselves(Images):
    """The same gaps, filled as they are in fact."""

    def vectors(self, rows, lattice):
        missing = np.where(rows > 0.79, np.nan, rows)
        return super().vectors(fill_images(missing[:, :400], GRID), lattice)


def made(kind):
    summary = kind(BASIS, np.zeros(400), np.full(400, 0.5), np.ones(24), Fraction(1, 2), "l2", 0.5)
    object.__setattr__(summary, "grid", np.linspace(0, 1, 400))  # the check makes rows as long as the grid
    return summary


@pytest.mark.parametrize(
    ("kind", "sound"), [(Images, True), (FromThemselves, True), (Floats, False), (Bits, False), (FromOthers, False)]
)
def test_records_that_touch_one_another(kind, sound):
    """At the finest lattice there is, so that a last bit shows."""
    summary = made(kind)
    body = choose("gaussian", "matched", np.ones(24), np.ones(24)).body
    fine = Lattice.plan(summary.records, body, Fraction(1, 4096), Neighbours.REPLACE_ONE)
    assert fine.bound == MAX_BOUND
    assert each_record_by_itself(summary, fine) == sound
