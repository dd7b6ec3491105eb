"""Covariance kernels: what one pair of points gives, closed under sums, products and scaling."""

from dpfda.kernels.base import Kernel, Product, Scaled, Sum
from dpfda.kernels.gaussian import Gaussian
from dpfda.kernels.matern import Exponential, Matern
from dpfda.kernels.periodic import Periodic
from dpfda.kernels.tensor import Tensor, factorised

__all__ = [
    "Exponential",
    "Gaussian",
    "Kernel",
    "Matern",
    "Periodic",
    "Product",
    "Scaled",
    "Sum",
    "Tensor",
    "factorised",
]
