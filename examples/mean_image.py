"""A mean image of people who do not exist: the exact one, which would be secret, beside the private one.

    python examples/mean_image.py mean_image.png

Every made-up person has a map of 64 x 64 values between 0 and 1: how much of a day was spent in each corner of a town of
2 by 2 kilometres, with a home, a place of work and a way between them.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import dpfda

Floats = NDArray[np.float64]


def made_up_maps(n: int, pixels: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return an axis in kilometres, and a map a person."""
    axis = np.linspace(0.0, 2.0, pixels)
    x, y = np.meshgrid(axis, axis, indexing="ij")

    def bump(at: Floats, width: float) -> Floats:
        return np.asarray(np.exp(-((x - at[:, 0, None, None]) ** 2 + (y - at[:, 1, None, None]) ** 2) / (2 * width**2)))

    home = rng.normal([0.6, 1.4], 0.22, (n, 2))
    work = rng.normal([1.4, 0.5], 0.16, (n, 2))
    home = np.where(rng.random((n, 1)) < 0.3, rng.normal([0.4, 0.4], 0.12, (n, 2)), home)
    way = np.max([bump(home + share * (work - home), 0.09) for share in np.linspace(0.1, 0.9, 9)], axis=0)
    maps = 0.9 * bump(home, 0.2) + 0.8 * bump(work, 0.17) + 0.35 * way
    return axis, np.clip(maps, 0.0, 1.0)


def main(path: str, n: int = 4000, pixels: int = 64) -> dpfda.Release:
    """Release the mean map and draw it beside the exact one."""
    axis, maps = made_up_maps(n, pixels, np.random.default_rng(3))
    release = dpfda.mean(
        maps,
        grid=(axis, axis),
        domain=dpfda.Box((0, 2), (0, 2)),
        epsilon=1,
        value_range=(0, 1),
        mechanism="auto",
        kernel=dpfda.Matern(2.5, 0.4),
    )
    exact = maps.mean(axis=0)
    figure, axes = plt.subplots(1, 3, figsize=(14.5, 4.4), layout="constrained")
    low, high = float(exact.min()), float(exact.max())
    image = axes[0].imshow(exact.T, origin="lower", extent=(0, 2, 0, 2), aspect="auto", vmin=low, vmax=high)
    axes[0].set(title=f"exact mean of {n} made-up maps\nnever published", xlabel="x, km", ylabel="y, km")
    figure.colorbar(image, ax=axes[0], label="mean")
    release.plot(axes[1])
    axes[1].images[0].set_clim(low, high)
    axes[1].set(xlabel="x, km", ylabel="y, km")
    off = release(axis[:, None], axis) - exact
    widest = float(np.abs(off).max())
    image = axes[2].imshow(
        off.T, origin="lower", extent=(0, 2, 0, 2), aspect="auto", cmap="RdBu", vmin=-widest, vmax=widest
    )
    size = float(np.sqrt(np.mean(off**2)))
    axes[2].set(title=f"private minus exact\nroot mean square {size:.3f}", xlabel="x, km", ylabel="y, km")
    figure.colorbar(image, ax=axes[2])
    figure.savefig(path, dpi=110)
    plt.close(figure)
    return release


if __name__ == "__main__":
    print(main(sys.argv[1] if len(sys.argv) > 1 else "mean_image.png").summary())
