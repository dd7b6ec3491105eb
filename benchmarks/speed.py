"""Where the time of a release goes, and the samplers beside a floor and a peer."""

import importlib.util
import os
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction

import numpy as np

import dpfda
from dpfda.mechanisms import MECHANISMS
from dpfda.noise.cube import cube
from dpfda.noise.laplace import laplace
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers import records
from dpfda.recipes.mean import Plan
from dpfda.recipes.private import PrivateLooks
from dpfda.release.smooth.powers import PowerLaw
from dpfda.spaces.interval import Interval
from dpfda.spaces.splines import SplineBasis
from dpfda.summaries.features import CurveFeatures
from dpfda.summaries.mean import CellMean

MILLION = 1 << 20


def best(job: Callable[[], object], repeats: int = 7) -> float:
    """Least time in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def default_steps(n: int, m: int) -> str:
    """Milliseconds of a default release, its share in each step, memory above the curves themselves."""
    grid = np.linspace(0, 1, m)
    _, curves = dpfda.made_up_curves(n, m, rng=np.random.default_rng(1))
    words = {"grid": grid, "epsilon": 1, "value_range": (0, 1)}
    whole = best(lambda: dpfda.mean(curves, groups=None, **words))
    floor = best(lambda: curves.mean(axis=0))
    plan = Plan.of(n, Fraction(1), Fraction(0), m)
    basis = SplineBasis.on(grid, Interval(0.0, 1.0), plan.functions)
    v = CurveFeatures(basis, grid, Fraction(0), Fraction(1)).of(curves)
    guess, radius = v.mean(axis=1) + 0.01, Fraction(1, 2)
    release = dpfda.mean(curves, groups=None, **words)

    def looks() -> PrivateLooks:
        return PrivateLooks(plan, v, Neighbours.REPLACE_ONE, "curve", n)

    ready = looks()
    zero = np.zeros(plan.functions)
    steps = {
        "check the rows": best(lambda: records.read(curves, grid, None)),
        "basis (remembered)": best(lambda: SplineBasis.on(grid, Interval(0.0, 1.0), plan.functions)),
        "coefficients": best(lambda: CurveFeatures(basis, grid, Fraction(0), Fraction(1)).of(curves)),
        "lattices and events": best(looks),
        "first look": best(lambda: ready.mean(0, zero, plan.axes(0), Fraction(1))),
        "radius": best(lambda: ready.radius(guess, plan.axes(1), plan.radii, plan.target)),
        "second look": best(lambda: ready.mean(1, guess, plan.axes(1), radius)),
        "smoothing": best(lambda: PowerLaw(1.0).fit(zero, zero + 1)),
        "draw at 500 points": best(lambda: release(np.linspace(0, 1, 500))),
    }
    tracemalloc.start()
    dpfda.mean(curves, groups=None, **words)
    peak = tracemalloc.get_traced_memory()[1] / 2**20
    tracemalloc.stop()
    parts = "; ".join(f"{k} {t * 1e3:.2f}" for k, t in steps.items())
    return f"| {n} x {m} | {whole * 1e3:.1f} | {whole / floor:.0f} | {peak:.0f} | {parts} |"


def release_steps(n: int, m: int) -> str:
    """Return the same for cells by name."""
    grid = np.linspace(0, 1, m)
    curves = np.random.default_rng(1).uniform(0, 1, (n, m))
    words = {"grid": grid, "epsilon": 1, "value_range": (0, 1), "mechanism": "cube"}
    whole = best(lambda: dpfda.mean(curves, groups=None, **words))
    floor = best(lambda: curves.mean(axis=0))
    mechanism = MECHANISMS["cube"]
    release = dpfda.mean(curves, groups=None, **words)
    summary = CellMean(tuple(grid.tolist()), Interval(0.0, 1.0), len(release.raw), Fraction(0), Fraction(1))
    lattice = Lattice.plan(summary.records, mechanism.body.unit(summary.cells), Fraction(1), Neighbours.REPLACE_ONE)
    steps = {
        "check the rows": best(lambda: records.read(curves, grid, None)),
        "public weights": best(
            lambda: CellMean(summary.grid, summary.domain, summary.cells, Fraction(0), Fraction(1))._weights
        ),
        "clip, average, integers": best(lambda: summary.vectors(curves, lattice)),
        "tally, all of it": best(lambda: summary.tally(curves, lattice)),
        "noise": best(lambda: mechanism.draw(summary.cells, lattice.scale, 1)),
        "draw the function at 500 points": best(lambda: release(np.linspace(0, 1, 500))),
    }
    parts = "; ".join(f"{k} {t * 1e3:.2f}" for k, t in steps.items())
    return f"| {n} x {m} | {whole * 1e3:.2f} | {whole / floor:.0f} | {parts} |"


def basis_releases() -> list[str]:
    """Milliseconds of a release of 382 x 93 in 50 eigenfunctions, with the eigenpairs at hand."""
    grid = np.linspace(0, 1, 93)
    curves = np.random.default_rng(1).uniform(0, 1, (382, 93))
    lines = []
    for name in ("blocks", "iclp", "finite-basis", "ball", "gaussian"):
        delta = "1e-6" if name == "gaussian" else 0
        kernel = dpfda.Matern(1.5, 0.1)
        words = {"mechanism": name, "kernel": kernel, "components": 50, "delta": delta}
        seconds = best(lambda w=words: dpfda.mean(curves, grid=grid, epsilon=1, value_range=(0, 1), **w))  # type: ignore[misc]
        lines.append(f"| {name} | {seconds * 1e3:.1f} |")
    return lines


def samplers() -> list[str]:
    base = best(lambda: np.random.default_rng(1).laplace(size=MILLION))
    lines = [f"| numpy's float Laplace, a floor that protects nobody | {MILLION / base / 1e6:.1f} | 1 |"]
    for t in (1, 20, 1 << 32, 1 << 44):
        seconds = best(lambda t=t: laplace(t, MILLION), 3)  # type: ignore[misc]
        lines.append(f"| exact Laplace, scale {t} | {MILLION / seconds / 1e6:.1f} | {seconds / base:.0f} |")
    entropy = best(lambda: os.urandom(8 * MILLION), 3)
    lines.append(f"| 64-bit words of the operating system | {MILLION / entropy / 1e6:.1f} | {entropy / base:.1f} |")
    for n in (8, 64):
        seconds = best(lambda n=n: cube(n, 1 << 32, 2000), 3)  # type: ignore[misc]
        times = seconds / base * MILLION / 2000 / n
        lines.append(f"| exact cube, {n} dimensions, coordinates | {2000 * n / seconds / 1e6:.2f} | {times:.0f} |")
    if importlib.util.find_spec("opendp") is not None:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        peer = space >> dp.m.then_laplace(scale=float(1 << 32))
        zeros = [0] * 20000
        seconds = best(lambda: peer(zeros), 3)
        lines.append(
            f"| OpenDP's Laplace, scale 2^32 | {20000 / seconds / 1e6:.2f} | {seconds / base * MILLION / 20000:.0f} |"
        )
    return lines


def tables() -> str:
    return "\n".join(
        [
            "## Speed",
            "",
            "| default, curves x points | milliseconds | times numpy's own mean | MB above the curves | milliseconds by step |",
            "| --- | --- | --- | --- | --- |",
            default_steps(382, 93),
            default_steps(100_000, 100),
            "",
            "| cells, curves x points | milliseconds | times numpy's own mean | milliseconds by step |",
            "| --- | --- | --- | --- |",
            release_steps(382, 93),
            release_steps(100_000, 100),
            "",
            "| 382 x 93 in 50 eigenfunctions, eigenpairs at hand | milliseconds |",
            "| --- | --- |",
            *basis_releases(),
            "",
            "| sampler | million draws a second | time over the floor |",
            "| --- | --- | --- |",
            *samplers(),
            "",
        ]
    )
