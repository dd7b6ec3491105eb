"""The default density: noisy sums over nodes, and a posterior of them."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpfda.api.density_finish import finish
from dpfda.api.density_words import DensityCall
from dpfda.mechanisms import LaplaceMechanism
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.privatise import event_of, privatise
from dpfda.release.density import Density
from dpfda.release.density_view import BinView, DensityView, NodeView, Width
from dpfda.release.law import NoiseLaw
from dpfda.release.stage import Sensitivity, Stage
from dpfda.spaces.nodes import nodes_rule
from dpfda.summaries.density import BinDensity, NodeDensity, node_grid


def density_over_nodes(
    call: DensityCall, width: Width | None, nodes: int | None, notes: tuple[str, ...], stages: tuple[Stage, ...]
) -> Density:
    """Release sums over nodes."""
    summary, view, lattice = _plan(call, width, nodes)
    mechanism = LaplaceMechanism()

    noisy = privatise(
        summary,
        call.rows,
        mechanism,
        lattice,
        call.epsilon,
        people=call.people,
        budget=call.budget,
        label="cells",
        unit=call.unit,
    )
    # From here on public arithmetic only.
    total = np.array([s / lattice.bound for s in noisy.sums])
    records = float(call.n) if call.n is not None and call.weight_bound is None else max(float(total.sum()), 1.0)
    law = NoiseLaw(
        mechanism="laplace",
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        steps=(1 / lattice.bound,) * summary.dimension,
        middle=0.0,
        count=records,
        count_weight=0,
        rounding=(0.0,) * summary.dimension,
    )
    n = call.n
    value = Fraction(2, n) if n is not None else Fraction(1)
    formula = "l1 distance of two records' shares over n, 2/n" if n is not None else "l1 norm of one record's shares"
    sensitivity = Sensitivity(value, lattice.sensitivity, formula, "density-cells.md")
    proofs = ("density-cells.md", "lattice.md", *mechanism.proofs, "smoothing.md", "composition.md")
    return finish(call, noisy, lattice, law, view, total / records, sensitivity, proofs, notes, stages)


def rehearse_over_nodes(call: DensityCall, width: Width, nodes: int | None) -> list[Event]:
    """Return what the release will be charged; from public numbers alone."""
    lattice = _plan(call, width, nodes)[2]
    return [event_of(LaplaceMechanism(), lattice, call.epsilon, Fraction(0), call.unit, "cells")]


def _plan(
    call: DensityCall, width: Width | None, nodes: int | None
) -> tuple[NodeDensity | BinDensity, DensityView, Lattice]:
    """Return the sums, their view and their lattice, from public numbers alone."""
    share = width.widths[0] / call.axes[0].length if width is not None and width.widths else None
    count = nodes or nodes_rule(call.design, float(call.epsilon), len(call.axes), share)
    ratio = 1 / call.epsilon
    summary: NodeDensity | BinDensity
    view: DensityView
    if call.edges:
        # Twice as many runs as the rule has nodes: bins cost little, and where they begin and end is known.
        together = -(-(len(call.edges) - 1) // (nodes or 2 * count))
        summary = BinDensity(len(call.edges) - 1, together)
        view = BinView(call.axes, width, call.edges, together)
    else:
        grid = node_grid(call.axes, count, ratio, call.neighbours, call.divided)
        summary = NodeDensity(grid, call.source(grid.fine))
        view = NodeView(call.axes, width, count)
    return summary, view, summary.lattice(ratio, call.neighbours)
