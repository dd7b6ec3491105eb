"""One released curve: its function, its cell averages and their band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BAND = "#1b4f72", "#5dade2"


def draw_curve(
    points: Floats,
    values: Floats,
    edges: Floats,
    averages: Floats,
    lower: Floats,
    upper: Floats,
    label: str,
    level: float,
    ax: Axes | None = None,
) -> Axes:
    """Draw the function over the band of its cell averages; make axes where none are given."""
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
    if np.isfinite(lower).all():
        ax.stairs(
            upper, edges, baseline=lower, fill=True, color=_BAND, alpha=0.25, linewidth=0,
            label=f"{100 * level:.4g} % band of the noise, for all cell averages at once",
        )  # fmt: skip
    ax.hlines(averages, edges[:-1], edges[1:], color=_INK, alpha=0.45, linewidth=1.2, label="released cell averages")
    ax.plot(points, values, color=_INK, linewidth=2.2, label=label)
    ax.use_sticky_edges = False
    ax.margins(y=0.05)
    ax.set_xlim(float(edges[0]), float(edges[-1]))
    ax.set_xlabel("t")
    ax.set_ylabel("mean")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small")
    return ax
