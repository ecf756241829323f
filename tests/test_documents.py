"""The Python blocks of the documents run and print what their comments say; what is cited is there."""

import re
from pathlib import Path

import pytest
from children import run, run_command

ROOT = Path(__file__).parent.parent
DATA = ROOT / "examples" / "data"
# Each print tells the line it stands in. This is one line, so that those of a block count from 2.
PRINT_WITH_LINE = (
    "import builtins, sys; show = print; "
    "builtins.print = lambda *values: show(f'line {sys._getframe(1).f_lineno}:', *values)\n"
)
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def blocks():
    for name in ("README.md", "docs/howto.md"):
        text = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).exists() else ""
        for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)):
            yield pytest.param(block, id=f"{name}-{number}")


def promised(block):
    """For each ``print(...)  # 0.87, 0.13, in words`` its line, and the numbers that the comment begins with."""
    for line, text in enumerate(block.splitlines(), start=2):
        comment = re.match(rf"\s*print\(.*\)  # ({NUMBER}(?:,? {NUMBER})*)(?![\w.])", text)
        if comment:
            yield line, re.findall(NUMBER, comment[1])


def rounded_like(value, text):
    """The number, with as many digits as the text has."""
    return f"{float(value):.{len(text.partition('.')[2])}f}"


@pytest.mark.parametrize("block", list(blocks()))
def test_a_block_runs_and_prints_what_it_says(block, tmp_path):
    if "matrix.zarr" in block:  # what a command wrote
        run_command("pairwise", DATA, "--out", "matrix.zarr", "--diameter", "auto", cwd=tmp_path)
    (tmp_path / "block.py").write_text(PRINT_WITH_LINE + block, encoding="utf-8")
    done = run("block.py", cwd=tmp_path, timeout=120)
    if missing := re.search(r"^(?:ModuleNotFound|Import)Error: .*", done.stderr, re.M):
        pytest.skip(missing[0])
    assert done.returncode == 0, done.stderr
    printed = {int(line): text for line, text in re.findall(r"^line (\d+): (.*)", done.stdout, re.M)}
    for line, numbers in promised(block):
        found = re.findall(NUMBER, printed[line])[: len(numbers)]
        assert [rounded_like(value, text) for value, text in zip(found, numbers, strict=True)] == numbers, printed[line]


def test_numbers_in_comments_are_found():
    block = "print(f(x), 2)  # 0.8728, 12 pieces\nprint(1)  # up to 3\nprint(2)  # 0.0745 0.0827 tolerance\n"
    assert list(promised(block)) == [(2, ["0.8728", "12"]), (4, ["0.0745", "0.0827"])]
    assert rounded_like("0.87279", "0.8728") == "0.8728"
    assert rounded_like("9", "9") == "9"


# ---------------------------------------------------------------- citations

SUFFIXES = (".md", ".py", ".cpp", ".hpp", ".cu", ".cuh")
PATH = r"\b(?:cpp|src|tests|benchmarks|docs|examples)/[\w./-]*\w\.(?:py|cpp|hpp|cu|cuh|md)\b"


def texts():
    """What cites files and headings: documents and sources."""
    yield "README.md", (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in ("docs", "src", "cpp", "tests", "benchmarks", "examples"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_cited_files_are_there():
    cited = {(name, path) for name, text in texts() for path in re.findall(PATH, text)}
    assert len(cited) > 50
    # Sources of the core and its tests name each other from the folder cpp.
    missing = [(name, path) for name, path in cited if not any((base / path).exists() for base in (ROOT, ROOT / "cpp"))]
    assert not missing


def test_cited_headings_of_the_theory_are_there():
    theory = (ROOT / "docs" / "theory.md").read_text(encoding="utf-8")
    headings = set(re.findall(r"^#+ (.*)$|^\*\*(.*?)\.\*\*", theory, re.M))
    known = {heading or paragraph for heading, paragraph in headings}
    cited = {(name, heading) for name, text in texts() for heading in re.findall(r'theory\.md, "([^"]+)"', text)}
    assert len(cited) > 30
    on_one_line = {(name, re.sub(r"\n\W*", " ", heading)) for name, heading in cited}
    assert not [(name, heading) for name, heading in on_one_line if heading not in known]
