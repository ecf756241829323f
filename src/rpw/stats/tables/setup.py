"""What all tests of one comparison share, and how rows change sides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.pair.atoms import Ints
from rpw.stats.resampled import Effort
from rpw.stats.samples import Samples
from rpw.stats.splits import Splits, all_or_random_splits, splits_of_counts

__all__ = ["MANY_ROWS", "Setup", "splits_for"]

MANY_ROWS = 10_000  # beyond, columns are rounded, and splits are drawn as counts


@dataclass(frozen=True, eq=False)
class Setup:
    """The level, the number of splits, who computes, and the group of each pooled row if rows belong together."""

    alpha: float
    n_resamples: int
    effort: Effort
    groups: Ints | None = None

    @property
    def is_over(self) -> bool:
        """Whether the time limit has passed."""
        return self.effort.deadline.is_set and self.effort.deadline.seconds_left == 0

    def groups_of(self, rows: npt.NDArray[np.bool_]) -> Ints | None:
        """Of some of the pooled rows, numbered from 0."""
        if self.groups is None:
            return None
        found: Ints = np.unique(self.groups[rows], return_inverse=True)[1]
        return found


def splits_for(values: Array, n: int, groups: Ints | None, count: int, rng: np.random.Generator) -> Splits:
    """Splits of the pooled values of a column, the first n of them from the reference."""
    if groups is None and len(values) > MANY_ROWS:
        places, labels = np.unique(values, return_inverse=True)
        pooled, observed = (np.bincount(some, minlength=len(places)) for some in (labels, labels[:n]))
        return splits_of_counts(places[:, None], pooled, observed, count, rng)
    return all_or_random_splits(Samples(values[:, None], n, ()), count, rng, groups)
