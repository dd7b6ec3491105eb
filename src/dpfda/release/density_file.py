"""From a released density to plain lists and words (docs/release-format.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpfda.release.density_view import BasisDensityView, BernsteinView, BinView, DensityView, NodeView, Width
from dpfda.release.encode import guarantee_fields, law_fields
from dpfda.spaces.circle import Circle

if TYPE_CHECKING:
    from dpfda.release.density import Density


def content(release: Density) -> dict[str, Any]:
    """Return what a file holds of a release."""
    return {
        "kind": "density",
        "axes": [
            {"name": name, "domain": [axis.start, axis.end], "periodic": isinstance(axis, Circle)}
            for name, axis in zip(release.names, release.axes, strict=True)
        ],
        "view": _view(release.view),
        "raw": release.raw.tolist(),
        "law": law_fields(release.law),
        "guarantee": guarantee_fields(release.guarantee),
    }


def _view(view: DensityView) -> dict[str, Any]:
    if isinstance(view, NodeView):
        return {"kind": "nodes", "nodes": view.nodes, "width": _width(view.width)}
    if isinstance(view, BinView):
        return {"kind": "bins", "edges": list(view.edges), "together": view.together, "width": _width(view.width)}
    if isinstance(view, BasisDensityView):
        return {
            "kind": "basis",
            "width": _width(view.width),
            "functions": [functions.tolist() for functions in view.functions],
            "index": view.index.tolist(),
        }
    if isinstance(view, BernsteinView):
        return {"kind": "bernstein", "width": _width(view.width), "order": view.order, "iterations": view.iterations}
    raise TypeError(f"no file format for {type(view).__name__}")


def _width(width: Width | None) -> dict[str, Any] | None:
    if width is None:
        return None
    return {"shape": width.shape, "widths": list(width.widths), "matrix": [list(row) for row in width.matrix]}
