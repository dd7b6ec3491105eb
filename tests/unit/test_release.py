"""What a release is, what it does, and that it holds nothing else."""

import dataclasses
import json
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest

import dpfda
from dpfda.errors import FileError, FormatError, ParameterError
from dpfda.release.guarantee import Guarantee
from dpfda.release.law import NoiseLaw
from dpfda.release.spread import Spread
from dpfda.release.stage import Sensitivity
from dpfda.spaces.cells import cell_weights

GRID = np.linspace(0, 2, 41)
CURVES = np.random.default_rng(1).uniform(0, 1, (300, 41)) * 0.2 + 0.4 + 0.3 * np.sin(3 * GRID)


def release_of(**words):
    return dpfda.mean(CURVES, grid=GRID, **({"epsilon": 4, "value_range": (0, 1), "mechanism": "cube"} | words))


@pytest.fixture(scope="module")
def release():
    return release_of()


def test_it_is_a_function(release):
    assert isinstance(release(0.5), float)
    assert release([0.0, 0.5]).shape == (2,)
    assert release(np.zeros((2, 3))).shape == (2, 3)
    assert release(0.5) == release(np.array([0.5]))[0]
    for wrong in (2.5, -1, np.nan, [0.1, 7]):
        with pytest.raises(ParameterError, match="not in the domain"):
            release(wrong)
    for wrong in ("noon", "1", None, True, [None], 1j):
        with pytest.raises(ParameterError, match="points must be a number"):
            release(wrong)


def test_it_is_near_the_mean(release):
    exact = cell_weights(GRID, release.domain, len(release.raw)) @ CURVES.mean(axis=0)
    assert np.abs(release.raw - exact).max() < 40 * release.law.noise_sd
    assert np.abs(release(GRID) - CURVES.mean(axis=0)).max() < 0.2


def test_integrals_and_inner_products(release):
    fine = np.linspace(0, 2, 200_001)
    assert release.integral() == pytest.approx(np.trapezoid(release(fine), fine), abs=1e-6)
    assert release.integral(0.3, 1.1) + release.integral(1.1, 2.0) == pytest.approx(release.integral(0.3))
    assert release.inner(lambda t: 1.0) == pytest.approx(release.integral() / 2)
    assert release.inner(np.cos) == pytest.approx(np.trapezoid(release(fine) * np.cos(fine), fine) / 2, abs=1e-6)
    assert release.inner(release) == pytest.approx(np.trapezoid(release(fine) ** 2, fine) / 2, abs=1e-6)
    with pytest.raises(ParameterError, match="not in the domain"):
        release.integral(0, 3)
    with pytest.raises(ParameterError, match="another domain"):
        release.inner(release_of(domain=(-1, 2)))
    with pytest.raises(ParameterError, match="inner takes"):
        release.inner(3)


def test_arrays_are_frozen(release):
    with pytest.raises(ValueError, match="read-only"):
        release.raw[0] = 0
    with pytest.raises(dataclasses.FrozenInstanceError):
        release.raw = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        release.band().lower[0] = 0


@pytest.mark.parametrize("words", [{"mechanism": "cube"}, {}, {"spread": True}, {"shape": "rough", "spread": True}])
def test_it_holds_nothing_of_the_records(words):
    """Everything reachable from a release is small, public or released; no array is as long as the records."""
    marked = CURVES.copy()
    marked[7, 11] = 0.123456789
    release = dpfda.mean(marked, grid=GRID, epsilon=1, value_range=(0, 1), **words)
    seen, arrays = set(), []

    def walk(value):
        if id(value) in seen:
            return
        seen.add(id(value))
        assert not callable(value) or isinstance(value, dpfda.Release | type | Spread), value
        if isinstance(value, np.ndarray):
            arrays.append(value)
        elif dataclasses.is_dataclass(value):
            assert set(vars(value)) == {f.name for f in dataclasses.fields(value)}
            for f in dataclasses.fields(value):
                walk(getattr(value, f.name))
        elif isinstance(value, tuple):
            for v in value:
                walk(v)
        else:
            assert value is None or isinstance(value, str | int | float | Fraction), type(value)

    walk(release)
    if "mechanism" in words:
        assert [a.shape for a in arrays] == [release.raw.shape]
    assert all(len(CURVES) not in a.shape for a in arrays)
    assert not any(np.isin(a, marked[marked == 0.123456789]).any() for a in arrays)
    blob = pickle.dumps(release)
    assert len(blob) < (5000 if "mechanism" in words else 60_000)
    assert np.float64(0.123456789).tobytes() not in blob
    assert (pickle.loads(blob).raw == release.raw).all()  # noqa: S301


def test_bands_have_the_right_width():
    release = release_of(epsilon=1, mechanism="laplace", cells=4)
    # Laplace on 4 cells: scale 4 (hi - lo)/(n eps) a cell; P(all within x) = (1 - exp(-x/s))^4.
    s = 4 / 300
    x = -s * math.log(1 - 0.95 ** (1 / 4))
    band = release.band()
    np.testing.assert_allclose(band.upper - release.raw, x, rtol=1e-4)
    np.testing.assert_allclose(release.band(kind="pointwise").upper - release.raw, -s * math.log(0.05), rtol=1e-4)


