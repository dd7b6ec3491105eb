"""Which words of `dpfda.mean` belong together; every clash is found before a file is read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from dpfda.api.bases import BasisWords
from dpfda.api.words import read_box, read_domain
from dpfda.errors import ParameterError
from dpfda.kernels import Kernel, Tensor
from dpfda.mechanisms import MECHANISMS
from dpfda.mechanisms.choices import LAWS
from dpfda.privacy.amounts import exact
from dpfda.readers.images import ImageTable
from dpfda.readers.scattered import ScatteredTable
from dpfda.readers.table import CurveTable
from dpfda.spaces.box import Box
from dpfda.spaces.interval import Interval


def check_mechanism(mechanism: object) -> None:
    """Raise an error that lists the mechanisms unless this is one, or none was named."""
    if mechanism is not None and mechanism not in MECHANISMS and mechanism not in LAWS and mechanism != "auto":
        raise ParameterError(
            f"mechanism must be one of {', '.join(map(repr, (*MECHANISMS, *LAWS, 'auto')))}, not {mechanism!r}"
        )


def check_delta(mechanism: str | None, shape: str, delta: Fraction) -> None:
    """Refuse a delta that a mechanism needs and has not, or has and cannot use; auto and the recipe may leave it unused."""
    if mechanism == "gaussian" and delta == 0:
        raise ParameterError("mechanism='gaussian' needs a delta above 0, such as delta=1e-6: much less than 1/n")
    if delta > 0 and mechanism is None and shape == "rough":
        raise ParameterError("shape='rough' gives delta 0: leave delta out")
    if delta > 0 and mechanism not in ("gaussian", "auto", None):
        raise ParameterError(f"mechanism={mechanism!r} gives delta 0: leave delta out, or use mechanism='gaussian'")


def read_stages(stages: object) -> int | None:
    """Return the number of looks, or None for the rule's."""
    if stages == "rule":
        return None
    if isinstance(stages, bool) or stages not in (1, 2):
        raise ParameterError(f"stages must be 1, 2 or 'rule', not {stages!r}")
    return 1 if stages == 1 else 2


def check_recipe_words(
    mechanism: str | None, shape: object, stages: int | None, spread: object, smooth: object, cells: int | None
) -> None:
    """Refuse words of the recipes that would be silently ignored."""
    if shape not in ("smooth", "rough"):
        raise ParameterError(f"shape must be 'smooth' or 'rough', not {shape!r}")
    if not isinstance(spread, bool | np.bool_):
        raise ParameterError(f"spread must be True or False, not {spread!r}")
    if smooth is not None and not isinstance(smooth, bool | np.bool_):
        raise ParameterError(f"smooth must be True, False or None, not {smooth!r}")
    if mechanism is not None and shape != "smooth":
        raise ParameterError(f"shape={shape!r} is a recipe, and mechanism={mechanism!r} another: leave one of them out")
    if mechanism is not None and spread:
        raise ParameterError(
            f"spread=True goes with the recipes: leave mechanism={mechanism!r} out, for shape='smooth' or 'rough'"
        )
    on_cells = mechanism in MECHANISMS or (mechanism is None and shape == "rough")
    if stages is not None and (on_cells or mechanism is not None):
        raise ParameterError(f"stages={stages} is for the default recipe: leave mechanism= and shape= out")
    if mechanism is not None and smooth and not on_cells:
        raise ParameterError(
            f"smooth=True is for the recipes and for cells; for mechanism={mechanism!r} the penalty smooths, before the noise"
        )
    if cells is not None and not on_cells:
        raise ParameterError("cells= is for shape='rough' and mechanism='cube' or 'laplace'; a basis has components=")


def mechanism_for_images(
    mechanism: str | None, shape: object, stages: int | None, spread: object, smooth: object, groups: object
) -> str:
    """Return the mechanism for images, "auto" unless one was named, and refuse the words of the recipes for curves."""
    curves_only = {
        f"shape={shape!r}": shape != "smooth",
        f"stages={stages}": stages is not None,
        "spread=True": bool(spread),
        "smooth=True": bool(smooth),
        "groups=": groups is not None,
    }
    for word, given in curves_only.items():
        if given:
            raise ParameterError(f"{word} is for curves, and these are images: leave it out")
    return mechanism or "auto"


def domain_of(table: CurveTable | ScatteredTable | ImageTable, domain: Any) -> Interval | Box:
    """Return the domain; curves without a common grid must be given one."""
    if isinstance(table, ImageTable):
        return read_box(domain, table.grid)
    if isinstance(table, CurveTable):
        return read_domain(domain, table.grid)
    if domain is None:
        raise ParameterError(
            "curves that each have points of their own need domain=, such as domain=(0, 24), from what is known and not from these data"
        )
    found = read_domain(domain, ())
    table.require(found)
    return found


def refuse_basis_words(mechanism: str | None, given: dict[str, Any]) -> None:
    """Refuse words of a basis that would be silently ignored."""
    have = "the default recipe chooses its own" if mechanism is None else f"mechanism={mechanism!r} works on cells"
    for name in ("bound", "center", "kernel", "basis", "estimator", "penalty", "components", "noise_kernel"):
        if given[name] is not None:
            raise ParameterError(
                f"{name}= is for a mean in a basis, but {have}: name one of the mechanisms {', '.join(map(repr, (*LAWS, 'auto')))}"
            )
    for name, default in (("bound_norm", "l2"), ("noise", "matched"), ("eta", 1.0), ("calibration", "analytic")):
        if given[name] != default:
            raise ParameterError(
                f"{name}= is for a mean in a basis, but {have}: name one of the mechanisms {', '.join(map(repr, (*LAWS, 'auto')))}"
            )


def basis_words(mechanism: str, ends: tuple[Fraction, Fraction] | None, given: dict[str, Any]) -> BasisWords:
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
