"""Densities: errors of exact releases, the Bernstein table, the mortality of regions, speed.

Run `python -m benchmarks.density` for all of it (about ten minutes), or name sections: targets, laws, many, plane, bernstein, regions, sample, speed.
"""

import importlib.util
import math
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import dpfda
from dpfda.spaces.nodes import nodes_rule

Floats = NDArray[np.float64]
EPSILONS = ("1/8", "1/4", "1/2", "1", "2", "4")
RELEASES = 200
RESULTS = Path(__file__).with_name("DENSITY.md")
#: Root mean squared L2 errors to stay below: two bumps, n = 1000.
TARGETS = {"kernel": (0.098, 0.052, 0.027, 0.0140, 0.0078, 0.0041), "density": (0.27, 0.165, 0.12, 0.10, 0.095, 0.09)}


def normal(t: Floats, middle: Any, width: float) -> Floats:
    return np.asarray(np.exp(-0.5 * ((t - middle) / width) ** 2) / (width * np.sqrt(2 * np.pi)))


def peak_and_tail(t: Floats) -> Floats:
    rest = np.maximum(t - 0.1, 0)
    return np.asarray(0.3 * normal(t, 0.2, 0.02) + 0.7 * rest / 0.0144 * np.exp(-rest / 0.12))


LAWS: dict[str, Callable[[Floats], Floats]] = {
    "two bumps": lambda t: 0.6 * normal(t, 0.3, 0.1) + 0.4 * normal(t, 0.7, 0.1),
    "uniform": np.ones_like,
    "peak and tail": peak_and_tail,
}
GRID = (np.arange(512) + 0.5) / 512


def draw(law: Callable[[Floats], Floats], n: int, rng: np.random.Generator) -> Floats:
    t = (np.arange(1 << 14) + 0.5) / (1 << 14)
    weights = law(t)
    return np.asarray((rng.choice(len(t), n, p=weights / weights.sum()) + rng.random(n)) / len(t))


def truth(law: Callable[[Floats], Floats]) -> Floats:
    return np.asarray(law(GRID) / law(GRID).mean())


def estimate(x: Floats, width: float) -> Floats:
    return np.asarray(normal(GRID[:, None], x, width).mean(axis=1))


def error(
    law: str, epsilon: str, width: float | None, releases: int, rng: np.random.Generator, n: int = 1000, **words: Any
) -> tuple[float, float]:
    """Root mean squared L2 error of releases, each of a new sample, and its standard error."""
    squares = []
    for _ in range(releases):
        x = draw(LAWS[law], n, rng)
        target = truth(LAWS[law]) if width is None else estimate(x, width)
        made = dpfda.density(x, domain=(0, 1), epsilon=epsilon, bandwidth=width, **words)
        squares.append(float(np.mean((made(GRID) - target) ** 2)))
    mean = float(np.mean(squares))
    return mean**0.5, float(np.std(squares)) / len(squares) ** 0.5 / (2 * mean**0.5)


