"""Functions given by their coefficients in a closed-form family: what is left of a spectrum when only its functions are needed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpfda.spaces.basis import Basis
from dpfda.spaces.interval import Floats
from dpfda.spaces.spectrum import Spectrum


@dataclass(frozen=True, eq=False)
class CarriedBasis(Basis):
    """phi_j = sum_i mixing_ij p_i.

    Parameters
    ----------
    carrier : Basis
        The family p.
    mixing : array (carrier.count, count)
        Coefficients.
    """

    carrier: Basis
    mixing: Floats

    @property
    def resolution(self) -> int:
        return self.carrier.resolution

    def evaluate(self, points: Floats, order: int = 0) -> Floats:
        return np.asarray(self.carrier.evaluate(points, order) @ self.mixing)

    def truncate(self, count: int) -> CarriedBasis:
        keep = min(count, self.count)
        return CarriedBasis(self.domain, keep, self.carrier, self.mixing[:, :keep])


def carried(basis: Basis) -> CarriedBasis:
    """Return a basis as coefficients in its family, without rows that nothing uses."""
    if isinstance(basis, CarriedBasis):
        return basis
    carrier, mixing = (basis.carrier, basis.mixing) if isinstance(basis, Spectrum) else (basis, np.eye(basis.count))
    last = int(np.flatnonzero((mixing != 0).any(axis=1))[-1]) + 1
    return CarriedBasis(basis.domain, basis.count, carrier.truncate(last), mixing[:last])
