"""What is drawn is what was charged, and nothing public depends on records: spies along the whole of `dpfda.density`."""

from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.api import density_width
from dpfda.errors import ParameterError
from dpfda.mechanisms import BallMechanism, BlocksMechanism, GaussianMechanism, LaplaceMechanism
from dpfda.privacy.bodies import CrossPolytope
from dpfda.privacy.budget import Budget
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.density_file import content
from dpfda.spaces.features import bernstein
from dpfda.spaces.interval import Interval
from dpfda.summaries.histogram import PERSON_UNITS, Counts
from dpfda.summaries.snapped import SnappedDensity

LAWS = (LaplaceMechanism, GaussianMechanism, BallMechanism, BlocksMechanism)
WAYS = {
    "cells": {},
    "width": {"bandwidth": 8},
    "iclp": {"bandwidth": 8, "mechanism": "iclp"},
    "kernel noise": {"bandwidth": 8, "mechanism": "iclp", "eta": 1.3, "noise": "kernel"},
    "gaussian": {"bandwidth": 8, "mechanism": "gaussian", "delta": 1e-6},
    "finite basis": {"bandwidth": 8, "mechanism": "finite-basis", "basis": "cosine"},
    "ball": {"bandwidth": 8, "mechanism": "ball"},
    "blocks": {"bandwidth": 8, "mechanism": "blocks"},
    "bernstein": {"bandwidth": 8, "mechanism": "bernstein", "lattice": 12},
    "auto": {"bandwidth": 8, "mechanism": "auto", "delta": 1e-6},
    "private": {"bandwidth": "private"},
    "private basis": {"bandwidth": "private", "mechanism": "blocks"},
    "private gaussian": {"bandwidth": "private", "mechanism": "gaussian", "delta": 1e-6},
}
X = np.random.default_rng(1).normal(60, 15, 300)
EDGES = (0.0, 10.0, 20.0, 50.0, 100.0)
RECORDS = {
    "points": {"points": X},
    "persons": {"points": X, "unit": np.repeat(np.arange(60), 5)},
    "counts": {"counts": (EDGES, [5, 20, 100, 175])},
    "weights": {"points": X, "weights": np.linspace(0, 3, 300), "weight_bound": 2.0},
}


def call(way, records="points", neighbours="replace-one", **more):
    hidden = {"design_n": 250} if neighbours == "add-remove" else {}
    words = {"domain": (0, 100), "epsilon": "0.7", "neighbours": neighbours, **hidden}
    return dpfda.density(**(words | RECORDS[records] | WAYS[way] | more))


def possible(way, records):
    return records != "weights" or way in ("cells", "width", "private")


PATHS = [(way, records) for way in WAYS for records in RECORDS if possible(way, records)]


@pytest.fixture
def diary(monkeypatch):
    """What happened, in order: charges, choices, and draws with the lattice they were for."""
    pages = []
    for law in LAWS:
        perturb, draw = law.perturb, law.draw

        def seen(self, total, lattice, perturb=perturb):
            pages.append(("perturb", self, total, lattice))
            return perturb(self, total, lattice)

        def drawn(self, dimension, scale, size, bits=None, draw=draw):
            pages.append(("draw", dimension, scale, size))
            return draw(self, dimension, scale, size, bits)

        monkeypatch.setattr(law, "perturb", seen)
        monkeypatch.setattr(law, "draw", drawn)
    choose, charge = density_width.permute_and_flip, Budget.charge

    def chosen(scores, epsilon, sensitivity=1, bits=None):
        pages.append(("choice", epsilon, sensitivity))
        return choose(scores, epsilon, sensitivity, bits)

    def charged(self, *events):
        charge(self, *events)
        pages.extend(("charge", event) for event in events)

    monkeypatch.setattr(density_width, "permute_and_flip", chosen)
    monkeypatch.setattr(Budget, "charge", charged)
    return pages


@pytest.fixture
def bare(monkeypatch):
    """No noise, and quartiles that are the same for all data; returns the sums and lattices that were asked for."""
    asked = []
    for law in LAWS:

        def perturb(self, total, lattice):
            asked.append((tuple(int(s) for s in total), lattice))
            return asked[-1][0]

        monkeypatch.setattr(law, "perturb", perturb)
    monkeypatch.setattr(density_width, "permute_and_flip", lambda *_: 200)
    return asked


@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize(("way", "records"), PATHS)
def test_what_is_drawn_is_what_was_charged_and_was_charged_before(diary, way, records, neighbours):
    budget = Budget(1, delta=1e-6)
    release = call(way, records, neighbours, budget=budget)
    kinds = [page[0] for page in diary]
    steps = 2 if "private" in way else 0
    assert kinds == ["charge"] * steps + ["choice"] * steps + ["charge", "perturb", "draw"]
    events = [page[1] for page in diary if page[0] == "charge"]
    assert tuple(events) == budget.events == release.guarantee.events
    # The quartiles: epsilon and sensitivity as proved in docs/proofs/density-width.md.
    units = 1 if records == "points" else PERSON_UNITS
    proved = (4 if neighbours == "replace-one" else 3) * units
    for event, page in zip(events[:-1], diary[steps:], strict=False):
        assert page[1:] == (event.epsilon, proved)
        assert event.epsilon == Fraction("0.7") / 20
    # The density: the noise that was drawn has the scale that was charged, and that scale gives the epsilon.
    (_, law, _, lattice), (_, dimension, scale, size) = diary[-2:]
    last = events[-1]
    assert (dimension, scale, size) == (lattice.noisy_dimension, lattice.scale, 1)
    assert dict(last.parameters)["scale"] == scale == release.law.scale
    assert dict(last.parameters)["bound"] == lattice.bound
    assert sum(event.epsilon for event in events) == Fraction("0.7")
    if law.pure:
        assert Fraction(lattice.sensitivity, scale) <= last.epsilon
        assert (last.square, last.delta) == (None, 0)
    else:
        assert last.square == Fraction(lattice.sensitivity, scale) ** 2
        law.confirm(lattice.sensitivity, scale, last.epsilon, last.delta)
    whose = "person" if records == "persons" else "record"
    assert {event.unit for event in events} == {whose}
    assert release.guarantee.unit == whose
    assert {str(event.neighbours) for event in events} == {neighbours}


