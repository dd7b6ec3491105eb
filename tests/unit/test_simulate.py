import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.errors import ParameterError
from dpfda.spaces.cells import cell_weights
from dpfda.spaces.interval import Interval


def rng():
    return np.random.default_rng(1)


def test_it_predicts_the_error_of_real_releases():
    """A level: the error is noise alone, so exact releases of 200 constant curves must match it."""
    study = dpfda.simulate(n=200, points=21, epsilon=1, value_range=(0, 10), draws=4000, rng=rng())
    curves = np.full((200, 21), 6.25)
    squares = []
    for _ in range(400):
        release = dpfda.mean(curves, grid=np.linspace(0, 1, 21), epsilon=1, value_range=(0, 10), mechanism="cube")
        squares.append(np.mean((release(np.linspace(0, 1, 513)) - 6.25) ** 2))
    cube = next(e for e in study.expected if e.mechanism == "cube")
    predicted = dict(cube.errors)["a level"]
    assert len(release.raw) == study.cells
    assert release.law.noise_sd == pytest.approx(cube.noise_sd)
    # Relative standard errors: about 5 % (400 releases) and 2 % (4000 draws) of the square; 5 of them.
    assert np.mean(squares) == pytest.approx(predicted**2, rel=0.35)


def test_shapes_get_harder():
    study = dpfda.simulate(n=1000, points=101, epsilon=1, value_range=(0, 1), rng=rng())
    for expected in study.expected:
        errors = dict(expected.errors)
        assert errors["a level"] < errors["one wave"] < errors["three waves"]
    assert "1000 records" in str(study)


@pytest.mark.parametrize("words", [{"epsilon": 1}, {"epsilon": "1/4"}, {"epsilon": 1, "delta": "1e-5"}])
def test_it_predicts_the_error_of_the_recipe(words):
    """Exact releases of the very persons the simulation makes up; both averages have standard errors of a few per cent."""
    from dpfda.api.pretend import made_up_persons, recipe_error
    from dpfda.privacy.neighbours import Neighbours
    from dpfda.recipes.mean import Plan
    from dpfda.spaces.splines import SplineBasis

    grid, n = np.linspace(0, 1, 41), 500
    epsilon, delta = Fraction(words["epsilon"]), Fraction(words.get("delta", 0))
    plan = Plan.of(n, epsilon, delta, 41)
    basis = SplineBasis.on(grid, Interval(0.0, 1.0), plan.functions)
    mean = 0.4 * np.sin(2 * np.pi * grid)
    predicted = recipe_error(mean, grid, plan, 1.75, 0.5, 600, Neighbours.REPLACE_ONE, rng())
    curves = 0.5 + 0.5 * (basis.mixing @ made_up_persons(mean, 1.75, basis, grid, rng())).T
    fine = np.linspace(0, 1, 513)
    truth = 0.5 + 0.5 * np.interp(fine, grid, mean)
    exact = [
        np.mean((dpfda.mean(curves, grid=grid, value_range=(0, 1), **words)(fine) - truth) ** 2) for _ in range(400)
    ]
    assert np.sqrt(np.mean(exact)) == pytest.approx(predicted, rel=0.15)


def test_people_needed():
    words = {"epsilon": 1, "value_range": (0, 1), "points": 41}
    found = [dpfda.people_needed(error=e, **words, shape="one wave", rng=rng()) for e in (0.05, 0.02)]
    assert 10 < found[0] < found[1] < 5000
    study = dpfda.simulate(n=found[1], points=41, epsilon=1, value_range=(0, 1), rng=rng())
    assert dict(study.expected[0].errors)["one wave"] == pytest.approx(0.02, rel=0.2)
    easy = dpfda.people_needed(error=0.02, **words, shape="a level", rng=rng())
    assert easy < found[1]
    with pytest.raises(ParameterError, match="is not reached with 100000000 people"):
        dpfda.people_needed(error=1e-4, epsilon=1, value_range=(0, 1), points=9, shape="a step", rng=rng())
    for wrong, message in (
        ({"error": 0}, "error must be"),
        ({"shape": "x"}, "shape must be"),
        ({"rng": 1}, "numpy Generator"),
    ):
        with pytest.raises(ParameterError, match=message):
            dpfda.people_needed(**({"error": 0.1, "rng": rng()} | words | wrong))


def test_it_cannot_make_a_release():
    study = dpfda.simulate(n=50, epsilon=1, value_range=(0, 1), rng=rng(), draws=10)
    assert dataclasses.is_dataclass(study)
    assert not hasattr(study, "save")
    assert not hasattr(study, "raw")


def test_add_remove_is_simulated_too():
    study = dpfda.simulate(n=500, epsilon=1, value_range=(0, 1), neighbours="add-remove", rng=rng(), draws=50)
    assert all(e.noise_sd > 0 for e in study.expected)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"n": 1}, "n must be"),
        ({"n": None}, "n is missing"),
        ({"rng": None}, "numpy Generator"),
        ({"points": 1}, "points must be"),
        ({"epsilon": None}, "epsilon is missing"),
        ({"value_range": None}, "value_range is missing"),
        ({"cells": 0}, "cells must be"),
        ({"rng": 1}, "numpy Generator"),
        ({"draws": 0}, "draws must be"),
        ({"smoothness": "silky"}, "smoothness must be one of 'very smooth'"),
    ],
)
def test_bad_words(words, message):
    with pytest.raises(ParameterError, match=message):
        dpfda.simulate(**({"n": 10, "epsilon": 1, "value_range": (0, 1), "rng": rng()} | words))


def test_compare_predicts_the_noise_of_real_releases():
    """Closed forms against exact releases of constant curves, whose error is the noise and a known level."""
    found = dpfda.compare(n=300, points=41, epsilon=2, value_range=(0, 1), kernel=dpfda.Matern(1.5, 0.2), penalty=1e-3)
    names = [(row.mechanism, row.noise) for row in found.rows]
    assert len(names) == len(set(names)) == 12
    grid = np.linspace(0, 1, 41)
    for row in found.rows[4:]:
        release = dpfda.mean(
            np.full((300, 41), 0.5), grid=grid, epsilon=2, value_range=(0, 1), mechanism=row.mechanism, noise=row.noise,
            delta="1e-6" if row.mechanism == "gaussian" else 0, kernel=dpfda.Matern(1.5, 0.2), eta=1.25, penalty=1e-3,
        )  # fmt: skip
        assert release.law.noise_rms == pytest.approx(row.noise_rms, rel=1e-6)
        assert all(error >= row.noise_rms for _, error in row.errors)
    by_name = {name: row.noise_rms for name, row in zip(names, found.rows, strict=True)}
    assert by_name["blocks", "matched"] < by_name["iclp", "matched"] < by_name["iclp", "kernel"]
    assert "300 records" in str(found)


def test_made_up_curves():
    grid, curves = dpfda.made_up_curves(n=30, points=13, rng=rng())
    assert grid.shape == (13,)
    assert curves.shape == (30, 13)
    assert curves.min() >= 0
    assert curves.max() <= 1
    assert (cell_weights(grid, Interval(0.0, 24.0), 1) @ curves.T).std() > 0
