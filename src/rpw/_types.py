"""What users may pass in, for type checkers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from rpw.measure import Measure

__all__ = ["CollectionLike", "PathLike", "PointsLike", "SparseRows", "StoredMatrix"]

PathLike = str | os.PathLike[str]


class SparseRows(Protocol):
    """A sparse matrix or array of SciPy: histograms, one in each row."""

    @property
    def nnz(self) -> int:
        """The number of stored entries."""

    def tocsr(self) -> Any:
        """The same rows in compressed form."""


class StoredMatrix(Protocol):
    """A matrix on disk: ``D[:]`` or ``np.asarray(D)`` reads it, ``D[i, j]`` or a slice reads a part."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the entries."""

    @property
    def attrs(self) -> Any:
        """The parameters that it was computed with."""

    def __getitem__(self, selection: Any, /) -> Any: ...

    def __array__(self, *args: Any, **kwargs: Any) -> npt.NDArray[Any]: ...


PointsLike: TypeAlias = "npt.ArrayLike | Measure"
CollectionLike: TypeAlias = "Sequence[npt.ArrayLike | Measure] | npt.ArrayLike | SparseRows"
