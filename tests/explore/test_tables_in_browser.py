"""The page reads texts by the rules of Python: the same points, or both refuse."""

import warnings
from importlib.resources import files

import numpy as np
import pytest

import rpw
from rpw.explore import scripts
from rpw.readers import read_points

pytestmark = pytest.mark.xdist_group("browser")

CELLS = [
    "1",
    "20",
    "0.5",
    "1,5",
    "1,234",
    "1.234",
    "1.234,5",
    "-3e2",
    "",
    "NA",
    "x",
    "weight",
    "1_0",
    '"',
    '"7"',
    " 8 ",
]
NUMBERS = [["1", "20", "3"], ["0.5", "1.25", "7"], ["1,5", "0,25", "8"], ["1.234", "2.5e1", "0"]]
FIRST = ["0", "1", "2", "2019", "2020", "x", "y", "weight", "0.5", "1,5", "", "NA", '"a;b"', "5x", "2024-01-01"]


def random_text(rng):
    """Mostly a table of a kind, and sometimes any cells."""
    width, rows = int(rng.integers(1, 4)), int(rng.integers(0, 6))
    separator = rng.choice([",", ";", "\t", " "], p=[0.4, 0.3, 0.25, 0.05])
    cells = NUMBERS[rng.integers(len(NUMBERS))] if rng.random() < 0.7 else rng.choice(CELLS, 3)
    lines = [rng.choice(FIRST, width), *(rng.choice(cells, width) for _ in range(rows))]
    if rng.random() < 0.05:
        lines[-1] = lines[-1][1:]
    text = rng.choice(["\n", "\r\n", "\r"]).join(separator.join(line) for line in lines)
    return rng.choice(["", "\ufeff"]) + text + rng.choice(["", "\n", "\n\n"])


def of_python(path, text):
    """Points and weights; None if the file was refused, or has more coordinates than the page draws."""
    path.write_bytes(text.encode())
    try:
        measure = read_points(path)
    except ValueError:
        return None
    return measure if measure.dimension <= 2 else None


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(4))
def test_texts_are_read_as_in_python(browser, tmp_path, seed):
    rng = np.random.default_rng(seed)
    texts = [random_text(rng) for _ in range(1000)]
    script = scripts.bundled(
        "csv", lambda name: files("rpw.explore").joinpath("browser", name).read_text(encoding="utf-8")
    )
    ask = "try { return csvModule.readCsv(text); } catch (error) { return { reason: error.message }; }"
    page = browser.new_page()
    answers = page.evaluate(f"(texts) => {{ {script}; return texts.map((text) => {{ {ask} }}); }}", texts)
    page.close()
    read = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # what was taken for names
        for text, answer in zip(texts, answers, strict=True):
            expected = of_python(tmp_path / "a.csv", text)
            if expected is None or "cloud" not in answer:
                assert expected is None, (text, answer["reason"])
                assert "reason" in answer, text
                continue
            cloud = answer["cloud"]
            points = np.reshape(cloud["points"], (-1, answer["dimension"]))
            assert rpw.Measure(points, cloud["weights"]) == expected, text
            read += 1
    assert read > 200
