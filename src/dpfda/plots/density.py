"""One released density: its curve with a band, or its contours on two axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.spaces.gridded import GridFunction
from dpfda.spaces.interval import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK, _BAND, _BAR = "#1b4f72", "#5dade2", "#aab7b8"


def draw_density(
    density: GridFunction,
    label: str,
    names: tuple[str, ...],
    ax: Axes | None = None,
    *,
    band: Any = None,
    shares: tuple[Floats, Floats] | None = None,
) -> Axes:
    """Draw a density on one or two axes; make axes where none are given.

    `band` has `lower`, `upper`, `level` and `covers`; `shares` are edges and heights of the
    released shares of the records.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        size = (7.2, 4.2) if len(density.axes) == 1 else (6.4, 5.2)
        _, ax = plt.subplots(figsize=size, layout="constrained")
    if not hasattr(ax, "stairs"):
        raise ParameterError(
            f"plot takes matplotlib axes, not {ax!r}; to write a picture: release.plot().figure.savefig('density.png')"
        )
    if len(density.axes) == 1:
        _curve(density, label, ax, band, shares)
    else:
        _contours(density, label, ax)
        ax.set_ylabel(names[1])
    ax.set_xlabel(names[0])
    return ax


def _curve(density: GridFunction, label: str, ax: Axes, band: Any, shares: tuple[Floats, Floats] | None) -> None:
    domain = density.axes[0]
    t = np.linspace(domain.start, domain.end, 801)
    if shares is not None:
        edges, heights = shares
        ax.stairs(heights, edges, color=_BAR, linewidth=1, label="released shares of the records, with their noise")
    if band is not None:
        name = f"{100 * band.level:.4g} % band ({band.covers}), everywhere at once"
        ax.fill_between(
            t, band.lower(t[:, None]), band.upper(t[:, None]), color=_BAND, alpha=0.25, linewidth=0, label=name
        )
    values = density(t[:, None])
    ax.plot(t, values, color=_INK, linewidth=2.2, label=label)
    ax.set_xlim(domain.start, domain.end)
    ax.set_ylim(min(0.0, 1.05 * float(values.min())), max(1.6 * float(values.max()), 1e-300))
    ax.set_ylabel("density")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, fontsize="small", loc="upper right")


def _contours(density: GridFunction, label: str, ax: Axes) -> None:
    x, y = density.places(0), density.places(1)
    largest = max(float(density.values.max()), 1e-300)
    filled = ax.contourf(x, y, np.maximum(density.values, 0.0).T, levels=np.linspace(0, largest, 13), cmap="Blues")
    figure = ax.get_figure()
    if figure is not None:
        figure.colorbar(filled, ax=ax, label="density")
    ax.set_title(label, fontsize="medium")
    ax.set_xlim(density.axes[0].start, density.axes[0].end)
    ax.set_ylim(density.axes[1].start, density.axes[1].end)
