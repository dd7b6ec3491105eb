"""Densities by the papers' mechanisms: features of snapped records, with the noise of a named mechanism."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from dpfda.api.density_finish import finish
from dpfda.api.density_words import DensityCall
from dpfda.api.words import read_count
from dpfda.errors import ParameterError
from dpfda.mechanisms import GaussianMechanism, LaplaceMechanism
from dpfda.mechanisms.choices import LAWS, NOISES, Choice, choose, energy
from dpfda.privacy.bodies import CrossPolytope
from dpfda.privacy.event import Event
from dpfda.privatise import event_of, privatise
from dpfda.release.density import Density
from dpfda.release.density_view import GRID, SHAPES, BasisDensityView, BernsteinView, DensityView, Width
from dpfda.release.law import NoiseLaw
from dpfda.release.stage import Sensitivity, Stage
from dpfda.spaces.features import Features, bernstein, check_lattice, least_error_count, spectral
from dpfda.spaces.nodes import midpoints
from dpfda.spaces.products import FAMILIES, MOST
from dpfda.summaries.snapped import SNAPPED_CELLS, SnappedDensity

BASIS_MECHANISMS = tuple(LAWS)
#: What "auto" compares; the Gaussian where a delta was given.
_AUTO = ("blocks", "iclp", "finite-basis", "ball")
#: K of the Bernstein mechanism by the number of axes.
_LATTICE = {1: 30, 2: 16, 3: 8}


@dataclass(frozen=True)
class BasisWords:
    """The words of a call that speak of a basis or of a lattice."""

    mechanism: str
    eta: float
    noise: str
    basis: str
    components: int | None
    lattice: int | None
    iterations: int
    sensitivity: str

    def check(self, delta: Fraction, own_eta: bool, no_bandwidth: bool, nodes: int | None) -> None:
        """Refuse words that do not fit the mechanism, before any record is read."""
        name = self.mechanism
        if name == "gaussian" and not delta:
            raise ParameterError("mechanism='gaussian' needs a delta above 0, such as delta=1e-6: much less than 1/n")
        if delta and name not in ("gaussian", "auto"):
            raise ParameterError(
                f"mechanism={name!r} gives delta 0: leave delta out, or use mechanism='gaussian' or 'auto'"
            )
        if name != "cells" and no_bandwidth:
            raise ParameterError(
                f"mechanism={name!r} releases a kernel estimate: give its width, bandwidth=, a number or 'rule'; without one use the "
                "default mechanism"
            )
        if name != "cells" and nodes is not None:
            raise ParameterError("nodes= is for mechanism='cells'; a basis has components=, a lattice lattice=")
        if self.noise not in NOISES:
            raise ParameterError(f"noise must be 'matched' or 'kernel', not {self.noise!r}")
        if self.basis != "kernel" and self.basis not in FAMILIES:
            raise ParameterError(f"basis must be one of 'kernel', {', '.join(map(repr, FAMILIES))}, not {self.basis!r}")
        if self.sensitivity not in ("tight", "published"):
            raise ParameterError(f"sensitivity must be 'tight' or 'published', not {self.sensitivity!r}")
        self._check_place(own_eta)
        if isinstance(self.eta, bool) or not isinstance(self.eta, int | float) or not 1 <= self.eta <= 10:
            raise ParameterError(f"eta must be a number from 1 to 10, not {self.eta!r}: the power of the kernel")
        if self.components is not None:
            read_count(self.components, "components", 1, max(MOST.values()))
        if self.lattice is not None:
            read_count(self.lattice, "lattice", 1, 1023)
        read_count(self.iterations, "iterations", 1, 1000)

    def check_axes(self, dimension: int, kernel: str) -> None:
        """Refuse what does not fit the number of axes or the kernel's shape, before a bandwidth is paid for."""
        if self.mechanism == "bernstein":
            check_lattice(self.order(dimension), dimension)
        if self.noise == "kernel" and self.mechanism == "iclp" and kernel in SHAPES:
            _check_compatible(self.eta, SHAPES[kernel].decay)

    def settings(self) -> tuple[str, ...]:
        """Return what was asked for, in words: the mechanism, and what differs from its defaults."""
        given = {
            "eta": self.eta if self.eta != 1 else None,
            "noise": self.noise if self.noise != "matched" else None,
            "basis": self.basis if self.basis != "kernel" else None,
            "components": self.components,
            "lattice": self.lattice,
            "iterations": self.iterations if self.iterations != 1 else None,
            "sensitivity": self.sensitivity if self.sensitivity != "tight" else None,
        }
        return (f"mechanism {self.mechanism}", *(f"{k} {v}" for k, v in given.items() if v is not None))

    def order(self, dimension: int) -> int:
        """Return the K of the Bernstein mechanism."""
        return self.lattice or _LATTICE[dimension]

    def _check_place(self, own_eta: bool) -> None:
        """Refuse words that would be ignored."""
        name = self.mechanism
        in_basis = name in BASIS_MECHANISMS or name == "auto"
        given = {
            "eta": own_eta,
            "noise": self.noise != "matched",
            "basis": self.basis != "kernel",
            "components": self.components is not None,
        }
        for word, present in given.items():
            if present and not in_basis:
                raise ParameterError(f"{word}= is for a mechanism in a basis, not for mechanism={name!r}")
        of_lattice = {
            "lattice": self.lattice is not None,
            "iterations": self.iterations != 1,
            "sensitivity": self.sensitivity != "tight",
        }
        for word, present in of_lattice.items():
            if present and name != "bernstein":
                raise ParameterError(f"{word}= is for mechanism='bernstein', not for {name!r}")


