"""What the documents show is true: their code runs, their tables agree, and their links lead somewhere."""

import importlib
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from children import forked, forked_command

import rpw

ROOT = Path(__file__).parent.parent
DATA = ROOT / "examples" / "data"
# Not docs/results: `make docs` copies paper/docs there.
COPIES = set(ROOT.glob("docs/results/*"))
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("paper/**/*.md")} - COPIES)
FROM_OTHERS = ROOT / "docs" / "from-pot-and-scipy.md"
COMMAND_LINE = ROOT / "docs" / "command-line" / "index.md"
with_docs = pytest.mark.skipif(not COMMAND_LINE.exists(), reason="docs/ is not here, as in an sdist")
# Each print tells the line it stands in. This is one line, so that those of a block count from 2.
PRINT_WITH_LINE = (
    "import builtins, sys; show = print; "
    "builtins.print = lambda *values: show(f'line {sys._getframe(1).f_lineno}:', *values)\n"
)
NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def blocks_of(page, language):
    """The fenced blocks of one language; none where the page does not come along, as in an sdist."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.M | re.S)


def python_blocks():
    for page in PAGES:
        for number, block in enumerate(blocks_of(page, "python")):
            marks = [pytest.mark.large] if re.search(r"^import .*\b(torch|jax)\b", block, re.M) else []
            yield pytest.param(block, id=f"{page.relative_to(ROOT)}-{number}", marks=marks)


def promised(block):
    """For each ``print(...)  # 0.87, 0.13, in words`` its line, and the numbers that the comment begins with."""
    for line, text in enumerate(block.splitlines(), start=2):
        comment = re.match(rf"\s*print\(.*\)  # ({NUMBER}(?:,? {NUMBER})*)(?![\w.])", text)
        if comment:
            yield line, re.findall(NUMBER, comment[1])


def rounded_like(value, text):
    """The number, with as many digits as the text has."""
    return f"{float(value):.{len(text.partition('.')[2])}f}"


@pytest.mark.parametrize("block", list(python_blocks()))
def test_a_block_runs_and_prints_what_it_says(block, tmp_path):
    if "matrix.zarr" in block:  # what a command wrote
        forked_command("pairwise", DATA, "--out", "matrix.zarr", "--diameter", "auto", cwd=tmp_path)
    if "examples/" in block:
        (tmp_path / "examples").symlink_to(ROOT / "examples")
    (tmp_path / "block.py").write_text(PRINT_WITH_LINE + block, encoding="utf-8")
    done = forked(tmp_path / "block.py", cwd=tmp_path)
    if missing := re.search(r"^(?:ModuleNotFound|Import)Error: .*", done.stderr, re.M):
        pytest.skip(missing[0])
    assert done.returncode == 0, done.stderr
    printed = {int(line): text for line, text in re.findall(r"^line (\d+): (.*)", done.stdout, re.M)}
    for line, numbers in promised(block):
        found = re.findall(NUMBER, printed[line])[: len(numbers)]
        assert [rounded_like(value, text) for value, text in zip(found, numbers, strict=True)] == numbers, printed[line]


def test_the_table_by_task_has_the_numbers_of_its_block():
    page = ROOT / "docs" / "choosing.md"
    rows = re.findall(r"^\| \*\*.*\|(.*)\|$", page.read_text(encoding="utf-8"), re.M)
    shown = [numbers for _, numbers in promised(blocks_of(page, "python")[0])]
    assert [re.findall(NUMBER, row) for row in rows] == shown
    assert len(rows) == 4


