"""Tables that nobody would wish for: each gets an answer, a row that says why there is none, or an error by name."""

import math
import tracemalloc
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import rpw
from rpw.base.deadline import Deadline
from rpw.io.typed_columns import column_of_array, column_of_entries
from rpw.stats import drift, two_sample_test
from rpw.stats.resampled import Effort
from rpw.stats.tables import columns
from rpw.stats.tables.drift import _judged
from rpw.stats.tables.result import DriftResult
from rpw.stats.tables.row import NO_TIME, DriftRow
from rpw.stats.tables.setup import Setup
from rpw.stats.tables.stages import _run
from rpw.stats.tables.tables import as_typed_table

RNG = np.random.default_rng(0)


def numbers(n=40, **changed):
    return {"x": RNG.normal(size=n), "y": RNG.normal(size=n), "z": RNG.normal(size=n), **changed}


# ---------------------------------------------------------------- time


def test_a_test_without_time_is_a_row_that_says_so():
    """The deadline is looked at before the splits are drawn: so many of them would not fit into memory."""
    tables = [as_typed_table({"x": RNG.normal(size=50), "c": ["a", "b"] * 25}, "t") for _ in range(2)]
    over = Setup(0.05, 10**15, Effort("cpu", 1, Deadline(-1.0), lambda done: None))
    for column in ("x", "c"):
        (test,) = columns.tests_of(column, *tables, None)
        row = _run(test, over, np.random.default_rng(0))
        assert (row.column, row.is_test, row.words) == (column, False, "Not compared: no time was left.")


def test_tests_without_an_answer_are_in_the_sentence_and_count_in_holms_correction():
    rows = [
        DriftRow("a", "values", "number", 0.5, 0.1, 0.2, 0.02),
        DriftRow("b", "not compared", "number", note=NO_TIME),
        DriftRow("b", "missing", "number", note=NO_TIME),
        DriftRow("c", "not compared", "number", note="it is only in the reference"),
        DriftRow("", "together", "number", note=NO_TIME),
    ]
    judged = _judged(rows, 0.05)
    assert judged[0].adjusted == pytest.approx(4 * 0.02)
    result = DriftResult(judged, 0.05, 399, 10, 10)
    assert result.unanswered == ("b", "b (missing)", "(all together)") == tuple(result.to_dict()["unanswered"])
    assert str(result) == (
        "The only column compared has not drifted. 1 column was not compared: c. "
        "No time was left for 3 tests: b, b (missing), (all together)."
    )


def test_many_columns_end_soon_after_the_limit():
    """Splits for all of these columns take longer on any machine, so some are left without an answer."""
    first, second = ({str(i): RNG.normal(size=400) for i in range(60)} for _ in range(2))
    try:
        result = drift(first, second, rng=0, time_limit=0.3, n_resamples=20_000)
    except rpw.TimeLimitError:
        return
    assert result.unanswered
    assert "No time was left for" in str(result)


# ---------------------------------------------------------------- numbers at the ends


@pytest.mark.parametrize("entry", [1e160, 1e200, -1e250])
def test_one_huge_entry_leaves_the_other_columns_their_rows(entry, tmp_path):
    second = numbers(y=RNG.normal(3, 1, 40))
    second["x"][3] = entry
    result = drift(numbers(), second, rng=0)
    assert "y" in result.drifted
    assert result.together.is_test
    assert "without x: values reach farther than 1e+100 times" in result.together.note
    result.save_page(tmp_path / "page.html")


@pytest.mark.parametrize("ends", [[1e308], [-1.797e308], [-1e308, 1e308] * 20, [-1e308 / 4, 1e308 / 4]])
def test_a_column_that_spans_all_of_float64_is_a_row_that_says_so(ends, tmp_path):
    wild = RNG.normal(size=40)
    wild[: len(ends)] = ends
    result = drift(numbers(x=wild), numbers(x=wild, y=RNG.normal(3, 1, 40)), rng=0)
    assert result["x"].note == "its values lie more than 1e+300 apart"
    assert result.not_compared == ("x",)
    assert result.drifted == ("y",)
    result.save_page(tmp_path / "page.html")


def test_a_column_that_is_wide_in_units_of_its_middle_half():
    narrow = np.arange(40) * 1e-310
    narrow[0] = 1.0
    note = drift({"x": narrow}, {"x": narrow})["x"].note
    assert note == "its values reach farther than 1e+300 times the width of its middle half"


