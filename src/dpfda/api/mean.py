"""`dpfda.mean`: a private mean curve in one line."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpfda.api.bases import BasisWords
from dpfda.api.call import Call
from dpfda.api.cells import mean_over_cells
from dpfda.api.coefficients import mean_in_basis
from dpfda.api.words import read_count, read_design_n, read_domain, read_epsilon, read_range
from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Tensor
from dpfda.mechanisms import MECHANISMS, mechanism_named
from dpfda.mechanisms.choices import LAWS
from dpfda.privacy.amounts import Amount, exact, exact_delta
from dpfda.privacy.budget import Budget
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers import records
from dpfda.readers.images import are_images, read_images
from dpfda.release.release import Release
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Interval
from dpfda.summaries.mean import MOST_CELLS
from dpfda.summaries.units import People


def mean(
    curves: Any,
    grid: Any = None,
    *,
    epsilon: Amount | None = None,
    value_range: Sequence[Amount] | None = None,
    domain: Sequence[Amount] | Interval | Box | None = None,
    neighbours: str = "replace-one",
    design_n: int | None = None,
    unit: Any = None,
    budget: Budget | None = None,
    mechanism: str = "cube",
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
) -> Release:
    """Release the mean of curves, or of images, under differential privacy.

    Every curve is clipped to `value_range` and averaged over N equal cells of the domain, each average is hidden by
    exact integer noise, and a function is drawn through the noisy averages.  With cube noise and n persons

        P(noise z) ~ exp(-n epsilon max_j |z_j| / (upper - lower))    (Steinke and Ullman 2017; Hardt and Talwar 2010)

    and N = clip(round(0.4 sqrt(n epsilon)), 1, 64), at most the number of grid points.

    Parameters
    ----------
    curves : array, frame or path
        A row a curve, a column a grid point.  The header of a CSV file, or the column names of a pandas or polars frame,
        declare the grid.  Missing values inside a curve are filled from that curve alone.  Images are an array n x m1 x m2,
        volumes one n x m1 x m2 x m3; a missing pixel is filled from its own image.
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
    budget : Budget, optional
        What all releases from these data may spend together; charged before the noise is drawn.
    mechanism : str
        The noise.  "cube" and "laplace" work on cells; "gaussian", "iclp", "finite-basis", "ball" and "blocks" on
        coefficients in a basis, with the words below; "auto" takes what has the least expected noise and bias
        over a public class of means, among what the other words leave open, cells included.
    cells : int, optional
        The number of cells, in place of the rule's.  It must not be chosen by looking at the data.
    delta : number or text
        For mechanism="gaussian": much less than 1/n.
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
    Release(mean curve on [0, 24] in 9 cells, epsilon 1, replace-one, one curve)
    """
    exact_epsilon, exact_delta_ = read_epsilon(epsilon), exact_delta(delta)
    check_mechanism(mechanism)
    on_cells = mechanism in MECHANISMS
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
    _check_delta(mechanism, exact_delta_)
    if on_cells:
        _refuse_basis_words(mechanism, given)
    elif cells is not None:
        raise ParameterError("cells= is for mechanism='cube' or 'laplace'; a basis has components=")
    if not on_cells and (value_range is None) == (bound is None):
        raise ParameterError(
            "give exactly one of value_range=, the lowest and highest value, and bound=, the largest norm of a curve around "
            "center; neither may be read from these data"
        )
    ends = None if bound is not None else read_range(value_range)
    relation = Neighbours.read(neighbours)
    guess = read_design_n(design_n, relation)
    if budget is not None and not isinstance(budget, Budget):
        raise ParameterError(f"budget must be a dpfda.Budget, not {type(budget).__name__}")
    chosen = None if cells is None else read_count(cells, "cells", 1, MOST_CELLS)
    words = None if on_cells else _basis_words(mechanism, ends, given)

    images = are_images(curves, domain)
    table = read_images(curves, grid, unit, domain) if images else records.read(curves, grid, unit)
    call = Call(
        table=table,
        people=None if table.ids is None else People.of(table.ids, len(table.values)),
        epsilon=exact_epsilon,
        delta=exact_delta_,
        neighbours=relation,
        guess=guess,
        domain=read_domain(domain, table.grid),
        own_domain=domain is not None,
        budget=budget,
    )
    if words is not None:
        return mean_in_basis(call, words)
    assert ends is not None  # noqa: S101 - a range is asked for above
    return mean_over_cells(call, ends, mechanism_named(mechanism), chosen)


def check_mechanism(mechanism: object) -> None:
    """Raise an error that lists the mechanisms unless this is one."""
    if mechanism not in MECHANISMS and mechanism not in LAWS and mechanism != "auto":
        raise ParameterError(
            f"mechanism must be one of {', '.join(map(repr, (*MECHANISMS, *LAWS, 'auto')))}, not {mechanism!r}"
        )


def _check_delta(mechanism: str, delta: Fraction) -> None:
    """Refuse a delta that a mechanism needs and has not, or has and does not need; auto may leave it unused."""
    if mechanism == "gaussian" and delta == 0:
        raise ParameterError("mechanism='gaussian' needs a delta above 0, such as delta=1e-6: much less than 1/n")
    if mechanism not in ("gaussian", "auto") and delta > 0:
        raise ParameterError(f"mechanism={mechanism!r} gives delta 0: leave delta out, or use mechanism='gaussian'")


def _refuse_basis_words(mechanism: str, given: dict[str, Any]) -> None:
    """Refuse words that would be silently ignored."""
    for name in ("bound", "center", "kernel", "basis", "estimator", "penalty", "components", "noise_kernel"):
        if given[name] is not None:
            raise ParameterError(
                f"{name}= is for a mean in a basis, but mechanism={mechanism!r} works on cells: choose one of {', '.join(map(repr, LAWS))}"
            )
    for name, default in (("bound_norm", "l2"), ("noise", "matched"), ("eta", 1.0), ("calibration", "analytic")):
        if given[name] != default:
            raise ParameterError(f"{name}= is for a mean in a basis, but mechanism={mechanism!r} works on cells")


def _basis_words(mechanism: str, ends: tuple[Fraction, Fraction] | None, given: dict[str, Any]) -> BasisWords:
    """Check the words of a mean in a basis that do not need the table."""
    if given["calibration"] not in ("analytic", "classic"):
        raise ParameterError(f"calibration must be 'analytic' or 'classic', not {given['calibration']!r}")
    if given["bound_norm"] not in ("l2", "l1"):
        raise ParameterError(f"bound_norm must be 'l2' or 'l1', not {given['bound_norm']!r}")
    if ends is not None:
        if given["center"] is not None:
            raise ParameterError("center= goes with bound=; with value_range= the centre is the middle of the range")
        if given["bound_norm"] != "l2":
            raise ParameterError("bound_norm='l1' goes with bound=: a range of values bounds the l2 norm")
        bound, center = (ends[1] - ends[0]) / 2, float((ends[0] + ends[1]) / 2)
    else:
        bound, center = exact(given["bound"], "bound"), 0.0 if given["center"] is None else given["center"]
        if not Fraction(1, 10**100) < bound < 10**100:
            raise ParameterError(f"bound must be a finite number above 0, not {given['bound']!r}")
    for name in ("kernel", "noise_kernel"):
        if given[name] is not None and not isinstance(given[name], Kernel | Tensor):
            raise ParameterError(f"{name} must be a kernel, such as dpfda.Matern(1.5, 0.1), not {given[name]!r}")
    return BasisWords(mechanism=mechanism, value_range=ends, **(given | {"bound": bound, "center": center}))


def count_clipped(curves: Any, value_range: Sequence[Amount], grid: Any = None) -> int:
    """Return how many values lie outside the range.  **The number is not private**: for the data's owner alone."""
    lower, upper = read_range(value_range)
    values = records.read(curves, grid, None).values
    return int(((values < float(lower)) | (values > float(upper))).sum())
