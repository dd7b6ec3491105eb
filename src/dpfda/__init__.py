"""dpfda: functions learned from people's data, released under differential privacy, with a proof.

The public names, in the order data flows::

    made_up_curves      data to try things on
    read_curves         a CSV file of curves on one grid; read_long: of measurements, each curve at points of its own
    Interval, Circle,   domains; kernels: Gaussian, Matern, Exponential, Periodic,
    Box                 and Tensor, one of them for each axis of a box
    Budget              what all releases from one data set may spend together
    mean                curves -> Release
    density             points -> Density: probabilities, quantiles, synthetic records
    simulate, compare   what error to expect, without data; people_needed: how many persons an error takes
    Release, load       the released function, and its file
    errors              everything that can be raised
    audit               break the guarantee if you can
"""

import importlib
from types import ModuleType

from dpfda import errors
from dpfda.api.compare import Comparison, compare
from dpfda.api.density import density
from dpfda.api.mean import count_clipped, mean
from dpfda.api.people import people_needed
from dpfda.api.simulate import Simulation, simulate
from dpfda.datasets.made_up import made_up_curves
from dpfda.kernels import Exponential, Gaussian, Kernel, Matern, Periodic, Tensor
from dpfda.privacy.budget import Budget
from dpfda.readers.csv import read_curves
from dpfda.readers.long import read_long
from dpfda.release.bands import Band, CurveBand
from dpfda.release.box_bands import BoxBand
from dpfda.release.combination import Combination
from dpfda.release.density import Density
from dpfda.release.density_band import DensityBand
from dpfda.release.groups import Groups
from dpfda.release.guarantee import Guarantee
from dpfda.release.load import load
from dpfda.release.release import Release
from dpfda.spaces.box import Box
from dpfda.spaces.circle import Circle
from dpfda.spaces.interval import Interval
from dpfda.version import __version__


def __getattr__(name: str) -> ModuleType:
    """Load the audit when it is first asked for: a release does not need its statistics."""
    if name == "audit":
        return importlib.import_module("dpfda.audit")
    raise AttributeError(f"module 'dpfda' has no attribute {name!r}")


__all__ = [
    "Band",
    "Box",
    "BoxBand",
    "Budget",
    "Circle",
    "Combination",
    "Comparison",
    "CurveBand",
    "Density",
    "DensityBand",
    "Exponential",
    "Gaussian",
    "Groups",
    "Guarantee",
    "Interval",
    "Kernel",
    "Matern",
    "Periodic",
    "Release",
    "Simulation",
    "Tensor",
    "__version__",
    "compare",
    "count_clipped",
    "density",
    "errors",
    "load",
    "made_up_curves",
    "mean",
    "people_needed",
    "read_curves",
    "read_long",
    "simulate",
]