def test_two_wide_columns_leave_nothing_to_put_together():
    second = numbers()
    second["x"][0] = second["y"][1] = 1e200
    row = drift(numbers(), second, rng=0).together
    assert not row.is_test
    assert row.note.startswith("without x, y: ")


@pytest.mark.parametrize("entry", [10**400, Fraction(10**400), Decimal("1e400")])
def test_numbers_beyond_float64_are_named(entry):
    note = drift({"x": [entry, 1, 2]}, {"x": [1, 2, 3]})["x"].note
    assert note == f"a number of type {type(entry).__name__} is too large for float64"


def test_signalling_nan_is_missing_and_infinity_is_told():
    assert column_of_entries([Decimal("sNaN"), Decimal("NaN"), Decimal(1)]).missing.tolist() == [True, True, False]
    assert column_of_entries([Decimal("Infinity"), 1]).note == "1 infinite number counts as missing"
    assert column_of_entries([math.inf, -math.inf, 1]).note == "2 infinite numbers count as missing"


@pytest.mark.parametrize("alpha", [1e-9, 1e-300, 5e-324])
def test_a_level_that_needs_too_many_splits(alpha):
    with pytest.raises(ValueError, match=r"alpha=\S+ with 4 tests needs .* random splits .* at most 1,000,000"):
        drift(numbers(), numbers(), alpha=alpha)
    with pytest.raises(ValueError, match="n_resamples must be at most 1,000,000, got 10,000,000"):
        drift(numbers(), numbers(), n_resamples=10**7)


# ---------------------------------------------------------------- texts, masks, dates, names


def test_one_long_text_does_not_widen_all():
    """With arrays of fixed width the column alone would take two gigabytes."""
    texts = ["x" * 100_000] + ["a1", "a2"] * 2_500
    tracemalloc.start()
    result = drift({"t": texts, "u": [*texts[:-1], 3]}, {"t": texts, "u": texts}, rng=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4e8
    assert result["t"].distance == 0


def test_a_mask_hides_entries_in_every_kind_of_table():
    data = np.arange(12.0).reshape(6, 2)
    hidden = np.ma.masked_array(data, data < 3)
    table = as_typed_table(hidden, "t")
    assert table["0"].missing.tolist() == [True, True, False, False, False, False]
    assert table["1"].missing.tolist() == [True, False, False, False, False, False]
    np.testing.assert_array_equal(table["1"].numbers[1:], data[1:, 1])
    days = np.ma.masked_array(np.array(["2024-01-01", "2024-01-02"], "M8[ns]"), [False, True])
    column = column_of_array(days)
    assert (column.kind, column.missing.tolist(), column.numbers[0]) == ("date", [False, True], 19723)


def test_lists_of_lists_keep_the_types_of_their_entries():
    table = as_typed_table([[1.5, "a", True], [2.5, "b", False], [None, "c", True]], "t")
    assert [column.kind for column in table.values()] == ["number", "category", "category"]
    assert table["0"].missing.tolist() == [False, False, True]


def test_names_that_are_the_same_text_are_refused():
    with pytest.raises(ValueError, match="reference has the columns 1 and '1', whose names are the same text"):
        drift({1: [1, 2], "1": [1, 2]}, {"1": [1, 2]})


NAMES = {
    "numbers": [0, 1],
    "nothing": [None, "a"],
    "halves": [1.5, 2.5],
    "moments": [datetime(2024, 1, 1), datetime(2024, 1, 2)],
    "pairs": [("a", 1), ("a", 2)],
}


@pytest.mark.parametrize("names", NAMES.values(), ids=NAMES)
def test_columns_of_pandas_may_have_names_that_are_no_texts(names):
    pandas = pytest.importorskip("pandas")
    first, second = RNG.normal(size=(40, 2)), RNG.normal(2, 1, size=(30, 2))
    labels = pandas.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else pandas.Index(names)
    tables = [pandas.DataFrame(values, columns=labels) for values in (first, second)]
    result, known = drift(*tables, rng=0), drift(first, second, rng=0)
    texts = [str(label) for label in tables[0].columns]
    assert [row.column for row in result.rows] == [*texts, ""]
    assert [row.distance for row in result.rows] == [row.distance for row in known.rows]
    for chosen in ([texts[1]], [tables[0].columns[1]]):
        assert [row.column for row in drift(*tables, chosen, rng=0).rows] == [texts[1]]


def test_columns_of_arrays_are_chosen_by_number_or_by_text():
    x = RNG.normal(size=(20, 3))
    for chosen in ([2, 0], ["2", "0"], [2, "0", "2"]):
        assert [row.column for row in drift(x, x, chosen, most_joint_rows=0).rows] == ["2", "0"]


def test_a_column_may_have_the_name_of_an_attribute():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(RNG.normal(size=(20, 3)), columns=["column_names", "columns", "dtypes"])
    assert [row.column for row in drift(table, table, most_joint_rows=0).rows] == list(table)


def test_names_of_pandas_that_are_the_same_text_are_refused():
    pandas = pytest.importorskip("pandas")
    good = pandas.DataFrame({"a": [1.0, 2.0]})
    wrong = pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[0, "0"])
    with pytest.raises(ValueError, match="current has the columns 0 and '0', whose names are the same text"):
        drift(good, wrong)
    with pytest.raises(ValueError, match="reference has two columns of the name 0: rename one of them"):
        drift(pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[0, 0]), good)
    with pytest.raises(ValueError, match=r"^reference: .*unique column names"):
        drift(pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=[True, 1]), good)


