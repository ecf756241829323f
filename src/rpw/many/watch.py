"""Measures that come to an index one after the other, watched for a diameter that hardly fits them."""

from __future__ import annotations

from dataclasses import dataclass

from rpw.pair.atoms import Atoms, Where
from rpw.pair.ground import Ground
from rpw.pair.reach import warn_of_reach

__all__ = ["Watch"]


@dataclass
class Watch:
    """Warns once, when measures first reach far beyond a diameter that nobody chose; silent without a ground.

    A few atoms stand for all that have come: to look at another measure takes no longer than to read it.
    """

    ground: Ground | None = None
    _ends: Where | None = None

    def keep(self, measures: Atoms) -> None:
        """Look at measures that stay."""
        self.look(measures)
        if self.ground is None:
            return
        if self.ground.size is not None:
            self.ground = None  # what they share was looked at, and nothing lies outside of it
            return
        others = measures.where if self._ends is None else self._ends
        self._ends = self.ground.outermost(measures.where, others)

    def look(self, measures: Atoms) -> None:
        """Look at measures that do not stay."""
        if self.ground is None:
            return
        reach = self.ground.reach(measures.where, measures.where if self._ends is None else self._ends)
        if reach.is_far:
            self.ground = None
            warn_of_reach(reach)