def test_bands_answer_and_explain(release):
    band = release.band(0.9)
    low, high = band(np.array([0.0, 1.0, 2.0]))
    assert (low < high).all()
    assert low[0] == band.lower[0]
    assert low[2] == band.lower[-1]
    assert "nothing about the population" in band.words
    assert "90" in band.words.replace("0.9 ", "90 ")
    assert "each cell by itself" in release.band(kind="pointwise").words
    assert (release.band(0.99).upper > band.upper).all()
    for wrong in ({"level": 1}, {"level": 0}, {"level": "high"}, {"level": True}, {"level": np.nan}, {"kind": "both"}):
        with pytest.raises(ParameterError, match="level|kind"):
            release.band(**wrong)
    with pytest.raises(ParameterError, match="'noise'"):
        release.band(covers="everything")
    with pytest.raises(ParameterError, match="closer to 1"):
        release.band(1 - 1e-12)


def test_a_noisy_count_widens_the_band():
    law = NoiseLaw("cube", 3, 1000, (1e-6, 1e-6), 0.5, 50.0, 10_000, (1.0, 1.0))
    raw = np.array([0.1, 0.9])
    half = law.half_widths(raw, 0.95, simultaneous=True)
    assert half[0] == pytest.approx(half[1])
    hopeless = dataclasses.replace(law, count=1.0, scale=10**6)
    assert np.isinf(hopeless.half_widths(raw, 0.95, simultaneous=True)).all()


def test_words(release):
    g = release.guarantee
    assert isinstance(g, Guarantee)
    assert (g.epsilon, g.delta, g.n, g.unit) == (4, 0, 300, "curve")
    assert isinstance(g.sensitivity, Sensitivity)
    assert g.sensitivity.value == Fraction(1, 300)
    for text in (release.summary(), release.statement()):
        assert "epsilon" in text
        assert "replace-one" in text
        assert "300 curves" in text
    assert "not read from these data" in release.summary()
    assert any("Hall" in c for c in release.citations())
    assert any("Steinke, Ullman" in c for c in release.citations())
    assert "astronomical" in release_of(epsilon=1000).summary()
    assert repr(release).startswith("Release(mean curve on [0, 2] in 14 cells, epsilon 4")


def test_it_draws_itself(release):
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    ax = Figure().subplots()
    assert release.plot(ax) is ax
    assert "epsilon 4" in "".join(t.get_text() for t in ax.get_legend().get_texts())
    with pytest.raises(ParameterError, match="savefig"):
        release.plot("x.png")
    own = release.plot()
    assert own is not ax
    import matplotlib.pyplot as plt

    plt.close(own.figure)


@pytest.mark.parametrize(
    "words",
    [
        {},
        {"mechanism": "laplace", "cells": 3},
        {"neighbours": "add-remove", "design_n": 250},
        {"unit": list(range(150)) * 2},
    ],
)
def test_save_and_load(tmp_path, words):
    release = release_of(**words)
    path = tmp_path / "mean.json"
    release.save(path)
    back = dpfda.load(path)
    assert (back.raw == release.raw).all()
    assert back.guarantee == release.guarantee
    assert back.law == release.law
    assert (back.domain, back.view.interpolation) == (release.domain, release.view.interpolation)
    assert back.summary() == release.summary()
    assert back == release
    assert hash(back) == hash(release)
    assert back != release_of(**words)
    with pytest.raises(FileError, match="exists already"):
        release.save(path)
    data = tmp_path / "curves.csv"
    data.write_text("0,1\n2,3\n")
    with pytest.raises(FileError, match="is not a release, so it is not replaced"):
        release.save(data, overwrite=True)
    assert data.read_text() == "0,1\n2,3\n"
    data.unlink()
    before = path.read_bytes()
    release_of().save(path, overwrite=True)
    assert path.read_bytes() != before
    assert [p.name for p in tmp_path.iterdir()] == ["mean.json"]


