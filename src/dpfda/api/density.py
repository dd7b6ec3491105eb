"""`dpfda.density`: a private density, its probabilities and synthetic records, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.api.density_basis import BASIS_MECHANISMS, BasisWords, density_in_basis, rehearse_in_basis
from dpfda.api.density_cells import density_over_nodes, rehearse_over_nodes
from dpfda.api.density_width import Rehearsal, private_width
from dpfda.api.density_words import DensityCall, count_axes, read_axes, read_counts, read_width, rule_width
from dpfda.api.words import read_count, read_design_n, read_epsilon
from dpfda.errors import DataError, ParameterError
from dpfda.privacy.amounts import Amount, exact_delta
from dpfda.privacy.budget import Budget
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers.points import PointTable, filled, read_points
from dpfda.release.density import Density
from dpfda.release.density_view import Width
from dpfda.release.stage import Stage
from dpfda.spaces.circle import Circle
from dpfda.summaries.histogram import require_numbers
from dpfda.summaries.units import People

MECHANISMS = ("cells", *BASIS_MECHANISMS, "bernstein", "auto")


def density(
    points: Any = None,
    *,
    domain: Any = None,
    epsilon: Amount | None = None,
    delta: Amount = 0,
    kernel: str = "gaussian",
    bandwidth: Any = None,
    mechanism: str | None = None,
    eta: float | None = None,
    noise: str = "matched",
    basis: str = "kernel",
    neighbours: str = "replace-one",
    design_n: int | None = None,
    unit: Any = None,
    budget: Budget | None = None,
    counts: Any = None,
    weights: Any = None,
    weight_bound: float | None = None,
    columns: Sequence[str] | None = None,
    nodes: int | None = None,
    lattice: int | None = None,
    iterations: int = 1,
    sensitivity: str = "tight",
    components: int | None = None,
) -> Density:
    """Release the density of points under differential privacy.

    By default every record is divided among N^d nodes by hat functions, in integers that sum to one constant C; each sum is
    hidden by exact discrete Laplace noise of scale 2C/epsilon, and a posterior under a public prior, which sees the noisy sums
    alone, makes a positive density of mass one of them.

    Parameters
    ----------
    points : array, frame, column or path
        A number a record, or a row of two or three.  Points outside the domain are moved to its edge; what is not a
        number is an error.
    domain : (low, high), Interval, Circle, or one of them an axis
        What values can be, from what is known about them, never from these data.
    epsilon : number or text
        How much privacy to spend.
    delta : number or text
        For mechanism="gaussian" and "auto": much less than 1/n.
    kernel : str
        The shape of a kernel estimate: "gaussian", "exponential", "matern-3/2", "matern-5/2".
    bandwidth : None, number, one an axis, matrix, "rule" or "private"
        None estimates the density itself.  A number is the width of a kernel estimate, in the units of the points; a matrix
        the covariance of a Gaussian kernel.  "rule" puts half the domain's length for the interquartile range into
        (4/((d+1) n))^(1/(d+4)) IQR/1.34; "private" a private one, for a tenth of epsilon.
    mechanism : str, optional
        "cells", the default; "iclp", "gaussian", "finite-basis", "ball", "blocks" in a basis; "bernstein"; "auto" takes the one
        of least expected noise among those in a basis.  All but "cells" need a bandwidth.
    eta : float, optional
        The power of the kernel, 1 or above: records' bumps are K^eta divided by its mass.
    noise : "matched" or "kernel"
        Of least expected size, or as in the papers.
    basis : "kernel", "cosine" or "fourier"
        The kernel's eigenfunctions, or waves.
    neighbours, design_n, budget
        As for `dpfda.mean`.
    unit : sequence of ids or column name, optional
        Whose data are protected: a person's points are averaged, so that a person counts once.
    counts : (edges, counts), optional
        In place of points: how many records lie in each bin.  A record is spread evenly over its bin.
    weights, weight_bound : sequence and number, optional
        A weight from 0 to the bound for every point; only for cells.
    columns : sequence of str, optional
        Which columns of a frame or a CSV file are the axes.
    nodes : int, optional
        N, in place of the rule's; not chosen by looking at the data.
    lattice, iterations, sensitivity
        Of the Bernstein mechanism: K, how often its operator is iterated, and "tight" or, under replace-one, "published".
    components : int, optional
        How many functions; not chosen by looking at the data.

    Returns
    -------
    Density
        The density and its guarantee.

    Raises
    ------
    ParameterError, DataError, FileError, BudgetError
        Before anything is spent.

    Examples
    --------
    >>> import numpy as np, dpfda
    >>> ages = np.random.default_rng(1).normal(70, 12, 1000)
    >>> release = dpfda.density(ages, domain=(0, 100), epsilon=1)
    >>> release
    Density(on [0, 100], 19 nodes, epsilon 1, replace-one, one record)
    """
    exact_epsilon, exact_delta_ = read_epsilon(epsilon), exact_delta(delta)
    name = "cells" if mechanism is None else mechanism
    if name not in MECHANISMS:
        raise ParameterError(f"mechanism must be one of {', '.join(map(repr, MECHANISMS))}, not {mechanism!r:.60}")
    words = BasisWords(name, 1.0 if eta is None else eta, noise, basis, components, lattice, iterations, sensitivity)
    words.check(exact_delta_, eta is not None, bandwidth is None, nodes)
    relation = Neighbours.read(neighbours)
    if sensitivity == "published" and relation is Neighbours.ADD_REMOVE:
        raise ParameterError(
            "sensitivity='published' is of two records that replace each other: leave it out, or use neighbours='replace-one'"
        )
    guess = read_design_n(design_n, relation)
    if budget is not None and not isinstance(budget, Budget):
        raise ParameterError(f"budget must be a dpfda.Budget, not {type(budget).__name__}")
    call = _call(points, domain, counts, columns, unit, weights, weight_bound)
    call = replace(call, epsilon=exact_epsilon, delta=exact_delta_, neighbours=relation, guess=guess, budget=budget)
    if call.n is not None and call.n < 1:
        raise DataError(
            "there is no record: a density needs at least one, or neighbours='add-remove', which hides how many"
        )
    if call.weight_bound is not None and name != "cells":
        raise ParameterError("weights= is for mechanism='cells': the others compare records of equal weight")
    chosen = None if nodes is None else read_count(nodes, "nodes", 4, {1: 1024, 2: 128, 3: 32}[len(call.axes)])
    words.check_axes(len(call.axes), kernel)

    def rehearse(planned: DensityCall, width: Width) -> list[Event]:
        if name == "cells":
            return rehearse_over_nodes(planned, width, chosen)
        return rehearse_in_basis(planned, width, words)

    width, notes, stages = _width(call, kernel, bandwidth, rehearse)
    call = replace(call, epsilon=exact_epsilon - sum((stage.event.epsilon for stage in stages), Fraction(0)))
    settings = words.settings() if width is None else (f"kernel {kernel}", *words.settings())
    call = replace(call, vouched=(*call.vouched, *_claims(call, bandwidth, width, chosen), *_settled(settings)))
    if name == "cells":
        return density_over_nodes(call, width, chosen, notes, stages)
    if width is None:
        raise ParameterError("a mechanism in a basis needs a bandwidth")
    return density_in_basis(call, width, words, notes, stages)


def _call(
    points: Any, domain: Any, counts: Any, columns: Any, unit: Any, weights: Any, weight_bound: Any
) -> DensityCall:
    """Read the records, in whatever form they came."""
    open_call = {
        "epsilon": Fraction(1),
        "delta": Fraction(0),
        "neighbours": Neighbours.REPLACE_ONE,
        "guess": None,
        "budget": None,
    }
    if (points is None) == (counts is None):
        raise ParameterError("give exactly one of points and counts=(edges, counts)")
    if (weights is None) != (weight_bound is None):
        raise ParameterError(
            "weights= goes with weight_bound=, the largest weight that counts, not taken from these data"
        )
    if counts is not None:
        if unit is not None or weights is not None or columns is not None:
            raise ParameterError("unit=, weights= and columns= go with points, not with counts=")
        edges, held = read_counts(counts)
        axes = read_axes(domain, 1)
        if edges[0] < axes[0].start or edges[-1] > axes[0].end:
            raise ParameterError(
                f"the bins reach from {edges[0]:g} to {edges[-1]:g}, beyond the domain [{axes[0].start:g}, {axes[0].end:g}]: widen "
                "the domain"
            )
        return DensityCall(rows=held, people=None, axes=axes, names=("x",), edges=edges, **open_call)  # type: ignore[arg-type]
    table = read_points(points, columns, unit)
    if not table.values.size and not table.names:
        table = replace(table, values=table.values.reshape(0, count_axes(domain, table.values.shape[1])))
    axes = read_axes(domain, table.values.shape[1])
    require_numbers(table.values)
    for axis, column in zip(axes, table.values.T, strict=True):
        if isinstance(axis, Circle) and not np.isfinite(column).all():
            raise DataError(
                "a point on a circle is infinite: leave it out by a rule that looks at one record at a time"
            )
    if table.ids is not None and len(table.ids) != len(table.values):
        raise DataError("the ids and the records are not equally many: give one id a record, in the same order")
    people = None if table.ids is None else People.of(table.ids, len(table.values), "record")
    rows, bound = _weighted(table, people, weights, weight_bound)
    names = table.names or tuple("xyz"[: len(axes)])
    return DensityCall(rows=rows, people=people, axes=axes, names=names, weight_bound=bound, **open_call)  # type: ignore[arg-type]


def _weighted(table: PointTable, people: People | None, weights: Any, bound: Any) -> tuple[Any, float | None]:
    if weights is None:
        return table.values, None
    if people is not None:
        raise ParameterError("weights= and unit= do not go together: give one weighted row a person")
    if isinstance(bound, bool) or not isinstance(bound, int | float) or not 0 < bound < float("inf"):
        raise ParameterError(f"weight_bound must be a finite number above 0, not {bound!r}")
    try:
        given = filled(weights, "weights") if isinstance(weights, np.ma.MaskedArray) else np.asarray(weights, float)
    except (TypeError, ValueError, OverflowError):
        raise DataError("weights must be numbers, one a record") from None
    if given.shape != (len(table.values),):
        raise DataError("the weights and the records are not equally many: give one weight a record, in the same order")
    if np.isnan(given).any():
        raise DataError(f"the weight of record {int(np.flatnonzero(np.isnan(given))[0]) + 1} is not a number")
    return np.column_stack([table.values, given]), float(bound)


def _width(
    call: DensityCall, kernel: str, bandwidth: Any, rehearse: Rehearsal
) -> tuple[Width | None, tuple[str, ...], tuple[Stage, ...]]:
    """Return the bandwidth, why it is what it is, and what choosing it cost."""
    if bandwidth is None:
        if kernel != "gaussian":
            raise ParameterError("kernel= is the shape of a kernel estimate: give its width, bandwidth=, too")
        return None, (), ()
    if not isinstance(bandwidth, str):
        return read_width(kernel, bandwidth, call.axes), (), ()
    if bandwidth == "rule":
        read_width(kernel, [axis.length for axis in call.axes], call.axes)
        width = rule_width(kernel, call.axes, call.design, [axis.length / 2 for axis in call.axes])
        return width, (f"{width}, by the rule with half the domain's length for the interquartile range.",), ()
    if bandwidth == "private":
        return private_width(call, kernel, rehearse)
    raise ParameterError(
        f"bandwidth must be None, 'rule', 'private', a number, one an axis or a matrix, not {bandwidth!r:.60}"
    )


def _settled(settings: tuple[str, ...]) -> list[str]:
    """Return the claim that what a caller may choose was not chosen by looking."""
    return [f"How the density was released, {', '.join(settings)}, was not chosen by looking at these data."]


def _claims(call: DensityCall, bandwidth: Any, width: Width | None, nodes: int | None) -> list[str]:
    box = " x ".join(f"[{axis.start:g}, {axis.end:g}]" for axis in call.axes)
    claims = [f"The domain {box} was not read from these data; points outside it were moved to its edge."]
    if width is not None and not isinstance(bandwidth, str):
        claims.append(f"The bandwidth, {width}, was not chosen by looking at these data.")
    if nodes is not None:
        claims.append(f"The number of nodes, {nodes}, was not chosen by looking at these data.")
    if call.edges:
        claims.append(
            f"The {len(call.edges) - 1} bins, from {call.edges[0]:g} to {call.edges[-1]:g}, do not depend on the persons."
        )
    if call.weight_bound is not None:
        claims.append(
            f"The bound on weights, {call.weight_bound:g}, was not read from these data; larger weights were cut to it."
        )
    if call.neighbours is Neighbours.REPLACE_ONE:
        claims.append(f"The number of {'people' if call.people else 'records'} is public.")
    else:
        claims.append(f"The guess of the number of records, {call.guess}, was not taken from these data.")
    if call.people is not None:
        claims.append(
            "Rows with the same id are one person's, and no person has two ids, in all releases of one budget."
        )
    else:
        claims.append("Every record belongs to another person, or the protection of one record is enough.")
    return claims
