"""A mean for every group of persons, at the price of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpfda.api.call import Call
from dpfda.api.routes import Route
from dpfda.errors import DataError, ParameterError
from dpfda.privacy.neighbours import Neighbours
from dpfda.readers.scattered import ScatteredTable
from dpfda.release.groups import Groups
from dpfda.summaries.units import People


@dataclass(frozen=True)
class Part:
    """One group: its label and the call for its persons alone."""

    label: str
    call: Call


def read_groups(groups: Any, rows: int) -> tuple[str, ...]:
    """Return one label a row, none missing."""
    if hasattr(groups, "to_list"):
        groups = groups.to_list()
    elif hasattr(groups, "tolist"):
        groups = groups.tolist()
    if isinstance(groups, str) or not isinstance(groups, Sequence):
        raise ParameterError("groups must be a list of labels, one a curve")
    if len(groups) != rows:
        raise DataError(f"there are {len(groups)} group labels for {rows} curves: give one a curve, in the same order")
    labels = []
    for row, label in enumerate(groups):
        text = str(label).strip()
        if label is None or not text or text.lower() in ("nan", "none", "<na>"):
            raise DataError(f"the group of row {row + 1} is missing: every curve must belong to a group")
        labels.append(text)
    return tuple(labels)


def read_names(names: Any, labels: tuple[str, ...], neighbours: Neighbours) -> tuple[str, ...]:
    """Return the public list of groups; where persons may come and go, it may not be read off who is there."""
    if names is None:
        if neighbours is Neighbours.ADD_REMOVE:
            raise ParameterError(
                "neighbours='add-remove' hides who is there, so the list of groups must be given: group_names=('boys', 'girls')"
            )
        # Sorted: the order of first appearance would depend on whose row comes first.
        return tuple(sorted(set(labels)))
    if isinstance(names, str) or not isinstance(names, Sequence) or not names:
        raise ParameterError(f"group_names must be a list of labels, not {names!r:.60}")
    found = tuple(str(name).strip() for name in names)
    if len(set(found)) < len(found):
        raise ParameterError("group_names holds a label twice")
    strange = next((row for row, label in enumerate(labels) if label not in found), None)
    if strange is not None:
        raise DataError(f"the group of row {strange + 1} is none of group_names: {', '.join(map(repr, found))}")
    return found


def split(call: Call, labels: tuple[str, ...], names: tuple[str, ...]) -> tuple[Part, ...]:
    """Return the groups' own calls, without a budget; or say why the persons cannot be divided."""
    ids = call.table.ids
    if call.people is not None:
        home: dict[int, str] = {}
        for row, (person, label) in enumerate(zip(call.people.codes.tolist(), labels, strict=True)):
            if home.setdefault(person, label) != label:
                raise DataError(
                    f"the person of row {row + 1} is in two groups: a person must belong to one, or the groups' losses add up"
                )
    parts = []
    for label in names:
        rows = np.array([one == label for one in labels], dtype=np.bool_)
        table = call.table
        own = None if ids is None else [name for name, here in zip(ids, rows, strict=True) if here]
        if isinstance(table, ScatteredTable):
            own_labels = None if table.labels is None else [n for n, h in zip(table.labels, rows, strict=True) if h]
            small: Any = replace(table, times=table.times[rows], values=table.values[rows], ids=own, labels=own_labels)
        else:
            small = replace(table, values=table.values[rows], ids=own)
        people = None if own is None else People.of(own, int(rows.sum()))
        count = len(people) if people is not None else int(rows.sum())
        if call.guess is None and count < 2:
            has = f"one {call.who} only, whose own data its mean would be" if count else f"no {call.who}"
            raise DataError(f"the group {label!r} has {has}: put it together with another group, or leave it out")
        parts.append(Part(label, replace(call, table=small, people=people, budget=None)))
    return tuple(parts)


def means_of_groups(call: Call, labels: tuple[str, ...], names: tuple[str, ...], route: Route) -> Groups:
    """Charge once for all groups, then release each: a person is in one group, so the loss is that of the dearest."""
    parts = split(call, labels, names)
    route, events = route.together(tuple(part.call for part in parts))
    if call.budget is not None:
        call.budget.charge(*events)
    claim = (
        "Which group a person belongs to, and the list of groups, are public"
        + (", and so are their sizes" if call.guess is None else "")
        + "; no person is in two groups."
    )
    releases = []
    for part in parts:
        release = route(part.call)
        guarantee = replace(release.guarantee, vouched=(*release.guarantee.vouched, claim))
        releases.append(replace(release, guarantee=guarantee))
    return Groups(tuple(part.label for part in parts), tuple(releases))
