"""`dpfda.mean`: a private mean curve in one line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, overload

from dpfda.api.call import Call
from dpfda.api.cells import CellWords
from dpfda.api.default import RecipeWords
from dpfda.api.groups import means_of_groups, read_groups, read_names
from dpfda.api.routes import BasisRoute, CellRoute, RecipeRoute, Route
from dpfda.api.together import (
    basis_words,
    check_delta,
    check_mechanism,
    check_recipe_words,
    domain_of,
    mechanism_for_images,
    read_stages,
    refuse_basis_words,
)
from dpfda.api.words import read_count, read_design_n, read_epsilon, read_range
from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Tensor
from dpfda.mechanisms import MECHANISMS, mechanism_named
from dpfda.privacy.amounts import Amount, exact_delta
from dpfda.privacy.budget import Budget
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers import records
from dpfda.readers.images import are_images, read_images
from dpfda.release.groups import Groups
from dpfda.release.release import Release
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Interval
from dpfda.summaries.mean import MOST_CELLS
from dpfda.summaries.units import People


@overload
def mean(curves: Any, grid: Any = None, *, groups: None = None, **words: Any) -> Release: ...
@overload
def mean(curves: Any, grid: Any = None, *, groups: Any, **words: Any) -> Groups: ...
def mean(  # type: ignore[misc]  # the overloads say what comes back, the words are these
    curves: Any,
    grid: Any = None,
    *,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    domain: Sequence[Amount] | Interval | Box | None = None,
    neighbours: str = "replace-one",
    design_n: int | None = None,
    unit: Any = None,
    groups: Any = None,
    group_names: Sequence[str] | None = None,
    budget: Budget | None = None,
    shape: str = "smooth",
    stages: int | str = "rule",
    spread: bool = False,
    smooth: bool | None = None,
    mechanism: str | None = None,
    cells: int | None = None,
    delta: Amount = 0,
    bound: Amount | None = None,
    bound_norm: str = "l2",
    center: Any = None,
    kernel: Kernel | Tensor | None = None,
    basis: str | Sequence[str] | None = None,
    noise: str = "matched",
    noise_kernel: Kernel | Tensor | None = None,
    estimator: str | None = None,
    penalty: float | str | None = None,
    eta: float = 1.0,
    components: int | None = None,
    calibration: str = "analytic",
) -> Release | Groups:
    """Release the mean of curves, or of images, under differential privacy.

    By default a recipe chooses everything from public numbers: each curve becomes coefficients of smooth functions and is moved
    into a public ellipsoid; where n epsilon is at least 150, a second look spends half of epsilon around the smoothed
    first one, in an ellipsoid whose radius was chosen privately; exact noise is drawn in blocks of coefficients,

        P(noise z) ~ exp(-sum over blocks of |z_g / a_g|_2 / s_g)    (Hardt and Talwar 2010; Awan and Slavkovic 2021),

    and the noisy coefficients are smoothed, which is free.  `shape="rough"` averages over cells instead, and a mechanism by name
    does what its name says.

    Parameters
    ----------
    curves : array, frame, path, list of pairs or table
        A row a curve, a column a grid point.  The header of a CSV file, or the column names of a pandas or polars frame,
        declare the grid.  Missing values inside a curve are filled from that curve alone.  Or a list of (times, values), a pair a
        curve, or what `read_long` returns: curves with points of their own; then `domain` is needed.  Images are an array
        n x m1 x m2, volumes one n x m1 x m2 x m3; a missing pixel is filled from its own image.
    grid : sequence of float, optional
        Where the columns were measured; needed for an array.  Of images a tuple with such a sequence for each axis.
    epsilon : number or text
        How much privacy to spend: 1, 0.5, "1/2".  Smaller protects more and adds more noise.
    value_range : (float, float)
        The lowest and highest value a curve may have, from what is known about the quantity, never from these data.
        Values outside are clipped.
    domain : (float, float), Circle or Box, optional
        Where the function lives; the ends of the grid by default.
    neighbours : "replace-one" or "add-remove"
        Which change is hidden.  Under replace-one the number of persons is public; under add-remove it is released with
        noise, and `design_n` stands for it in every rule.
    design_n : int, optional
        A public guess of n, for add-remove only.
    unit : sequence of ids or column name, optional
        Whose data are protected: one id a curve.  A person's curves are averaged first, and n counts persons.
    groups : sequence of labels, optional
        One a curve; then a curve is released for every group, and what is returned is `Groups`.  Which group a person belongs to
        must be public, and so must the groups' sizes, but under add-remove, where `design_n` is the guess of each.  All
        groups together cost epsilon once.
    group_names : sequence of labels, optional
        The public list of groups, in the order wanted; needed under add-remove, where one of them may be empty.
    budget : Budget, optional
        What all releases from these data may spend together; charged before the noise is drawn.
    shape : "smooth" or "rough"
        What single curves look like.  "smooth": the recipe above.  "rough": averages over cells with cube noise, smoothed
        afterwards, for curves with jumps or sharp spikes; no shape is ever moved (docs/default-mean.md).
    stages : "rule", 1 or 2
        The number of looks.
    spread : bool
        Spend a fifth of epsilon on the standard deviations of single curves: `release.spread(t)`, and bands for the
        population's mean, `release.band(covers="population")`.
    smooth : bool, optional
        Whether the function is drawn through numbers that were smoothed after the noise.  Yes for the recipes; for a mechanism by name
        only where asked, on cells.
    mechanism : str, optional
        The noise by name, in place of the recipe.  "cube" and "laplace" work on cells; "gaussian", "iclp", "finite-basis", "ball"
        and "blocks" on coefficients in a basis, with the words below; "auto", the default for images, takes what has the
        least expected noise and bias over a public class of means, among what the other words leave open, cells included.
    cells : int, optional
        The number of cells, in place of the rule's, for shape="rough", "cube" and "laplace".  It must not be chosen by looking at
        the data.
    delta : number or text
        Much less than 1/n.  For mechanism="gaussian"; the recipe uses Gaussian noise where that is expected to be smaller.
    bound : number or text, optional
        In a basis, in place of `value_range`: the largest norm of a curve around `center`; curves beyond it are shrunk.
    bound_norm : "l2" or "l1"
        Of the curve (a root mean square), or of its coefficients.
    center : number, array or function, optional
        A public curve or image that is subtracted and added again; 0 by default.
    kernel : Kernel, optional
        Its eigenfunctions are the basis: `dpfda.Matern(1.5, length)`, `Gaussian`, `Exponential`, `Periodic`, their sums and
        products, lengths in the units of the grid.  On a box it is one of the Euclidean distance, or `dpfda.Tensor` of one
        kernel for each axis.
    basis : "legendre", "cosine" or "fourier", optional
        In place of a kernel; for images also a tuple of them, one an axis.
    noise : "matched" or "kernel"
        Of least expected size for the estimator, or as in the papers.
    noise_kernel : Kernel, optional
        Whose process the noise is, with noise="kernel"; `kernel` itself by default.
    estimator : "quadratic", "absolute" or "truncate", optional
        a_j = lambda_j^eta/(lambda_j^eta + penalty), the default with a kernel; or thresholds of penalty/(2 lambda_j^(eta/2)),
        applied after the noise; or the first `components` functions.
    penalty : number or "pss", optional
        Of the quadratic and the absolute estimator; "pss" is the public rule of Lin and Reimherr (2026), section 4.4.
    eta : float
        The power of the kernel in the penalty.
    components : int, optional
        How many functions; not chosen by looking at the data.
    calibration : "analytic" or "classic"
        Of Gaussian noise: exact, or the papers' constant where that is true.

    Returns
    -------
    Release
        The function and its guarantee.

    Raises
    ------
    ParameterError, DataError, FileError, BudgetError
        Before anything is spent.

    Examples
    --------
    >>> import numpy as np, dpfda
    >>> grid, curves = dpfda.made_up_curves(n=500, rng=np.random.default_rng(1))
    >>> release = dpfda.mean(curves, grid=grid, epsilon=1, value_range=(0, 1))
    >>> release
    Release(mean curve on [0, 24] in 13 basis functions, epsilon 1, replace-one, one curve)
    """
    exact_epsilon, exact_delta_ = read_epsilon(epsilon), exact_delta(delta)
    check_mechanism(mechanism)
    images = are_images(curves, grid, domain)
    if images:
        mechanism = mechanism_for_images(mechanism, shape, read_stages(stages), spread, smooth, groups)
    given = {
        "bound": bound,
        "bound_norm": bound_norm,
        "center": center,
        "kernel": kernel,
        "basis": basis,
        "noise": noise,
        "noise_kernel": noise_kernel,
        "estimator": estimator,
        "penalty": penalty,
        "eta": eta,
        "components": components,
        "calibration": calibration,
    }
    if mechanism is None or mechanism in MECHANISMS:
        refuse_basis_words(mechanism, given)
    elif (value_range is None) == (bound is None):
        raise ParameterError(
            "give exactly one of value_range=, the lowest and highest value, and bound=, the largest norm of a curve around "
            "center; neither may be read from these data"
        )
    check_delta(mechanism, shape, exact_delta_)
    ends = None if bound is not None else read_range(value_range)
    relation = Neighbours.read(neighbours)
    guess = read_design_n(design_n, relation)
    if budget is not None and not isinstance(budget, Budget):
        raise ParameterError(f"budget must be a dpfda.Budget, not {type(budget).__name__}")
    chosen = None if cells is None else read_count(cells, "cells", 1, MOST_CELLS)
    route = _route(mechanism, shape, read_stages(stages), spread, smooth, chosen, ends, given)
    if group_names is not None and groups is None:
        raise ParameterError("group_names= goes with groups=, a label a curve")
    if groups is not None and mechanism is not None:
        raise ParameterError(f"groups= goes with the recipes: leave mechanism={mechanism!r} out")

    table = read_images(curves, grid, unit, domain) if images else records.read_any(curves, grid, unit)
    call = Call(
        table=table,
        people=None if table.ids is None else People.of(table.ids, len(table.values)),
        epsilon=exact_epsilon,
        delta=exact_delta_,
        neighbours=relation,
        guess=guess,
        domain=domain_of(table, domain),
        own_domain=domain is not None,
        budget=budget,
    )
    if groups is None:
        return route(call)
    records.check_alignment(curves, groups)
    labels = read_groups(groups, len(table.values))
    return means_of_groups(call, labels, read_names(group_names, labels, relation), route)


def _route(
    mechanism: str | None,
    shape: str,
    stages: int | None,
    spread: bool,
    smooth: bool | None,
    cells: int | None,
    ends: tuple[Fraction, Fraction] | None,
    given: dict[str, Any],
) -> Route:
    """Return what the words ask for, after checking that they belong together."""
    check_recipe_words(mechanism, shape, stages, spread, smooth, cells)
    if mechanism is not None and mechanism not in MECHANISMS:
        return BasisRoute(basis_words(mechanism, ends, given))
    if ends is None:
        raise ParameterError("value_range is missing")  # pragma: no cover - refuse_basis_words has refused bound=
    if mechanism is None and shape == "smooth":
        return RecipeRoute(RecipeWords(ends, stages, spread, smooth is not False))
    rough = "" if mechanism else "rough cells"
    law = mechanism_named(mechanism or "cube")
    return CellRoute(CellWords(ends, law, cells, bool(rough) if smooth is None else smooth, spread, rough))


def count_clipped(curves: Any, value_range: Sequence[Amount], grid: Any = None) -> int:
    """Return how many values lie outside the range.  **The number is not private**: for the data's owner alone."""
    lower, upper = read_range(value_range)
    images = are_images(curves, grid, None)
    values = (read_images(curves, grid, None, None) if images else records.read(curves, grid, None)).values
    return int(((values < float(lower)) | (values > float(upper))).sum())
