"""How noise is drawn: a body (norm) and a law each.  None of them knows which summary it protects."""

from dpfda.errors import ParameterError
from dpfda.mechanisms.base import CoordinateMechanism, Mechanism
from dpfda.mechanisms.blocks import BallMechanism, BlocksMechanism
from dpfda.mechanisms.cube import CubeMechanism
from dpfda.mechanisms.gaussian import GaussianMechanism
from dpfda.mechanisms.laplace import LaplaceMechanism

#: For values in cells, where the law of single coordinates is known.
MECHANISMS: dict[str, CoordinateMechanism] = {m.name: m for m in (CubeMechanism(), LaplaceMechanism())}


def mechanism_named(name: object) -> CoordinateMechanism:
    """Return the mechanism of that name, or say which there are."""
    if isinstance(name, str) and name in MECHANISMS:
        return MECHANISMS[name]
    raise ParameterError(f"mechanism must be one of {', '.join(map(repr, MECHANISMS))}, not {name!r}")


__all__ = [
    "MECHANISMS",
    "BallMechanism",
    "BlocksMechanism",
    "CoordinateMechanism",
    "CubeMechanism",
    "GaussianMechanism",
    "LaplaceMechanism",
    "Mechanism",
    "mechanism_named",
]
