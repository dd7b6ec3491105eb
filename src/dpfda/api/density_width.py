"""A bandwidth from private quartiles: chosen exactly among public places, before the density is released."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from dpfda.api.density_words import NARROWEST, DensityCall, read_width, rule_width
from dpfda.noise.choose import permute_and_flip, rate_of
from dpfda.privacy.event import Event
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.density_view import Width
from dpfda.release.stage import Sensitivity, Stage
from dpfda.spaces.interval import Interval

#: The share of epsilon that all quartiles cost together, and the places an axis is divided into.
SHARE, PLACES = Fraction(1, 10), 512

#: Plans a release for a width and returns what it could be charged, at the most, under each mechanism it may choose.
Rehearsal: TypeAlias = Callable[[DensityCall, Width], list[Event]]


def private_width(
    call: DensityCall, kernel: str, rehearse: Rehearsal
) -> tuple[Width, tuple[str, ...], tuple[Stage, ...]]:
    """Return a bandwidth by the rule with private interquartile ranges, a note, and the steps that were charged.

    A tenth of epsilon is divided evenly over two quartiles an axis.  A place e has the score -|4 below(e) - k all|, k = 1 or 3, in parts
    of a record: it moves by at most 4 records when one is replaced, and by at most 3 when one comes or goes
    (docs/proofs/density-width.md).

    What can be refused is refused before the quartiles are charged: the release is planned for the narrowest and for the widest
    bandwidth there is, and the budget must hold the quartiles with the most that the release can cost.  The release's own charge
    comes with its noise; where another thread has emptied the budget in between, that charge is refused and the quartiles stay
    charged.
    """
    later = replace(call, epsilon=call.epsilon * (1 - SHARE))
    extremes = [[axis.length / part for axis in call.axes] for part in (1, NARROWEST[len(call.axes)])]
    finals = [event for ends in extremes for event in rehearse(later, read_width(kernel, ends, call.axes))]
    each = call.epsilon * SHARE / (2 * len(call.axes))
    replaced = call.neighbours is Neighbours.REPLACE_ONE
    units = call.source(PLACES).units
    moves = (4 if replaced else 3) * units
    rate_of(each, moves)
    event = Event(
        "permute-and-flip",
        each,
        call.neighbours,
        call.unit,
        parameters=(("candidates", PLACES - 1), ("sensitivity", moves)),
    )
    quartiles = [event] * (2 * len(call.axes))
    below = [_below(call, number, axis) for number, axis in enumerate(call.axes)]
    if call.budget is not None:
        # All of it must fit before any of it is spent.
        for final in finals:
            call.budget.check(*quartiles, final)
        call.budget.charge(*quartiles)
    sensitivity = Sensitivity(Fraction(moves, units), moves, "4 |below(e) - quartile|, in records", "density-width.md")
    spreads, stages = [], []
    for number, axis in enumerate(call.axes):
        low, high = (_quartile(below[number], k, each, moves) for k in (1, 3))
        spreads.append(max(abs(high - low), 1) * axis.length / PLACES)
        stages += [Stage(f"a quartile of {call.names[number]}", event, sensitivity)] * 2
    width = rule_width(kernel, call.axes, call.design, spreads)
    note = f"{width}, by the rule with private interquartile ranges, which cost a tenth of epsilon."
    return width, (note,), tuple(stages)


def _below(call: DensityCall, number: int, axis: Interval) -> list[int]:
    """Return how many parts of records lie below each place of an axis, and in all."""
    rows = call.rows
    if not call.edges:
        columns = [number] if call.weight_bound is None else [number, rows.shape[1] - 1]
        rows = rows[:, columns]
    source = replace(call, axes=(axis,)).source(PLACES)
    histogram = source.histogram(rows, call.people)
    return [int(total) for total in np.cumsum(histogram.astype(object))]


def _quartile(below: list[int], k: int, epsilon: Fraction, moves: int) -> int:
    """Return the number of cells below the chosen place."""
    scores = [-abs(4 * count - k * below[-1]) for count in below[:-1]]
    return permute_and_flip(scores, epsilon, moves) + 1