def test_the_speed_beside_pot_is_one_number():
    """The mean of the table of times, and its inverse wherever a page says how fast RPW is."""
    text = {name: (ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/index.md")}
    pairs, index = (
        (ROOT / "docs" / "benchmarks" / f"{name}.md").read_text(encoding="utf-8") for name in ("pairs", "index")
    )
    mean = float(re.search(r"^\| exact RPW \| ([\d.]+) \|", pairs, re.M)[1])
    times = f"{1 / mean:.1f}"
    assert f"on average, exact RPW takes {mean:.2f} of the time" in pairs
    assert f"| [exact RPW](pairs.md), one pair | one `ot.emd2` | {times} |" in index
    assert all(f"{times} times as fast as one call of `ot.emd2`" in each for each in text.values())


def test_numbers_in_comments_are_found():
    block = "print(f(x), 2)  # 0.8728, 12 pieces\nprint(1)  # up to 3\nprint(2)  # 0.0745 0.0827 tolerance\n"
    assert list(promised(block)) == [(2, ["0.8728", "12"]), (4, ["0.0745", "0.0827"])]
    assert rounded_like("0.87279", "0.8728") == "0.8728"
    assert rounded_like("9", "9") == "9"


def rows_from_others():
    """The first two cells of every row: a call of POT or SciPy, and ours."""
    text = FROM_OTHERS.read_text(encoding="utf-8") if FROM_OTHERS.exists() else ""
    return re.findall(r"^\| `([^|]+)` \| `([^|]+)` \|", text, re.M)


@pytest.fixture(scope="module")
def data_of_rows():
    pytest.importorskip("ot")
    names = {}
    exec(blocks_of(FROM_OTHERS, "python")[0], names)
    return names


@pytest.mark.parametrize(("theirs", "ours"), rows_from_others())
def test_a_call_of_another_package_and_ours_agree(theirs, ours, data_of_rows):
    expected, found = np.asarray(eval(theirs, data_of_rows)), np.asarray(eval(ours, data_of_rows))
    assert found.shape == expected.shape
    assert np.allclose(found, expected, rtol=1e-9, atol=1e-12)


@with_docs
def test_the_table_has_the_calls_that_people_come_from():
    theirs = [row[0] for row in rows_from_others()]
    for name in (
        "ot.emd2",
        "ot.emd",
        "ot.partial.partial_wasserstein",
        "ot.partial.partial_wasserstein2",
        "ot.sliced_wasserstein_distance",
        "scipy.stats.wasserstein_distance",
        "scipy.stats.wasserstein_distance_nd",
    ):
        assert any(call.startswith(f"{name}(") for call in theirs), name


@with_docs
def test_potentials_are_those_of_pot_up_to_a_constant(data_of_rows):
    ot, x, y, a, b, C = (data_of_rows[name] for name in ("ot", "x", "y", "a", "b", "C"))
    log = ot.emd(a, b, C**2, log=True)[1]
    result = rpw.transport(x, y, a, b, p=2)
    f, g = result.potentials
    moved = (f + result.multiplier - log["u"])[0]
    assert np.allclose(f + result.multiplier, log["u"] + moved, rtol=0, atol=1e-9)
    assert np.allclose(g, log["v"] - moved, rtol=0, atol=1e-9)


def without_times(text):
    """What a command prints, less what differs from run to run and from compiler to compiler."""
    return re.sub(r"\S+ s$|[\d,]+(?= iterations)", "?", text, flags=re.M)


def agree(shown, printed):
    """Whether two lines have the same words, and numbers that differ by rounding at most."""
    pairs = list(zip(shown.split(), printed.split(), strict=False))
    same = (a == b or (is_number(a) and is_number(b) and np.isclose(as_number(a), as_number(b))) for a, b in pairs)
    return len(shown.split()) == len(printed.split()) and all(same)


def as_number(word):
    return float(word.strip("[],;"))


def is_number(word):
    return bool(re.fullmatch(NUMBER, word.strip("[],;")))


@with_docs
def test_the_commands_run_one_after_the_other(tmp_path):
    """And print what stands below them, from the first line on."""
    for extra in ("typer", "rich", "matplotlib", "zarr"):
        pytest.importorskip(extra)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    printed, compared = "", 0
    for language, block in re.findall(
        r"^```(sh|text)\n(.*?)^```", COMMAND_LINE.read_text(encoding="utf-8"), re.M | re.S
    ):
        if language == "text":
            found, shown = (without_times(text).splitlines() for text in (printed, block.removesuffix("...\n")))
            assert len(found) >= len(shown)
            assert [line for line, other in zip(shown, found, strict=False) if not agree(line, other)] == []
            compared += 1
            continue
        printed = ""
        for line in block.splitlines():
            _, *arguments = shlex.split(line, comments=True)
            done = forked_command(*arguments, cwd=tmp_path)
            assert done.returncode == 0, f"{line}\n{done.stderr}"
            printed += done.stdout
    assert compared > 5
    written = {path.name for path in tmp_path.iterdir()} - {"examples"}
    matrices = {"matrix.zarr", "matrix.csv", "stack.npz", "between.csv", "robust.npz", "rough.npy", "w1.csv"}
    tables = {"plan.csv", "points.csv", "scores.csv", "rows.csv"}
    pages = {"profile.png", "page.html", "drift.html"}
    assert written == matrices | tables | pages | {"clouds.rpw", "clouds.rpw.names.json"}


def test_lines_agree_up_to_rounding():
    assert agree("moved [0.5, 1.25] of it", "moved  [0.5, 1.2500000001] of it")
    assert not agree("moved 0.5", "moved 0.6")
    assert not agree("moved 0.5", "moved 0.5 more")
    assert without_times("walk, 727 iterations, 0.01 s") == without_times("walk, 1,028 iterations, 3 s")


def calls_in_tables():
    """The calls that the tables of functions show, less those that need a GPU or write files."""
    for page in (ROOT / "README.md", ROOT / "docs" / "howto" / "index.md"):
        rows = re.findall(r"^\|.*\|$", page.read_text(encoding="utf-8"), re.M) if page.exists() else []
        for call in re.findall(r"`(rpw\.[^`]*\)[^`]*)`", "\n".join(rows)):
            if "device=" not in call and "out=" not in call:
                yield call


@pytest.mark.parametrize("call", list(calls_in_tables()))
def test_a_call_in_a_table_can_be_made(call):
    rng = np.random.default_rng(0)
    A, B = ([rng.random((n, 2)) for n in (5, 6, 7)] for _ in range(2))
    if "sklearn" in call:
        pytest.importorskip("sklearn")
    assert eval(call, {"rpw": rpw, "x": A[0], "y": B[1], "weights": rng.random(5), "A": A, "B": B}) is not None


def anchors_of(page):
    """The fragments by which the headings of a page can be linked to, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for heading in re.findall(r"^#+ (.+)$", text, re.M):
        yield re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@with_docs
@pytest.mark.parametrize("page", [pytest.param(page, id=str(page.relative_to(ROOT))) for page in PAGES])
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link) or link == "../../issues":  # beside the files, on the host of the repository
            continue
        path, _, fragment = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        if fragment:
            assert fragment in anchors_of(target), link


@with_docs
def test_the_reference_lists_every_public_name():
    text = (ROOT / "docs" / "api" / "index.rst").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$|^\.\. py:data:: ([\w.]+)$", text, re.M))
    listed = {name or constant for name, constant in listed}
    public = set(rpw.__all__)
    for module in rpw._MODULES:
        if module not in ("jax", "sklearn", "torch"):  # which need an extra to be imported
            names = importlib.import_module(f"rpw.{module}").__all__
            public |= {f"{module}.{name}" for name in names if name not in rpw.__all__}
    missing, gone = public - listed, {name for name in listed if "." not in name} - public
    assert (missing, gone) == (set(), set())


@with_docs
def test_files_that_the_rules_name_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:src|cpp|tests|docs|examples|benchmarks)/[\w./-]+)`", text):
        assert (ROOT / path).exists(), path


def test_anchors_are_those_of_github(tmp_path):
    (tmp_path / "page.md").write_text(
        "# p, k and Δ\n```sh\n# no heading\n```\n## A known error, or `solve`\n", encoding="utf-8"
    )
    assert list(anchors_of(tmp_path / "page.md")) == ["p-k-and-δ", "a-known-error-or-solve"]


# ---------------------------------------------------------------- citations

SUFFIXES = (".md", ".py", ".cpp", ".hpp", ".cu", ".cuh")
BASES = (ROOT, ROOT / "cpp", ROOT / "docs", ROOT / "paper")
PATH = r"\b(?:paper/)?(?:cpp|src|tests|benchmarks|docs|examples)/[\w./-]*\w\.(?:py|cpp|hpp|cu|cuh|md)\b"


def texts():
    """What cites files and headings: documents and sources."""
    yield "README.md", (ROOT / "README.md").read_text(encoding="utf-8")
    for folder in ("docs", "src", "cpp", "tests", "benchmarks", "examples", "paper"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES and path not in COPIES:
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def test_cited_files_are_there():
    cited = {(name, path) for name, text in texts() for path in re.findall(PATH, text)}
    assert len(cited) > 50
    # Sources of the core and its tests name each other from the folder cpp, and pages from docs.
    missing = [(name, path) for name, path in cited if not any((base / path).exists() for base in BASES)]
    assert not missing


def cited_headings(text):
    """The page and each heading, where a text names a page of the proofs, a comma, and headings in quotation marks."""
    on_one_line = re.sub(r"\s*\n\s*(?://|#)?\s*", " ", text)
    for page, headings in re.findall(r'docs/proofs/(\w+)\.md((?:,? (?:and )?"[^"]+")+)', on_one_line):
        for heading in re.findall(r'"([^"]+)"', headings):
            yield page, heading


def headings_of(page):
    """What may be cited of a page: its headings, and paragraphs that begin with bold words."""
    text = page.read_text(encoding="utf-8")
    return {heading or words for heading, words in re.findall(r"^#+ (.*)$|^\*\*(.*?)\.\*\*", text, re.M)}


@with_docs
def test_cited_headings_of_the_proofs_are_there():
    known = {(page.stem, heading) for page in (ROOT / "docs" / "proofs").glob("*.md") for heading in headings_of(page)}
    cited = {(name, *citation) for name, text in texts() for citation in cited_headings(text)}
    assert len(cited) > 80
    assert not [(name, page, heading) for name, page, heading in cited if (page, heading) not in known]


def test_citations_are_found():
    page = "docs/" + "proofs/walk.md"
    text = f'// ({page}, "The\n// walk" and "Finiteness").\n# {page},\n# "The shortlist", says so.\n{page} has "more"'
    assert list(cited_headings(text)) == [("walk", "The walk"), ("walk", "Finiteness"), ("walk", "The shortlist")]


def test_the_readme_installs_with_one_command():
    """Two, one below the other, would be run one after the other, and each compiles the core."""
    commands = re.findall(r"^    (pip install .*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    assert commands == ["pip install '.[all]'"]
