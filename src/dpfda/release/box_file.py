"""How the function of a surface stands in a file, and comes back (docs/release-format.md)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpfda.errors import ParameterError
from dpfda.release.box_view import BoxView
from dpfda.release.fields import Fields
from dpfda.spaces.basis import Basis
from dpfda.spaces.box import Box
from dpfda.spaces.carried import CarriedBasis, carried
from dpfda.spaces.circle import Circle
from dpfda.spaces.families import CosineBasis, FourierBasis, LegendreBasis
from dpfda.spaces.interval import Interval
from dpfda.spaces.product import BoxBasis

#: How the families of functions are called in files.
FAMILIES: dict[type[Basis], str] = {LegendreBasis: "legendre", CosineBasis: "cosine", FourierBasis: "fourier"}

#: Functions an axis may have in a file.
_MOST = 4096


def box_content(view: BoxView) -> dict[str, Any]:
    """Return what a file holds of a surface's domain and functions."""
    basis = view.basis
    return {
        "kind": "mean-surface",
        "domain": [[axis.start, axis.end] for axis in view.domain.axes],
        "periodic": [isinstance(axis, Circle) for axis in view.domain.axes],
        "interpolation": "product-basis",
        "basis": {
            "axes": [_factor(carried(factor)) for factor in basis.factors],
            "terms": basis.terms.tolist(),
            "mixing": [] if _plain(basis.mixing) else basis.mixing.tolist(),
            "centre_grids": [grid.tolist() for grid in view.centre_grid],
            "centre": view.centre.ravel().tolist(),
            "derivatives": list(view.derivatives),
            "order": view.order,
            "thresholds": view.thresholds.tolist(),
        },
    }


def box_view(fields: Fields, count: int) -> BoxView:
    """Return the view that `box_content` wrote, for so many values."""
    if fields.text("interpolation") != "product-basis":
        raise fields.wrong("interpolation", "must be 'product-basis' for a surface")
    domain = _box(fields)
    axes = len(domain.axes)
    f = fields.inside("basis")
    parts = f.objects("axes")
    if len(parts) != axes:
        raise f.wrong("axes", f"must hold {axes} families, one an axis")
    factors = tuple(_carried(part, axis) for part, axis in zip(parts, domain.axes, strict=True))
    terms = np.array(f.table("terms", axes))
    if (terms != np.floor(terms)).any() or (terms < 0).any() or (terms >= [b.count for b in factors]).any():
        raise f.wrong("terms", "must be rows of whole numbers that the axes have functions for")
    mixing = np.eye(len(terms)) if f.values.get("mixing") == [] else np.array(f.table("mixing", count))
    if mixing.shape != (len(terms), count):
        raise f.wrong("mixing", "does not fit the terms and the values")
    basis = BoxBasis(domain, factors, terms.astype(np.int64), mixing, np.ones(count), np.zeros(count))
    grids = tuple(np.array(grid) for grid in f.ragged("centre_grids"))
    centre = np.array(f.numbers("centre"))
    fits = len(grids) == axes and math.prod(map(len, grids)) == len(centre)
    if not fits or any((np.diff(grid) <= 0).any() for grid in grids):
        raise f.wrong("centre", "does not fit its grids")
    derivatives = tuple(int(k) for k in f.numbers("derivatives"))
    if len(derivatives) != axes or min(derivatives) < 0:
        raise f.wrong("derivatives", f"must be {axes} whole numbers from 0")
    thresholds = np.array(f.numbers("thresholds", least=0))
    if thresholds.size not in (0, count) or (thresholds < 0).any():
        raise f.wrong("thresholds", "must be none, or one for every value")
    table = centre.reshape([len(grid) for grid in grids])
    return BoxView(domain, basis, grids, table, derivatives, f.whole("order", 0), thresholds)


def _factor(basis: CarriedBasis) -> dict[str, Any]:
    plain = _plain(basis.mixing)
    return {
        "carrier": FAMILIES[type(basis.carrier)],
        "count": basis.count,
        "mixing": [] if plain else basis.mixing.tolist(),
    }


def _carried(f: Fields, axis: Interval) -> CarriedBasis:
    families = {name: family for family, name in FAMILIES.items()}
    if f.text("carrier") not in families:
        raise f.wrong("carrier", f"must be one of {', '.join(families)}")
    count = f.whole("count", 1)
    if count > _MOST:
        raise f.wrong("count", f"must be at most {_MOST}")
    mixing = np.eye(count) if f.values.get("mixing") == [] else np.array(f.table("mixing", count))
    return CarriedBasis(axis, count, families[f.text("carrier")](axis, len(mixing)), mixing)


def _box(fields: Fields) -> Box:
    ends, periodic = fields.table("domain", 2), fields.values.get("periodic")
    if not isinstance(periodic, list) or len(periodic) != len(ends) or not all(isinstance(p, bool) for p in periodic):
        raise fields.wrong("periodic", "must be true or false for every axis of the domain")
    try:
        return Box(*(Circle(*pair) if turns else Interval(*pair) for pair, turns in zip(ends, periodic, strict=True)))
    except ParameterError as error:
        raise fields.wrong("domain", f"is wrong: {error}") from None


def _plain(mixing: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    return mixing.shape[0] == mixing.shape[1] and bool((mixing == np.eye(len(mixing))).all())
