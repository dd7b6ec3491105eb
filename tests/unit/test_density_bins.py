"""Records known by their bins: divided exactly, however narrow a bin is."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpfda
from dpfda.errors import ParameterError
from dpfda.mechanisms.base import Mechanism
from dpfda.spaces.interval import Interval
from dpfda.summaries.histogram import PERSON_UNITS, Counts, division

NARROW = (-100.0, 0.0, 1e-15, 100.0)


def floating(source):
    """The same division in floating point: ends that differ may coincide, and 0/0 is cast to an integer."""
    domain = source.axes[0]
    ends = (np.array(source.edges) - domain.start) / domain.length * source.cells
    with np.errstate(all="ignore"):
        share = (np.arange(source.cells + 1) - ends[:-1, None]) / np.diff(ends)[:, None]
        running = np.floor(np.clip(share, 0.0, 1.0) * source.units).astype(np.int64)
    running[:, 0], running[:, -1] = 0, source.units
    return np.diff(running, axis=1)


def divides(parts):
    """The check: every row divides a record into parts of at least 0."""
    return bool((parts >= 0).all() and (parts <= PERSON_UNITS).all() and (parts.sum(axis=1) == PERSON_UNITS).all())


def test_a_division_in_floating_point_is_caught():
    source = Counts((Interval(-100.0, 100.0),), 64, NARROW)
    assert divides(source.parts)
    assert not divides(floating(source))
    with pytest.raises(ParameterError, match="bin 2 is not divided"):
        division(floating(source), source.units)


def test_every_broken_row_is_refused():
    for broken in ([5, -1], [2, 3], [4, 1]):
        with pytest.raises(ParameterError, match="bin 2"):
            division(np.array([[4, 0], broken]), 4)


@given(
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
    st.lists(st.floats(0, 1), min_size=1, max_size=4),
    st.integers(1, 3),
    st.sampled_from([1, 2, 7, 64]),
)
@settings(max_examples=60, deadline=None)
def test_bins_an_ulp_wide_are_divided_exactly(start, length, places, ulps, cells):
    axis = Interval(start, start + length)
    edges = {axis.start, axis.end}
    for place in places:
        edge = axis.start + place * length
        for _ in range(ulps + 1):
            edges.add(min(edge, axis.end))
            edge = math.nextafter(edge, math.inf)
    source = Counts((axis,), cells, tuple(sorted(edges)))
    parts = source.parts
    assert divides(parts)
    # The definition, in fractions and with no short cut.
    low, whole = Fraction(axis.start), Fraction(axis.end) - Fraction(axis.start)
    for row, left, right in zip(parts, source.edges, source.edges[1:], strict=False):
        a, b = Fraction(left), Fraction(right)
        shares = [(low + whole * end / cells - a) / (b - a) for end in range(cells + 1)]
        running = [math.floor(min(max(share, Fraction(0)), Fraction(1)) * PERSON_UNITS) for share in shares]
        running[0], running[-1] = 0, PERSON_UNITS
        assert row.tolist() == np.diff(running).tolist()


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    "way", [{"mechanism": "iclp", "bandwidth": 10}, {"bandwidth": 10}, {}, {"mechanism": "bernstein", "bandwidth": 10}]
)
def test_sums_of_neighbours_in_narrow_bins_differ_by_at_most_the_sensitivity(monkeypatch, way, neighbours):
    seen = []

    def perturb(self, total, lattice):
        seen.append((total, lattice))
        return tuple(int(s) for s in total)

    monkeypatch.setattr(Mechanism, "perturb", perturb)
    words = {"domain": (-100, 100), "epsilon": 1, "neighbours": neighbours, **way}
    if neighbours == "add-remove":
        words["design_n"] = 100
    for held in ([40, 1, 60], [41, 0, 60], [40, 0, 61], [40, 0, 60]):
        release = dpfda.density(counts=(NARROW, held), **words)
        assert np.isfinite(release.function.values).all()
    hidden = neighbours == "add-remove"
    pairs = [(k, 3) for k in range(3)] if hidden else [(0, 1), (0, 2), (1, 2)]
    for a, b in pairs:
        moved = [int(s) - int(t) for s, t in zip(seen[a][0], seen[b][0], strict=True)]
        lattice = seen[a][1]
        assert lattice.noisy_body.plain_norm(moved) <= lattice.sensitivity