@pytest.mark.parametrize("chosen", [None, ["b"]])
@pytest.mark.parametrize("library", ["pandas", "pyarrow"])
def test_two_columns_of_one_name_are_named(library, chosen):
    module = pytest.importorskip(library)
    values = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    if library == "pandas":
        twice = module.DataFrame(np.transpose(values), columns=["a", "a", "b"])
    else:
        twice = module.table(values, names=["a", "a", "b"])
    good = {"a": [1.0, 2.0], "b": [1.0, 2.0]}
    with pytest.raises(ValueError, match="reference has two columns of the name 'a': rename one of them"):
        drift(twice, good, chosen)
    with pytest.raises(ValueError, match="current has two columns of the name 'a': rename one of them"):
        drift(good, twice, chosen)


def test_dates_far_out_are_counted_in_days():
    far = np.array(["300000-01-01", "300000-01-03", "NaT"], "M8[D]")
    column = column_of_array(far)
    assert column.kind == "date"
    assert column.numbers[:2].tolist() == far[:2].astype(np.int64).tolist()
    assert column.missing.tolist() == [False, False, True]
    assert column_of_entries(list(far)).numbers[1] == column.numbers[1]
    beyond = np.array([10**17, 5], "M8[Y]")
    assert column_of_array(beyond).note == "its times are too large to be counted in days"
    assert column_of_entries(list(beyond)).note == "its times are too large to be counted in days"
    for unit in ("s", "ms", "us", "ns", "ps"):
        assert column_of_array(np.array(["1970-01-02T12:00"], f"M8[{unit}]")).numbers[0] == 1.5
    assert column_of_array(np.array([3, 5], "m8[Y]")).numbers == pytest.approx([3 * 365.2425, 5 * 365.2425], abs=1)
    assert column_of_entries([np.timedelta64(36, "h"), np.timedelta64("NaT", "h")]).numbers[0] == 1.5
    drift({"d": far[[0, 1, 0, 1]]}, {"d": far[[0, 0, 1, 1]]}, rng=0)


def test_a_field_of_two_dimensions_is_named():
    wrong = np.zeros(3, [("a", "f8"), ("b", "f8", (2,))])
    with pytest.raises(ValueError, match=r"reference\['b'\]: must be one-dimensional, got shape \(3, 2\)"):
        drift(wrong, wrong)


def test_half_a_surrogate_pair_in_a_name_does_not_stop_the_page(tmp_path):
    name = "a\ud800"
    drift({name: [1.0, 2, 3]}, {name: [1.0, 2, 4]}, rng=0).save_page(tmp_path / "page.html")
    assert r"a\ud800" in (tmp_path / "page.html").read_text("utf-8")


# ---------------------------------------------------------------- groups


def test_groups_of_numbers_and_of_texts_stay_apart():
    x = RNG.normal(size=(6, 1))
    groups = ([1, 1, 1, "1", "1", "1"], [2, 2, 2, "2", "2", "2"])
    numbered = ([1, 1, 1, 3, 3, 3], [2, 2, 2, 4, 4, 4])
    apart, same = (two_sample_test(x, x + 1, k=1, diameter=1, groups=each, rng=0).pvalue for each in (groups, numbered))
    assert apart == same


@pytest.mark.parametrize("label", [{}, [1], Decimal("sNaN")])
def test_labels_that_are_none_are_named(label):
    with pytest.raises(ValueError, match=r"groups\[0\] has a label of type \w+, and groups need numbers or texts"):
        drift({"x": [1, 2]}, {"x": [1, 2]}, groups=([label, label], [1, 2]))
