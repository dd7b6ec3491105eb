"""One released surface: an image with its scale, and how far off the noise may have put it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from dpfda.spaces.box import Box, mesh_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Points an axis of the picture.
_POINTS = 201
#: Boxes up to so many times as long as wide are drawn to scale.
_SQUARE = 4


def draw_surface(function: Callable[..., Any], domain: Box, label: str, band: Any, ax: Axes | None = None) -> Axes:
    """Draw the function on a box as an image, with a colour bar; make axes where none are given.

    The title says how wide the band of the noise is.  Of a volume the middle slice along the last axis is drawn.  The first axis goes to the
    right, the second upwards.
    """
    if ax is None:
        import matplotlib.pyplot as plt

        _, ax = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    grids = domain.mesh((_POINTS, _POINTS, 1)[: len(domain.axes)])
    where = ""
    if len(grids) == 3:
        last = domain.axes[2]
        middle = (last.start + last.end) / 2
        grids = (*grids[:2], np.array([middle]))
        where = f", at {middle:g} on the last axis"
    values = np.asarray(function(mesh_points(grids))).reshape(_POINTS, _POINTS)
    half = (band.upper - band.lower) / 2
    extent = (grids[0][0], grids[0][-1], grids[1][0], grids[1][-1])
    ratio = (extent[1] - extent[0]) / (extent[3] - extent[2])
    aspect: Literal["equal", "auto"] = "equal" if 1 / _SQUARE <= ratio <= _SQUARE else "auto"
    image = ax.imshow(values.T, origin="lower", extent=extent, aspect=aspect, cmap="viridis", interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="mean")
    wide = (
        f"{100 * band.level:.4g} % band of the noise: ±{half.min():.2g} to ±{half.max():.2g}"
        if np.isfinite(half).all()
        else f"{100 * band.level:.4g} % band of the noise: unlimited"
    )
    ax.set_title(f"{label}{where}\n{wide}", fontsize="small")
    ax.set_xlabel("x")
    ax.set_ylabel("y")
    return ax
