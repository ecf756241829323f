"""Columns of numbers, dates and texts together; and one table in several forms, which is never a drift."""

import datetime
import decimal

import numpy as np
import pytest
from scipy.stats import hypergeom

from rpw.io.typed_columns import spelled
from rpw.stats import drift
from rpw.stats.tables.tables import as_typed_table

OPTIONS = {"rng": 0, "most_joint_rows": 0}


def column(path, cells):
    path.write_text("x,row\n" + "".join(f"{cell},{row}\n" for row, cell in enumerate(cells)))
    return path


def rows_of(result):
    return {row.name: row for row in result.rows}


# ---------------------------------------------------------------- each type by itself


@pytest.mark.parametrize("trials", [4, pytest.param(60, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("kind", ["prices", "days"])
def test_entries_that_are_printed_anew_are_the_same(tmp_path, kind, trials):
    """Half-euro prices as "12.50" and as 12.5, days with and without a time; one entry of the reference is a text."""
    alarms = 0
    for seed in range(trials):
        rng = np.random.default_rng(seed)
        if kind == "prices":
            values = rng.integers(20, 80, 400) / 2
            here, there = [f"{value:.2f}" for value in values[:200]], [f"{value:g}" for value in values[200:]]
        else:
            values = np.datetime64("2024-01-01") + rng.integers(0, 60, 400)
            here, there = values[:200].astype(str).tolist(), [f"{value} 00:00:00" for value in values[200:]]
        here[3] = "n/v"
        current = column(tmp_path / "b.csv", there)
        result = drift(column(tmp_path / "a.csv", here), current, ["x"], n_resamples=99, alpha=0.1, **OPTIONS)
        assert result["x"].kind == ("number" if kind == "prices" else "date")
        assert (result["x"].n, result["x"].m) == (199, 200)
        alarms += bool(result)
    assert alarms <= 0.1 * trials + 3 * np.sqrt(0.09 * trials)


@pytest.mark.parametrize("kind", ["number", "date"])
def test_a_shift_is_seen_beside_a_text(kind):
    rng = np.random.default_rng(1)
    values = rng.normal(0, 20, (2, 300)).round(3)
    values[1] += 20
    if kind == "date":
        values = np.datetime64("2024-01-01") + values.round().astype("m8[D]")
    first, second = ([str(value) for value in side] for side in values)
    first[7] = "broken"
    result = drift({"x": first}, {"x": second}, **OPTIONS)
    assert result.drifted == ("x",)
    row, plain = result["x"], drift({"x": values[0][np.arange(300) != 7]}, {"x": values[1]}, **OPTIONS)["x"]
    assert (row.kind, row.distance, row.medians) == (kind, plain.distance, plain.medians)


def test_the_share_of_texts_is_an_exact_test_of_its_own():
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(2, 100)).astype(object)
    first[:3] = "n/v"
    second[:17] = "n/v"
    second[50:52] = None
    result = drift({"x": first}, {"x": second}, **OPTIONS)
    assert result.drifted == ("x",)
    assert "drifted: x (share of texts)" in str(result)
    row = rows_of(result)["x (share of texts)"]
    assert row.note == "texts in 3 of 100 and in 17 of 100 rows"
    assert row.pvalue == pytest.approx(hypergeom(200, 20, 100).cdf(3) * 2)
    assert set(rows_of(result)) == {"x", "x (share of texts)", "x (missing)"}


def test_texts_among_numbers_are_compared_as_categories():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=(2, 200)).astype(object)
    first[::4] = rng.choice(["closed", "unknown"], 50, p=[0.9, 0.1])
    second[::4] = rng.choice(["closed", "unknown"], 50, p=[0.1, 0.9])
    result = drift({"x": first}, {"x": second}, **OPTIONS)
    rows = rows_of(result)
    assert [name for name, row in rows.items() if row.is_drifted] == ["x (texts)"]
    assert (rows["x (texts)"].kind, rows["x (texts)"].n, rows["x"].n) == ("category", 50, 150)
    assert str(result) == "1 of 1 column has drifted: x (texts)."


def test_numbers_among_texts_and_dates_have_rows_of_their_own(tmp_path):
    rng = np.random.default_rng(4)
    cells = [
        [*rng.choice(["a", "b"], 100), *rng.normal(shift, 1, 60), *["2024-01-01", "2024-01-02"] * 20]
        for shift in (0, 2)
    ]
    result = drift({"x": cells[0]}, {"x": cells[1]}, **OPTIONS)
    kinds = {name: row.kind for name, row in rows_of(result).items()}
    assert kinds == {
        "x": "category",
        "x (numbers)": "number",
        "x (share of numbers)": "mixed",
        "x (dates)": "date",
        "x (share of dates)": "mixed",
    }
    assert [row.name for row in result.rows if row.is_drifted] == ["x (numbers)"]
    assert result.together is None
    result.save_page(tmp_path / "page.html")
    assert "x (share of dates)" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_numbers_that_all_became_texts_are_a_drift():
    numbers, texts = list(range(30)), [f"{number} €" for number in range(30)]
    result = drift({"x": numbers}, {"x": texts}, **OPTIONS)
    assert result.drifted == ("x",)
    assert result["x"].note == "the current table has no numbers, and a test needs 2"
    assert "No test of x (texts): the reference has no texts, and a test needs 2." in result.reasons()


# ---------------------------------------------------------------- one table in several forms


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        (" 12.50 ", "number", 12.5),
        ("1 days 12:00:00", "number", 1.5),
        ("-1 days +12:00:00", "number", -0.5),
        ("-1 day, 12:00:00", "number", -0.5),
        ("P1DT12H", "number", 1.5),
        ("-PT36H", "number", -1.5),
        ("06:00:00.000", "number", 0.25),
        ("1970-01-02", "date", 1),
        ("1970-01-02T12:00:00.000000000", "date", 1.5),
        ("TRUE", "text", "True"),
        ("N/A", "", ""),
        ("P", "text", "P"),
        ("12:30", "text", "12:30"),
        ("2024-02-30", "text", "2024-02-30"),
        ("9" * 5000 + " days", "text", "9" * 5000 + " days"),
    ],
)
def test_what_a_text_spells(text, kind, value):
    assert spelled(text) == (kind, value)