def without_numbers(release):
    """All that is public about a release: its file without the noisy numbers."""
    file = content(release)
    file.pop("raw")
    file["law"] = {key: value for key, value in file["law"].items() if key != "count"}
    return file


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("records", ["points", "counts"])
def test_twins_of_different_sizes_are_told_apart_by_noisy_sums_alone(bare, way, records):
    twins = []
    for count in (40, 2000):
        few = np.random.default_rng(count).normal(50, 20, count)
        held, _ = np.histogram(np.clip(few, 0, 99), EDGES)
        data = {"points": few} if records == "points" else {"counts": (EDGES, held)}
        words = {"domain": (0, 100), "epsilon": 1, "neighbours": "add-remove", "design_n": 250}
        release = dpfda.density(**words, **data, **WAYS[way])
        sums, lattice = bare[-1]
        noisy = sums[-1] / lattice.count_weight if lattice.count_weight else sum(sums) / lattice.bound
        assert release.law.count == pytest.approx(noisy, rel=1e-12)
        assert release.law.count == pytest.approx(count, rel=1e-12)
        assert release.guarantee.n is None
        twins.append(without_numbers(release))
    assert twins[0] == twins[1]
    assert bare[0][1] == bare[-1][1]


def test_the_twins_would_notice_a_width_that_follows_the_records(bare, monkeypatch):
    monkeypatch.setattr(density_width, "permute_and_flip", lambda scores, *_: int(np.argmax(scores)))
    found = []
    for spread in (2, 25):
        x = np.random.default_rng(2).normal(50, spread, 300)
        words = {"domain": (0, 100), "epsilon": 1, "neighbours": "add-remove", "design_n": 250}
        found.append(without_numbers(dpfda.density(x, **words, bandwidth="private")))
    assert found[0] != found[1]


@pytest.mark.parametrize("way", ["cells", "iclp", "bernstein", "gaussian"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
def test_what_a_record_adds_does_not_depend_on_the_others(bare, way, neighbours):
    """Its integers beside hostile companions, in any order, are those beside calm ones."""
    fixed = {"cells": {"nodes": 12}, "bernstein": {}}.get(way, {"components": 9})

    def added(points, record):
        sums = []
        for rows in ([*points, record], [*points, 50.0], [record, *points], [50.0, *points]):
            call(way, neighbours=neighbours, points=rows, **fixed)
            sums.append(bare[-1][0])
        first, second = ([a - b for a, b in zip(*pair, strict=True)] for pair in (sums[:2], sums[2:]))
        assert first == second
        return first

    for record in (0.0, 33.3, 99.999, 1e300, -np.inf):
        calm = added([50.0] * 7, record)
        assert calm == added([1e300, -1e300, np.inf, 0.0, 100.0, 12.5, 50.0], record)


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_a_replaced_bin_moves_the_sums_by_the_sensitivity_and_no_farther(neighbours):
    axis, cells = Interval(0.0, 1.0), 64
    table = bernstein((axis,), (dpfda.Gaussian(0.2),), 6, cells)
    edges = tuple(np.linspace(0, 1, 65).tolist())  # a bin a cell, so that every row of the table is attained
    for ends in (edges, (0.0, 0.1, 0.11, 0.7, 1.0)):
        source = Counts((axis,), cells, ends)
        summary = SnappedDensity.plan(source, table, CrossPolytope.unit(7), Fraction(1), neighbours)
        lattice = summary.lattice
        base = np.full(len(ends) - 1, 3)
        one = np.eye(len(base), dtype=int)
        totals = [np.array(summary.tally(base + row, lattice).total, object) for row in one]
        others = (
            totals if neighbours is Neighbours.REPLACE_ONE else [np.array(summary.tally(base, lattice).total, object)]
        )
        moved = max(int(np.abs(a - b).sum()) for a in totals for b in others)
        assert moved <= lattice.sensitivity
        assert moved == lattice.sensitivity or ends is not edges


def test_a_choice_at_more_than_was_charged_is_noticed(diary, monkeypatch):
    honest = density_width.permute_and_flip
    monkeypatch.setattr(
        density_width, "permute_and_flip", lambda scores, epsilon, moves: honest(scores, 2 * epsilon, moves)
    )
    release = call("private")
    choices = [page[1] for page in diary if page[0] == "choice"]
    assert choices != [event.epsilon for event in release.guarantee.events[:2]]


def test_a_scale_below_the_sensitivity_is_refused_before_the_charge(monkeypatch):
    monkeypatch.setattr("dpfda.privacy.lattice.Lattice.scale", property(lambda self: self.sensitivity // 2))
    budget = Budget(1)
    with pytest.raises(ParameterError, match="does not give"):
        call("iclp", budget=budget)
    assert not budget.events
