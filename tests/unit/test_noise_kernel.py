"""Noise of one kernel on an estimator of another: reach, the whole data pass, the words of the call."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.errors import ParameterError
from dpfda.kernels import Exponential, Gaussian, Matern
from dpfda.mechanisms.choices import choose
from dpfda.noise.simulate import stand_in
from dpfda.privacy.bodies import Ball, Blocks, CrossPolytope, Cube
from dpfda.privacy.influence import Ellipsoid
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.linear_image import LinearImage
from dpfda.privacy.neighbours import Neighbours
from dpfda.spaces.interval import Interval
from dpfda.spaces.spectrum import spectrum
from dpfda.summaries.base import Tally
from dpfda.summaries.operator import OperatorMean
from dpfda.summaries.units import People

GRID = np.linspace(0.0, 1.0, 41)
TAU = Fraction(1, 2)
DOMAIN = Interval(0.0, 1.0)


def exact(values):
    return tuple(Fraction(float(v)) for v in values)


def bodies(weights):
    count = len(weights)
    return [Ball(weights), CrossPolytope(weights), Blocks(weights, (2, count - 2)), Cube(weights)]


@pytest.mark.parametrize("which", range(4))
def test_the_reach_is_attained_or_as_near_as_is_proved_and_never_passed(which):
    rng = np.random.default_rng(1)
    matrix = rng.normal(size=(6, 9)) / np.arange(1, 7)[:, None]
    body = bodies(exact(rng.uniform(0.2, 2.0, 6)))[which]
    image = LinearImage(6, Fraction(3, 7), matrix)
    reach, farthest = float(image.reach(body)), image.farthest(body)
    assert image.contains(farthest)
    attained = float(body.norm(farthest))
    assert attained <= reach * (1 + 1e-9)
    if isinstance(body, Ball | Cube):
        assert attained == pytest.approx(reach, rel=1e-9)
    else:
        assert attained >= reach / math.sqrt(math.pi / 2)
    v = rng.normal(size=(100_000, 9))
    v *= 3 / 7 / np.linalg.norm(v, axis=1, keepdims=True)
    scaled = np.abs(v @ matrix.T) / np.array([float(b) for b in body.weights])
    parts = body.parts() or [range(6)]
    norms = (
        scaled.max(axis=1)
        if isinstance(body, Cube)
        else sum(np.linalg.norm(scaled[:, list(part)], axis=1) for part in parts)
    )
    assert norms.max() <= reach
    assert norms.max() > 0.7 * attained
    outside = tuple(2 * d for d in farthest)
    assert not image.contains(outside)


def test_every_sign_pattern_in_small_dimensions():
    """The largest l1 norm by brute force over 2^7 signs: the ascent finds it, the bound is above it."""
    rng = np.random.default_rng(2)
    body = CrossPolytope.unit(7)
    for _ in range(5):
        matrix = rng.normal(size=(7, 7))
        signs = np.array(np.meshgrid(*[[-1, 1]] * 7)).reshape(7, -1)
        largest = np.linalg.norm(matrix.T @ signs, axis=0).max()
        image = LinearImage(7, Fraction(1), matrix)
        assert float(body.norm(image.farthest(body))) == pytest.approx(largest, rel=1e-6)
        assert largest <= float(image.reach(body)) <= largest * math.sqrt(math.pi / 2)


@pytest.mark.parametrize("which", range(4))
def test_a_diagonal_matrix_is_the_ellipsoid(which):
    axes = 1 / np.arange(1.0, 8.0)
    body = bodies(exact(np.sqrt(axes)))[which]
    whole, plain = LinearImage(7, Fraction(2), np.diag(axes)), Ellipsoid(7, Fraction(2), exact(axes))
    assert float(whole.reach(body)) == pytest.approx(float(plain.reach(body)), rel=1e-6)
    assert float(body.norm(whole.farthest(body))) == pytest.approx(float(plain.reach(body)), rel=1e-6)


def test_images_that_make_no_sense():
    with pytest.raises(ParameterError, match="image of a ball"):
        LinearImage(3, Fraction(1), np.eye(2))
    with pytest.raises(ParameterError, match="image of a ball"):
        LinearImage(2, Fraction(0), np.eye(2))


def operator_mean(wrong=0.0):
    penalty, noise = spectrum(Matern(2.5, 0.2), DOMAIN, 12), spectrum(Matern(1.5, 0.3), DOMAIN, 10)
    powers = penalty.eigenvalues**1.2
    axes = powers / (powers + 1e-3) * (1 + wrong * (-1.0) ** np.arange(12))
    matrix = noise.overlaps(penalty) * axes
    return OperatorMean(penalty, matrix, GRID, np.full(41, 0.5), TAU, 3.0), noise.eigenvalues


def planned(summary, values, label, neighbours=Neighbours.REPLACE_ONE):
    choice = choose(label, "kernel", np.ones(len(values)), values)
    ratio = choice.law.calibrate(Fraction(1), Fraction(0) if choice.law.pure else Fraction(1, 100), "analytic")
    return choice, Lattice.plan(summary.records, choice.body, ratio, neighbours)


@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("label", ["gaussian", "iclp", "finite-basis"])
def test_opposite_curves_attain_the_sensitivity_and_none_passes_it(label, neighbours):
    summary, values = operator_mean()
    choice, lattice = planned(summary, values, label, neighbours)
    rest = np.random.default_rng(1).uniform(0, 1, (9, 41))

    def moved(one, other):
        a, b = (summary.tally(np.vstack([rest, *rows]), lattice).total for rows in (one, other))
        return lattice.noisy_body.plain_norm([x - y for x, y in zip(a, b, strict=True)])

    farthest = np.array([float(x) for x in summary.records.farthest(choice.body)])
    u = np.linalg.lstsq(summary.matrix, farthest, rcond=1e-13)[0]
    curve = np.linalg.lstsq(summary.basis.projection(GRID), u, rcond=None)[0]
    one_way = neighbours is Neighbours.REPLACE_ONE
    attained = moved([0.5 + curve], [0.5 - curve] if one_way else [])
    # Twice what the ascent finds, in lattice units: all of the sensitivity for the ball.
    reach = float(choice.body.norm(tuple(map(Fraction, map(float, farthest)))) / summary.records.reach(choice.body))
    assert attained <= lattice.sensitivity + len(lattice.steps)
    assert attained >= lattice.sensitivity * reach * (1 - 1e-4) * (1 if one_way else 0.9)
    assert reach > 0.8
    rng = np.random.default_rng(2)
    for size in (1.0, 1e3, 1e300):
        for _ in range(30):
            one, other = rng.standard_cauchy((2, 1, 41)) * size
            assert moved(list(one), list(other) if one_way else []) <= lattice.sensitivity + len(lattice.steps)


@pytest.mark.parametrize("label", ["gaussian", "iclp"])
@pytest.mark.parametrize("wrong", [0.0, 1e-3])
def test_records_are_within_the_bound_also_with_wrong_eigenpairs(label, wrong):
    summary, values = operator_mean(wrong)
    _, lattice = planned(operator_mean()[0], values, label)
    rows = np.random.default_rng(3).standard_cauchy((2000, 41)) * 100
    integers = lattice.enforce(lattice.quantise(summary.vectors(rows, lattice)))
    norms = [lattice.body.plain_norm(q) for q in integers.tolist()]
    assert 0.4 * lattice.bound < max(norms) <= lattice.bound


def test_order_and_partition_never_change_a_bit():
    summary, values = operator_mean()
    _, lattice = planned(summary, values, "iclp")
    rng = np.random.default_rng(5)
    rows = rng.normal(0.5, 1.0, (60, 41))
    rows[rng.random(rows.shape) < 0.1] = np.nan
    rows[:, :2] = 0.3
    whole = summary.tally(rows, lattice)
    order = rng.permutation(60)
    assert summary.tally(rows[order], lattice) == whole
    assert sum((summary.tally(r[None], lattice) for r in rows), Tally.empty(lattice.noisy_dimension)) == whole
    ids = rng.integers(0, 5, 60).tolist()
    shuffled = People.of([ids[i] for i in order], 60)
    assert summary.tally(rows, lattice, People.of(ids, 60)) == summary.tally(rows[order], lattice, shuffled)


@pytest.mark.parametrize("label", ["gaussian", "iclp"])
def test_sums_are_the_smoothed_mean_and_noise_has_its_energy(label):
    summary, values = operator_mean()
    choice, lattice = planned(summary, values, label)
    rows = np.random.default_rng(4).uniform(0.2, 0.8, (300, 41))
    steps = np.array([float(s) for s in lattice.steps])
    theta = np.array(summary.tally(rows, lattice).total) * steps / 300
    real = summary.matrix @ (summary.basis.projection(GRID) @ (rows.mean(axis=0) - 0.5))
    assert (np.abs(theta - real) <= steps * summary.rounding(lattice)).all()
    expected = float(((steps * lattice.scale) ** 2 * choice.law.variances(10)).sum())
    draws = stand_in(choice.law.name, (), float(lattice.scale), (4000, 10), np.random.default_rng(1))
    energy = ((draws * steps) ** 2).sum(axis=1)
    assert energy.mean() == pytest.approx(expected, abs=5 * energy.std() / 4000**0.5)


CURVES = np.random.default_rng(6).uniform(0.3, 0.7, (200, 41)) + 0.2 * np.sin(2 * np.pi * GRID)


def mean(**words):
    given = {"grid": GRID, "epsilon": 4, "value_range": (0, 1), "mechanism": "iclp", "noise": "kernel", "eta": 1.5,
             "kernel": Matern(2.5, 0.2), "penalty": 1e-3, "noise_kernel": Exponential(0.3)}  # fmt: skip
    return dpfda.mean(CURVES, **{k: v for k, v in (given | words).items() if v is not ...})


@pytest.mark.parametrize("label", ["gaussian", "iclp", "finite-basis"])
@pytest.mark.parametrize("words", [{}, {"domain": dpfda.Circle(0, 1.1)}, {"estimator": "truncate", "penalty": ..., "components": 9},
                                   {"neighbours": "add-remove", "design_n": 150}, {"value_range": ..., "bound": 1, "center": 0.5}])  # fmt: skip
def test_releases(label, words, tmp_path):
    release = mean(mechanism=label, delta="1e-3" if label == "gaussian" else 0, **words)
    exact_one = mean(mechanism=label, delta="1e-3" if label == "gaussian" else 0, **(words | {"epsilon": 10**5}))
    assert np.sqrt(np.mean((release(GRID) - exact_one(GRID)) ** 2)) < 6 * release.law.noise_rms
    release.save(tmp_path / "r.json")
    assert dpfda.load(tmp_path / "r.json") == release
    assert "noise-kernel.md" in release.guarantee.proofs
    assert "of Matern(nu=0.5, length=0.3)" in " ".join(release.summary().split())
    if label != "finite-basis":
        with pytest.raises(ParameterError, match="no derivative does"):
            release.derivative()


def test_a_kernel_of_its_own_that_is_the_same_changes_nothing_but_names():
    one = mean(noise_kernel=Matern(2.5, 0.2), components=12)
    other = mean(noise_kernel=..., components=12)
    assert float(one.guarantee.sensitivity.value) == pytest.approx(float(other.guarantee.sensitivity.value), rel=1e-6)
    assert one.law.noise_rms == pytest.approx(other.law.noise_rms, rel=1e-6)


BAD = {
    "rough penalty": ({"kernel": Exponential(0.2), "noise_kernel": Matern(2.5, 0.3), "eta": 1.0},
                      r"eta=1 is too small .*beta = 2\) and the noise kernel's like j\^-6 \(gamma = 6\), so eta must be greater than 1.75"),
    "gaussian process": ({"kernel": Exponential(0.2), "noise_kernel": Matern(2.5, 0.3), "eta": 1.0, "mechanism": "gaussian", "delta": 0.1},
                         "at least 1.5"),
    "smooth noise": ({"noise_kernel": Gaussian(0.3)}, "no eta is enough: take a rougher noise_kernel"),
    "matched": ({"noise": "matched"}, "goes with noise='kernel'"),
    "family": ({"kernel": ..., "basis": "cosine", "penalty": ...}, "goes with kernel="),
    "l1": ({"value_range": ..., "bound": 1, "bound_norm": "l1"}, "goes with bound_norm='l2'"),
    "absolute": ({"estimator": "absolute"}, "does not go with estimator='absolute'"),
    "no kernel": ({"noise_kernel": "matern"}, "noise_kernel must be a kernel"),
    "product": ({"noise_kernel": dpfda.Tensor(Matern(1.5, 0.1), Matern(1.5, 0.1))}, "is a product over axes"),
    "cells": ({"mechanism": "cube", "kernel": ..., "penalty": ..., "noise": ..., "eta": ...}, "noise_kernel= is for a mean in a basis"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_words_cost_nothing(case):
    words, message = BAD[case]
    budget = dpfda.Budget(100, delta=0.5)
    with pytest.raises(ParameterError, match=message):
        mean(budget=budget, **words)
    assert budget.events == ()


@pytest.mark.parametrize("neighbours", list(Neighbours))
def test_the_whole_data_pass_is_audited(neighbours):
    """Two functions of the noise's kernel, worst curves, the noise redrawn; a false alarm has probability 1e-6."""
    from dpfda.audit import Pair, audit_epsilon
    from tests.audit.test_audit import shrunken

    penalty, noise = spectrum(Matern(2.5, 0.2), DOMAIN, 3), spectrum(Exponential(0.3), DOMAIN, 2)
    matrix = noise.overlaps(penalty) * (penalty.eigenvalues / (penalty.eigenvalues + 0.01))
    summary = OperatorMean(penalty, matrix, GRID, np.full(41, 0.5), TAU, 50.0)
    choice, lattice = planned(summary, noise.eigenvalues, "iclp", neighbours)
    farthest = np.array([float(x) for x in summary.records.farthest(choice.body)])
    u = np.linalg.lstsq(matrix, farthest, rcond=1e-13)[0]
    curve = 5 * np.linalg.lstsq(penalty.projection(GRID), u, rcond=None)[0]
    rest = np.full((4, 41), 0.3)
    one = summary.tally(np.vstack([rest, 0.5 + curve]), lattice)
    other = summary.tally(np.vstack([rest, 0.5 - curve]) if neighbours is Neighbours.REPLACE_ONE else rest, lattice)
    pair = Pair(one.total, other.total)
    assert audit_epsilon(choice.law, lattice.scale, pair, 1.0, trials=200_000).passed
    assert not audit_epsilon(shrunken(choice.law, 0.6), lattice.scale, pair, 1.0, trials=200_000).passed
