"""Pictures of private densities beside the exact ones, in the two settings of Lin and Reimherr (2026), section 6.2.

Run `python -m benchmarks.density_pictures FOLDER`.
"""

import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from numpy.typing import NDArray

import dpfda

Floats = NDArray[np.float64]
INK, EXACT = "#1b4f72", "#c0392b"
ETAS = (1.01, 1.1, 1.25, 1.5)
LATTICES = (5, 10, 30, 50)


def mixture(n: int, rng: np.random.Generator) -> Floats:
    found = np.empty(0)
    while len(found) < n:
        x = np.where(rng.random(n) < 0.6, rng.normal(0.3, 0.1, n), rng.normal(0.7, 0.1, n))
        found = np.concatenate([found, x[(x >= 0) & (x <= 1)]])
    return found[:n]


def plane(n: int, rng: np.random.Generator) -> Floats:
    found = np.empty((0, 2))
    while len(found) < n:
        which = rng.random((n, 1)) < 0.6
        middle = np.where(which, np.array([-3.0, -3.0]), np.array([3.0, 2.0]))
        x = middle + rng.multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], n)
        found = np.vstack([found, x[(np.abs(x) <= 5).all(axis=1)]])
    return found[:n]


def panels(width: float, line: bool) -> dict[str, dict[str, Any]]:
    """Return the words of the releases of one picture."""
    kernel = "gaussian" if line else "exponential"
    shown: dict[str, dict[str, Any]] = {
        "default, the density itself": {},
        "default, kernel estimate": {"bandwidth": width, "kernel": kernel},
    }
    for eta in ETAS:
        shown[f"iclp, kernel noise, eta {eta}"] = {
            "bandwidth": width,
            "kernel": "gaussian",
            "mechanism": "iclp",
            "eta": eta,
            "noise": "kernel",
        }
    shown["iclp, matched"] = {"bandwidth": width, "kernel": kernel, "mechanism": "iclp"}
    shown["finite basis"] = {"bandwidth": width, "kernel": kernel, "mechanism": "finite-basis", "noise": "kernel"}
    for lattice in LATTICES if line else (5, 10, 15, 20):
        shown[f"Bernstein, K = {lattice}"] = {
            "bandwidth": width,
            "kernel": kernel,
            "mechanism": "bernstein",
            "lattice": lattice,
            "sensitivity": "published",
        }
    return shown


def on_a_line(folder: Path) -> None:
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(1)
    x, width = mixture(1000, rng), 1000 ** (-1 / 5) / 3
    t = np.linspace(0, 1, 400)
    exact = (np.exp(-0.5 * ((t[:, None] - x) / width) ** 2) / (width * np.sqrt(2 * np.pi))).mean(axis=1)
    truth = 0.6 * np.exp(-0.5 * ((t - 0.3) / 0.1) ** 2) + 0.4 * np.exp(-0.5 * ((t - 0.7) / 0.1) ** 2)
    figure, axes = plt.subplots(3, 4, figsize=(14, 8.4), sharex=True, sharey=True, layout="constrained")
    for ax, (title, words) in zip(axes.flat, panels(width, True).items(), strict=False):
        ax.plot(t, truth / truth.mean() if not words else exact, color=EXACT, linewidth=1.5, linestyle="--")
        for _ in range(5):
            ax.plot(t, dpfda.density(x, domain=(0, 1), epsilon=1, **words)(t), color=INK, linewidth=1, alpha=0.6)
        ax.set_title(title, fontsize="medium")
        ax.spines[["top", "right"]].set_visible(False)
    figure.suptitle(
        f"n = 1000, epsilon 1, width {width:.3f}: five releases each; dashed what they estimate (exact kernel estimate, or the density)"
    )
    figure.savefig(folder / "densities-line.png", dpi=70)
    plt.close(figure)


def on_a_plane(folder: Path) -> None:
    from matplotlib import pyplot as plt

    rng = np.random.default_rng(2)
    x, width = plane(2000, rng), 10 * 2000 ** (-1 / 6) / 4
    t = np.linspace(-5, 5, 100)
    where = np.stack(np.meshgrid(t, t, indexing="ij"), axis=-1)
    one = np.exp(-np.abs(t[:, None] - x[:, 0]) / width) / (2 * width)
    two = np.exp(-np.abs(t[:, None] - x[:, 1]) / width) / (2 * width)
    exact = one @ two.T / len(x)
    drawn: dict[str, Floats] = {"exact kernel estimate": exact}
    for title, words in panels(width, False).items():
        drawn[title] = dpfda.density(x, domain=[(-5, 5)] * 2, epsilon=1, **words)(where)
    figure, axes = plt.subplots(3, 5, figsize=(15, 9), sharex=True, sharey=True, layout="constrained")
    for ax in axes.flat:
        ax.set_axis_off()
    for ax, (title, values) in zip(axes.flat, drawn.items(), strict=False):
        ax.set_axis_on()
        ax.contourf(t, t, values.T, levels=12, cmap="Blues")
        ax.set_title(f"{title}\n{values.min():.3f} to {values.max():.3f}", fontsize="small")
    figure.suptitle(f"n = 2000, epsilon 1, product kernels of width {width:.2f}; lowest and highest value")
    figure.savefig(folder / "densities-plane.png", dpi=60)
    plt.close(figure)


if __name__ == "__main__":
    mpl.use("Agg")
    on_a_line(Path(sys.argv[1]))
    on_a_plane(Path(sys.argv[1]))
