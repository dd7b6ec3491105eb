"""`mechanism="auto"`: the least expected noise plus the least bound on the bias, from public numbers alone."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from dpfda.api.bases import MOST, BasisWords
from dpfda.api.call import Call
from dpfda.api.estimators import estimator, free_estimators
from dpfda.api.plans import Frame, Plan, plan
from dpfda.kernels import Kernel, Matern, Tensor
from dpfda.mechanisms import mechanism_named
from dpfda.privacy.lattice import Lattice
from dpfda.release.view import CellView
from dpfda.spaces.box import Box
from dpfda.spaces.cells import cell_weights
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval
from dpfda.spaces.piecewise import rule
from dpfda.spaces.spectrum import computable
from dpfda.summaries.mean import CellMean

#: Numbers of cells that are tried, and the mesh on which their bias is bounded.
_CELLS, _FINE = (1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64), 257
#: Length of the Matern 3/2 kernel that stands for the public class where none was named, as a share of every axis of an interval and
#: of a box: of surfaces less can be learned.
_SHARE, _SHARE_ON_BOX = 0.2, 0.4


@dataclass(frozen=True)
class CellPlan:
    """Cube noise on so many cells, and what it would do."""

    cells: int
    noise: float
    bias: float

    @property
    def error(self) -> float:
        """Noise and bias together."""
        return self.noise + self.bias


@dataclass(frozen=True, eq=False)
class Chosen:
    """The best plan, the words it was made with, and why it was chosen."""

    words: BasisWords
    plan: Plan | CellPlan
    notes: tuple[str, ...]


def choose_plan(call: Call, words: BasisWords, frame: Frame) -> Chosen:
    """Return the plan of the mechanism that was named, or the best one.

    For "auto" every mechanism is crossed with every estimator that the caller left open (penalties, numbers of functions), and
    with cells where neither kernel nor basis was named.  Compared is the expected squared error over the worst curve of a public
    class: noise energy plus the largest squared bias over { u : sum u_j^2/lambda_j <= bound^2/lambda_0 }, the largest multiple of
    the kernel's unit ball that the bound admits.
    """
    if words.mechanism != "auto":
        return Chosen(words, plan(call, words, frame, words.mechanism, estimator(call, words)), ())
    open_choice = words.kernel is None and words.basis is None
    if open_choice:
        words = replace(words, kernel=_default_kernel(call.domain))
    labels = _labels(call, words)
    plans: list[Plan | CellPlan] = [
        plan(call, words, frame, label, candidate) for candidate in free_estimators(call, words) for label in labels
    ]
    if open_choice and words.value_range is not None and not isinstance(call.domain, Box | Circle) and _free(words):
        plans += _cell_plans(call, words, call.domain)
    best = min(plans, key=lambda p: p.error)
    named = words if isinstance(best, CellPlan) else replace(words, mechanism=best.label)
    return Chosen(named, best, _why(best, plans, words, open_choice))


def _free(words: BasisWords) -> bool:
    """Tell whether nothing that belongs to a basis alone was said."""
    return (
        words.estimator is None
        and words.penalty is None
        and words.components is None
        and words.noise == "matched"
        and words.noise_kernel is None
    )


def _labels(call: Call, words: BasisWords) -> tuple[str, ...]:
    pure = ("iclp", "finite-basis") if words.noise == "kernel" else ("blocks", "iclp", "ball")
    return (*pure, "gaussian") if call.delta > 0 else pure


def _default_kernel(domain: Interval | Box) -> Kernel | Tensor:
    if isinstance(domain, Box):
        return Tensor(*(Matern(1.5, _short(_SHARE_ON_BOX * axis.length)) for axis in domain.axes))
    return Matern(1.5, _short(_SHARE * domain.length))


def _short(length: float) -> float:
    return float(f"{length:.4g}")


def _cell_plans(call: Call, words: BasisWords, domain: Interval) -> list[Plan | CellPlan]:
    """Return the plans of cube noise on cells.

    Their bias over the class is the largest singular value, squared, of f -> f minus its own estimate from the leading eigenfunctions
    times sqrt(lambda_j), on a fine mesh, plus the next eigenvalue for what lies beyond.
    """
    assert isinstance(words.kernel, Kernel) and words.value_range is not None  # noqa: S101, PT018 - looked at by the caller
    low, high = words.value_range
    fine = np.linspace(domain.start, domain.end, _FINE)
    basis = computable(words.kernel, domain, min(MOST, call.points))
    shares = basis.eigenvalues / basis.eigenvalues[0]
    curves = basis.evaluate(fine) * np.sqrt(shares)
    found: list[Plan | CellPlan] = []
    for cells in (c for c in _CELLS if c <= call.points):
        summary = CellMean(tuple(fine.tolist()), domain, cells, low, high)
        cube = mechanism_named("cube")
        lattice = Lattice.plan(summary.records, cube.body.unit(cells), 1 / call.epsilon, call.neighbours)
        variance = float(cube.variances(lattice.noisy_dimension)[0])
        sd = float(lattice.steps[0]) * lattice.scale * math.sqrt(variance) / call.design
        view = CellView(domain, cells, rule(cells))
        left = curves - view.functions(fine) @ (cell_weights(fine, domain, cells) @ curves)
        worst = float(np.linalg.eigvalsh(left.T @ left)[-1]) / _FINE + float(shares[-1])
        found.append(CellPlan(cells, view.energy(np.full(cells, sd)), worst * float(words.bound) ** 2))
    return found


def _why(best: Plan | CellPlan, plans: list[Plan | CellPlan], words: BasisWords, open_choice: bool) -> tuple[str, ...]:
    """Say why a plan was chosen where there was a choice: the best of each kind, as root mean squares."""
    if len(plans) == 1:
        return ()
    others: dict[str, Plan | CellPlan] = {}
    for p in sorted(plans, key=lambda p: p.error):
        others.setdefault(_kind(p), p)
    others.pop(_kind(best), None)
    one_estimator = len({id(p.estimator) for p in plans if isinstance(p, Plan)}) == 1 and not any(
        isinstance(p, CellPlan) for p in plans
    )
    if one_estimator:
        against = ", ".join(f"{_kind(p)} {math.sqrt(p.noise):.3g}" for p in others.values())
        return (
            f"auto chose {_kind(best)}, from public numbers alone: its expected noise has root mean square "
            f"{math.sqrt(best.noise):.3g}, against {against} for the same estimator, whose bias is at most {math.sqrt(best.bias):.3g} "
            "over the public class.",
        )
    against = "; ".join(f"{_described(p)} {_figures(p)}" for p in others.values())
    scale = float(words.bound)
    smooth = (
        f"the largest multiple of the unit ball of {words.kernel} with norms up to {scale:.4g}"
        if words.kernel is not None
        else f"coefficients u with sum (1 + j)^4 u_j^2 at most {scale:.4g}^2, j the degree"
    )
    return (
        f"auto chose {_described(best)}, from public numbers alone: {_figures(best)}. The best of the others: {against}. The bias is "
        f"the largest over a public class of curves, {smooth}"
        + (", taken because neither kernel= nor basis= was given." if open_choice else "."),
    )


def _kind(p: Plan | CellPlan) -> str:
    return "cube" if isinstance(p, CellPlan) else p.label


def _described(p: Plan | CellPlan) -> str:
    if isinstance(p, CellPlan):
        return f"cube on {p.cells} cells"
    return f"{p.label} ({p.estimator.words.removesuffix(' of')} functions)"


def _figures(p: Plan | CellPlan) -> str:
    return f"noise {math.sqrt(p.noise):.3g}, bias at most {math.sqrt(p.bias):.3g}"
