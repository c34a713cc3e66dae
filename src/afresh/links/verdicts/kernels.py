"""The four kernels, and a support vector machine's decision from plain arrays.  [M03] eq. 3.15, 3.18–3.21."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class Kernel(StrEnum):
    """How two vectors are compared."""

    LINEAR = "linear"
    POLYNOMIAL = "polynomial"
    RADIAL = "radial"
    SIGMOID = "sigmoid"


def kernel_matrix(
    kernel: Kernel, x: Matrix, z: Matrix, *, gamma: float = 1.0, degree: int = 3, coef0: float = 1.0
) -> Matrix:
    """K(x_i, z_j) for all rows.

    >>> kernel_matrix(Kernel.POLYNOMIAL, np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]), degree=2)
    array([[144.]])
    """
    if kernel is Kernel.RADIAL:
        squared = (x**2).sum(axis=1)[:, None] + (z**2).sum(axis=1)[None, :] - 2.0 * x @ z.T
        return np.asarray(np.exp(-gamma * np.maximum(squared, 0.0)), np.float64)
    dot = x @ z.T
    if kernel is Kernel.LINEAR:
        return np.asarray(dot, np.float64)
    if kernel is Kernel.POLYNOMIAL:
        return np.asarray((gamma * dot + coef0) ** degree, np.float64)
    return np.asarray(np.tanh(gamma * dot + coef0), np.float64)