@pytest.mark.parametrize("part", ["1", "1:", "2024-01-01T00:00", "P1D", "1 day", "-"])
def test_reading_a_text_takes_linear_time(part):
    """In quadratic time this would take hours."""
    assert spelled(part * 1_000_000 + "x")[0] == "text"


def frame(pandas, n=60):
    rng = np.random.default_rng(5)
    start = pandas.Timestamp("2024-01-01")
    return pandas.DataFrame(
        {
            "ints": pandas.Categorical(rng.integers(1, 6, n)),
            "days": pandas.Categorical(start + pandas.to_timedelta(rng.integers(0, 5, n), "D")),
            "span": pandas.to_timedelta(rng.integers(-(10**9), 10**12, n), "us"),
            "constant_span": pandas.to_timedelta(np.full(n, 100_001), "us"),
            "constant": np.full(n, 0.1, np.float32),
            "flag": pandas.array(rng.choice([True, False, None], n), dtype="boolean"),
            "whole": pandas.array(rng.choice([1, 2, None], n), dtype="Int64"),
            "digits": rng.choice(["007", "12.50", "x", "NA"], n),
            "moment": start + pandas.to_timedelta(rng.integers(0, 10**9, n), "us"),
            "date": [datetime.date(2024, 1, int(day)) for day in rng.integers(1, 9, n)],
            "money": [decimal.Decimal(int(cents)) / 100 for cents in rng.integers(0, 99, n)],
            "time": [datetime.time(int(hour), 0, 1) for hour in rng.integers(0, 24, n)],
        }
    )


def forms(tmp_path):
    """A frame of pandas, its Parquet file, its CSV file; and the same of polars, which writes texts differently."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pytest.importorskip("narwhals")
    table = frame(pandas)
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_parquet(tmp_path / "a.parquet", index=False)
    yield from (table, tmp_path / "a.csv", tmp_path / "a.parquet")
    try:
        import polars
    except ImportError:
        return
    other = polars.read_parquet(tmp_path / "a.parquet")
    other.write_csv(tmp_path / "b.csv")
    yield from (other, tmp_path / "b.csv")


def test_every_form_of_a_table_has_the_same_columns(tmp_path):
    known, *others = (as_typed_table(form, "table") for form in forms(tmp_path))
    assert {name: column.kind for name, column in known.items() if column.kind != "number"} == {
        "days": "date",
        "flag": "category",
        "digits": "mixed",
        "moment": "date",
        "date": "date",
    }
    for table in others:
        for name, column in table.items():
            assert column.kind == known[name].kind, name
            np.testing.assert_array_equal(column.missing, known[name].missing, name)
            for field in ("numbers", "labels"):
                np.testing.assert_array_equal(getattr(column, field), getattr(known[name], field), name)


def test_a_table_and_its_own_file_do_not_differ(tmp_path):
    known, *others = forms(tmp_path)
    for other in others:
        result = drift(known, other, n_resamples=299, **OPTIONS)
        assert not result
        assert result.not_compared == ("constant_span", "constant")
        assert all(row.distance == 0 for row in result.rows if row.is_test)


def test_texts_that_nearly_all_differ_are_not_called_alike():
    """Such as prices in a spelling that is not read: their frequencies could never tell."""
    rng = np.random.default_rng(5)
    prices = rng.normal(50, 10, (2, 200))
    before, after = ({"price": [f"€ {price:.4f}" for price in some]} for some in (prices[0], 2 * prices[1]))
    result = drift(before, after, rng=0)
    assert result.not_compared == ("price",)
    assert not result.has_compared
    assert [row.part for row in result] == ["not compared"]
    assert "spelling" in result["price"].note
    frequent = {"city": ["Graz", "Wien"] * 100}
    assert drift(frequent, frequent, rng=0).not_compared == ()
