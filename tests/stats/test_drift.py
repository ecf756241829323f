"""Planted drifts are found and named, equal tables are left alone, and nothing is silently dropped."""

import json
import math

import numpy as np
import pytest

import rpw
from rpw.stats import drift
from rpw.stats.tables.holm import holm, least_resamples, usual_resamples

RNG = np.random.default_rng(0)


def table(n, **changed):
    """Five columns of every kind; those in ``changed`` are put in their place."""
    return {
        "age": RNG.normal(40, 10, n),
        "clicks": RNG.poisson(3, n),
        "city": RNG.choice(["Graz", "Linz", "Wien"], n),
        "member": RNG.random(n) < 0.5,
        "day": np.datetime64("2024-01-01") + RNG.integers(0, 300, n),
        **changed,
    }


def found(result):
    return {row.name for row in result.rows if row.is_drifted}


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("age", lambda n: RNG.normal(46, 10, n)),
        ("age", lambda n: np.where(np.arange(n) < n // 8, 500.0, RNG.normal(40, 10, n))),
        ("clicks", lambda n: RNG.poisson(4, n)),
        ("city", lambda n: RNG.choice(["Graz", "Linz", "Rom"], n)),
        ("member", lambda n: RNG.random(n) < 0.8),
        ("day", lambda n: np.datetime64("2024-02-20") + RNG.integers(0, 300, n)),
    ],
    ids=["shift", "clump", "counts", "new category", "boolean", "later"],
)
def test_a_planted_drift_is_found_and_named(column, values):
    n = 160
    result = drift(table(n), table(n, **{column: values(n)}), rng=0, most_joint_rows=0, n_resamples=199)
    assert result.drifted == (column,)
    assert result
    assert result.sentence == f"1 of 5 columns has drifted: {column}."
    row = result[column]
    assert row.distance > row.floor_high
    assert 0 < row.changed_at_least < 2 * n
    assert row.adjusted == pytest.approx(min(1, 5 * row.pvalue))


def test_what_has_changed_together_alone_is_found():
    x, y = RNG.normal(size=(2, 200, 2))
    y[:, 1] = 0.95 * y[:, 0] + 0.3 * y[:, 1]  # each column as before, but they go together
    result = drift(x, y, rng=0, n_resamples=119)
    assert result.drifted == ()
    assert result.together.is_drifted
    assert result
    assert "but the joint test of the numeric columns sees a change" in result.sentence


def test_the_joint_part_says_which_column_moves():
    x, y = RNG.normal(size=(2, 150, 3))
    y[:, 1] += 1.5
    first, second = (dict(zip("abc", z.T, strict=True)) for z in (x, y))
    moved = drift(first, second, rng=0, n_resamples=159).to_dict()["moved"]
    assert max(moved, key=lambda name: moved[name]["share"]) == "b"
    assert 0.7 < moved["b"]["move"] < 1.6  # less than the shift: what moves farthest stays behind
    assert sum(each["share"] for each in moved.values()) == pytest.approx(1)


@pytest.mark.parametrize("trials", [40, pytest.param(300, marks=pytest.mark.thorough)])
def test_equal_tables_raise_a_false_alarm_as_often_as_alpha_says(trials):
    alarms = 0
    for _ in range(trials):
        kinds = (lambda n: RNG.normal(size=n), lambda n: RNG.integers(0, 4, n), lambda n: RNG.choice(["a", "b"], n))
        first, second = ({str(i): make(n) for i, make in enumerate(kinds)} for n in (25, 40))
        first["0"][RNG.random(25) < 0.2] = np.nan
        second["0"][RNG.random(40) < 0.2] = np.nan
        alarms += bool(drift(first, second, alpha=0.2, n_resamples=49, rng=RNG, most_joint_rows=0))
    assert alarms <= 0.2 * trials + 3 * math.sqrt(0.16 * trials)


