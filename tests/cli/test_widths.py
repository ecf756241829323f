"""What the commands print fits the terminal, and no line ends within a number."""

import os
import struct
import subprocess
import sys

import numpy as np
import pytest
from children import ENVIRONMENT
from click import unstyle as unstyled
from rich.cells import cell_len

import rpw
from rpw.cli._print import folded, row_lines, table_lines

fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))  # not on Windows

RNG = np.random.default_rng(5)


def on_a_terminal(width, *arguments):
    """The lines that ``rpw`` prints on a terminal of this width."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    line = [sys.executable, "-m", "rpw.cli", *map(str, arguments)]
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    with subprocess.Popen(line, stdin=its, stdout=its, stderr=subprocess.PIPE, env=environment) as child:
        os.close(its)
        shown = b""
        try:
            while part := os.read(ours, 1 << 16):
                shown += part
        except OSError:  # Linux has this for the end
            pass
        finally:
            os.close(ours)
        assert child.wait(60) == 0, child.stderr.read()
    lines = unstyled(shown.decode()).splitlines()
    assert all(cell_len(each) <= width for each in lines), lines
    return lines


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Two tables with ranges of many digits, under names of many letters; one column is not compared."""
    folder, rng = tmp_path_factory.mktemp("tables"), np.random.default_rng(0)
    for name, more in (("a", ",extra"), ("b", "")):
        rows = [f"{rng.integers(5)},{rng.choice(list('ABC'))}{more and ',1'}" for _ in range(300)]
        (folder / f"{name}.csv").write_text("\n".join([f"milligrams_of_iron_2023-11-05,city{more}", *rows]))
    return folder / "a.csv", folder / "b.csv"


@pytest.mark.parametrize("width", [80, 40])
def test_every_figure_of_a_drift_is_on_one_line(tables, width):
    words = " ".join(on_a_terminal(width, "drift", *tables, "--n-resamples", 99, "--alpha", 0.2)).split()
    cells = rpw.stats.drift(*tables, n_resamples=99, alpha=0.2, rng=0).table()
    assert max(len(row[3]) for row in cells) >= 14, "ranges such as 0.0133–0.0867"
    assert {figure for row in cells for figure in row[2:5] if figure} <= set(words)
    assert any("2023-11-05" in word for word in words), "and so is the date in a name"


@pytest.mark.parametrize("width", [80, 40])
def test_every_figure_of_a_distance_is_on_one_line(tables, width):
    shown = on_a_terminal(width, "distance", *tables, "--columns", "1", "--diameter", 4)
    x, y = (np.loadtxt(file, delimiter=",", skiprows=1, usecols=0) for file in tables)
    result = rpw.solve(x, y, diameter=4)
    assert f"[{result.lower:.12g}, {result.upper:.12g}] (exact)" in " ".join(" ".join(shown).split())


def numbers():
    """Numbers of every length, written as the commands write them."""
    values = (RNG.normal(size=36) * 10.0 ** RNG.integers(-12, 12, 36)).tolist()
    return [form.format(each) for each in values for form in ("{:.12g}", "{:,.3f}", "{:.2g}", "{!r}")]


@pytest.mark.parametrize("width", [80, 60, 40, 26])
def test_a_folded_text_keeps_its_numbers(width):
    for blank in (" ", " of ", ", k="):
        text = blank.join(numbers())
        assert " ".join(folded(text, width)) == text
    assert all(len(line) <= width for line in folded(text, width))


@pytest.mark.parametrize("width", [80, 60, 40])
@pytest.mark.parametrize("count", [2, 4, 9])
def test_a_table_keeps_its_numbers(width, count):
    figures = numbers()
    rows = [[f"a long name_{i // count}", *figures[i : i + count]] for i in range(0, len(figures), count)]
    lines = [unstyled(line) for line in table_lines(["name", *["column"] * count], rows, width)]
    assert all(len(line) <= width for line in lines)
    assert set(figures) <= set(" ".join(lines).split())


def test_wide_signs_and_endless_numbers_fit():
    assert [cell_len(line) for line in folded("表" * 50, 40)] == [40, 40, 20]
    assert folded("7" * 100, 40) == ["7" * 40, "7" * 40, "7" * 20]
    assert folded("", 40) == [""]
    assert row_lines([], 40) == []
    assert [unstyled(line) for line in table_lines(["a"], [], 40)] == ["a"]
