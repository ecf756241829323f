"""What users may pass in, for type checkers."""

from __future__ import annotations

import os
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["PathLike", "SparseRows", "StoredMatrix"]

PathLike = str | os.PathLike[str]


class SparseRows(Protocol):
    """A sparse matrix or array of SciPy: histograms, one in each row."""

    @property
    def nnz(self) -> int:
        """The number of stored entries."""

    def tocsr(self) -> Any:
        """The same rows in compressed form."""


class StoredMatrix(Protocol):
    """A matrix on disk: ``D[:]`` or ``np.asarray(D)`` reads it, ``D[i, j]`` or a slice reads a part.

    Or a stack of them, k first: ``D[0]`` is the matrix for the first k, and ``D.attrs["k"]`` lists them.
    """

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns; of a stack, how many k before them."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""

    @property
    def attrs(self) -> Any:
        """The parameters that it was computed with."""

    def __getitem__(self, selection: Any, /) -> Any: ...

    def __array__(self, *args: Any, **kwargs: Any) -> npt.NDArray[Any]: ...
