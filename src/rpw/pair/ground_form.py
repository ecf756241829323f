"""The form in which a ground, and measures on it, are read: by the core, or by who computes outside of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from rpw import _core
from rpw.base.check import Array
from rpw.pair.atoms import Atoms, Ints, Where
from rpw.pair.metrics import equal_rows

__all__ = ["InArrays", "InCore", "common_labels", "labelled", "measures_of", "on_places"]


@dataclass(frozen=True, eq=False)
class InCore:
    """A ground as the core reads it, and how measures are laid out for it."""

    space: _core.Space
    measures: Callable[[Atoms], _core.Measures]

    def kept(self, atoms: Atoms) -> _core.Measures:
        """Measures that are laid out once, and kept for as long as their atoms are."""
        found = self._kept.get(atoms)
        if found is None:
            found = self._kept[atoms] = self.measures(atoms)
        return found

    @cached_property
    def _kept(self) -> WeakKeyDictionary[Atoms, _core.Measures]:
        return WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class InArrays:
    """A ground in plain arrays, for who computes outside of the core: a metric of the core or a matrix; neither where
    labels of equal points are enough. ``where`` gives the points, the places in the matrix, or the labels of atoms."""

    where: Callable[[Atoms], Where]
    metric: _core.Metric | None = None
    matrix: Array | None = None


def measures_of(
    atoms: Atoms, points: Array | None = None, places: npt.NDArray[np.int32] | None = None, labels: Ints | None = None
) -> _core.Measures:
    """Measures whose atoms lie at points, at places of a matrix, or have labels."""
    return _core.Measures(atoms.start, atoms.mass, points, places, labels)


def on_places(atoms: Atoms, count: int) -> _core.Measures:
    """Without places where atom i of the only measure is at place i of all: the core may use the matrix as it is."""
    is_whole = len(atoms) == 1 and np.array_equal(atoms.where, np.arange(count))
    return measures_of(atoms, places=None if is_whole else atoms.where)


def labelled(a: Atoms, b: Atoms) -> InCore:
    """No space, but labels of equal points, which these measures have in common."""
    labels = common_labels(a, b)
    return InCore(_core.Space.of_labels(), lambda atoms: measures_of(atoms, labels=labels(atoms)))


def common_labels(a: Atoms, b: Atoms) -> Callable[[Atoms], Ints]:
    """Labels of equal points, for the atoms of either."""
    of_a, of_b = np.split(equal_rows(np.concatenate([a.where, b.where])), [len(a.where)])
    return lambda atoms: of_a if atoms is a else of_b
