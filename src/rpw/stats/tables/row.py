"""One row of what `rpw.stats.drift` found: a column, what of it was compared, and what came out."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rpw.base.check import Array
from rpw.base.made_by_rpw import NO_PARAMETERS
from rpw.stats.tables.shown_number import shown_number

__all__ = ["NO_TIME", "DriftRow", "band_of"]

NO_TIME = "no time was left"  # the note of a test without an answer

_BAND = (0.05, 0.95)


@dataclass(frozen=True)
class DriftRow:
    """One row of a `rpw.stats.DriftResult`: what was compared of a column, and what came out.

    All numbers are NaN if nothing was compared; ``note`` says why.

    Attributes
    ----------
    column : str
        The name of the column; empty for all columns together.
    part : str
        What was compared: ``"values"``, ``"missing"``, ``"together"`` or ``"not compared"``. In a column of mixed
        types, ``"values"`` are the entries of the most frequent type. Those of the other types are ``"numbers"``,
        ``"dates"`` or ``"texts"``, and their share of all rows is, for example, the ``"share of texts"``.
    kind : str
        ``"number"``, ``"date"``, ``"category"``, ``"mixed"`` (the share of a type), ``"empty"`` (all missing) or
        ``"other"`` (a type that is not known).
    distance : float
        RPW of the scaled values; for categories and missing values, total variation.
    floor_low, floor_high : float
        What two samples of one distribution would give, from 5 % to 95 %.
    pvalue, adjusted : float
        The p-value, and the p-value after Holm's correction for all tests.
    is_drifted : bool
        Whether the adjusted p-value is at most alpha.
    changed_at_least : int or None
        How many rows must have changed, with confidence 1 - alpha for this row alone; None if that is not known. For
        values, these are values that became other values; entries that went missing, or were filled in, are counted by
        the row of missing values.
    n, m : int
        How many rows of the reference and of the current table were compared.
    note : str
        Remarks, such as why nothing was compared.
    n_resamples, unanswered : int
        How many random splits there were, and how many of them had no answer within ``time_limit``. These count as if
        they were farther apart than the tables, so the p-value may be too large, and never too small. The exact test of
        a share has no random splits.
    p, k, unit : float
        How the distance is defined: ``rpw.distance(x / unit, y / unit, p=p, k=k, diameter=1)``, on rounded values if
        there are more than 10,000. Categories and missing values have k = 0, and neither p nor unit. All columns
        together have no unit: each column is divided by its own.
    median_reference, median_current : float
        Medians of numbers and dates. Medians of dates are days since 1970-01-01.
    is_counted : bool
        Whether Holm's correction counts a row without a test, as p = 1: other splits of the rows would have had it.

    Examples
    --------
    >>> import numpy as np
    >>> import rpw
    >>> rng = np.random.default_rng(0)
    >>> before, after = {"age": rng.normal(40, 10, 300)}, {"age": rng.normal(47, 10, 300)}
    >>> row = rpw.stats.drift(before, after, rng=0)["age"]
    >>> row.is_drifted, round(row.distance, 3), round(row.floor_high, 3)
    (True, 0.126, 0.037)
    """

    __signature__ = NO_PARAMETERS

    column: str
    part: str
    kind: str
    distance: float = math.nan
    floor_low: float = math.nan
    floor_high: float = math.nan
    pvalue: float = math.nan
    adjusted: float = math.nan
    is_drifted: bool = False
    changed_at_least: int | None = None
    n: int = 0
    m: int = 0
    note: str = ""
    p: float = math.nan
    k: float = math.nan
    unit: float = math.nan
    median_reference: float = math.nan
    median_current: float = math.nan
    n_resamples: int = 0
    unanswered: int = 0
    is_counted: bool = False

    @property
    def is_test(self) -> bool:
        """Whether there is a p-value."""
        return not math.isnan(self.pvalue)

    @property
    def is_unanswered(self) -> bool:
        """Whether this is a test that ``time_limit`` ended before it could be seen whether anything has drifted."""
        return self.note == NO_TIME if not self.is_test else self.unanswered > 0 and not self.is_drifted

    @property
    def is_known(self) -> bool:
        """Whether there is a distance."""
        return not math.isnan(self.distance)

    @property
    def name(self) -> str:
        """The column and the part, as tables show them."""
        if self.part == "together":
            return "(all together)"
        return self.column if self.part in ("values", "not compared") else f"{self.column} ({self.part})"

    @property
    def words(self) -> str:
        """What was found, in a sentence."""
        if not self.is_known:
            return f"Not compared: {self.note}."
        text = (
            f"Distance {self.distance:.3g}; chance alone would give {self.floor_low:.3g} to {self.floor_high:.3g}; "
            f"p = {self.pvalue:.3g}, adjusted {self.adjusted:.3g}."
        )
        if self.medians:
            text += f" Median {self.medians}."
        if self.is_drifted and self.changed_at_least:
            text += f" At least {self.changed_at_least:,} of {self.n + self.m:,} rows have changed."
        if self.unanswered:
            text += (
                f" There was no time for {self.unanswered:,} of {self.n_resamples:,} random splits, which count as if "
                "they were farther apart than the tables."
            )
        return f"{text} {self.note[:1].upper()}{self.note[1:]}." if self.note else text

    @property
    def medians(self) -> str:
        """Both medians in words, such as "40.1 → 46.2"; empty without numbers."""
        if math.isnan(self.median_reference):
            return ""
        return " → ".join(shown_number(each, self.kind) for each in (self.median_reference, self.median_current))

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and texts, for JSON or for a row of a DataFrame.

        Returns
        -------
        dict
            The attributes, with None for what is not known, and dates as texts; also ``"words"``.

        Examples
        --------
        >>> import rpw
        >>> row = rpw.stats.drift({"a": [1.0, 2.0, 3.0]}, {"a": [1.0, 2.0, 3.0]}, rng=0)["a"]
        >>> facts = row.to_dict()
        >>> facts["column"], facts["kind"], facts["is_drifted"]
        ('a', 'number', False)
        """
        facts = {name: None if value != value else value for name, value in asdict(self).items()}
        if self.kind == "date" and self.medians:
            facts.update(zip(("median_reference", "median_current"), self.medians.split(" → "), strict=True))
        return {**facts, "words": self.words}


def band_of(values: Array) -> tuple[float, float]:
    """From 5 % to 95 % of the distances of random splits; those without an answer are left out."""
    known = values[~np.isnan(values)]
    low, high = np.quantile(known, _BAND) if len(known) else (math.nan, math.nan)
    return float(low), float(high)
