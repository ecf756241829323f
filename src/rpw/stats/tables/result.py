"""What `rpw.stats.drift` found: a sentence, a table, and a page."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from rpw.base import check
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.base.types import PathLike
from rpw.io.files import replacing
from rpw.stats.tables.glance import Glance
from rpw.stats.tables.joint import JointFinding
from rpw.stats.tables.page import Shown, fragment_of, page_of
from rpw.stats.tables.row import DriftRow
from rpw.stats.tables.worst import WorstColumn

__all__ = ["DriftResult"]

_NAMES = {"number": "numeric columns", "date": "dates"}
_MOST_NAMES = 8  # in the sentence
_MOST_ROWS, _MOST_REASONS = 24, 5  # in the repr
_WIDTH, _LEAST_WIDTH = 80, 8  # of the repr, and of its first column


@dataclass(frozen=True, eq=False)
class DriftResult:
    """Which columns of two tables have drifted, and by how much at least.

    `rpw.stats.drift` returns it. ``print(result)`` gives a sentence, ``result`` alone gives a table, and
    ``result["age"]`` gives the row of a column. As a bool, it says whether anything has drifted.

    Attributes
    ----------
    rows : tuple of DriftRow
        One row for the values of each column, one for its missing values if there are any, more for a column of mixed
        types, and one for all numbers and dates together. A column that could not be compared has a row that says why.
    alpha : float
        The chance of even one false alarm, over all rows (Holm's correction).
    n_resamples : int
        How many random splits a test used at most.
    n, m : int
        The numbers of rows of the reference and of the current table.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> before, after = {"age": rng.normal(40, 10, 300)}, {"age": rng.normal(47, 10, 300)}
    >>> result = rpw.stats.drift(before, after, rng=0)
    >>> result.drifted
    ('age',)
    >>> result["age"].medians
    '39.23 → 46.81'
    """

    __signature__ = NO_PARAMETERS

    rows: tuple[DriftRow, ...]
    alpha: float
    n_resamples: int
    n: int
    m: int
    _glances: dict[str, Glance] = field(default_factory=dict)
    _worst: WorstColumn | None = None
    _joint: JointFinding | None = None

    @property
    def drifted(self) -> tuple[str, ...]:
        """The columns whose values, or whose share of missing values, have drifted; in the order of the table."""
        return tuple(dict.fromkeys(row.column for row in self.rows if row.is_drifted and row.part != "together"))

    @property
    def not_compared(self) -> tuple[str, ...]:
        """The columns whose values were not compared and that have not drifted, such as columns in only one table."""
        drifted = self.drifted
        return tuple(row.column for row in self.rows if row.part == "not compared" and row.column not in drifted)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """The names of the tests that ``time_limit`` ended before it could be seen whether anything has drifted."""
        return tuple(row.name for row in self.rows if row.is_unanswered)

    @property
    def has_compared(self) -> bool:
        """Whether there was anything to test."""
        return any(row.is_test for row in self.rows)

    @property
    def together(self) -> DriftRow | None:
        """The row of all numbers and dates together; None if there are fewer than two such columns."""
        return next((row for row in self.rows if row.part == "together"), None)

    def __bool__(self) -> bool:
        """Whether anything has drifted: a column, or the numbers and dates together."""
        return any(row.is_drifted for row in self.rows)

    def reasons(self, most: int | None = None) -> list[str]:
        """Say, for each row without a test, why there is none.

        Parameters
        ----------
        most : int, optional
            At most this many sentences; one more then counts the rest.

        Returns
        -------
        list of str
            The sentences.

        Examples
        --------
        >>> import rpw
        >>> before, after = {"a": [1.0, 2.0, 3.0], "b": [1, 2, 3]}, {"a": [1.0, 2.0, 3.0]}
        >>> result = rpw.stats.drift(before, after, rng=0)
        >>> result.reasons()
        ['No test of b: it is only in the reference.']
        """
        found = [f"No test of {row.name}: {row.note}." for row in self.rows if not row.is_known]
        shown = len(found) if most is None else check.as_whole(most, "most", 0)
        hidden = len(found) - shown
        return [*found[:shown], f"{hidden:,} more rows have no test."] if hidden > 0 else found

    def __iter__(self) -> Iterator[DriftRow]:
        """The rows."""
        return iter(self.rows)

    def __getitem__(self, column: str) -> DriftRow:
        """The row of the values of a column, by its name as a text; columns of arrays are called "0", "1" and so on."""
        for row in self.rows:
            if row.column == column and row.part in ("values", "not compared"):
                return row
        known = list(dict.fromkeys(row.column for row in self.rows if row.part != "together"))
        hint = "" if isinstance(column, str) else f"; pass the name as a text, such as {known[0]!r}"
        raise KeyError(f"there is no column {column!r}; there are {_listed([repr(name) for name in known])}{hint}")

    @property
    def sentence(self) -> str:
        """What was found, in words."""
        unknown = {row.column for row in self.rows if row.is_unanswered} - set(self.drifted)
        tested = {row.column for row in self.rows if row.is_test and row.part != "together"}
        compared = len(tested - unknown - set(self.not_compared))
        names = [self._named(column) for column in self.drifted]
        if names:
            verb = "has" if len(names) == 1 else "have"
            words = f"{len(names)} of {_counted(compared, 'column')} {verb} drifted: {_listed(names)}"
        elif not compared:
            words = "No column was compared"
        else:
            words = (
                "The only column compared has not drifted"
                if compared == 1
                else f"None of {compared:,} columns has drifted"
            )
        if self.together is not None and self.together.is_known and not self.together.is_unanswered:
            words += self._words_of_together(self.together)
        words += "."
        skipped = [column for column in self.not_compared if not self[column].is_unanswered]
        if skipped:
            verb = "was" if len(skipped) == 1 else "were"
            words += f" {_counted(len(skipped), 'column')} {verb} not compared: {_listed(skipped)}."
        if self.unanswered:
            words += (
                f" No time was left for {_counted(len(self.unanswered), 'test')}: {_listed(list(self.unanswered))}."
            )
        return words

    def _named(self, column: str) -> str:
        parts = {row.part for row in self.rows if row.column == column and row.is_drifted}
        others = ", ".join("missing values" if part == "missing" else part for part in sorted(parts))
        return column if "values" in parts else f"{column} ({others})"

    def _words_of_together(self, row: DriftRow) -> str:
        lines = [each for each in self.rows if each.part == "values" and each.kind in _NAMES]
        kinds = {each.kind for each in lines}
        joint = f"the joint test of the {'numbers and dates' if len(kinds) > 1 else _NAMES[kinds.pop()]}"
        if row.is_drifted:
            return f"; {joint} agrees" if self.drifted else f", but {joint} sees a change"
        unseen = sum(each.is_drifted for each in lines)
        if unseen:
            size = f"{row.n:,} rows of each table" if row.n == row.m else f"{row.n:,} and {row.m:,} rows"
            return f"; {joint}, on {size}, does not see {'it' if unseen == 1 else 'them'}"
        return f"; {joint} {'sees no change' if self.drifted else 'agrees'}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, for JSON.

        Returns
        -------
        dict
            The facts; its ``"rows"`` are a list that ``pandas.DataFrame`` turns into a table.

        Examples
        --------
        >>> import rpw
        >>> result = rpw.stats.drift({"a": [1.0, 2.0, 3.0]}, {"a": [1.0, 2.0, 3.0]}, rng=0)
        >>> result.to_dict()["drifted"], result.to_dict()["rows"][0]["adjusted"]
        ([], 1.0)
        """
        return {
            "drifted": list(self.drifted),
            "together": None if self.together is None else self.together.is_drifted,
            "not_compared": list(self.not_compared),
            "unanswered": list(self.unanswered),
            "sentence": self.sentence,
            "alpha": self.alpha,
            "n_resamples": self.n_resamples,
            "rows_of_reference": self.n,
            "rows_of_current": self.m,
            "rows": [row.to_dict() for row in self.rows],
            "moved": self._moved(),
            "left_behind": self._left_behind(),
        }

    def _moved(self) -> dict[str, dict[str, float]] | None:
        """By column: its share of the cost of the plan of all columns together, and its mean move."""
        joint = self._joint
        if joint is None or joint.moves is None or joint.shares is None:
            return None
        return {
            name: {"share": float(share), "move": float(move)}
            for name, share, move in zip(joint.columns, joint.shares, joint.moves, strict=True)
        }

    def _left_behind(self) -> dict[str, Any] | None:
        worst = self._worst
        if worst is None:
            return None
        return {
            "column": worst.column,
            "reference": worst.reference.rows.tolist(),
            "current": worst.current.rows.tolist(),
        }

    def table(self, most: int | None = None) -> list[tuple[str, ...]]:
        """Return the rows as texts; drifted rows come first, and small p-values before large ones.

        Parameters
        ----------
        most : int, optional
            At most this many rows.

        Returns
        -------
        list of tuple of str
            One tuple for each row, with the columns of ``DriftResult.HEADER``.

        Examples
        --------
        >>> import rpw
        >>> result = rpw.stats.drift({"a": [1.0, 2.0, 3.0]}, {"a": [1.0, 2.0, 3.0]}, rng=0)
        >>> result.table()[0][:3], result.HEADER[:3]
        (('a', 'number', '0'), ('column', 'kind', 'distance'))
        """
        order = sorted(
            self.rows, key=lambda row: (not row.is_test, row.adjusted if row.is_test else 0.0, -_excess(row))
        )
        return [_cells(row) for row in order[: None if most is None else check.as_whole(most, "most", 0)]]

    CAUTION = "Each column has its own k: compare a distance with what chance gives, not with other columns."
    HEADER = ("column", "kind", "distance", "by chance", "adj. p", "drift", "changed ≥")

    def save_page(self, path: PathLike, title: str = "Has the data changed?") -> None:
        """Write one HTML page that needs nothing from outside.

        It has the sentence, the table with small pictures, the profiles of the worst column, and the rows left behind.

        Parameters
        ----------
        path : str or path
            The file.
        title : str, default "Has the data changed?"
            The title of the page.

        Examples
        --------
        >>> import pathlib, tempfile, rpw
        >>> result = rpw.stats.drift({"a": [1.0, 2.0, 3.0]}, {"a": [1.0, 2.0, 3.0]}, rng=0)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "page.html"
        ...     result.save_page(path)
        ...     "The only column compared has not drifted" in path.read_text(encoding="utf-8")
        True
        """
        text = page_of(self._shown, title)
        with replacing(path) as file:
            file.write(text.encode("utf-8", "backslashreplace"))  # names may hold halves of surrogate pairs

    def __str__(self) -> str:
        return self.sentence

    def __repr__(self) -> str:
        cells = [self.HEADER, *self.table(_MOST_ROWS)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        widths[0] = min(widths[0], max(_LEAST_WIDTH, _WIDTH - sum(widths[1:]) - 2 * (len(widths) - 1)))
        cells = [(_shortened(row[0], widths[0]), *row[1:]) for row in cells]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells
        ]
        hidden = len(self.rows) - _MOST_ROWS
        more = [f"… and {_counted(hidden, 'more row')}: see .rows"] if hidden > 0 else []
        texts = [*self.reasons(_MOST_REASONS), self.CAUTION]
        below = [line for text in texts for line in textwrap.wrap(text, _WIDTH)]
        return "\n".join([*textwrap.wrap(self.sentence, _WIDTH), "", *lines, *more, "", *below])

    def _repr_html_(self) -> str:
        return fragment_of(self._shown)

    @property
    def _shown(self) -> Shown:
        together = self.together is not None and self.together.is_drifted
        return Shown(
            self.sentence, self.rows, self.alpha, self.n_resamples, self.n, self.m, self._glances, self._worst,
            self._joint, together,
        )  # fmt: skip


def _excess(row: DriftRow) -> float:
    return row.distance - row.floor_high if row.is_known else 0.0


def _cells(row: DriftRow) -> tuple[str, ...]:
    if not row.is_known:
        return row.name, row.kind, "", "", "", "no test", ""
    changed = f"{row.changed_at_least:,}" if row.is_drifted and row.changed_at_least else ""
    band = f"{row.floor_low:.3g}–{row.floor_high:.3g}"
    verdict = "yes" if row.is_drifted else "no time" if row.is_unanswered else "no"
    return row.name, row.kind, f"{row.distance:.3g}", band, f"{row.adjusted:.2g}", verdict, changed


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    return shown if len(names) <= _MOST_NAMES else f"{shown} and {len(names) - _MOST_NAMES:,} more"


def _shortened(name: str, width: int) -> str:
    return name if len(name) <= width else f"{name[: width - 1]}…"
