"""The CSV files of this folder."""

import csv
from pathlib import Path

HERE = Path(__file__).parent


def rows_of(name):
    """The rows of a file, each a dict."""
    with (HERE / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
