"""From a file back to a release."""

from __future__ import annotations

from os import PathLike

from dpfda.release import envelope
from dpfda.release.decode import mean_of_fields
from dpfda.release.density import Density
from dpfda.release.density_decode import density_of_fields
from dpfda.release.fields import Fields
from dpfda.release.release import Release


def load(path: str | PathLike[str]) -> Release | Density:
    """Read a release that `Release.save`, `Density.save` or the command line wrote.

    The file is checked before it is believed: its format, its hash, the type of every field, finite numbers, and that its
    noise scale really gives the epsilon it states.  The hash finds accidents; it is not a signature.

    Examples
    --------
    >>> release = dpfda.load("mean.json")  # doctest: +SKIP
    """
    fields = Fields(envelope.read(path))
    kind = fields.text("kind")
    if kind in ("mean", "mean-surface"):
        return mean_of_fields(fields)
    if kind == "density":
        return density_of_fields(fields)
    raise fields.wrong("kind", f"is {kind!r}, and this dpfda knows 'mean', 'mean-surface' and 'density'")
