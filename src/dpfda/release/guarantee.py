"""What is guaranteed, on which conditions, and where it is proved."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dpfda.privacy.amounts import words
from dpfda.privacy.event import Event
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.release.stage import Sensitivity, Stage, covers
from dpfda.version import __version__


@dataclass(frozen=True)
class Guarantee:
    """Everything a colleague needs who asks "can you prove it?".

    Parameters
    ----------
    epsilon, delta : Fraction
        Exact; delta is 0 for a pure guarantee.
    neighbours : Neighbours
        Which change is hidden.
    unit : str
        Whose: "curve" or "person".
    n : int or None
        How many, where that is public (replace-one); None where it is hidden (add-remove).
    mechanism : str
        The noise.
    bound, scale, dimension, count_weight : int
        The lattice: C, t, the number of coordinates that got noise, W.
    sensitivity : Sensitivity
        With its formula and its proof page.
    proofs : tuple of str
        All pages in docs/proofs that the claim rests on.
    vouched : tuple of str
        What the caller answers for: no program can check it.
    events : tuple of Event
        What was charged.
    version : str
        Of this package.
    notes : tuple of str
        What was chosen on the caller's behalf, and why; from public numbers alone, or from answers that were paid for.
    recipe : str
        The recipe's name where there were several steps or a rule chose everything; "" for a mechanism by name.  Then `mechanism`,
        the lattice and the sensitivity are those of the step whose values are released as `raw`.
    stages : tuple of Stage
        The steps of a recipe, in order; their events are `events`.
    """

    epsilon: Fraction
    neighbours: Neighbours
    unit: str
    n: int | None
    mechanism: str
    bound: int
    scale: int
    dimension: int
    count_weight: int
    sensitivity: Sensitivity
    proofs: tuple[str, ...]
    vouched: tuple[str, ...]
    events: tuple[Event, ...]
    delta: Fraction = Fraction(0)
    version: str = field(default=__version__)
    notes: tuple[str, ...] = ()
    recipe: str = ""
    stages: tuple[Stage, ...] = ()

    @classmethod
    def of(
        cls,
        event: Event,
        lattice: Lattice,
        n: int | None,
        sensitivity: Sensitivity,
        proofs: tuple[str, ...],
        vouched: tuple[str, ...],
        notes: tuple[str, ...] = (),
    ) -> Guarantee:
        """Return the guarantee of one charged event on a lattice."""
        return cls(
            epsilon=event.epsilon,
            delta=event.delta,
            neighbours=event.neighbours,
            unit=event.unit,
            n=n,
            mechanism=event.mechanism,
            bound=lattice.bound,
            scale=lattice.scale,
            dimension=lattice.noisy_dimension,
            count_weight=lattice.count_weight,
            sensitivity=sensitivity,
            proofs=proofs,
            vouched=vouched,
            events=(event,),
            notes=notes,
        )

    def in_stages(
        self,
        recipe: str,
        stages: tuple[Stage, ...],
        epsilon: Fraction,
        delta: Fraction = Fraction(0),
        notes: tuple[str, ...] = (),
        proofs: tuple[str, ...] = (),
    ) -> Guarantee:
        """Return the guarantee of all steps together, this one's among them, at the epsilon and delta they sum up to."""
        events = tuple(stage.event for stage in stages)
        if not covers(events, epsilon, delta):
            raise ValueError(f"the steps of {recipe} cost more than epsilon {epsilon} and delta {delta}")
        return replace(
            self,
            epsilon=epsilon,
            delta=delta,
            events=events,
            recipe=recipe,
            stages=stages,
            notes=(*self.notes, *notes),
            proofs=tuple(dict.fromkeys((*self.proofs, *proofs))),
        )

    @property
    def sentence(self) -> str:
        """The guarantee in one sentence."""
        change = (
            f"all data of any one {self.unit} are replaced by any others"
            if self.neighbours is Neighbours.REPLACE_ONE
            else f"any one {self.unit} is added or removed"
        )
        return (
            f"When {change}, the probability of any outcome of this release changes by a factor of at most "
            f"exp({words(self.epsilon)}) = {_factor(self.epsilon)}"
            + (f", plus at most {words(self.delta)}." if self.delta else ".")
        )


def _factor(epsilon: Fraction) -> str:
    if epsilon > 50:
        return "an astronomical number: this is no protection in practice"
    # Rounded up: what is promised must not be less than what holds.
    factor = Decimal(math.nextafter(math.exp(epsilon), math.inf))
    digits = 3 if factor > Decimal("1.01") else 8
    rounded = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(factor)
    return f"{rounded:f}" if factor < 1000 else f"{rounded:.2e}"