def test_the_same_seed_gives_the_same_answer_for_any_number_of_threads():
    first, second = table(60), table(70)
    one, other = (drift(first, second, rng=3, n_threads=threads).to_dict() for threads in (1, 2))
    assert json.dumps(one) == json.dumps(other)


def test_a_short_column_is_the_two_sample_test_of_scaled_values():
    from rpw.base.deadline import NEVER
    from rpw.stats.resampled import Effort
    from rpw.stats.tables.numbers import LineTest
    from rpw.stats.tables.setup import Setup

    x, y = RNG.normal(size=50), RNG.normal(0.8, 1, size=60)
    present = np.ones(110, dtype=bool)
    setup = Setup(0.05, 199, Effort("cpu", 1, NEVER, lambda done: None))
    row = LineTest("x", "number", np.r_[x, y], 50, present).run(setup, np.random.default_rng(4)).row
    beside = rpw.stats.two_sample_test(x, y, scale="robust", diameter=1.0, n_resamples=199, rng=4)
    assert row.pvalue == beside.pvalue
    assert row.distance == pytest.approx(beside.distance, rel=1e-9)
    assert row.changed_at_least == beside.changed_at_least(0.95)


def slow_holm(pvalues, alpha):
    """Reject the smallest p-values one after the other, as long as p ≤ α / (tests left)."""
    rejected, left = set(), dict(enumerate(pvalues))
    while left:
        smallest = min(left, key=left.get)
        if left[smallest] > alpha / len(left):
            break
        rejected.add(smallest)
        del left[smallest]
    return rejected


def test_holm_rejects_what_the_slow_procedure_rejects():
    for _ in range(300):
        pvalues = RNG.random(RNG.integers(1, 9)) ** 4
        alpha = float(RNG.random())
        assert set(np.flatnonzero(holm(pvalues) <= alpha).tolist()) == slow_holm(pvalues.tolist(), alpha)


def test_there_are_enough_splits_for_all_tests():
    assert (least_resamples(20, 0.05), usual_resamples(20, 0.05)) == (399, 799)
    columns = {str(i): RNG.normal(size=10) for i in range(12)}
    moved = {name: values + 100 for name, values in columns.items()}
    result = drift(columns, moved, rng=0, most_joint_rows=0)
    assert result.n_resamples == 479
    assert len(result.drifted) == 12


def test_fewer_splits_are_allowed_at_the_level_that_they_can_reach():
    columns = {str(i): RNG.normal(size=10) for i in range(12)}
    moved = {name: values + 100 for name, values in columns.items()}
    options = {"n_resamples": 199, "most_joint_rows": 0, "rng": 0}
    reason = r"n_resamples=199 is too few for 12 tests at alpha=0.05: no adjusted p-value can be below 0.06; "
    with pytest.raises(ValueError, match=reason + "pass at least 239, or leave it out, or pass alpha=0.06"):
        drift(columns, moved, **options)
    assert len(drift(columns, moved, alpha=0.06, **options).drifted) == 12
    with pytest.raises(ValueError, match=r"below 1; pass at least 239, or leave it out$"):
        drift(columns, moved, n_resamples=9, most_joint_rows=0)


# ---------------------------------------------------------------- what cannot be compared


