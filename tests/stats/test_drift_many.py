"""Many columns: names choose the random splits, few splits are enough for most, and what does not finish is told."""

import math

import numpy as np
import pytest

from rpw.stats import drift
from rpw.stats.tables import stages
from rpw.stats.tables.drift import _judged
from rpw.stats.tables.result import DriftResult
from rpw.stats.tables.row import DriftRow


def table(seed, names, n=30):
    rng = np.random.default_rng(seed)
    columns = {name: rng.normal(size=n) for name in sorted(names)}
    columns["city"] = rng.choice(["Graz", "Linz"], n)
    return {name: columns[name] for name in [*names, "city"]}


def test_the_order_of_columns_changes_no_answer():
    first, second = table(0, "abcd"), table(1, "abcd")
    turned = [dict(reversed(each.items())) for each in (first, second)]
    rows, others = ({row.name: row for row in drift(*each, rng=7).rows} for each in ((first, second), turned))
    for name in (*"abcd", "city"):
        assert rows[name] == others[name]
    alone = drift({"b": first["b"]}, {"b": second["b"]}, rng=7)["b"]
    assert alone.pvalue == rows["b"].pvalue


def test_columns_with_the_same_values_have_splits_of_their_own():
    x, y = np.random.default_rng(3).normal(size=(2, 50))
    result = drift({"a": x, "b": x}, {"a": y, "b": y}, rng=0, most_joint_rows=0)
    assert result["a"].floor_high != result["b"].floor_high


def test_only_columns_that_few_splits_leave_open_get_many():
    names = [f"c{place:02}" for place in range(20)]
    first, second = table(0, names, 14), table(1, names, 14)
    second["c07"] = second["c07"] + 3
    result = drift(first, second, rng=0, most_joint_rows=0)
    assert result.drifted == ("c07",)
    assert result.n_resamples == 2 * 21 / 0.05 - 1
    counts = {row.name: row.n_resamples for row in result.rows}
    assert set(counts.values()) == {399, result.n_resamples}
    assert counts["c07"] == result.n_resamples
    assert all(count == 399 for name, count in counts.items() if result[name].pvalue > 0.05)
    assert sum(count == 399 for count in counts.values()) > 12
    each = drift(first, second, rng=0, most_joint_rows=0, n_resamples=500)
    assert {row.n_resamples for row in each.rows} == {500}


@pytest.mark.parametrize("trials", [8, pytest.param(600, marks=pytest.mark.thorough)])
def test_two_stages_keep_the_level(trials):
    alarms = 0
    for seed in range(trials):
        names = [str(place) for place in range(8)]
        first, second = table(2 * seed, names, 12), table(2 * seed + 1, names, 12)
        alarms += bool(drift(first, second, alpha=0.04, rng=seed, most_joint_rows=0))
    assert alarms <= 0.04 * trials + 3 * math.sqrt(0.04 * trials)


def test_progress_grows_to_its_end_over_both_stages():
    names, told = [str(place) for place in range(12)], []
    first, second = table(0, names), table(1, names)
    drift(first, second, rng=0, most_joint_rows=0, progress=lambda done, total: told.append((done, total)))
    assert told[-1][0] == told[-1][1] == 13 * (400 + 520)
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_a_long_comparison_says_so_before(monkeypatch):
    monkeypatch.setattr(stages, "_BEFORE_WORDS", 0.0)
    monkeypatch.setattr(stages, "_LONG", 0.0)
    names = [str(place) for place in range(12)]
    words = r"13 tests of 399 random splits will take about .* if nothing has drifted, and .* s more for each"
    with pytest.warns(UserWarning, match=words):
        drift(table(0, names), table(1, names), rng=0, most_joint_rows=0)


# ---------------------------------------------------------------- what has no test in this split


def test_what_other_splits_would_have_tested_counts_in_holms_correction():
    """A column that is empty in one table would have values in both after most splits of the same rows."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 30))
    result = drift({"x": x, "y": y}, {"x": x[::-1] + 0.1, "y": [None] * 30}, rng=0)
    assert {row.name: row.is_counted for row in result.rows if not row.is_test} == {"y": True}
    assert result["x"].adjusted == pytest.approx(min(1, 2 * result["x"].pvalue))  # beside the share of missing values
    assert result.together is None
    missing = next(row for row in result.rows if row.part == "missing")
    assert missing.adjusted == pytest.approx(3 * missing.pvalue)


def test_the_joint_test_leaves_out_columns_by_both_tables_together():
    rng = np.random.default_rng(0)
    first, second = ({name: rng.normal(size=40) for name in "abc"} for _ in range(2))
    second["c"][5:30] = np.nan
    row = drift(first, second, rng=0).together
    assert row.is_test
    assert "2 columns of numbers and dates; without c: values are missing in too many rows" in row.note
    assert row.n == row.m == 40


# ---------------------------------------------------------------- what did not finish


def unfinished(pvalue=0.4, unanswered=100):
    return DriftRow("a", "values", "number", 0.5, 0.1, 0.2, pvalue, n_resamples=399, unanswered=unanswered)


def test_a_test_that_did_not_finish_has_found_nothing_yet():
    done = DriftRow("b", "values", "number", 0.5, 0.1, 0.2, 0.3, n_resamples=399)
    result = DriftResult(_judged([unfinished(), done], 0.05), 0.05, 399, 10, 10)
    assert result.unanswered == ("a",) == tuple(result.to_dict()["unanswered"])
    assert str(result) == "The only column compared has not drifted. No time was left for 1 test: a."
    assert {cells[0]: cells[5] for cells in result.table()} == {"a": "no time", "b": "no"}
    assert "There was no time for 100 of 399 random splits, which count as if" in result["a"].words
    assert result.to_dict()["rows"][0]["unanswered"] == 100
    alone = DriftResult(_judged([unfinished()], 0.05), 0.05, 399, 10, 10)
    assert str(alone) == "No column was compared. No time was left for 1 test: a."


def test_a_drift_is_one_although_splits_are_missing():
    """They count against it, so its p-value could only be smaller."""
    result = DriftResult(_judged([unfinished(0.02, 4)], 0.05), 0.05, 399, 10, 10)
    assert result.drifted == ("a",)
    assert result.unanswered == ()


def test_a_joint_test_that_did_not_finish_does_not_agree():
    rows = [
        DriftRow("b", "values", "number", 0.5, 0.1, 0.2, 0.3),
        DriftRow("", "together", "number", 0.5, 0.1, 0.2, 0.3, n_resamples=399, unanswered=7),
    ]
    result = DriftResult(_judged(rows, 0.05), 0.05, 399, 10, 10)
    assert str(result) == "The only column compared has not drifted. No time was left for 1 test: (all together)."
