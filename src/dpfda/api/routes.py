"""The ways a mean can go: the recipe, cells, or a basis; for one call, or for groups that pay once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from dpfda.api.bases import BasisWords
from dpfda.api.call import Call
from dpfda.api.cells import CellPlan, CellWords, mean_over_cells
from dpfda.api.coefficients import mean_in_basis
from dpfda.api.default import RecipeWords, events_of, for_groups, mean_by_recipe
from dpfda.errors import ParameterError
from dpfda.privacy.event import Event
from dpfda.release.release import Release


class Route(ABC):
    """Checked words; `__call__` releases."""

    @abstractmethod
    def __call__(self, call: Call) -> Release:
        """Return the release, the call's budget charged."""

    def together(self, calls: tuple[Call, ...]) -> tuple[Route, tuple[Event, ...]]:
        """Return the route that groups of different persons share, and what they cost together: the dearest of them."""
        raise ParameterError("groups= goes with the recipes: leave mechanism= out")


@dataclass(frozen=True)
class RecipeRoute(Route):
    """One look or two."""

    words: RecipeWords

    def __call__(self, call: Call) -> Release:
        return mean_by_recipe(call, self.words)

    def together(self, calls: tuple[Call, ...]) -> tuple[Route, tuple[Event, ...]]:
        words = for_groups(self.words, calls)
        planned = [
            events_of(call, words) for call in calls
        ]  # whatever cannot be done is said before anything is charged
        events = planned[0]
        if any(event.square is not None for event in events):
            return RecipeRoute(words), events  # every group takes these very steps
        return RecipeRoute(words), (_once(calls),)


@dataclass(frozen=True)
class CellRoute(Route):
    """Averages over cells."""

    words: CellWords

    def __call__(self, call: Call) -> Release:
        return mean_over_cells(call, self.words)

    def together(self, calls: tuple[Call, ...]) -> tuple[Route, tuple[Event, ...]]:
        for call in calls:  # whatever cannot be done is said before anything is charged
            CellPlan.of(call, self.words)
        return self, (_once(calls),)


@dataclass(frozen=True)
class BasisRoute(Route):
    """Coefficients in a basis, by a mechanism of that name."""

    words: BasisWords

    def __call__(self, call: Call) -> Release:
        return mean_in_basis(call, self.words)


def _once(calls: tuple[Call, ...]) -> Event:
    """Return the pure event of groups that each cost epsilon, a person being in one of them."""
    call = calls[0]
    return Event(
        f"means of {len(calls)} groups",
        call.epsilon,
        call.neighbours,
        call.who,
        Fraction(0),
        None,
        (("groups", len(calls)),),
    )