def test_every_column_has_a_row_and_nothing_is_dropped():
    n = 30
    first = {
        "same": np.ones(n),
        "moved": np.ones(n),
        "gone": RNG.normal(size=n),
        "empty": [None] * n,
        "half": RNG.normal(size=n),
        "lists": [[1]] * n,
        "text": ["a"] * n,
        "one": [1.0] + [None] * (n - 1),
    }
    second = {**first, "moved": np.full(n, 2.0), "half": [None] * n, "new": RNG.normal(size=n)}
    del second["gone"]
    result = drift(first, second, rng=0, most_joint_rows=0)
    reasons = {row.column: row.note for row in result.rows if row.part == "not compared"}
    assert reasons.pop("same") == "it is constant, and the same in both tables"
    assert reasons.pop("text") == "it is constant, and the same in both tables"
    assert reasons.pop("gone") == "it is only in the reference"
    assert reasons.pop("new") == "it is only in the current table"
    assert reasons.pop("empty") == "the reference has no values, and a test needs 2"
    assert reasons.pop("half") == "the current table has no values, and a test needs 2"
    assert reasons.pop("one") == "the reference has 1 value, and a test needs 2"
    assert "list" in reasons.pop("lists")
    assert reasons == {}
    assert len(result.reasons()) == 8
    assert result.reasons(8) == result.reasons(20) == result.reasons()
    assert result.reasons(3) == [*result.reasons()[:3], "5 more rows have no test."]
    assert result.table(1) == result.table()[:1]
    for ask in (result.reasons, result.table):
        with pytest.raises(ValueError, match=r"^most must be a whole number of at least 0"):
            ask(-1)
    assert set(result.drifted) == {"moved", "half"}
    assert "No test of new: it is only in the current table." in result.reasons()
    assert len(result.reasons()) == 8
    assert result.reasons(2) == [*result.reasons()[:2], "6 more rows have no test."]
    assert f"{result.reasons()[1]}\n" in repr(result)
    assert "6 more rows" not in repr(result)
    assert "3 more rows have no test.\n" in repr(result)
    assert set(result.not_compared) == {"same", "text", "gone", "new", "empty", "lists", "one"}
    assert {row.column for row in result.rows} == {*first, *second}
    json.dumps(result.to_dict(), allow_nan=False)


def test_infinite_numbers_count_as_missing_and_are_told():
    first, second = RNG.normal(size=(2, 60))
    second[:7] = np.inf
    result = drift({"x": first}, {"x": second}, rng=0)
    assert result["x"].note == "7 infinite numbers count as missing in the current table"
    missing = next(row for row in result.rows if row.part == "missing")
    assert missing.note == "missing in 0 of 60 and in 7 of 60 rows"


def test_numbers_too_far_apart_for_a_difference_are_a_row_that_says_so():
    first, second = ({"x": RNG.choice([-1.7e308, 1.7e308], 20), "y": RNG.uniform(0, 1e299, 20)} for _ in range(2))
    result = drift(first, second, rng=0)
    assert result["x"].words == "Not compared: its values lie more than 1e+300 apart."
    assert result["y"].is_known
    json.dumps(result.to_dict(), allow_nan=False)


def test_most_entries_different_is_told():
    names = [f"customer {i}" for i in range(50)] + ["unknown"] * 30
    result = drift({"id": names[::2]}, {"id": names[1::2]}, rng=0)
    assert result["id"].pvalue > 0.5
    assert "most entries occur once" in result["id"].note


