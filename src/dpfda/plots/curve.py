"""One released curve: its function, its cell averages and their band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BAND = "#1b4f72", "#5dade2"
#: What a band is called in a legend.
NAMES = {
    "noise": "band of the noise",
    "posterior": "posterior band, if the prior is believed",
    "population": "band for the population's mean",
}


def draw_curve(
    points: Floats,
    values: Floats,
    label: str,
    level: float,
    ax: Axes | None = None,
    covers: str = "noise",
    *,
    cells: tuple[Floats, Floats, Floats, Floats] | None = None,
    band: tuple[Floats, Floats, Floats] | None = None,
) -> Axes:
    """Draw the function over its band; make axes where none are given.

    `cells` are edges, averages, lower and upper ends; `band` are points, lower and upper ends.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    if cells is not None:
        edges, averages, lower, upper = cells
        if np.isfinite(lower).all():
            name = f"{100 * level:.4g} % {NAMES[covers]}, for all cell averages at once"
            ax.stairs(upper, edges, baseline=lower, fill=True, color=_BAND, alpha=0.25, linewidth=0, label=name)
        ax.hlines(
            averages, edges[:-1], edges[1:], color=_INK, alpha=0.45, linewidth=1.2, label="released cell averages"
        )
    if band is not None and np.isfinite(band[1]).all():
        name = f"{100 * level:.4g} % {NAMES[covers]}, for the whole curve at once"
        ax.fill_between(*band, color=_BAND, alpha=0.25, linewidth=0, label=name)
    ax.plot(points, values, color=_INK, linewidth=2.2, label=label)
    ax.use_sticky_edges = False
    ax.margins(y=0.05)
    ax.set_xlim(float(points[0]), float(points[-1]))
    ax.set_xlabel("t")
    ax.set_ylabel("mean")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return ax


def draw_curves(
    curves: list[tuple[str, Floats, Floats, Floats, Floats, Floats]],
    name: str,
    level: float,
    covers: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw several curves, each over its band: (label, points, values, points of the band, lower, upper)."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    for place, (label, points, values, where, lower, upper) in enumerate(curves):
        colour = f"C{place}"
        ax.plot(points, values, color=colour, linewidth=2.0, label=label)
        if np.isfinite(lower).all():
            ax.fill_between(where, lower, upper, color=colour, alpha=0.2, linewidth=0)
    ax.set_xlim(float(curves[0][1][0]), float(curves[0][1][-1]))
    ax.set_xlabel("t")
    ax.set_ylabel("mean")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(
        frameon=False,
        fontsize="small",
        alignment="left",
        title=f"private means, {name}\n{100 * level:.4g} % {NAMES[covers]}",
    )
    return ax
