"""The pictures of docs/default-mean.md: every step of the default mean, on made-up people, with exact noise.

    python examples/default_mean.py [folder]

The people are made up, so the script may look at what a release never shows: single curves and exact means.
"""

import sys
from fractions import Fraction
from pathlib import Path

import matplotlib as mpl
import numpy as np

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import dpfda
from dpfda.privacy.neighbours import Neighbours
from dpfda.recipes.mean import Plan, run
from dpfda.recipes.private import PrivateLooks
from dpfda.release.smooth.powers import PowerLaw
from dpfda.spaces.ellipsoids import nearest, squared_sizes
from dpfda.spaces.interval import Interval
from dpfda.spaces.splines import SplineBasis
from dpfda.summaries.features import CurveFeatures

EPSILON = Fraction(1)
INK, LIGHT, RED = "#1b4f72", "#5dade2", "#b03a2e"
GRID, CURVES = dpfda.made_up_curves(500, rng=np.random.default_rng(2026))
PLAN = Plan.of(len(CURVES), EPSILON, Fraction(0), len(GRID))
BASIS = SplineBasis.on(GRID, Interval(0.0, 24.0), PLAN.functions)
FINE = np.linspace(0, 24, 481)
TABLE = BASIS.evaluate(FINE)
COEFFICIENTS = CurveFeatures(BASIS, GRID, Fraction(0), Fraction(1)).of(CURVES)


def curve(v: np.ndarray) -> np.ndarray:
    """Return the curve of coefficients in halves of the range 0 to 1."""
    return np.asarray(0.5 + 0.5 * (TABLE @ v))


def picture(folder: Path, name: str) -> Axes:
    _, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    ax.set_xlim(0, 24)
    ax.set_xticks(range(0, 25, 4))
    ax.set_xlabel("hour of the day")
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_label(str(folder / f"{name}.png"))
    return ax


def save(ax: Axes) -> None:
    if ax.get_legend_handles_labels()[0]:
        ax.legend(frameon=False, fontsize="small")
    path = str(ax.get_label())
    figure = ax.figure
    assert isinstance(figure, Figure)  # noqa: S101 - axes made above
    figure.savefig(path, dpi=90)
    plt.close("all")
    print(path)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    looks = PrivateLooks(PLAN, COEFFICIENTS, Neighbours.REPLACE_ONE, "curve", len(CURVES))
    outcome = run(PLAN, looks)
    first, second = outcome.answers
    guess = PowerLaw(1.0).fit(first.values, first.variances).mean
    exact = COEFFICIENTS.mean(axis=1)

    ax = picture(folder, "default-1-curves")
    ax.plot(GRID, CURVES[:25].T, color="0.6", linewidth=0.7)
    ax.axhspan(0, 1, color=LIGHT, alpha=0.12, label="the public range, 0 to 1")
    ax.plot(GRID, CURVES.mean(axis=0), "k", linewidth=1.6, label="exact mean of 500 people, never shown")
    ax.set_ylabel("activity")
    save(ax)

    ax = picture(folder, "default-2-functions")
    for j in range(6):
        ax.plot(FINE, TABLE[:, j] + 4 * (5 - j), color=INK, linewidth=1.2)
        ax.text(24.3, TABLE[-1, j] + 4 * (5 - j), str(j), color=INK, va="center")
    ax.set_yticks([])
    ax.set_ylabel("functions 0 to 5")
    save(ax)

    sizes = np.sqrt(squared_sizes(COEFFICIENTS - guess[:, None], PLAN.axes(1)))
    who = int(np.argsort(sizes)[-3])
    radius = outcome.radius or Fraction(1)
    away = nearest(COEFFICIENTS[:, who : who + 1] - guess[:, None], PLAN.axes(1), float(radius))[:, 0]
    ax = picture(folder, "default-3-moved")
    ax.plot(FINE, curve(guess), color="0.5", linewidth=1.2, label="the released guess")
    ax.plot(FINE, curve(COEFFICIENTS[:, who]), color=RED, linewidth=1.2, label="a person far from it")
    ax.plot(FINE, curve(guess + away), color=RED, linestyle="--", linewidth=1.6, label="where that person is moved")
    ax.set_ylabel("activity")
    save(ax)

    ax = picture(folder, "default-4-first-look")
    ax.plot(FINE, curve(exact), "k:", linewidth=1.2, label="exact mean, never shown")
    ax.plot(FINE, curve(first.values), color=LIGHT, linewidth=1.2, label="first look, 2/5 of epsilon")
    ax.plot(FINE, curve(guess), color=INK, linewidth=1.8, label="smoothed: the guess")
    ax.set_ylabel("activity")
    save(ax)

    _, ax = plt.subplots(figsize=(6.4, 3.4), layout="constrained")
    ax.set_label(str(folder / "default-5-radius.png"))
    offered = [float(r) for r in PLAN.radii]
    ax.semilogx(
        offered, [int((sizes > r).sum()) for r in offered], "o-", color=INK, label="people outside, never shown"
    )
    ax.axhline(PLAN.target, color=RED, linestyle="--", label=f"public target, {PLAN.target}")
    ax.axvline(float(radius), color=LIGHT, linewidth=6, alpha=0.5, label="chosen, 3/25 of epsilon")
    ax.set_xlabel("radius, in halves of the range")
    ax.set_ylabel("people outside")
    ax.spines[["top", "right"]].set_visible(False)
    save(ax)

    smooth = PowerLaw(1.0).fit(outcome.combined.values, outcome.combined.variances).mean
    ax = picture(folder, "default-6-second-look")
    ax.plot(FINE, curve(exact), "k:", linewidth=1.2, label="exact mean, never shown")
    ax.plot(FINE, curve(second.values), color=LIGHT, linewidth=1.2, label="second look, 12/25 of epsilon")
    ax.plot(
        FINE, curve(smooth), color=INK, linewidth=1.8, label="both looks as far as they agree, smoothed: the release"
    )
    ax.set_ylabel("activity")
    save(ax)

    release = dpfda.mean(CURVES, GRID, groups=None, epsilon=EPSILON, value_range=(0, 1), spread=True)
    ax = picture(folder, "default-7-bands")
    release.plot(ax)
    ax.plot(GRID, CURVES.mean(axis=0), "k:", linewidth=1.2, label="exact mean, never shown")
    ax.set_xlabel("hour of the day")
    ax.set_ylabel("activity")
    save(ax)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs/images")
