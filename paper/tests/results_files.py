"""The CSV files of paper/docs, and the facts of its runs."""

import csv
import json
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "docs"
ANSWERS = ("yes", "consistent", "no", "open")  # to statements


def rows_of(name):
    with (RESULTS / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def json_of(run):
    return json.loads((RESULTS / run / "run.json").read_text(encoding="utf-8"))


def text_of(name):
    """The text of a page by its name, with one space between words, wherever lines break."""
    return " ".join((RESULTS / f"{name}.md").read_text(encoding="utf-8").split())


def verdicts_of(part):
    return {
        row["statement"]: (row["found"], row["verdict"]) for row in rows_of("paper/verdicts.csv") if row["part"] == part
    }
