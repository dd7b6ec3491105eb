"""The mechanisms users name for coefficients: a law, and the weights of its body for given axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpfda.errors import ParameterError
from dpfda.mechanisms.base import Mechanism
from dpfda.mechanisms.blocks import BallMechanism, BlocksMechanism
from dpfda.mechanisms.gaussian import GaussianMechanism
from dpfda.mechanisms.grouping import best_blocks
from dpfda.mechanisms.laplace import LaplaceMechanism
from dpfda.privacy.bodies import Body
from dpfda.privacy.lattice import Lattice
from dpfda.spaces.interval import Floats

#: What may be asked for by name, and which law runs.
LAWS = {
    "gaussian": "gaussian",
    "iclp": "laplace",
    "finite-basis": "laplace",
    "ball": "ball",
    "blocks": "blocks",
}
#: Mechanisms of densities whose noise is Laplace noise.
DENSITY_LABELS = ("cells", "bernstein")
NOISES = ("matched", "kernel")


@dataclass(frozen=True)
class Choice:
    """A named mechanism made ready for a summary's axes.

    Parameters
    ----------
    label : str
        What the user called it.
    law : Mechanism
        What draws the noise.
    body : Body
        Its norm, with the weights of its noise.
    """

    label: str
    law: Mechanism
    body: Body


def choose(label: str, noise: str, axes: Floats, eigenvalues: Floats) -> Choice:
    """Return the mechanism of that name.

    `noise="kernel"` is the papers': b_j = sqrt(lambda_j) for the Gaussian process and ICLP, b_j = 1 for the finite basis.
    `noise="matched"` has the least expected energy for the axes a: b = a for Gaussian noise and the ball, b = sqrt(a) for
    ICLP and the finite basis; blocks by dynamic programming.
    """
    if label not in LAWS:
        raise ParameterError(f"mechanism must be one of {', '.join(map(repr, LAWS))} for a basis, not {label!r}")
    if noise not in NOISES:
        raise ParameterError(f"noise must be 'matched' or 'kernel', not {noise!r}")
    if noise == "kernel" and label in ("ball", "blocks"):
        raise ParameterError(
            f"mechanism={label!r} has matched noise only: the kernel's is for gaussian, iclp, finite-basis"
        )
    if label == "blocks":
        sizes, weights = best_blocks(axes)
        law: Mechanism = BlocksMechanism(sizes)
        return Choice(label, law, law.body_of(_fractions(weights)))
    if label in ("gaussian", "ball"):
        law = GaussianMechanism() if label == "gaussian" else BallMechanism()
        weights = np.sqrt(eigenvalues) if noise == "kernel" else axes
    else:
        law = LaplaceMechanism()
        kernel = np.sqrt(eigenvalues) if label == "iclp" else np.ones(len(axes))
        weights = kernel if noise == "kernel" else np.sqrt(axes)
    return Choice(label, law, law.body_of(_fractions(weights)))


def energy(choice: Choice, lattice: Lattice, count: int) -> float:
    """Return the expected squared norm of the noise in coefficients of an orthonormal basis, for sums over `count` persons."""
    steps = np.array([float(step) for step in lattice.steps])
    variances = choice.law.variances(lattice.noisy_dimension)[: len(steps)]
    return float(((steps * lattice.scale / count) ** 2 * variances).sum())


def law_of(label: str, sizes: tuple[int, ...]) -> Mechanism:
    """Return the law behind a label, from a file."""
    laws: dict[str, Mechanism] = {
        "gaussian": GaussianMechanism(),
        "laplace": LaplaceMechanism(),
        "ball": BallMechanism(),
        "blocks": BlocksMechanism(sizes),
    }
    return laws[LAWS[label]]


def check_compatible(label: str, noise: str, eta: float, decay: float, own: float | None = None) -> None:
    """Refuse the kernel's noise where *differences* of quadratic-penalty means would not lie in its space.

    With lambda_j ~ j^-beta, a_j = lambda_j^eta/(lambda_j^eta + psi) and noise of variances ~ j^-gamma the reach grows without bound
    with the number of coordinates unless eta >= gamma/(2 beta) (Gaussian process) or eta > (gamma + 1)/(2 beta) (ICLP), though
    every finite number of them would seem to work (Mirshani et al. 2019, definition 3.1; Lin and Reimherr 2026, theorem 7; with
    the tight sensitivities).  gamma is beta, so that these are 1/2 and 1/2 + 1/(2 beta), unless the noise has a kernel of its own.

    Parameters
    ----------
    label, noise : str
        The mechanism and whose noise it has.
    eta, decay : float
        Of the penalty; decay is beta.
    own : float, optional
        gamma, where the noise has a kernel of its own.
    """
    if noise != "kernel" or label not in ("gaussian", "iclp"):
        return
    gamma = decay if own is None else own
    endless = 0.5 if math.isinf(decay) else math.inf
    least = endless if math.isinf(gamma) else (gamma + (label == "iclp")) / (2 * decay)
    enough = eta >= least if label == "gaussian" else eta > least
    if not enough:
        falls = f"the eigenvalues fall {_falls(decay, 'beta')}"
        if own is not None:
            falls = f"the penalty kernel's eigenvalues fall {_falls(decay, 'beta')} and the noise kernel's {_falls(own, 'gamma')}"
        cure = (
            f"eta must be {'at least' if label == 'gaussian' else 'greater than'} {least:.4g}"
            if math.isfinite(least)
            else "no eta is enough: take a rougher noise_kernel"
        )
        raise ParameterError(
            f"eta={eta:g} is too small for mechanism={label!r} with noise='kernel': {falls}, so {cure}; noise='matched' fits every eta"
        )


def _falls(decay: float, name: str) -> str:
    return "faster than any power" if math.isinf(decay) else f"like j^-{decay:g} ({name} = {decay:g})"


def _fractions(weights: Floats) -> tuple[Fraction, ...]:
    return tuple(Fraction(float(w)) for w in weights)
