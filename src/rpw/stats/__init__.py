"""Statistics: answers with an error that is proven in finite samples, in the manner of `scipy.stats`."""

from rpw.stats.outliers import OutliersResult, find_outliers

__all__ = ["OutliersResult", "find_outliers"]