def density_in_basis(
    call: DensityCall, width: Width, words: BasisWords, notes: tuple[str, ...], stages: tuple[Stage, ...]
) -> Density:
    """Release a kernel estimate by a mechanism on features."""
    if width.matrix:
        raise ParameterError(
            f"mechanism={words.mechanism!r} takes one width an axis: a matrix that is not diagonal is for mechanism='cells'"
        )
    plans = {label: _plan(call, width, words, label) for label in _candidates(call, words)}
    energies = {label: energy(choice, summary.lattice, call.design) for label, (choice, summary, _) in plans.items()}
    chosen = min(energies, key=energies.__getitem__)
    choice, summary, view = plans[chosen]
    lattice = summary.lattice
    noisy = privatise(
        summary,
        call.rows,
        choice.law,
        lattice,
        call.epsilon,
        Fraction(0) if choice.law.pure else call.delta,
        people=call.people,
        budget=call.budget,
        label=chosen,
        unit=call.unit,
    )
    # From here on public arithmetic only.
    count = noisy.count(lattice, call.n)
    steps = np.array([float(step) for step in lattice.steps])
    law = NoiseLaw(
        mechanism="laplace" if chosen == "bernstein" else chosen,
        dimension=lattice.noisy_dimension,
        scale=lattice.scale,
        steps=tuple(steps.tolist()),
        middle=0.0,
        count=count,
        count_weight=lattice.count_weight,
        rounding=(0.5 * summary.source.units,) * len(steps),
        sizes=getattr(choice.law, "sizes", ()),
    )
    raw = steps * np.array([s / count for s in noisy.sums[: len(steps)]])
    step = float(lattice.steps[0] / choice.body.weights[0])
    value = Fraction(lattice.sensitivity * step) / (call.n or 1)
    formula = "largest difference of two cells' features in the mechanism's norm"
    if words.sensitivity == "published":
        formula = "lattice points times the largest difference of two cells' values"
    if call.n is None:
        formula = "largest norm of one cell's features and count"
    sensitivity = Sensitivity(
        value, lattice.sensitivity, formula + (", over n" if call.n is not None else ""), "density-spectral.md"
    )
    proofs = ("density-spectral.md", "density-cells.md", "lattice.md", *choice.law.proofs, "composition.md")
    return finish(call, noisy, lattice, law, view, raw, sensitivity, proofs, (*notes, *_why(energies)), stages)


def rehearse_in_basis(call: DensityCall, width: Width, words: BasisWords) -> list[Event]:
    """Return what the release could be charged, at the most, under each mechanism; from public numbers alone.

    The scale is checked for the widest table there could be, and a Gaussian's mu^2 is rounded up to 1/ratio^2.
    """
    events = []
    for label in _candidates(call, words):
        choice, summary, _ = _plan(call, width, words, label)
        lattice = summary.lattice
        columns, published = len(lattice.steps), words.sensitivity == "published"
        most = SnappedDensity.largest_scale(summary.source, columns, lattice.ratio, call.neighbours, published)
        choice.law.check(lattice.noisy_dimension, max(most, lattice.scale))
        delta = Fraction(0) if choice.law.pure else call.delta
        event = event_of(choice.law, lattice, call.epsilon, delta, call.unit, label)
        events.append(event if event.square is None else replace(event, square=1 / lattice.ratio**2))
    return events


