"""The house's own rules: layers, public names, light imports, proof pages, file sizes, no second source of randomness."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dpfda
from dpfda.errors import DpfdaError
from dpfda.mechanisms import MECHANISMS, BallMechanism, BlocksMechanism, GaussianMechanism

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src/dpfda").rglob("*.py"))
PROOFS = ROOT / "docs/proofs"


def test_imports_point_down():
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_public_names():
    assert sorted(dpfda.__all__) == [
        "Band", "Box", "BoxBand", "Budget", "Circle", "Combination", "Comparison", "CurveBand", "Density", "DensityBand", "Exponential", "Gaussian", "Groups", "Guarantee", "Interval", "Kernel", "Matern",
        "Periodic", "Release", "Simulation", "Tensor", "__version__", "compare", "count_clipped", "density", "errors", "load", "made_up_curves", "mean", "people_needed",
        "read_curves", "read_long", "simulate",
    ]  # fmt: skip
    for name in dpfda.__all__:
        thing = getattr(dpfda, name)
        assert name == "__version__" or inspect.getdoc(thing), name
    public = {n for n in vars(dpfda) if not n.startswith("_") and not inspect.ismodule(getattr(dpfda, n))}
    assert public - {"ModuleType", "audit"} <= set(dpfda.__all__)
    assert dpfda.audit.audit_epsilon
    with pytest.raises(AttributeError, match="no attribute 'covariance'"):
        _ = dpfda.covariance


def test_import_is_light():
    heavy = ("narwhals", "typer", "rich", "matplotlib", "pandas", "polars", "scipy.special")
    script = f"import dpfda, sys; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_file_is_long():
    for path in [
        *SOURCES,
        *(ROOT / "tests").rglob("*.py"),
        *(ROOT / "benchmarks").rglob("*.py"),
        *(ROOT / "examples").rglob("*.py"),
    ]:
        assert len(path.read_text().splitlines()) <= 400, path


def test_every_error_is_ours_and_documented():
    tree = inspect.getdoc(dpfda.errors)
    for name, kind in vars(dpfda.errors).items():
        if inspect.isclass(kind):
            assert issubclass(kind, DpfdaError | UserWarning)
            assert kind.__doc__
            assert name in tree


def names_in(path):
    """Names a file really uses; words in comments and docstrings do not count."""
    tree = ast.parse(path.read_text())
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    used |= {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    return used | {f"{getattr(n, 'module', None) or ''}.{a.name}".strip(".") for n in imports for a in n.names}


def test_releases_take_their_randomness_from_the_operating_system_alone():
    # Bands simulate the *public* law of noise that was drawn long before, with a public seed.
    allowed = {
        "noise/simulate.py",
        "api/simulate.py",
        "datasets/made_up.py",
        "cli/study.py",
        "release/bands.py",
        "release/box_bands.py",
        "api/compare.py",
        "api/people.py",
        "api/pretend.py",
        # Synthetic records drawn from a density that was released.
        "spaces/gridded.py",
        "release/density.py",
        "release/density_band.py",
        "release/density_parts.py",
        "cli/density.py",
        # Stand-ins of a public law, for bands.
        "release/linear.py",
        "release/spread.py",
    }
    # Draws of a posterior, given what was released, with a generator that bands seed publicly.
    allowed |= {str(path.relative_to(ROOT / "src/dpfda")) for path in (ROOT / "src/dpfda/release/smooth").glob("*.py")}
    for path in SOURCES:
        place = str(path.relative_to(ROOT / "src/dpfda"))
        if place in allowed:
            continue
        used = names_in(path)
        assert not used & {"default_rng", "Generator", "RandomState", "random", "secrets"}, place
    importers = [p for p in SOURCES if any("noise.simulate" in name for name in names_in(p))]
    assert [str(p.relative_to(ROOT / "src/dpfda")) for p in importers] == [
        "api/pretend.py",
        "api/simulate.py",
        "release/bands.py",
        "release/box_bands.py",
        "release/linear.py",
    ]
    for place in ("api/pretend.py", "api/simulate.py", "api/people.py"):
        used = names_in(ROOT / "src/dpfda" / place)
        assert not used & {"privatise", "private_mean", "PrivateLooks", "dpfda.release.release.Release"}, place


def test_noise_decides_nothing_by_floats():
    """In the exact samplers, the only float is a bit length read off an exact float64 in `below`."""
    for name in ("bernoulli", "geometric", "laplace", "cube"):
        tree = ast.parse((ROOT / f"src/dpfda/noise/{name}.py").read_text())
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, float)], name
        assert not [n for n in ast.walk(tree) if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div)], name
        assert "float64" not in names_in(ROOT / f"src/dpfda/noise/{name}.py")


def test_every_proof_page_that_is_named_exists_and_every_page_is_named():
    text = "".join(p.read_text() for p in SOURCES)
    named = set(re.findall(r"docs/proofs/([a-z-]+\.md)", text))
    laws = (*MECHANISMS.values(), GaussianMechanism, BallMechanism, BlocksMechanism)
    named |= {page for m in laws for page in m.proofs}
    grid = dpfda.mean([[0, 1], [1, 0], [1, 1]], grid=[0, 1], epsilon=1, value_range=(0, 1))
    named |= set(grid.guarantee.proofs)
    named |= set(re.findall(r'"([a-z-]+\.md)"', (ROOT / "src/dpfda/api/coefficients.py").read_text()))
    pages = {p.name for p in PROOFS.glob("*.md")} - {"index.md"}
    assert named == pages
    index = (PROOFS / "index.md").read_text()
    for page in pages:
        assert f"({page})" in index, page


@pytest.mark.parametrize("page", sorted(p.name for p in PROOFS.glob("*.md") if p.name != "index.md"))
def test_a_proof_page_has_claim_proof_code_and_test(page):
    text = (PROOFS / page).read_text()
    for heading in ("**Claim.**", "**Proof.**", "**Code.**", "**Test.**"):
        assert heading in text, f"{page} has no {heading}"
    for path in re.findall(r"`((?:src|tests)/[\w/]+\.py)", text):
        assert (ROOT / path).exists(), f"{page} names {path}"
    assert re.search(r"`src/", text), page
    assert re.search(r"`tests/", text), page