@pytest.mark.parametrize(
    ("first", "second", "options", "reason"),
    [
        ({"x": [1.0]}, {"x": [1.0, 2.0]}, {}, "reference has 1 row: a comparison needs at least 2"),
        ({"x": []}, {"x": [1.0, 2.0]}, {}, "reference has 0 rows"),
        ({}, {"x": [1.0, 2.0]}, {}, "reference has no columns"),
        (
            {"x": [1, 2], "y": [1, 2, 3]},
            {"x": [1, 2]},
            {},
            r"reference\['y'\] has 3 entries, and reference\['x'\] has 2",
        ),
        ({"x": np.ones((2, 2))}, {"x": [1, 2]}, {}, r"reference\['x'\]: must be one-dimensional, got shape \(2, 2\)"),
        ([1.0, 2.0], {"x": [1, 2]}, {}, r"reference must be a table; as an array .* got shape \(2,\)"),
        (7, {"x": [1, 2]}, {}, "reference must be a DataFrame, .* got int"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"columns": ["z"]}, "columns has 'z', which is in neither table; they have x"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"columns": "x"}, "columns must be a list of names"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"columns": []}, "columns is empty"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"alpha": 1}, "alpha must lie between 0 and 1"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"n_resamples": 0}, "n_resamples must be"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"time_limit": -1}, "time_limit must be at least 0"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"most_joint_rows": 1}, "most_joint_rows must be at least 2, .* or 0; got 1"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"most_joint_rows": -1}, "most_joint_rows must be a whole number of at least 0"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"rng": "dice"}, "rng must be"),
        ({"x": [1, 2]}, {"x": [1, 2]}, {"groups": [[1, 1]]}, "groups must be a pair"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(first, second, options, reason):
    with pytest.raises(ValueError, match=reason):
        drift(first, second, **options)


# ---------------------------------------------------------------- groups and time


def test_whole_groups_change_sides():
    """Ten customers with twenty equal rows each: to a test of rows they differ, to a test of customers they do not."""
    of_row = np.repeat(np.arange(10), 20)
    first, second = ({"x": np.repeat(RNG.normal(size=10), 20), "c": of_row % 3 == 0} for _ in range(2))
    first["x"][of_row == 3] = np.nan
    assert drift(first, second, rng=0).drifted
    grouped = drift(first, second, rng=0, groups=(of_row, of_row + 10))
    assert not grouped.drifted
    assert {row.name for row in grouped.rows} == {"x", "x (missing)", "c"}


def test_without_time_there_is_no_answer():
    x = RNG.normal(size=(300, 2))
    with pytest.raises(rpw.TimeLimitError):
        drift(x, x + 5, rng=0, time_limit=0)


def test_progress_counts_the_splits_of_all_tests():
    told = []
    result = drift(table(30), table(30), rng=0, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (6 * (result.n_resamples + 1),) * 2
    assert [done for done, _ in told] == sorted(done for done, _ in told)


# ---------------------------------------------------------------- the result


def test_what_the_result_looks_like():
    first = table(50, **{f"a column with a long name, number {i}": RNG.normal(size=50) for i in range(30)})
    second = {name: values[::-1] for name, values in first.items()}
    second["age"] = second["age"] + 50
    result = drift(first, second, alpha=0.5, n_resamples=143, rng=0, most_joint_rows=20)
    text = repr(result)
    assert "of 35 columns" in text.splitlines()[0]
    assert "age" in result.drifted
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "… and 12 more rows: see .rows" in text
    assert str(result) == result.sentence
    assert "<table" in result._repr_html_()
    plain = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(plain["rows"]) == len(result.rows) == 36
    assert plain["drifted"] == list(result.drifted)
    assert result["age"].words.endswith("have changed.")
    assert result.CAUTION in " ".join(text.split())
    with pytest.raises(KeyError, match=r"no column 'nothing'; there are 'age', 'clicks', .* and 27 more"):
        result["nothing"]
    with pytest.raises(KeyError, match=r"no column 0; there are 'age', .*; pass the name as a text"):
        result[0]


def test_columns_of_arrays_are_called_by_their_numbers_as_texts():
    result = drift(RNG.normal(size=(9, 2)), RNG.normal(size=(9, 2)), rng=0, most_joint_rows=0)
    assert result["1"].column == "1"
    with pytest.raises(KeyError, match=r"no column 1; there are '0', '1'; pass the name as a text, such as '0'"):
        result[1]


@pytest.mark.parametrize(("sizes", "p"), [((60, 50), 2), ((260, 250), 1)])
def test_a_distance_can_be_computed_again_from_its_row(sizes, p):
    x, y = RNG.normal(size=sizes[0]), RNG.normal(1, 1, size=sizes[1])
    row = drift({"x": x}, {"x": y}, rng=0).to_dict()["rows"][0]
    assert row["p"] == p
    assert row["unit"] == pytest.approx(np.subtract(*np.quantile(np.r_[x, y], [0.75, 0.25])), rel=0.03)
    again = rpw.distance(x / row["unit"], y / row["unit"], p=row["p"], k=row["k"], diameter=1)
    assert row["distance"] == pytest.approx(again)


def test_the_joint_distance_and_categories_can_be_computed_again():
    x, y = RNG.normal(size=(2, 30, 2))
    labels = RNG.integers(0, 3, (2, 30))
    names = ("a", "b")
    first, second = ({**dict(zip(names, z.T, strict=True)), "c": c > 0} for z, c in zip((x, y), labels, strict=True))
    result = drift(first, second, rng=0)
    row = result.together
    units = [result[name].unit for name in names]
    assert row.distance == pytest.approx(rpw.distance(x / units, y / units, p=row.p, k=row.k, diameter=1))
    row = result["c"]
    assert row.k == 0
    assert row.distance == pytest.approx(rpw.distance(*(labels[..., None] > 0).astype(float), k=row.k))


def test_medians_of_both_sides_stand_in_words_and_in_json():
    first = {"x": [1.0, 2, 4, None, 9], "day": np.datetime64("2024-01-01") + np.arange(5), "c": list("aabab")}
    second = {
        "x": [20_000.0, 30_000, 40_000, 50_000, None],
        "day": first["day"] + np.timedelta64(60, "D"),
        "c": list("ababb"),
    }
    result = drift(first, second, rng=0)
    assert (result["x"].median_reference, result["x"].median_current) == (3, 35_000)
    assert "Median 3 → 35,000." in result["x"].words
    assert "Median 2024-01-03 → 2024-03-03." in result["day"].words
    plain = {row["column"]: row for row in result.to_dict()["rows"] if row["part"] == "values"}
    assert (plain["x"]["median_reference"], plain["x"]["median_current"]) == (3, 35_000)
    assert (plain["day"]["median_reference"], plain["day"]["median_current"]) == ("2024-01-03", "2024-03-03")
    assert plain["c"]["median_reference"] is None
    assert "Median" not in plain["c"]["words"]


def test_medians_of_the_largest_numbers_are_finite():
    from rpw.stats.tables.numbers import _median

    assert _median(np.array([1.7e308, 1.6e308])) == pytest.approx(1.65e308)
    for n in (1, 2, 7, 8):
        values = RNG.normal(size=n)
        assert _median(values) == pytest.approx(np.median(values))


# ---------------------------------------------------------------- the sentence about all columns together


def sentence(*rows, sizes=(500, 500), together=False):
    """Of made-up rows (column, kind, drifted); the joint test saw ``together``."""
    from rpw.stats.tables.result import DriftResult
    from rpw.stats.tables.row import DriftRow

    made = [DriftRow(name, "values", kind, 0.1, 0, 1, 0.5, 0.5, is_drifted) for name, kind, is_drifted in rows]
    joint = DriftRow("", "together", "number", 0.1, 0, 1, 0.5, 0.5, together, n=sizes[0], m=sizes[1])
    return DriftResult((*made, joint), 0.05, 399, *sizes).sentence


def test_the_sentence_names_dates_and_does_not_contradict_itself():
    a, b, day = ("a", "number", True), ("b", "number", False), ("day", "date", False)
    assert sentence(a, b).endswith(
        "drifted: a; the joint test of the numeric columns, on 500 rows of each table, does not see it."
    )
    assert sentence(a, day, sizes=(300, 1400)).endswith(
        "drifted: a; the joint test of the numbers and dates, on 300 and 1,400 rows, does not see it."
    )
    assert sentence(a, ("b", "number", True)).endswith("does not see them.")
    assert sentence(("city", "category", True), b, day).endswith(
        "drifted: city; the joint test of the numbers and dates sees no change."
    )
    assert sentence(b, day) == "None of 2 columns has drifted; the joint test of the numbers and dates agrees."
    assert sentence(day, day, together=True).endswith("drifted, but the joint test of the dates sees a change.")
    assert sentence(a, day, together=True).endswith("drifted: a; the joint test of the numbers and dates agrees.")


def test_columns_are_chosen_by_name():
    result = drift(table(20), table(20), ["city", "age"], rng=0)
    assert [row.column for row in result.rows] == ["city", "age"]
