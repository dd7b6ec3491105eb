"""A released curve for every group of persons, and what may be said of their differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpfda.errors import ParameterError
from dpfda.plots.curve import draw_curves
from dpfda.privacy.amounts import words
from dpfda.release.bands import Band
from dpfda.release.box_bands import BoxBand
from dpfda.release.combination import Combination
from dpfda.release.envelope import refuse_existing, refuse_foreign
from dpfda.release.release import Release

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class Groups:
    """One release a group, of disjoint persons: `groups["girls"]`, `groups.difference("girls", "boys")`.

    A person is in one group, and which one is public, so a change of that person's data touches one release alone: together
    they cost the largest epsilon, not the sum (docs/proofs/composition.md).

    Parameters
    ----------
    labels : tuple of str
        The public list of groups, sorted unless it was given.
    releases : tuple of Release
        One each.
    """

    labels: tuple[str, ...]
    releases: tuple[Release, ...]

    def __getitem__(self, label: object) -> Release:
        """Return a group's release."""
        if str(label) not in self.labels:
            raise ParameterError(f"there is no group {label!r}: there are {', '.join(map(repr, self.labels))}")
        return self.releases[self.labels.index(str(label))]

    def __iter__(self) -> Iterator[str]:
        """Go through the labels."""
        return iter(self.labels)

    def __len__(self) -> int:
        return len(self.labels)

    def items(self) -> Iterator[tuple[str, Release]]:
        """Go through labels and releases."""
        return zip(self.labels, self.releases, strict=True)

    @property
    def epsilon(self) -> Fraction:
        """What all of them cost together: the largest of the groups' epsilons."""
        return max(release.guarantee.epsilon for release in self.releases)

    @property
    def delta(self) -> Fraction:
        """The largest of the groups' deltas."""
        return max(release.guarantee.delta for release in self.releases)

    def difference(self, one: object, other: object) -> Combination:
        """Return the curve of one group minus another's, with its bands; it costs nothing further."""
        label = f"private mean of {one} minus {other}"
        return Combination(((1.0, self[one]), (-1.0, self[other])), disjoint=True, label=label)

    def summary(self) -> str:
        """Return what was released for every group, in words."""
        head = (
            f"{len(self)} groups of different persons, which group a person belongs to being public: together epsilon "
            f"{words(self.epsilon)}, delta {words(self.delta)}."
        )
        return "\n\n".join([head, *(f"--- {label} ---\n{release.summary()}" for label, release in self.items())])

    def statement(self) -> str:
        """Return a paragraph for a data-protection assessment."""
        names = ", ".join(self.labels)
        return (
            f"{self.releases[0].statement()} The same holds for the curve of each of the groups {names}; they are of different persons, "
            "and which group a person belongs to, and the groups' list, are public, so that all of them together cost no more "
            "than one."
        )

    def plot(self, ax: Axes | None = None, level: float = 0.95, covers: str | None = None) -> Axes:
        """Draw every group's curve over its band; return the axes.  `covers` as for `Release.plot`."""
        drawn = []
        for label, release in self.items():
            kind = covers or release.usual_band
            band = release.band(level, kind)
            if isinstance(band, BoxBand):
                raise ParameterError("groups are drawn as curves: plot each release of a surface by itself")
            points = np.linspace(release.domain.start, release.domain.end, 501)
            ends = band(points) if isinstance(band, Band) else (band.lower, band.upper)
            where = points if isinstance(band, Band) else band.points
            drawn.append((label, points, release(points), where, *ends))
        name = f"epsilon {words(self.epsilon)}"
        return draw_curves(drawn, name, level, covers or self.releases[0].usual_band, ax)

    def save(self, path: str | PathLike[str], overwrite: bool = False) -> tuple[Path, ...]:
        """Write a file a group, "mean.girls.json" for "mean.json"; all of them, or none where one cannot be written."""
        paths = group_paths(path, self.labels)
        for one in paths:
            refuse_existing(one, overwrite)
            refuse_foreign(one)
        for one, release in zip(paths, self.releases, strict=True):
            release.save(one, overwrite)
        return paths

    def __repr__(self) -> str:
        return f"Groups({', '.join(map(repr, self.labels))}; epsilon {words(self.epsilon)})"


def group_paths(path: str | PathLike[str], labels: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the file of every group; labels that cannot be part of a file's name are refused."""
    for label in labels:
        if not label or any(c in label for c in '/\\:*?"<>|\0') or label.startswith("."):
            raise ParameterError(f"the group {label!r} cannot be part of a file's name: give the groups other labels")
    source = Path(path)
    return tuple(source.with_name(f"{source.stem}.{label}{source.suffix}") for label in labels)