def row(name: str, cells: list[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def head(first: str, columns: tuple[str, ...]) -> list[str]:
    return [row(first, list(columns)), "| --- |" + " --- |" * len(columns)]


def targets(data: Path | None) -> list[str]:
    lines = [
        "## Two bumps, n = 1000",
        "",
        f"Root mean squared L2 error of {RELEASES} exact releases of the default, each of a new sample, with its standard error; "
        "against the exact kernel estimate of width .1, and against the true density without a bandwidth.",
        "",
        *head("", tuple(f"eps {e}" for e in EPSILONS)),
    ]
    for name, width in (("kernel", 0.1), ("density", None)):
        found = [error("two bumps", e, width, RELEASES, np.random.default_rng(1)) for e in EPSILONS]
        lines.append(row(f"{name}: default", [f"{m:.4f} ({s:.4f})" for m, s in found]))
        lines.append(row(f"{name}: at most", [f"{t:.4f}" for t in TARGETS[name]]))
    free = error("two bumps", "1000000", None, RELEASES, np.random.default_rng(1), nodes=38)
    lines.append(row("density: the smoother without noise", [f"{free[0]:.4f} ({free[1]:.4f})"] + [""] * 5))
    for name, words in (
        ("iclp", {"mechanism": "iclp"}),
        ("iclp, kernel noise, eta 1.01", {"mechanism": "iclp", "noise": "kernel", "eta": 1.01}),
        ("blocks", {"mechanism": "blocks"}),
        ("gaussian, delta 1e-6", {"mechanism": "gaussian", "delta": "1e-6"}),
        ("finite-basis, cosine", {"mechanism": "finite-basis", "basis": "cosine"}),
    ):
        found = [error("two bumps", e, 0.1, 40, np.random.default_rng(1), **words) for e in EPSILONS]
        lines.append(row(f"kernel: {name} (40 releases)", [f"{m:.4f} ({s:.4f})" for m, s in found]))
    return lines


def laws(data: Path | None) -> list[str]:
    lines = [
        "## Other laws and widths, n = 1000",
        "",
        "The same for 50 exact releases of the default.",
        "",
        *head("law, width", tuple(f"eps {e}" for e in EPSILONS)),
    ]
    for law in LAWS:
        for width in (0.02, 0.1, 0.3, None):
            if law == "two bumps" and width in (0.1, None):
                continue
            found = [error(law, e, width, 50, np.random.default_rng(2)) for e in EPSILONS]
            lines.append(row(f"{law}, {width or 'density'}", [f"{m:.4f} ({s:.4f})" for m, s in found]))
    return lines


def many(data: Path | None) -> list[str]:
    """Large n: the default against the same smoother without noise, for the same samples."""
    lines = [
        "## Many records",
        "",
        "Root mean squared L2 error against the true density over 5 samples, next to the same smoother at epsilon 10^6 on the same "
        "samples and nodes: what noise adds.",
        "",
        *head("law, n", ("eps 1/8", "eps 1", "no noise")),
    ]
    for law, curve in LAWS.items():
        for n in (10**5, 10**6):
            squares: dict[str, list[float]] = {"1/8": [], "1": [], "1000000": []}
            for seed in range(5):
                x = draw(curve, n, np.random.default_rng(seed))
                for epsilon, kept in squares.items():
                    nodes = nodes_rule(n, min(float(Fraction(epsilon)), 1.0), 1)
                    made = dpfda.density(x, domain=(0, 1), epsilon=epsilon, nodes=nodes)
                    kept.append(float(np.mean((made(GRID) - truth(curve)) ** 2)))
            lines.append(row(f"{law}, {n}", [f"{np.mean(kept) ** 0.5:.5f}" for kept in squares.values()]))
    return lines


def bernstein(data: Path | None) -> list[str]:
    rng = np.random.default_rng(3)
    x = draw(LAWS["two bumps"], 1000, rng)
    target = estimate(x, 0.1)
    lines = [
        "## Bernstein, epsilon 1",
        "",
        "One sample of 1000 points from two bumps, width .1, 50 exact releases each: root mean squared L2 error and its standard error. The "
        "reference figures are of another sample, 200 draws.",
        "",
        *head("K, iterations, sensitivity", ("error", "reference")),
    ]
    for order, iterations, kind, reference in (
        (10, 1, "published", "0.181"),
        (20, 1, "published", "0.130"),
        (30, 1, "published", "0.114"),
        (50, 1, "published", "0.116"),
        (40, 1, "published", "0.112"),
        (10, 10, "published", "0.072"),
        (50, 1, "tight", "0.078"),
        (20, 10, "tight", "0.038"),
    ):
        squares = [
            float(
                np.mean(
                    (
                        dpfda.density(
                            x,
                            domain=(0, 1),
                            epsilon=1,
                            bandwidth=0.1,
                            mechanism="bernstein",
                            lattice=order,
                            iterations=iterations,
                            sensitivity=kind,
                        )(GRID)
                        - target
                    )
                    ** 2
                )
            )
            for _ in range(50)
        ]
        mean = float(np.mean(squares))
        spread = float(np.std(squares)) / 50**0.5 / (2 * mean**0.5)
        lines.append(row(f"{order}, {iterations}, {kind}", [f"{mean**0.5:.3f} ({spread:.3f})", reference]))
    return lines


def regions(data: Path | None) -> list[str]:
    if data is None:
        return []
    rows = [line.rsplit(",", 3) for line in (data / "mortality_deaths.csv").read_text().splitlines()[1:]]
    lines = [
        "## Age at death in 19 regions, epsilon 1",
        "",
        "Expected squared L2 distance (per unit of 100 years, times 1e3) to the exact kernel estimate of width 5 years, 20 exact releases each, thousands as records; and the "
        "ratio of root mean squares of iclp and the default.",
        "",
        *head("region", ("records", "default", "iclp", "blocks", "bernstein K 20, h 10", "iclp/default")),
    ]
    ratios = []
    for region in dict.fromkeys(r[0] for r in rows):
        some = [r for r in rows if r[0] == region]
        edges = [float(r[1]) for r in some] + [100.0]
        counts = [round(float(r[3])) for r in some]
        n = sum(counts)
        t = GRID * 100
        ends = np.array([[math.erf((one - edge) / (5 * math.sqrt(2))) / 2 for edge in edges] for one in t])
        exact = -np.diff(ends, axis=1) @ (np.array(counts) / n / np.diff(edges))
        found = []
        for words in (
            {},
            {"mechanism": "iclp"},
            {"mechanism": "blocks"},
            {"mechanism": "bernstein", "lattice": 20, "iterations": 10},
        ):
            squares = [
                np.mean(
                    (
                        100
                        * (
                            dpfda.density(counts=(edges, counts), domain=(0, 100), epsilon=1, bandwidth=5, **words)(t)
                            - exact
                        )
                    )
                    ** 2
                )
                for _ in range(20)
            ]
            found.append(float(np.mean(squares)))
        ratios.append((found[1] / found[0]) ** 0.5)
        lines.append(row(region, [str(n), *(f"{1e3 * f:.3g}" for f in found), f"{ratios[-1]:.2f}"]))
    lines.append(row("least ratio", ["", "", "", "", "", f"{min(ratios):.2f}"]))
    return lines


def plane(data: Path | None) -> list[str]:
    """Two axes: kernel estimates against the exact ones, and the density itself."""
    lines = [
        "## Two axes",
        "",
        "Two bumps of norm 1.98 on a square: root mean squared L2 error of 8 exact releases, each of a new sample, against the exact kernel estimate of "
        "width h on both axes, and against the true density.",
        "",
        *head("n, epsilon, h", ("default", "blocks", "gaussian, delta 1e-6")),
    ]
    g = (np.arange(64) + 0.5) / 64
    where = np.stack(np.meshgrid(g, g, indexing="ij"), axis=-1)
    true = 0.6 * np.outer(normal(g, 0.3, 0.1), normal(g, 0.35, 0.1))
    true += 0.4 * np.outer(normal(g, 0.7, 0.1), normal(g, 0.65, 0.12))
    ways: tuple[dict[str, Any], ...] = ({}, {"mechanism": "blocks"}, {"mechanism": "gaussian", "delta": "1e-6"})
    for n, epsilon, width in (
        (2000, "1/4", None),
        (2000, "1", None),
        (2000, "4", None),
        (2000, "1", 0.1),
        (2000, "4", 0.1),
        (2000, "1", 0.05),
        (20000, "1", 0.05),
    ):
        cells = []
        for words in ways if width else ways[:1]:
            rng, squares = np.random.default_rng(7), []
            for _ in range(8):
                one = rng.random((n, 1)) < 0.6
                middle, spread = np.where(one, [0.3, 0.35], [0.7, 0.65]), np.where(one, 0.1, [0.1, 0.12])
                x = np.clip(rng.normal(middle, spread), 0, 1)
                target = true
                if width:
                    target = normal(g[:, None], x[:, 0], width) @ normal(g[:, None], x[:, 1], width).T / n
                made = dpfda.density(x, domain=[(0, 1)] * 2, epsilon=epsilon, bandwidth=width, **words)
                squares.append(float(np.mean((made(where) - target) ** 2)))
            cells.append(f"{np.mean(squares) ** 0.5:.3f}")
        lines.append(row(f"{n}, {epsilon}, {width or 'density'}", cells + [""] * (3 - len(cells))))
    return lines


def sample(data: Path | None) -> list[str]:
    rng = np.random.default_rng(4)
    x = draw(LAWS["two bumps"], 10_000, rng)
    one = dpfda.density(x, domain=(0, 1), epsilon=1)
    two = dpfda.density(np.column_stack([x, rng.random(10_000) * x]), domain=[(0, 1)] * 2, epsilon=1)
    lines = ["## A million synthetic records", "", *head("", ("seconds", "Kolmogorov distance", "times sqrt n"))]
    for name, release in (("one axis", one), ("two axes, first margin", two)):
        start = time.perf_counter()
        drawn = release.sample(10**6, np.random.default_rng(5))
        took = time.perf_counter() - start
        first = np.sort(drawn if drawn.ndim == 1 else drawn[:, 0])
        away = float(np.abs(release.density.marginal([0]).cdf(first) - (np.arange(10**6) + 0.5) / 10**6).max())
        lines.append(row(name, [f"{took:.2f}", f"{away:.5f}", f"{away * 1000:.2f}"]))
    return lines


def speed(data: Path | None) -> list[str]:
    rng = np.random.default_rng(6)
    lines = [
        "## Speed",
        "",
        "Ratios to one `numpy.bincount` of as many cell numbers on 2^14 cells; peak memory that Python sees above the points themselves, in MB.",
        "",
        *head("", ("seconds", "of which after the noise", "times bincount", "MB")),
    ]
    for d, n in ((1, 10**6), (1, 10**7), (2, 10**6)):
        x = rng.random((n, d))
        cells = (x[:, 0] * (1 << 14)).astype(np.int64)
        start = time.perf_counter()
        np.bincount(cells, minlength=1 << 14)
        floor = time.perf_counter() - start
        del cells
        start = time.perf_counter()
        nodes = 128 if d == 2 else None
        release = dpfda.density(x, domain=[(0, 1)] * d, epsilon=1, nodes=nodes)
        data_pass = time.perf_counter() - start
        _ = release.function
        took = time.perf_counter() - start
        tracemalloc.start()
        dpfda.density(x, domain=[(0, 1)] * d, epsilon=1, nodes=nodes)
        peak = tracemalloc.get_traced_memory()[1] / 2**20
        tracemalloc.stop()
        lines.append(
            row(
                f"{n:.0e} points, {d} axes",
                [f"{took:.2f}", f"{took - data_pass:.2f}", f"{data_pass / floor:.1f}", f"{peak:.0f}"],
            )
        )
        if importlib.util.find_spec("KDEpy") is not None:
            from KDEpy import FFTKDE

            start = time.perf_counter()
            FFTKDE(kernel="gaussian", bw=0.1).fit(x if d > 1 else x[:, 0]).evaluate((1 << 14) if d == 1 else (128,) * d)
            took = time.perf_counter() - start
            lines.append(row("the same by KDEpy's FFT, not private", [f"{took:.2f}", "", f"{took / floor:.1f}", ""]))
    return lines


SECTIONS = {f.__name__: f for f in (targets, laws, many, plane, bernstein, regions, sample, speed)}


def main(names: list[str]) -> None:
    folder = os.environ.get("DPFDA_DATA")
    data = Path(folder) if folder else None
    parts = []
    for name in names or list(SECTIONS):
        parts.append("\n".join(SECTIONS[name](data)))
        print(parts[-1], "\n", flush=True)
    if not names and data is not None:
        text = "# Benchmarks of densities\n\nMade by `python -m benchmarks.density`; times are of one run on one machine.\n\n"
        RESULTS.write_text(text + "\n\n".join(parts) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