def test_the_file_is_what_the_schema_says(tmp_path):
    import pathlib

    import jsonschema

    schema = json.loads((pathlib.Path(__file__).parents[2] / "docs/release-format.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for words in ({}, {"neighbours": "add-remove", "design_n": 9}):
        path = tmp_path / f"{len(words)}.json"
        release_of(**words).save(path)
        content = json.loads(path.read_text())
        validator.validate(content)
        assert content["format_version"] == 1
        del content["raw"]
        assert not validator.is_valid(content)


def test_the_hash_needs_no_python(tmp_path):
    """sha256 of the bytes with the hash itself replaced by 64 zeros, as the format page says."""
    import subprocess

    path = tmp_path / "mean.json"
    release_of().save(path)
    stated = json.loads(path.read_text())["sha256"]
    script = f"sed 's/{stated}/{'0' * 64}/' {path} | sha256sum"
    out = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout
    assert out.split()[0] == stated


def rehash(path, text):
    import hashlib
    import re

    blank = re.sub(r'"sha256": "[^"]*"', f'"sha256": "{"0" * 64}"', text)
    path.write_text(blank.replace("0" * 64, hashlib.sha256(blank.encode()).hexdigest(), 1))


DAMAGES = {
    "values changed": lambda c: c["raw"].__setitem__(0, 0.5),
    "no kind": lambda c: c.pop("kind"),
    "another kind": lambda c: c.update(kind="density"),
    "no raw": lambda c: c.pop("raw"),
    "raw empty": lambda c: c.update(raw=[]),
    "raw text": lambda c: c["raw"].__setitem__(0, "0.5"),
    "raw too long": lambda c: c["raw"].append(0.5),
    "huge": lambda c: c["raw"].__setitem__(0, 10**400),
    "domain reversed": lambda c: c.update(domain=[2.0, 0.0]),
    "domain of three": lambda c: c.update(domain=[0.0, 1.0, 2.0]),
    "interpolation": lambda c: c.update(interpolation="magic"),
    "mechanism": lambda c: c["law"].update(mechanism="gauss"),
    "scale": lambda c: c["law"].update(scale=5),
    "scale and guarantee": lambda c: (c["law"].update(scale=5), c["guarantee"]["lattice"].update(scale=5)),
    "epsilon": lambda c: c["guarantee"].update(epsilon="1/0"),
    "smaller epsilon": lambda c: c["guarantee"].update(epsilon="1/100"),
    "epsilon number": lambda c: c["guarantee"].update(epsilon=1),
    "neighbours": lambda c: c["guarantee"].update(neighbours="some"),
    "events": lambda c: c["guarantee"].update(events={}),
    "no event": lambda c: c["guarantee"].update(events=[]),
    "event text": lambda c: c["guarantee"].update(events=["x"]),
    "vouched": lambda c: c["guarantee"].update(vouched=[1]),
    "count": lambda c: c["law"].update(count=-1.0),
    "steps true": lambda c: c["law"].update(steps=[True] * len(c["raw"])),
    "steps short": lambda c: c["law"]["steps"].pop(),
    "sizes": lambda c: c["law"].update(sizes=[3]),
    "periodic": lambda c: c.update(periodic=1),
    "basis": lambda c: c.update(interpolation="basis"),
    "square": lambda c: c["guarantee"]["events"][0].update(square="1/4"),
    "n": lambda c: c["guarantee"].update(n=1.5),
    "events of another unit": lambda c: c["guarantee"]["events"][0].update(unit="person"),
    "half the units and epsilon": lambda c: (
        c["guarantee"]["sensitivity"].update(units=c["guarantee"]["sensitivity"]["units"] // 2),
        c["guarantee"].update(epsilon="2"),
        c["guarantee"]["events"][0].update(epsilon="2"),
    ),
    "delta": lambda c: c["guarantee"].update(delta="1/2"),
    "long epsilon": lambda c: c["guarantee"].update(epsilon="1e20000000"),
    "n hidden": lambda c: c["guarantee"].update(n=None),
    "n another": lambda c: c["guarantee"].update(n=301),
    "count another": lambda c: c["law"].update(count=1e9),
    "relation": lambda c: c["guarantee"].update(neighbours="add-remove"),
    "sensitivity zero": lambda c: c["guarantee"]["sensitivity"].update(value="0"),
    "version true": lambda c: c.update(format_version=True),
    "hash of surrogates": lambda c: c.update(sha256="\ud800" * 64),
    "version": lambda c: c.update(format_version=2),
    "format": lambda c: c.update(format="other"),
    "hash": lambda c: c.update(sha256=5),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(tmp_path, damage):
    path = tmp_path / "mean.json"
    release_of().save(path)
    content = json.loads(path.read_text())
    DAMAGES[damage](content)
    path.write_text(json.dumps(content))
    with pytest.raises(FormatError):
        dpfda.load(path)
    if damage not in (
        "hash",
        "hash of surrogates",
        "values changed",
    ):  # with a hash that fits, what the fields say is still checked
        rehash(path, json.dumps(content))
        with pytest.raises(FormatError):
            dpfda.load(path)


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"\x00\x01", b"\xff\xfe", b'{"format": "dpfda-release", "raw": [NaN]}', b"[" * 100000]
)
def test_files_of_another_kind_are_refused(tmp_path, data):
    path = tmp_path / "mean.json"
    path.write_bytes(data)
    with pytest.raises(FormatError, match="not a release file"):
        dpfda.load(path)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileError, match="cannot read"):
        dpfda.load(tmp_path / "none.json")
    with pytest.raises(FileError, match="cannot read"):
        dpfda.load(tmp_path)
    with pytest.raises(FileError, match="does not exist: make it first"):
        release_of().save(tmp_path / "no" / "mean.json")
    with pytest.raises(FileError, match="is a folder"):
        release_of().save(tmp_path)
