"""The same random table in every format is read to the same values, or refused by every reader for the same reason."""

import datetime
import re
import warnings

import numpy as np
import pytest

import rpw
from rpw.io.delimited import TextRules
from rpw.io.typed_tables import read_typed_table
from rpw.readers import read_points
from rpw.stats.tables.tables import as_typed_table

WORDS = ["Graz", "Linz, Ost", "a;b", 'so "so"', "tab\there", "été", "two\nlines", "-", "1 kg", "x.y", "A1"]
EPOCH = datetime.date(1970, 1, 1)


def random_column(rng, rows):
    """Values as Python has them; None is missing."""
    kind = rng.choice(["whole", "float", "small", "thousands", "date", "word"], p=[0.2, 0.3, 0.1, 0.2, 0.1, 0.1])
    make = {
        "whole": lambda: int(rng.integers(10, 10_000)),
        "float": lambda: float(rng.normal()) * 10.0 ** int(rng.integers(-8, 9)),
        "small": lambda: round(float(rng.random()), 2),
        "thousands": lambda: round(float(rng.uniform(1, 999)), 3),  # 1.234 may be a thousand to a reader
        "date": lambda: EPOCH + datetime.timedelta(days=int(rng.integers(0, 20_000))),
        "word": lambda: str(rng.choice(WORDS)),
    }[kind]
    return [make() for _ in range(rows)]


def random_table(rng):
    """Names, or None for a file without a line of names, and columns."""
    rows, width = int(rng.integers(2, 9)), int(rng.integers(1, 6))
    columns = [random_column(rng, rows) for _ in range(width)]
    kinds = {type(column[0]) for column in columns}
    if rng.random() < 0.3 and rows > 2:
        columns[0][int(rng.integers(rows))] = None
    has_numbers_only = kinds <= {int, float}
    headers = [[f"name {place}" for place in range(width)], [str(place) for place in range(width)]]
    headers += [[str(2019 + place) for place in range(width)]] if kinds == {float} else []
    headers += [None] if has_numbers_only and None not in columns[0] else []
    names = headers[rng.integers(len(headers))]
    return names, columns


def as_text(value, mark):
    if value is None:
        return "NA"
    return repr(value).replace(".", mark) if isinstance(value, float) else str(value)


def csv_of(names, columns, separator, mark, quotes, rng):
    # In a single column nothing shows that a comma separates nothing, but a line of names without one.
    is_alone = len(columns) == 1

    def cell(text):
        is_number = re.fullmatch(r"[-\d,.e]+", text)
        separators = ",;\t" if is_alone and (names is None or not is_number) else separator
        needed = any(sign in text for sign in (*separators, '"', "\n"))
        return '"' + text.replace('"', '""') + '"' if needed or rng.random() < quotes else text

    rows = [[as_text(value, mark) for value in row] for row in zip(*columns, strict=True)]
    rows = rows if names is None else [names, *rows]
    end = "\r\n" if rng.random() < 0.3 else "\n"
    return end.join(separator.join(map(cell, row)) for row in rows) + (end if rng.random() < 0.8 else "")


def same(one, other):
    """Whether two typed tables hold the same."""
    return list(one) == list(other) and all(
        np.array_equal(a.missing, b.missing)
        and (
            np.array_equal(a.numbers, b.numbers, equal_nan=True)
            if b.numbers is not None
            else np.array_equal(a.labels, b.labels)
        )
        for a, b in zip(one.values(), other.values(), strict=True)
    )


def outcome(read):
    """What is read, or the reason against it without its place."""
    try:
        return read(), ""
    except ValueError as error:
        return None, re.sub(r"^\S*: ", "", str(error))


def check_text(path, names, expected, points, mark):
    """Whether it was refused. What was refused is read once the arguments say what it is."""
    table, reason = outcome(lambda: read_typed_table(path))
    settled = TextRules(decimal=mark, header=names is not None)
    assert same(read_typed_table(path, settled), expected)
    needs_names = names is None and "the names of the columns are needed there" in reason
    if table is not None:
        assert same(table, expected)
    elif not needs_names:
        assert re.search("decimal=|header=", reason), reason
    if points is not None:
        measure, words = outcome(lambda: read_points(path))
        assert read_points(path, decimal=mark, header=names is not None) == points
        assert measure is None or measure == points
        assert needs_names or words == reason or "may be a name or a number" in words
        reason = words
    return bool(reason)


def check_table(seed, folder):
    """How many files of text there were, and how many of them were refused."""
    rng = np.random.default_rng(seed)
    names, columns = random_table(rng)
    called = names or [str(place) for place in range(len(columns))]
    expected = as_typed_table(dict(zip(called, columns, strict=True)), "table")
    is_numeric = all(isinstance(value, (int, float)) for column in columns for value in column)
    points = rpw.Measure(np.array(columns, dtype=np.float64).T) if is_numeric else None
    if points is not None:
        assert len(points) == len(columns[0])
    refused = []
    for separator in ",;\t":
        for mark in ".,":
            path = folder / "table.csv"
            text = csv_of(names, columns, separator, mark, rng.choice([0, 0.5, 1]), rng)
            path.write_bytes((("\ufeff" if rng.random() < 0.3 else "") + text).encode())
            refused.append(check_text(path, names, expected, points, mark))
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = arrow.table(dict(zip(called, columns, strict=True)))
    parquet.write_table(table, folder / "table.parquet")
    assert same(read_typed_table(folder / "table.parquet"), expected)
    if points is not None:
        assert read_points(folder / "table.parquet") == points
    pytest.importorskip("narwhals")
    frames = [table, pytest.importorskip("pandas").DataFrame(dict(zip(called, columns, strict=True)))]
    assert all(same(as_typed_table(frame, "table"), expected) for frame in frames)
    return len(refused), sum(refused)


def check_tables(seeds, folder):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what was taken for names
        counts = np.sum([check_table(seed, folder) for seed in seeds], axis=0)
    assert counts[1] < 0.2 * counts[0]


def test_tables_are_the_same_in_every_format(tmp_path):
    check_tables(range(15), tmp_path)


@pytest.mark.thorough
def test_two_thousand_tables_are_the_same_in_every_format(tmp_path):
    check_tables(range(2000), tmp_path)
