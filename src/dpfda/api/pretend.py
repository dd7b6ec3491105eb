"""The recipe on made-up persons with floating-point noise: it shows what to expect, and protects nobody."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpfda.errors import ParameterError
from dpfda.mechanisms.choices import choose
from dpfda.noise.simulate import stand_in
from dpfda.privacy.lattice import Lattice
from dpfda.privacy.neighbours import Neighbours
from dpfda.recipes.mean import Answer, Looks, Plan, run
from dpfda.release.smooth.powers import PowerLaw
from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats, Interval
from dpfda.spaces.splines import SplineBasis
from dpfda.summaries.looks import Look

#: How fast a person's j-th coefficient falls: like j^-q.
SMOOTHNESS = {"very smooth": 2.5, "smooth": 1.75, "wavy": 1.25, "rough": 0.9}
#: Standard deviation of a person's level and first coefficient, in halves of the range.
VARIETY = 0.15
#: Made-up persons; their mean and counts stand for those of n.
PERSONS = 500


def read_smoothness(smoothness: object) -> float:
    """Return the power behind a word."""
    if not isinstance(smoothness, str) or smoothness not in SMOOTHNESS:
        raise ParameterError(f"smoothness must be one of {', '.join(map(repr, SMOOTHNESS))}, not {smoothness!r}")
    return SMOOTHNESS[smoothness]


def made_up_persons(mean: Floats, smoothness: float, basis: Basis, grid: Floats, rng: np.random.Generator) -> Floats:
    """Return coefficients of persons around a mean on the grid, a column a person; their own mean is exactly that."""
    sds = VARIETY * np.maximum(np.arange(basis.count), 1.0) ** -smoothness
    away = rng.standard_normal((basis.count, PERSONS)) * sds[:, None]
    return np.asarray((basis.projection(grid) @ mean)[:, None] + away - away.mean(axis=1, keepdims=True))


class MadeUpLooks(Looks):
    """Answers for n persons who are like the made-up ones."""

    def __init__(self, plan: Plan, persons: Floats, neighbours: Neighbours, rng: np.random.Generator) -> None:
        self._plan, self._persons, self._neighbours, self._rng = plan, persons, neighbours, rng

    def mean(self, look: int, centre: Floats, axes: Floats, radius: Fraction) -> Answer:
        choice = choose(self._plan.law, "matched", axes, np.ones(len(axes)))
        view = Look(centre, axes, radius)
        lattice = Lattice.plan(view.records, choice.body, self._plan.ratios[look], self._neighbours)
        steps = np.array([float(step) for step in lattice.steps])
        moved = (view.vectors(self._persons.T, lattice) * steps).mean(axis=0)
        sizes = getattr(choice.law, "sizes", ())
        shape = (1, lattice.noisy_dimension)
        noise = stand_in(choice.law.name, sizes, float(lattice.scale), shape, self._rng)[0] / self._plan.n
        if lattice.count_weight:
            moved = moved / max(1 + noise[-1] / lattice.count_weight, 0.01)
        variances = choice.law.variances(lattice.noisy_dimension)[: len(steps)]
        values = centre + moved + steps * noise[: len(steps)]
        return Answer(values, (steps * lattice.scale / self._plan.n) ** 2 * variances)

    def radius(self, centre: Floats, axes: Floats, radii: tuple[Fraction, ...], target: int) -> Fraction:
        """Permute-and-flip in floating point: the largest score with exponential noise (Ding et al. 2021)."""
        share = self._plan.n / self._persons.shape[1]
        outside = np.array(Look(centre, axes, Fraction(1)).outside(self._persons, radii))
        scores = -np.abs(np.rint(share * outside) - target)
        noise = self._rng.exponential(2 / float(self._plan.radius_epsilon), len(radii))
        return radii[int(np.argmax(scores + noise))]


def recipe_error(
    truth: Floats,
    grid: Floats,
    plan: Plan,
    power: float,
    half: float,
    draws: int,
    neighbours: Neighbours,
    rng: np.random.Generator,
) -> float:
    """Return the root mean squared difference between made-up releases of the recipe and a mean in halves of the range."""
    basis = SplineBasis.on(grid, Interval(0.0, 1.0), plan.functions)
    persons = made_up_persons(truth, power, basis, grid, rng)
    fine = np.linspace(0.0, 1.0, 513)
    target, table = np.interp(fine, grid, truth), basis.evaluate(fine)
    looks = MadeUpLooks(plan, persons, neighbours, rng)
    squares = []
    for _ in range(draws):
        combined = run(plan, looks).combined
        drawn = table @ PowerLaw(1.0).fit(combined.values, combined.variances).mean
        squares.append(np.mean((drawn - target) ** 2))
    return half * float(np.sqrt(np.mean(squares)))
