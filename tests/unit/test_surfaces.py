"""Releases on a box: values, derivatives, integrals, bands, files, words."""

import json
import pickle
from pathlib import Path

import jsonschema
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import dpfda
from dpfda.errors import DataError, FormatError, ParameterError
from dpfda.kernels import Exponential, Gaussian, Matern, Periodic
from dpfda.mechanisms.choices import LAWS

matplotlib.use("Agg")

X, Y = np.linspace(0.0, 1.0, 16), np.linspace(0.0, 2.0, 20)
MX, MY = np.meshgrid(X, Y, indexing="ij")
IMAGES = np.random.default_rng(5).uniform(0.3, 0.7, (200, 16, 20)) + 0.2 * np.sin(2 * MX) * np.cos(MY)
TENSOR = dpfda.Tensor(Matern(2.5, 0.4), Matern(1.5, 0.8))


def mean(images=IMAGES, **words):
    given = {
        "grid": (X, Y),
        "epsilon": 4,
        "value_range": (0, 1),
        "mechanism": "blocks",
        "basis": "cosine",
        "components": 12,
    }
    return dpfda.mean(images, **{k: v for k, v in (given | words).items() if v is not ...})


KERNEL = {"basis": ..., "kernel": TENSOR, "penalty": 1e-3}
WORDS = {
    "families": {},
    "mixed families": {"basis": ("legendre", "fourier")},
    "tensor": KERNEL,
    "distance": KERNEL | {"kernel": Matern(1.5, 0.5)},
    "gaussian": KERNEL | {"kernel": Gaussian(0.6)},
    "kernel noise": KERNEL | {"noise": "kernel", "eta": 1.5},
    "bound": {"value_range": ..., "bound": "0.6", "center": lambda x, y: 0.5 + 0 * x * y},
    "hidden n": {"neighbours": "add-remove", "design_n": 150},
    "l1": {"value_range": ..., "bound": 3, "bound_norm": "l1", "center": 0.4 + 0.1 * MX},
    "circle": {"domain": dpfda.Box(dpfda.Circle(0, 1.1), (0, 2)), "basis": ("fourier", "legendre")},
    "persons": {"unit": np.arange(200) // 2},
    "own noise": KERNEL
    | {"noise": "kernel", "eta": 1.5, "noise_kernel": dpfda.Tensor(Matern(1.5, 0.4), Exponential(0.8))},
    "absolute": KERNEL | {"estimator": "absolute", "penalty": 0.01},
}


@pytest.mark.parametrize("name", list(WORDS))
@pytest.mark.parametrize("label", ["gaussian", "iclp", "blocks"])
def test_releases(label, name, tmp_path):
    words = WORDS[name]
    if label == "blocks" and words.get("noise") == "kernel":
        words = {k: v for k, v in words.items() if k not in ("noise", "noise_kernel")}
    release = mean(mechanism=label, delta="1e-6" if label == "gaussian" else 0, **words)
    exact = IMAGES.mean(axis=0)
    assert np.sqrt(np.mean((release(MX, MY) - exact) ** 2)) < 6 * release.law.noise_rms + 0.12
    release.save(tmp_path / "r.json")
    back = dpfda.load(tmp_path / "r.json")
    assert back == release
    np.testing.assert_array_equal(back(MX, MY), release(MX, MY))
    assert back.domain == release.domain
    assert label in release.summary()
    assert "Private mean surface on [0, 1" in release.summary()
    fine = np.linspace(0, 1, 801)[:, None] * (release.domain.end[0]), np.linspace(0, 2, 401)
    values = release(*fine)
    inner = np.trapezoid(np.trapezoid(values**2, fine[1], axis=1), fine[0][:, 0]) / release.domain.length
    whole = np.trapezoid(np.trapezoid(values, fine[1], axis=1), fine[0][:, 0])
    assert release.integral() == pytest.approx(whole, abs=1e-4)
    assert release.inner(release) == pytest.approx(inner, abs=1e-3)
    assert release.inner(lambda x, y: 1.0) == pytest.approx(release.integral() / release.domain.length, abs=1e-7)
    assert release.norm() <= release.norm(debias=False)


def test_images_without_a_mechanism_take_the_best():
    release = mean(mechanism=..., basis=..., components=...)
    assert "auto chose" in " ".join(release.guarantee.notes)
    assert "Tensor(" in release.summary()
    kept = mean(mechanism=...)
    assert "the cosine basis" in kept.summary()
    assert len(kept.raw) == 12
    with pytest.raises(ParameterError, match="covers must be 'noise'"):
        kept.band(covers="population")
    with pytest.raises(ParameterError, match="was not smoothed"):
        kept.band(covers="posterior")


@pytest.mark.parametrize("label", list(LAWS))
def test_every_mechanism_and_its_noise(label):
    """Ten releases of constant images in eight functions: their squared distance to the truth against the announced energy."""
    flat = np.full((50, 4, 5), 0.5)
    small = {"grid": (X[:4], Y[:5]), "components": 8, "epsilon": 1, "delta": "1e-3" if label == "gaussian" else 0}
    squares = []
    for _ in range(10):
        release = mean(flat, mechanism=label, **small)
        squares.append(float((release.raw**2).sum()))
    energy = float((release.law.sds**2).sum())
    # 80 coordinates with exponential tails; the sum of ten energies lies within these factors but for once in a million.
    assert 0.12 * energy < np.mean(squares) < 5.5 * energy
    assert release.law.noise_rms == pytest.approx(energy**0.5)


def test_what_a_release_holds():
    """Arrays and public words: it goes through pickle, and no pixel of a record is in it."""
    images = IMAGES.copy()
    images[7, 3, 4] = 0.123456789012345
    release = mean(images, **KERNEL)
    data = pickle.dumps(release)
    assert pickle.loads(data) == release  # noqa: S301
    assert images[7, 3, 4].tobytes() not in data
    assert dpfda.count_clipped(images, (0.3, 1), grid=(X, Y)) == int((images < 0.3).sum())


def test_points_are_given_in_two_ways():
    release = mean()
    points = np.stack([MX, MY], axis=-1)
    np.testing.assert_array_equal(release(points), release(MX, MY))
    assert isinstance(release(0.3, 0.5), float)
    assert isinstance(release([0.3, 0.5]), float)
    assert release(0.3, 0.5) == release(np.array([0.3, 0.5]))
    assert release(X[:, None], Y).shape == (16, 20)
    for points, message in (
        ((0.3,), "has 2 coordinates"), ((1, 2, 3), "not 3"), ((0.3, 2.5), r"\(0.3, 2.5\) is not in the domain"),
        ((X, Y), "do not fit one another"), (("a", 1), "must be a number"), ((np.zeros((4, 3)),), "shape"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=message):
            release(*points)


@pytest.mark.parametrize("name", ["families", "tensor", "circle"])
def test_derivatives_against_differences(name):
    release = mean(**WORDS[name])
    rng = np.random.default_rng(1)
    x, y, step = rng.uniform(0.1, 0.9, 20), rng.uniform(0.2, 1.8, 20), 1e-5
    across, along, mixed = release.derivative((1, 0)), release.derivative((0, 1)), release.derivative((1, 1))
    np.testing.assert_allclose(across(x, y), (release(x + step, y) - release(x - step, y)) / (2 * step), atol=1e-5)
    np.testing.assert_allclose(along(x, y), (release(x, y + step) - release(x, y - step)) / (2 * step), atol=1e-5)
    np.testing.assert_allclose(mixed(x, y), (across(x, y + step) - across(x, y - step)) / (2 * step), atol=1e-4)
    for order in (1, (1,), (0, 0), (1, -1), (1.0, 0), "ab", (True, 0)):
        with pytest.raises(ParameterError, match="order must be 2 whole numbers"):
            release.derivative(order)


def test_derivatives_that_do_not_exist():
    """Noise of variance j^-v along each axis of a product; of the Euclidean distance all orders together."""
    release = mean(**KERNEL)  # blocks, eta 1: v = 6 and 4, so 2 and 1
    release.derivative((2, 1))
    with pytest.raises(ParameterError, match=r"orders \(0, 2\) does not exist under this noise: at most \(2, 1\)"):
        release.derivative((0, 2))
    rough = mean(**KERNEL | {"kernel": Exponential(0.5)})
    with pytest.raises(ParameterError, match="0 altogether"):
        rough.derivative((1, 0))
    smooth = mean(**KERNEL | {"kernel": Matern(2.5, 0.5)})  # v = 7/2, d = 2: k < 2.5
    smooth.derivative((1, 1))
    with pytest.raises(ParameterError, match="2 altogether"):
        smooth.derivative((2, 1))
    bent = mean(value_range=..., bound=1, center=np.abs(MX - 0.5))
    with pytest.raises(ParameterError, match="centre is bent"):
        bent.derivative((1, 0))


def test_integrals_over_parts():
    for release in (mean(), mean(value_range=..., bound=1, center=0.3 + np.abs(MX - 0.5) * MY)):
        parts = [release.integral(a, b) for a, b in (((0, 0), (0.3, 2)), ((0.3, 0), (1, 1.1)), ((0.3, 1.1), (1, 2)))]
        assert sum(parts) == pytest.approx(release.integral(), abs=1e-10)
        assert release.integral((0.3, 0), (0, 2)) == pytest.approx(-parts[0], abs=1e-12)
    with pytest.raises(ParameterError, match="not in the domain"):
        release.integral((0, 0), (2, 1))


@pytest.mark.parametrize("label", ["iclp", "gaussian", "blocks"])
def test_bands_cover(label):
    """4000 exact draws of the noise: the standard error of .95 is .0034, and 5 of them .017; the quantile's own is .0015."""
    release = mean(mechanism=label, delta="0.01" if label == "gaussian" else 0)
    band, pointwise = release.band(), release.band(kind="pointwise")
    law = release.law
    mesh = np.stack(np.meshgrid(*band.grids, indexing="ij"), axis=-1).reshape(-1, 2)
    draws = law.law.draw(law.dimension, law.scale, 4000).astype(float)
    moved = np.abs(law.differences(release.raw, draws) @ release.view.functions(mesh).T)
    half = ((band.upper - band.lower) / 2).ravel()
    assert (moved <= half).all(axis=1).mean() == pytest.approx(0.95, abs=0.025)
    assert (moved <= 0.9 * half).all(axis=1).mean() < 0.93, "a band 10 % narrower is noticed"
    assert (moved <= ((pointwise.upper - pointwise.lower) / 2).ravel()).mean() == pytest.approx(0.95, abs=0.025)
    low, high = band(0.31, 1.7)
    assert low < release(0.31, 1.7) < high
    low, high = band(np.array([[0.31, 1.7], [0.2, 0.1]]))
    assert low.shape == (2,)
    assert "whole of the smoothed mean" in band.words
    assert "each value by itself" in pointwise.words
    with pytest.raises(ParameterError, match="level must lie"):
        release.band(2)
    with pytest.raises(ParameterError, match="not in the domain"):
        band(0.3, 7.0)


def test_sums_and_multiples():
    one, other = mean(), mean(**KERNEL)
    both = 0.25 * one - other
    assert both(0.2, 0.3) == pytest.approx(0.25 * one(0.2, 0.3) - other(0.2, 0.3))
    assert both.integral() == pytest.approx(0.25 * one.integral() - other.integral())
    assert both.derivative((1, 0))(0.2, 0.3) == pytest.approx(
        0.25 * one.derivative((1, 0))(0.2, 0.3) - other.derivative((1, 0))(0.2, 0.3)
    )
    assert both.inner(one) == pytest.approx(0.25 * one.inner(one) - other.inner(one))
    low, high = both.band()(0.2, 0.3)
    assert low < both(0.2, 0.3) < high
    assert both.epsilon == 8
    assert "on [0, 1] x [0, 2]" in repr(both)
    with pytest.raises(ParameterError, match="different domains"):
        one + mean(domain=dpfda.Box((0, 1), (0, 3)))
    with pytest.raises(ParameterError, match="another domain"):
        one.inner(mean(domain=dpfda.Box((0, 1), (0, 3))))


def test_pictures():
    release = mean()
    ax = release.plot()
    assert "band of the noise" in ax.get_title()
    assert "private mean, epsilon 4" in ax.get_title()
    assert len(ax.figure.axes) == 2, "the image and its scale"
    _, own = plt.subplots()
    assert release.plot(own) is own
    plt.close("all")
    assert "Release(mean surface on [0, 1] x [0, 2] in 12 basis functions" in repr(release)
    assert "mean surface was computed" in release.statement()


def test_the_command_line_looks_at_surfaces(tmp_path):
    from typer.testing import CliRunner

    from dpfda.cli.main import app

    path = tmp_path / "r.json"
    release = mean()
    release.save(path)
    run = CliRunner().invoke
    done = run(app, ["evaluate", str(path), "--at", "0.3:0.5,1:2"])
    assert done.exit_code == 0, done.output
    assert done.output.splitlines() == [f"0.3,0.5,{release(0.3, 0.5):.6g}", f"1,2,{release(1, 2):.6g}"]
    assert isinstance(run(app, ["evaluate", str(path), "--at", "0.3,0.5"]).exception, ParameterError)
    assert "mean surface" in run(app, ["show", str(path)]).output
    assert run(app, ["plot", str(path)]).exit_code == 0
    assert (tmp_path / "r.png").stat().st_size > 10_000


def test_volumes(tmp_path):
    z = np.linspace(0, 1, 5)
    volumes = np.random.default_rng(3).uniform(0.4, 0.6, (40, 6, 7, 5))
    volumes[0, 2, 3, 1] = np.nan
    release = dpfda.mean(
        volumes,
        grid=(X[:6], Y[:7], z),
        epsilon=10,
        value_range=(0, 1),
        mechanism="blocks",
        basis="legendre",
        components=7,
    )
    assert release(0.1, 0.2, 0.5) == pytest.approx(0.5, abs=0.5)
    assert release.integral() / release.domain.length == pytest.approx(release.inner(lambda x, y, z: 1 + 0 * x))
    assert "mean volume" in repr(release)
    release.save(tmp_path / "v.json")
    assert dpfda.load(tmp_path / "v.json") == release
    assert "at 0.5 on the last axis" in release.plot().get_title()
    plt.close("all")
    release.derivative((0, 1, 1))
    low, high = release.band()(0.1, 0.2, 0.5)
    assert low < high


@pytest.mark.parametrize("name", ["mixed families", "distance", "l1"])
def test_the_file_is_what_the_schema_and_the_page_say(name, tmp_path):
    """A reader of twenty lines that knows docs/release-format.md alone."""
    release = mean(**WORDS[name])
    release.save(tmp_path / "r.json")
    content = json.loads((tmp_path / "r.json").read_text())
    schema = json.loads((Path(__file__).parents[2] / "docs/release-format.schema.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(content)
    basis, point = content["basis"], (0.3, 1.2)
    factors = []
    for axis, (start, end), t in zip(basis["axes"], content["domain"], point, strict=True):
        x = (t - start) / (end - start)
        size = len(axis["mixing"]) or axis["count"]
        if axis["carrier"] == "legendre":
            carried = np.array([np.sqrt(2 * i + 1) * np.polynomial.Legendre.basis(i)(2 * x - 1) for i in range(size)])
        elif axis["carrier"] == "cosine":
            carried = np.array([np.sqrt(2) * np.cos(np.pi * i * x) if i else 1.0 for i in range(size)])
        else:
            turn = [2 * np.pi * ((i + 1) // 2) * x for i in range(size)]
            carried = np.array(
                [np.sqrt(2) * (np.cos(w) if i % 2 else np.sin(w)) if i else 1.0 for i, w in enumerate(turn)]
            )
        factors.append(carried @ np.array(axis["mixing"]) if axis["mixing"] else carried)
    terms = np.array([np.prod([f[i] for f, i in zip(factors, row, strict=True)]) for row in basis["terms"]])
    values = terms @ np.array(basis["mixing"]) if basis["mixing"] else terms
    grids = [np.array(g) for g in basis["centre_grids"]]
    table = np.array(basis["centre"]).reshape(len(grids[0]), len(grids[1]))
    centre = np.interp(point[0], grids[0], [np.interp(point[1], grids[1], row) for row in table])
    assert centre + values @ np.array(content["raw"]) == pytest.approx(release(*point), rel=1e-10)


def test_files_are_refused_by_name_and_checked(tmp_path):
    path = tmp_path / "r.json"
    mean(**KERNEL).save(path)
    content = json.loads(path.read_text())
    assert content["kind"] == "mean-surface", "what an older reader refuses by name"
    assert content["interpolation"] == "product-basis"
    from dpfda.release import envelope

    damages = {
        "interpolation": ("interpolation", "spline", "must be 'product-basis'"),
        "terms": ("basis.terms", [[0, 99]] * 2, "terms"),
        "mixing": ("basis.mixing", [[1.0]], "mixing"),
        "axes": ("basis.axes", [], "one an axis"),
        "periodic": ("periodic", [True], "for every axis"),
        "domain": ("domain", [[0, 1], [2, 1]], "domain is wrong"),
        "centre": ("basis.centre", [0.5], "centre"),
        "derivatives": ("basis.derivatives", [1.0], "derivatives"),
        "thresholds": ("basis.thresholds", [1.0], "thresholds"),
        "count": ("basis.axes.0.count", 10**9, "at most 4096"),
        "carrier": ("basis.axes.0.carrier", "bessel", "carrier"),
        "kind": ("kind", "covariance", "knows 'mean', 'mean-surface' and 'density'"),
    }
    for number, (place, value, message) in enumerate(damages.values()):
        damaged = json.loads(path.read_text())
        inside = damaged
        *way, last = place.split(".")
        for step in way:
            inside = inside[int(step) if step.isdigit() else step]
        inside[last] = value
        for head in ("format", "format_version", "written_by", "sha256"):
            del damaged[head]
        other = tmp_path / f"{number}.json"
        envelope.write(other, damaged, overwrite=False)
        with pytest.raises(FormatError, match=message):
            dpfda.load(other)


BAD = {
    "table": (IMAGES[0], {"grid": X, "domain": dpfda.Box((0, 1), (0, 2))}, "must be a stack n x m1 x m2"),
    "axes of the box": (IMAGES, {"domain": dpfda.Box((0, 1), (0, 2), (0, 3))}, "has 3 axes, but images of 16 x 20 pixels have 2"),
    "interval": (IMAGES, {"domain": (0, 1)}, "images live on a box"),
    "no grid": (IMAGES, {"grid": None}, "images need grid="),
    "grid of one axis": (IMAGES, {"grid": X}, "an array of 3 dimensions is a stack"),
    "grid too short": (IMAGES, {"grid": (X[:-1], Y)}, "axis 1 of grid= has 15 points, but images of 16 x 20 pixels have 16"),
    "grid exchanged": (IMAGES, {"grid": (Y, X)}, "the axes seem to be exchanged"),
    "grid reversed": (IMAGES, {"grid": (X[::-1], Y)}, "axis 1 of grid= must increase, but point 2"),
    "grid nan": (IMAGES, {"grid": (np.where(X > 0.5, np.nan, X), Y)}, "increasing finite numbers"),
    "outside": (IMAGES, {"domain": dpfda.Box((0, 1), (0, 1))}, "grid point 1.05.* is not in the domain"),
    "one pixel": (IMAGES[:, :1], {"grid": (X[:1], Y)}, "at least two pixels along every axis"),
    "nan image": (np.concatenate([IMAGES, np.full((1, 16, 20), np.nan)]), {}, "image 201 has no value"),
    "infinite": (np.where(IMAGES[3, 4, 5] == IMAGES, np.inf, IMAGES), {}, r"image 4 is infinite at pixel \(5, 6\)"),
    "no image": (IMAGES[:0], {}, "holds no image"),
    "text": (np.full((3, 16, 20), "a"), {}, "one array of real numbers"),
    "ragged": ([[[1.0, 2.0], [1.0]]] * 3, {}, "one array of real numbers"),
    "five axes": (IMAGES[:, :, :, None, None], {}, "n x m1 x m2"),
    "unit": (IMAGES, {"unit": "id"}, "images have none"),
    "ids": (IMAGES, {"unit": [1, 2]}, "2 ids for 200 curves"),
    "cells": (IMAGES, {"mechanism": "cube", "basis": ..., "components": ...}, "images need a basis"),
    "rough": (IMAGES, {"mechanism": ..., "shape": "rough", "basis": ..., "components": ...}, "shape='rough' is for curves"),
    "spread": (IMAGES, {"mechanism": ..., "spread": True}, "spread=True is for curves"),
    "groups": (IMAGES, {"groups": np.arange(200) % 2}, "groups= is for curves"),
    "stages": (IMAGES, {"mechanism": ..., "stages": 2}, "stages=2 is for curves"),
    "families": (IMAGES, {"basis": ("cosine",)}, "names 1 families"),
    "family": (IMAGES, {"basis": ("cosine", "wavelet")}, "not 'wavelet'"),
    "center": (IMAGES, {"value_range": ..., "bound": 1, "center": X}, "16 x 20 values"),
    "periodic": (IMAGES, {"basis": ..., "kernel": Periodic(1.0, 1.0), "penalty": 0.1}, "one kernel an axis"),
    "kernel for a line": (IMAGES[:, 0], {"grid": Y, "basis": ..., "kernel": TENSOR}, "is a product over axes"),
    "pss": (IMAGES, {"basis": ..., "kernel": Gaussian(0.5), "components": ...}, "penalty='pss' needs"),
    "one image": (IMAGES[:1], {}, "one curve only"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_anything_is_spent(case):
    images, words, message = BAD[case]
    budget = dpfda.Budget(100)
    with pytest.raises((ParameterError, DataError), match=message):
        mean(images, budget=budget, **words)
    assert budget.spent == 0
