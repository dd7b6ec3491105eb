"""The commands as a person runs them: output, exit status, nothing half written."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpfda
from dpfda.cli import main
from dpfda.mechanisms import MECHANISMS, BlocksMechanism

ROWS = np.random.default_rng(1).uniform(0, 1, (40, 6))
CSV = "\n".join([",".join(map(str, range(6))), *(",".join(f"{x:.4f}" for x in row) for row in ROWS)]) + "\n"
META = "ID,age\n" + "".join(f"p{i % 15},{i}\n" for i in range(40))
WORDS = ["--epsilon", "1", "--range", "0", "1"]
LONG = "id,t,y\n" + "".join(f"c{i % 20},{(7 * i) % 50 / 10},{(3 * i) % 10 / 10}\n" for i in range(100))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("curves.csv").write_text(CSV)
    Path("meta.csv").write_text(META)
    return tmp_path


def run(monkeypatch, capsys, *words):
    """Run a command in this process; return its status, output and errors."""
    monkeypatch.setattr(sys, "argv", ["dpfda", *map(str, words)])
    with pytest.raises(SystemExit) as stopped:
        main.run()
    printed = capsys.readouterr()
    return stopped.value.code, printed.out, printed.err


def files():
    return sorted(os.listdir())


def test_the_whole_job(folder, monkeypatch, capsys):
    status, out, err = run(monkeypatch, capsys, "mean", "curves.csv", *WORDS, "--out", "m.json", "--plot", "m.png")
    assert status == 0
    assert "epsilon 1, delta 0" in out
    assert "changes by a factor of at most exp(1)" in out.replace("\n", " ")
    assert "spends again" in err
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")
    release = dpfda.load("m.json")
    assert release.guarantee.n == 40

    status, out, _ = run(monkeypatch, capsys, "show", "m.json")
    assert (status, out.strip()) == (0, release.summary())
    status, out, _ = run(monkeypatch, capsys, "show", "m.json", "--statement", "--citations")
    assert release.statement() in out
    assert release.citations()[0] in out
    status, out, _ = run(monkeypatch, capsys, "evaluate", "m.json", "--at", "0,0.25,5")
    values = [list(map(float, line.split(","))) for line in out.split()]
    np.testing.assert_allclose(values, [[t, release(t)] for t in (0, 0.25, 5)], rtol=1e-5)
    for suffix in ("pdf", "svg"):
        status, out, _ = run(monkeypatch, capsys, "plot", "m.json", "--out", f"again.{suffix}")
        assert (status, out.strip()) == (0, f"Picture: again.{suffix}")
        assert Path(f"again.{suffix}").stat().st_size > 1000


def test_by_person(folder, monkeypatch, capsys):
    words = ["mean", "curves.csv", *WORDS, "--unit-file", "meta.csv", "--unit", "ID", "--out", "p.json"]
    status, out, _ = run(monkeypatch, capsys, *words)
    assert status == 0
    assert "15 people" in out
    assert "unit one person" in out
    lines = CSV.splitlines()
    inside = [lines[0] + ",ID"] + [f"{line},p{i % 15}" for i, line in enumerate(lines[1:])]
    Path("with-ids.csv").write_text("\n".join(inside))
    status, out, _ = run(monkeypatch, capsys, "mean", "with-ids.csv", *WORDS, "--unit", "ID", "--out", "q.json")
    assert status == 0
    assert dpfda.load("q.json").guarantee.n == 15


def test_add_remove_and_laplace(folder, monkeypatch, capsys):
    words = [
        "--neighbours",
        "add-remove",
        "--design-n",
        "50",
        "--mechanism",
        "laplace",
        "--cells",
        "2",
        "--domain",
        "-1",
        "6",
    ]
    status, out, _ = run(monkeypatch, capsys, "mean", "curves.csv", *WORDS, *words, "--out", "m.json")
    assert status == 0
    assert "laplace" in out
    assert "[-1, 6], 2 equal cells" in out


@pytest.mark.parametrize(
    "words",
    [
        [
            "--mechanism",
            "gaussian",
            "--delta",
            "1e-6",
            "--bound",
            "0.5",
            "--center",
            "0.5",
            "--kernel",
            "matern:1.5:0.5",
        ],
        [
            "--mechanism",
            "iclp",
            "--range",
            "0",
            "1",
            "--kernel",
            "matern:1.5:1+exponential:2",
            "--noise",
            "kernel",
            "--eta",
            "1.5",
        ],
        ["--mechanism", "blocks", "--range", "0", "1", "--basis", "cosine", "--components", "4"],
        ["--mechanism", "auto", "--range", "0", "1", "--kernel", "matern:2.5:1", "--domain", "0", "6", "--periodic"],
        [
            "--mechanism",
            "finite-basis",
            "--bound",
            "2",
            "--bound-norm",
            "l1",
            "--kernel",
            "gaussian:2",
            "--penalty",
            "0.01",
        ],
    ],
)
def test_in_a_basis(folder, monkeypatch, capsys, words):
    words = ["mean", "curves.csv", "--epsilon", "2", *words, "--out", "m.json", "--plot", "m.png"]
    status, out, err = run(monkeypatch, capsys, *words)
    assert status == 0, err
    assert "basis functions" in out
    release = dpfda.load("m.json")
    assert release.guarantee.mechanism in (words[words.index("--mechanism") + 1], "blocks")
    assert isinstance(release.domain, dpfda.Circle) == ("--periodic" in words)
    assert run(monkeypatch, capsys, "show", "m.json")[0] == 0
    assert run(monkeypatch, capsys, "plot", "m.json", "--out", "again.png")[0] == 0


def test_clipped_values_are_counted_on_request_only(folder, monkeypatch, capsys):
    words = ["mean", "curves.csv", "--epsilon", "1", "--range", "0", "0.5", "--out"]
    _, out, err = run(monkeypatch, capsys, *words, "a.json")
    assert "lay outside" not in out + err
    _, out, err = run(monkeypatch, capsys, *words, "b.json", "--count-clipped-not-private")
    count = int((np.round(ROWS, 4) > 0.5).sum())
    assert f"NOT PRIVATE, for the data's owner alone: {count} of 240 values lay outside" in err
    assert "lay outside" not in out


def test_check_spends_nothing(folder, monkeypatch, capsys):
    words = ["check", "curves.csv", "--range", "0", "0.5", "--unit", "ID", "--unit-file", "meta.csv"]
    status, out, err = run(monkeypatch, capsys, *words)
    assert status == 0
    assert "40 curves on 6 grid points from 0 to 5" in out
    assert "15 persons by ID" in out
    assert f"{int((np.round(ROWS, 4) > 0.5).sum())} of 240 values lie outside 0 to 0.5" in out
    assert "NOT PRIVATE" in err
    assert files() == ["curves.csv", "meta.csv"]


def test_an_output_never_replaces_the_data(folder, monkeypatch, capsys):
    for name in ("curves.csv", "meta.csv"):
        before = Path(name).read_text()
        words = [*WORDS, "--unit", "ID", "--unit-file", "meta.csv", "--out", name, "--overwrite"]
        status, _, err = run(monkeypatch, capsys, "mean", "curves.csv", *words)
        assert (status, "is not a release, so it is not replaced" in err) == (2, True)
        assert Path(name).read_text() == before


def test_a_large_epsilon_is_called_weak(folder, monkeypatch, capsys):
    words = ["mean", "curves.csv", "--range", "0", "1", "--out"]
    assert "hardly any protection" in run(monkeypatch, capsys, *words, "a.json", "--epsilon", "50")[2]
    assert "hardly any protection" not in run(monkeypatch, capsys, *words, "b.json", "--epsilon", "4")[2]


def test_groups_from_the_command_line(folder, monkeypatch, capsys):
    Path("g.csv").write_text("sex\n" + "girl\nboy\n" * 20)
    words = ("mean", "curves.csv", *WORDS, "--group", "sex", "--group-file", "g.csv", "--spread")
    status, out, _ = run(monkeypatch, capsys, *words, "--out", "m.json", "--plot", "m.png")
    assert status == 0
    assert "2 groups of different persons" in out
    assert "m.girl.json, m.boy.json" in out
    assert dpfda.load("m.boy.json").guarantee.n == 20
    assert Path("m.png").read_bytes().startswith(b"\x89PNG")


def test_long_tables_from_the_command_line(folder, monkeypatch, capsys):
    Path("long.csv").write_text(LONG)
    columns = ("--id", "id", "--time", "t", "--value", "y")
    status, out, err = run(monkeypatch, capsys, "check", "long.csv", *columns, "--range", "0", "0.5")
    assert status == 0
    assert "20 curves of 5 to 5 points each, from 0 to 4.9" in out
    assert "of 100 values lie outside" in out
    assert "NOT PRIVATE" in err
    status, out, err = run(
        monkeypatch, capsys, "mean", "long.csv", *columns, *WORDS, "--domain", "0", "5", "--out", "m.json",
        "--count-clipped-not-private",
    )  # fmt: skip
    assert status == 0
    assert dpfda.load("m.json").guarantee.n == 20
    assert "0 of 100 values" in err


def test_how_many_persons(folder, monkeypatch, capsys):
    status, out, _ = run(monkeypatch, capsys, "simulate", "--error", "0.05", "--points", "21", *WORDS)
    assert status == 0
    assert re.search(r"a mean like one wave: \d+ persons", out)


def test_simulate_and_demo(folder, monkeypatch, capsys):
    status, out, _ = run(monkeypatch, capsys, "simulate", "--n", "400", "--points", "93", *WORDS)
    assert status == 0
    assert "8 cells" in out
    assert "a step" in out
    status, out, _ = run(
        monkeypatch, capsys, "compare", "--n", "382", "--points", "93", *WORDS, "--kernel", "matern:2.5:0.2"
    )
    assert status == 0
    assert "blocks (matched)" in out
    assert "gaussian (kernel)" in out
    status, out, _ = run(monkeypatch, capsys, "demo")
    assert status == 0
    for name in ("curves.csv", "mean.json", "mean.png"):
        assert f"dpfda-demo/{name}" in out
        assert (folder / "dpfda-demo" / name).stat().st_size > 1000
    status, _, _ = run(monkeypatch, capsys, "demo")
    assert status == 0
    by_hand = re.search(r"by hand: dpfda (.*)", out).group(1).split()
    status, _, _ = run(monkeypatch, capsys, *by_hand)
    assert status == 0


def test_help(folder, monkeypatch, capsys):
    for words in ([], ["--help"], ["mean", "--help"], ["simulate", "--help"]):
        status, out, _ = run(monkeypatch, capsys, *words)
        assert status == 0
        assert "Usage" in out
    status, out, _ = run(monkeypatch, capsys, "mean", "--help")
    plain = re.sub(r"\W+", " ", out)
    assert "NEVER from these data" in plain
    assert "twice as wide a range costs as much as half the epsilon" in plain
    status, out, _ = run(monkeypatch, capsys, "--version")
    assert (status, out.strip()) == (0, f"dpfda {dpfda.__version__}")


BAD = {
    "no file": (["mean"], "curves"),
    "missing file": (["mean", "none.csv", *WORDS, "--out", "m.json"], "cannot read none.csv"),
    "no epsilon": (["mean", "curves.csv", "--range", "0", "1", "--out", "m.json"], "--epsilon is missing"),
    "no range": (["mean", "curves.csv", "--epsilon", "1", "--out", "m.json"], "--range is missing"),
    "no out": (["mean", "curves.csv", *WORDS], "--out is missing"),
    "bad epsilon": (["mean", "curves.csv", "--epsilon", "-1", "--range", "0", "1", "--out", "m.json"], "not '-1'"),
    "epsilon text": (["mean", "curves.csv", "--epsilon", "big", "--range", "0", "1", "--out", "m.json"], "not 'big'"),
    "range reversed": (["mean", "curves.csv", "--epsilon", "1", "--range", "1", "0", "--out", "m.json"], "reversed"),
    "range nan": (["mean", "curves.csv", "--epsilon", "1", "--range", "nan", "1", "--out", "m.json"], "finite number such as 1, 0.5 or '1/2', not 'nan'"),
    "range text": (["mean", "curves.csv", "--epsilon", "1", "--range", "a", "1", "--out", "m.json"], "'a'"),
    "unknown option": (["mean", "curves.csv", *WORDS, "--colour", "red"], "--colour"),
    "unknown command": (["average"], "average"),
    "out exists": (["mean", "curves.csv", *WORDS, "--out", "meta.csv"], "meta.csv exists already"),
    "out folder": (["mean", "curves.csv", *WORDS, "--out", "no/m.json"], "folder no does not exist"),
    "plot exists": (["mean", "curves.csv", *WORDS, "--out", "m.json", "--plot", "old.png"], "old.png exists already"),
    "plot kind": (["mean", "curves.csv", *WORDS, "--out", "m.json", "--plot", "m.docx"], "must end in .png"),
    "unit column": (["mean", "curves.csv", *WORDS, "--unit", "id", "--unit-file", "meta.csv", "--out", "m.json"], "did you mean 'ID'"),
    "range in one word": (["mean", "curves.csv", "--epsilon", "1", "--range", "0,1", "--out", "m.json"], "--range takes two numbers"),
    "one file for both": (["mean", "curves.csv", *WORDS, "--out", "m.png", "--plot", "m.png"], "the same file"),
    "level": (["plot", "m.json", "--level", "0,95"], "'0,95' is not a number"),
    "unit missing": (["mean", "curves.csv", *WORDS, "--unit-file", "meta.csv", "--out", "m.json"], "--unit-file needs --unit"),
    "unit short": (["mean", "curves.csv", *WORDS, "--unit-file", "short.csv", "--unit", "ID", "--out", "m.json"], "2 ids for 40"),
    "mechanism": (["mean", "curves.csv", *WORDS, "--mechanism", "gauss", "--out", "m.json"], "'gauss'"),
    "cells": (["mean", "curves.csv", *WORDS, "--cells", "1000", "--out", "m.json"], "at most 64, not 1000"),
    "domain": (["mean", "curves.csv", *WORDS, "--domain", "1", "9", "--out", "m.json"], "grid point 0 is not in the domain"),
    "empty file": (["mean", "empty.csv", *WORDS, "--out", "m.json"], "is empty"),
    "show other": (["show", "curves.csv"], "not a release file"),
    "evaluate nothing": (["evaluate", "curves.csv", "--at", "x"], "not a release file"),
    "simulate": (["simulate", "--n", "0", *WORDS], "n must be a whole number"),
    "periodic": (["mean", "curves.csv", *WORDS, "--mechanism", "blocks", "--basis", "fourier", "--periodic", "--out", "m.json"], "--periodic needs --domain"),
    "kernel": (["mean", "curves.csv", *WORDS, "--mechanism", "iclp", "--kernel", "matern:1.5", "--out", "m.json"], "'matern:1.5' is not a kernel: write one of matern:NU:LENGTH"),
    "kernel length": (["mean", "curves.csv", *WORDS, "--mechanism", "iclp", "--kernel", "gaussian:0", "--out", "m.json"], "finite number above 0, not 0.0"),
    "no kernel": (["mean", "curves.csv", *WORDS, "--mechanism", "iclp", "--out", "m.json"], "exactly one of kernel="),
    "no delta": (["mean", "curves.csv", *WORDS, "--mechanism", "gaussian", "--kernel", "gaussian:1", "--out", "m.json"], "needs a delta above 0"),
    "no bound": (["mean", "curves.csv", "--epsilon", "1", "--mechanism", "iclp", "--out", "m.json"], "--range is missing"),
    "cells text": (["mean", "curves.csv", *WORDS, "--cells", "many", "--out", "m.json"], "'--cells': 'many' is not a whole"),
    "shape": (["mean", "curves.csv", *WORDS, "--shape", "wavy", "--out", "m.json"], "not 'wavy'"),
    "stages": (["mean", "curves.csv", *WORDS, "--stages", "three", "--out", "m.json"], "not 'three'"),
    "long half": (["mean", "meta.csv", *WORDS, "--id", "ID", "--out", "m.json"], "--time, --value is missing"),
    "long no domain": (["mean", "long.csv", *WORDS, "--id", "id", "--time", "t", "--value", "y", "--out", "m.json"], "need domain="),
    "long group": (["mean", "long.csv", *WORDS, "--id", "id", "--time", "t", "--value", "y", "--group", "x", "--out", "m.json"], "split a long table"),
    "group alone": (["mean", "curves.csv", *WORDS, "--group", "sex", "--out", "m.json"], "--group needs --group-file"),
    "group exists": (["mean", "curves.csv", *WORDS, "--group", "g", "--group-file", "g.csv", "--out", "m.json"], "m.x.json exists already"),
    "two questions": (["simulate", "--n", "10", "--error", "0.1", *WORDS], "two questions"),
    "simulate no range": (["simulate", "--n", "10", "--epsilon", "1"], "range"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case, folder, monkeypatch, capsys):
    def draw(self, *_):
        raise AssertionError("noise was drawn")

    for mechanism in (*map(type, MECHANISMS.values()), BlocksMechanism):
        monkeypatch.setattr(mechanism, "draw", draw)
    Path("short.csv").write_text("ID\na\nb\n")
    Path("old.png").write_text("old")
    Path("empty.csv").write_text("")
    Path("long.csv").write_text(LONG)
    Path("g.csv").write_text("g\n" + "x\ny\n" * 20)
    Path("m.x.json").write_text("old")
    before = files()
    words, message = BAD[case]
    status, out, err = run(monkeypatch, capsys, *words)
    assert status == 2
    assert out == ""
    assert message in err
    assert err.startswith("dpfda: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    assert files() == before


def test_points_outside_are_refused(folder, monkeypatch, capsys):
    run(monkeypatch, capsys, "mean", "curves.csv", *WORDS, "--out", "m.json")
    for at, message in (("7", "not in the domain [0, 5]"), ("0,x", "not 'x'"), ("nan", "not in the domain")):
        status, out, err = run(monkeypatch, capsys, "evaluate", "m.json", "--at", at)
        assert (status, out) == (2, "")
        assert message in err
    status, _, _ = run(monkeypatch, capsys, "plot", "m.json")
    assert status == 0
    status, _, err = run(monkeypatch, capsys, "plot", "m.json")
    assert (status, "m.png exists already" in err) == (2, True)
    status, _, err = run(monkeypatch, capsys, "plot", "m.json", "--overwrite", "--level", "2")
    assert (status, "level must lie" in err) == (2, True)
    status, _, _ = run(monkeypatch, capsys, "mean", "curves.csv", *WORDS, "--out", "m.json", "--overwrite")
    assert status == 0


def test_the_installed_command_and_its_bar(folder):
    """A slow read shows a bar on standard error; a quick one shows none."""
    command = Path(sys.executable).with_name("dpfda")
    words = [str(command), "mean", "curves.csv", *WORDS, "--out", "m.json"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "reading curves" not in done.stderr
    assert json.loads(Path("m.json").read_text())["kind"] == "mean"
    broken = subprocess.run([*words, "--cells", "x"], capture_output=True, text=True, check=False)
    assert broken.returncode == 2
    assert "Traceback" not in broken.stderr


def test_a_slow_read_shows_a_bar(monkeypatch, capsys):
    from rich.console import Console

    from dpfda.cli import output

    monkeypatch.setattr(output, "PATIENCE", -1.0)
    monkeypatch.setattr(output, "Console", lambda stderr: Console(stderr=stderr, force_terminal=True))
    with output.bar("reading curves") as progress:
        progress(0.5)
    assert "reading curves" in capsys.readouterr().err
