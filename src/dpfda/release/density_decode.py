"""From a file back to a released density, with everything checked."""

from __future__ import annotations

import numpy as np

from dpfda.errors import FormatError, ParameterError
from dpfda.mechanisms.choices import DENSITY_LABELS
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.decode import guarantee_of_fields, law_of_fields
from dpfda.release.density import Density
from dpfda.release.density_view import (
    GRID,
    SHAPES,
    BasisDensityView,
    BernsteinView,
    BinView,
    DensityView,
    NodeView,
    Width,
)
from dpfda.release.fields import Fields
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval


def density_of_fields(fields: Fields) -> Density:
    """Return the density a file holds, checked."""
    axes, names = _axes(fields)
    raw = np.array(fields.numbers("raw"))
    release = Density(
        raw=raw,
        view=_view(fields.inside("view"), axes, len(raw)),
        law=law_of_fields(fields.inside("law")),
        guarantee=guarantee_of_fields(fields.inside("guarantee")),
        names=names,
    )
    _check(fields, release)
    return release


def _axes(fields: Fields) -> tuple[tuple[Interval, ...], tuple[str, ...]]:
    axes, names = [], []
    for f in fields.objects("axes"):
        ends = f.numbers("domain")
        if len(ends) != 2:
            raise f.wrong("domain", "must hold two numbers")
        try:
            axes.append(Circle(*ends) if f.flag("periodic") else Interval(*ends))
        except ParameterError as error:
            raise f.wrong("domain", f"is wrong: {error}") from None
        names.append(f.text("name"))
    if not 1 <= len(axes) <= len(GRID):
        raise fields.wrong("axes", "must be one to three")
    return tuple(axes), tuple(names)


def _view(f: Fields, axes: tuple[Interval, ...], count: int) -> DensityView:
    kind, d = f.text("kind"), len(axes)
    width = _width(f, d)
    if kind == "nodes":
        nodes = f.whole("nodes", 2)
        if nodes**d != count:
            raise f.wrong("nodes", "do not fit the number of values")
        return NodeView(axes, width, nodes)
    if kind == "bins":
        return _bins(f, axes, width, count)
    if width is None:
        raise f.wrong("width", "is missing")
    if kind == "bernstein":
        order = f.whole("order", 1)
        if (order + 1) ** d != count:
            raise f.wrong("order", "does not fit the number of values")
        return BernsteinView(axes, width, order, f.whole("iterations", 1))
    if kind != "basis":
        raise f.wrong("kind", "must be 'nodes', 'basis' or 'bernstein'")
    tables = f.values.get("functions")
    if not isinstance(tables, list) or len(tables) != d:
        raise f.wrong("functions", "must be one table an axis")
    index = np.array(f.table("index", d))
    functions = []
    for axis, table in enumerate(tables):
        columns = len(table[0]) if isinstance(table, list) and table and isinstance(table[0], list) else 0
        functions.append(np.array(Fields({"functions": table}, f.place).table("functions", columns)))
        if len(functions[axis]) != GRID[d] or (index[:, axis] != np.rint(index[:, axis])).any():
            raise f.wrong("functions", "do not fit the grid")
        if index[:, axis].min() < 0 or index[:, axis].max() >= columns:
            raise f.wrong("index", "does not fit the functions")
    if len(index) != count:
        raise f.wrong("index", "does not fit the number of values")
    return BasisDensityView(axes, width, tuple(functions), index.astype(np.int64))


def _bins(f: Fields, axes: tuple[Interval, ...], width: Width | None, count: int) -> BinView:
    edges = f.numbers("edges", 2)
    found = BinView(axes, width, tuple(edges), f.whole("together", 1))
    inside = edges[0] >= axes[0].start and edges[-1] <= axes[0].end
    if len(axes) != 1 or not inside or (np.diff(edges) <= 0).any() or len(found.runs) - 1 != count:
        raise f.wrong("edges", "do not fit the domain and the values")
    return found


def _width(f: Fields, dimension: int) -> Width | None:
    if f.values.get("width") is None:
        return None
    w = f.inside("width")
    shape, widths = w.text("shape"), tuple(w.numbers("widths", 0))
    if shape not in SHAPES:
        raise w.wrong("shape", f"must be one of {', '.join(SHAPES)}")
    if widths:
        if len(widths) != dimension or min(widths) <= 0:
            raise w.wrong("widths", "must be one above 0 an axis")
        return Width(shape, widths)
    matrix = np.array(w.table("matrix", dimension))
    if len(matrix) != dimension or not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix).min() <= 0:
        raise w.wrong("matrix", "must be positive definite")
    return Width(shape, matrix=tuple(tuple(float(x) for x in row) for row in matrix))


def _check(fields: Fields, release: Density) -> None:
    """Check what the fields say of one another: a file that contradicts itself is not believed."""
    g, law, event = release.guarantee, release.law, release.guarantee.events[-1] if release.guarantee.events else None
    hidden = g.neighbours is Neighbours.ADD_REMOVE
    values = len(release.raw)
    nodes = isinstance(release.view, NodeView | BinView)
    contradictions = {
        "guarantee.events are missing": event is None,
        "law.mechanism is no law of noise": law.mechanism in DENSITY_LABELS,
        "law does not fit the guarantee": (law.dimension, law.scale, law.count_weight)
        != (g.dimension, g.scale, g.count_weight),
        "law does not fit the number of values": law.dimension != values + (hidden and not nodes)
        or (len(law.steps), len(law.rounding)) != (values, values)
        or (bool(law.sizes) and sum(law.sizes) != values),
        "law has a step, a count or a rounding that cannot be": min(law.steps) <= 0
        or law.count <= 0
        or min(law.rounding) < 0,
        "guarantee.n does not fit the neighbours": (g.n is None) != hidden,
        "guarantee.sensitivity does not follow from the bound": not 1 <= g.sensitivity.units <= 2 * g.bound * values
        or (nodes and g.sensitivity.units != g.bound * (1 if hidden else 2)),
        "guarantee.events do not fit the guarantee": any(
            (e.neighbours, e.unit) != (g.neighbours, g.unit) for e in g.events
        ),
        "guarantee.events do not add up to its epsilon": sum(e.epsilon for e in g.events) != g.epsilon,
    }
    for words, true in contradictions.items():
        if true:
            raise FormatError(f"the release file is damaged: {words}")
    assert event is not None  # noqa: S101 - it was asked above
    if event.delta != g.delta or event.square != law.law.square(g.sensitivity.units, g.scale):
        raise fields.wrong("guarantee.delta", "does not fit the mechanism")
    try:
        law.law.confirm(g.sensitivity.units, g.scale, event.epsilon, event.delta)
    except ParameterError:
        raise fields.wrong("guarantee.epsilon", "does not follow from the sensitivity and the scale") from None