def _candidates(call: DensityCall, words: BasisWords) -> tuple[str, ...]:
    if words.mechanism != "auto":
        return (words.mechanism,)
    pure: tuple[str, ...] = _AUTO
    if words.noise == "kernel":
        pure = ("iclp", "finite-basis") if words.eta > 1 else ("finite-basis",)
    return (*pure, "gaussian") if call.delta else pure


def _plan(call: DensityCall, width: Width, words: BasisWords, label: str) -> tuple[Choice, SnappedDensity, DensityView]:
    """Return a mechanism with its table and its view, from public numbers alone."""
    cells = SNAPPED_CELLS[len(call.axes)]
    source = call.source(cells)
    if label == "bernstein":
        order = words.order(len(call.axes))
        table = bernstein(call.axes, width.kernels, order, cells)
        choice = Choice("bernstein", LaplaceMechanism(), CrossPolytope.unit(table.shape[1]))
        ratio = choice.law.calibrate(call.epsilon, call.delta, "analytic")
        published = words.sensitivity == "published"
        summary = SnappedDensity.plan(source, table, choice.body, ratio, call.neighbours, whole_box=published)
        return choice, summary, BernsteinView(call.axes, width, order, words.iterations)
    features = spectral(call.axes, width.kernels, words.basis, words.eta, cells)
    features = features.first(words.components or _rule(call, features, label))
    choice = choose(label, words.noise, features.axes, features.basis.eigenvalues)
    delta = Fraction(0) if choice.law.pure else call.delta
    ratio = choice.law.calibrate(call.epsilon, delta, "analytic")
    summary = SnappedDensity.plan(source, features.table, choice.body, ratio, call.neighbours)
    size = GRID[len(call.axes)]
    functions = tuple(
        basis.evaluate(basis.domain.start + basis.domain.length * midpoints(size))[:, : int(index.max()) + 1]
        for basis, index in zip(features.basis.bases, features.basis.index.T, strict=True)
    )
    return choice, summary, BasisDensityView(call.axes, width, functions, features.basis.index)


def _rule(call: DensityCall, features: Features, label: str) -> int:
    """Return how many functions to use: least noise plus what is cut off, from public n, epsilon and delta.

    With axes a and features in a ball of radius^2 sum a_j^2 that is a cone, matched noise has energy 4 r^2 (sum a_j)^2/(n epsilon)^2 under
    pure epsilon and 2 m^2 r^2 sum a_j^2/n^2 for the Gaussian.
    """
    relative = features.multipliers / float(features.mass.mean())
    n, radius = call.design, float(relative.sum())
    if label != "gaussian":
        factor = 4 * radius / (n * float(call.epsilon)) ** 2
        count = least_error_count(np.sqrt(relative), relative, factor, False)
    else:
        m = float(GaussianMechanism().calibrate(call.epsilon, call.delta, "analytic"))
        count = least_error_count(np.sqrt(relative), relative, 2 * m**2 * radius / n**2, True)
    if count > 1:
        return count
    # One function may be the constant, which says nothing: the next ones of equal size, a wave's two sides, come along.
    return int((relative >= relative[min(1, len(relative) - 1)] * (1 - 1e-9)).sum())


def _check_compatible(eta: float, decay: float) -> None:
    """Refuse the kernel's noise where differences of features do not lie in its space.

    Features of K^eta have a reach in the Gaussian process' space for eta >= 1 and in ICLP's for eta > 1 + 1/beta, eigenvalues
    falling like j^-beta; below, the reach grows without bound with the number of functions (Lin and Reimherr 2026, theorem 7).
    """
    least = 1.0 + (0.0 if np.isinf(decay) else 1 / decay)
    if not eta > least:
        raise ParameterError(
            f"eta={eta:g} is too small for mechanism='iclp' with noise='kernel': it must be greater than {least:.4g}; "
            "noise='matched' fits every eta"
        )


def _why(energies: dict[str, float]) -> tuple[str, ...]:
    if len(energies) == 1:
        return ()
    ordered = sorted(energies, key=energies.__getitem__)
    found = ", ".join(f"{label} {energies[label] ** 0.5:.3g}" for label in ordered)
    return (f"mechanism {ordered[0]}: expected root mean square of the noise {found}.",)
