"""`dpfda density` and `dpfda sample`, as a user types them."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dpfda

COMMAND = Path(sys.executable).with_name("dpfda")


def run(*words, cwd):
    return subprocess.run([COMMAND, *map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("points")
    rng = np.random.default_rng(1)
    age = rng.normal(60, 15, 3000).clip(0, 100)
    rows = zip(
        age, age / 4 + rng.normal(0, 3, 3000), rng.normal(0, 3, 3000) % 24, rng.integers(0, 900, 3000), strict=True
    )
    lines = ["age,size,hour,person", *(f"{a:.3f},{s:.3f},{h:.3f},{p}" for a, s, h, p in rows)]
    (path / "points.csv").write_text("\n".join(lines) + "\n")
    return path


def test_release_show_plot_and_sample(folder):
    done = run(
        "density", "points.csv", "--column", "age", "--domain", "0", "100", "--epsilon", "1", "--out", "d.json", "--plot", "d.png", cwd=folder
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Private density on [0, 100]" in done.stdout
    assert "has spent its epsilon" in done.stderr
    assert (folder / "d.png").stat().st_size > 10_000
    release = dpfda.load(folder / "d.json")
    assert release.names == ("age",)
    assert abs(release.quantile(0.5) - 60) < 5
    done = run("sample", "d.json", "-n", "5000", "--out", "synthetic.csv", cwd=folder)
    assert done.returncode == 0, done.stderr
    drawn = np.loadtxt(folder / "synthetic.csv", skiprows=1)
    assert len(drawn) == 5000
    assert abs(np.median(drawn) - release.quantile(0.5)) < 2
    assert "Guarantee: epsilon 1" in run("show", "d.json", cwd=folder).stdout
    assert run("evaluate", "d.json", "--at", "20,60", cwd=folder).stdout.count("\n") == 2
    assert run("plot", "d.json", "--out", "again.png", cwd=folder).returncode == 0
    assert "exists" in run("sample", "d.json", "-n", "5", "--out", "synthetic.csv", cwd=folder).stderr


def test_two_columns_persons_and_circles(folder):
    done = run(
        "density", "points.csv", "--columns", "age", "hour", "--domain", "0", "100", "0", "24", "--periodic", "hour", "--unit", "person",
        "--epsilon", "2", "--bandwidth", "8", "2", "--out", "two.json", cwd=folder
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    release = dpfda.load(folder / "two.json")
    assert release.names == ("age", "hour")
    assert isinstance(release.axes[1], dpfda.Circle)
    assert release.guarantee.unit == "person"
    assert release.view.width.widths == (8.0, 2.0)
    assert run("sample", "two.json", "-n", "3", "--seed", "4", "--out", "t.csv", cwd=folder).returncode == 0
    assert (folder / "t.csv").read_text().startswith("age,hour\n")
    done = run("evaluate", "two.json", "--at", "1", cwd=folder)
    assert "2 coordinates" in done.stderr
    done = run("evaluate", "two.json", "--at", "60:0.5,20:12", cwd=folder)
    assert done.stdout.count("\n") == 2
    assert done.stdout.startswith("60,0.5,")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--column", "agee"], "has no column 'agee': the nearest names are 'age'"),
        (["--column", "income"], "no column 'income'"),
        ([], "exactly one of --column and --columns"),
        (["--column", "age", "--columns", "size"], "exactly one of"),
        (["--columns", "age", "size"], "--domain has 2 numbers for 2 columns"),
        (["--column", "age", "--periodic", "hour"], "--periodic names 'hour'"),
        (["--column", "age", "--unit", "id"], "no column 'id'"),
        (["--column", "age", "--bandwidth", "wide"], "not a number"),
        (["--column", "age", "--bandwidth", "0"], "above 0"),
    ],
)
def test_mistakes_cost_nothing(folder, words, message):
    done = run(
        "density", "points.csv", *words, "--domain", "0", "100", "--epsilon", "1", "--out", "never.json", cwd=folder
    )
    assert done.returncode == 2
    assert message in done.stderr
    assert not (folder / "never.json").exists()


def test_files_that_are_no_tables(folder):
    (folder / "bad.csv").write_text("age\n1\nabc\n")
    (folder / "short.csv").write_text("age,size\n1,2\n3\n")
    (folder / "empty.csv").write_text("")
    (folder / "gap.csv").write_text("age,size\n1,2\n,3\n")
    for name, message in (
        ("bad.csv", "record 2 of column 'age'"),
        ("short.csv", "line 3"),
        ("empty.csv", "is empty"),
        ("gap.csv", "record 2 is not a number"),
        ("none.csv", "cannot be read"),
    ):
        done = run(
            "density", name, "--column", "age", "--domain", "0", "1", "--epsilon", "1", "--out", "n.json", cwd=folder
        )
        assert message in done.stderr, name
    missing = run("density", "points.csv", "--column", "age", "--epsilon", "1", "--out", "n.json", cwd=folder)
    assert "--domain is missing" in missing.stderr
    assert "--out is missing" in run("density", "points.csv", "--column", "age", "--epsilon", "1", cwd=folder).stderr
    assert "--epsilon is missing" in run("density", "points.csv", "--column", "age", cwd=folder).stderr
