"""How noise is drawn: a body (norm) and a law each.  None of them knows which summary it protects."""

from dpfda.errors import ParameterError
from dpfda.mechanisms.base import Mechanism
from dpfda.mechanisms.cube import CubeMechanism
from dpfda.mechanisms.laplace import LaplaceMechanism

MECHANISMS: dict[str, Mechanism] = {m.name: m for m in (CubeMechanism(), LaplaceMechanism())}


def mechanism_named(name: object) -> Mechanism:
    """Return the mechanism of that name, or say which there are."""
    if isinstance(name, str) and name in MECHANISMS:
        return MECHANISMS[name]
    raise ParameterError(f"mechanism must be one of {', '.join(map(repr, MECHANISMS))}, not {name!r}")


__all__ = ["MECHANISMS", "CubeMechanism", "LaplaceMechanism", "Mechanism", "mechanism_named"]
