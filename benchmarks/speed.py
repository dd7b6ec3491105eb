"""Where the time of a release goes, and the samplers beside a floor and a peer."""

import importlib.util
import os
import time
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
from dpfda.spaces.interval import Interval
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


def release_steps(n: int, m: int) -> str:
    grid = np.linspace(0, 1, m)
    curves = np.random.default_rng(1).uniform(0, 1, (n, m))
    whole = best(lambda: dpfda.mean(curves, grid=grid, epsilon=1, value_range=(0, 1)))
    floor = best(lambda: curves.mean(axis=0))
    mechanism = MECHANISMS["cube"]
    release = dpfda.mean(curves, grid=grid, epsilon=1, value_range=(0, 1))
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
    parts = "; ".join(f"{k} {v * 1e3:.2f}" for k, v in steps.items())
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
            "| curves x points | milliseconds | times numpy's own mean | milliseconds by step |",
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
