"""The core made wrong on purpose, one thing at a time: the bounds must gape, or an invariant must fail.

Each case changes the text of one file of the core in a copy, compiles it, and links it with the rest and with
``cpp/tests/invariants_main.cpp``, which checks bases, bounds and certificates from outside.
"""

import functools
import os
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from compiled import COMPILER, compiled

pytestmark = pytest.mark.thorough

CORE = Path(__file__).parents[2] / "cpp"
CHECKER = "tests/invariants_main.cpp"
HANDOVER = "tests/handover_main.cpp"
SEARCH = "matrix/network.cpp"
PARTS_OF_SEARCH = (
    "ground/distances.cpp",
    "ground/metric.cpp",
    "ground/powers.cpp",
    "walk/found.cpp",
    "matrix/neighbours.cpp",
    "search/slope_guess.cpp",
)
PARTS = (
    "base/least.cpp",
    "base/pulse.cpp",
    "walk/arc_lists.cpp",
    "walk/certificate.cpp",
    "walk/forest.cpp",
    "walk/profile_walk.cpp",
    "walk/shortlist.cpp",
    "simplex/fixed_simplex.cpp",
    "simplex/strips.cpp",
)

# name: file, (right, wrong) ...
SABOTAGE = {
    "an arc missing from the shortlist": (
        "walk/shortlist.cpp",
        ("for (Node j = 0; j < columns; ++j) keep[j] =",
         "keep[0] = 0; for (Node j = 1; j < columns; ++j) keep[j] ="),
    ),
    "an arc missing from the narrow list": (
        "walk/shortlist.cpp",
        ("<= limit;  // no branch", "<= limit && wide_.partner[e] != cost_.rows;  // no branch"),
    ),
    "a row that becomes active looks only at what was listed": (
        "walk/shortlist.cpp",
        ("if (only_active_ && !all_of_[x] && forest.is_active(x))",
         "if (only_active_ && !all_of_[x] && forest.is_active(x) && x >= cost_.rows)"),
    ),
    "a column that becomes active looks only at what was listed": (
        "walk/shortlist.cpp",
        ("if (only_active_ && !all_of_[x] && forest.is_active(x))",
         "if (only_active_ && !all_of_[x] && forest.is_active(x) && x < cost_.rows)"),
    ),
    "a potential of a column shifted before it is certified": (
        "walk/certificate.cpp",
        ("v[j] = std::max(0.0, forest.potential(forest.rows() + j, lambda));",
         "v[j] = std::max(0.0, forest.potential(forest.rows() + j, lambda)) + (j == 0 ? 1e-3 * lambda : 0);"),
    ),
    "a potential of a row shifted before it is certified": (
        "walk/certificate.cpp",
        ("u[i] = std::max(0.0, forest.potential(i, lambda));",
         "u[i] = std::max(0.0, forest.potential(i, lambda)) + (i == 0 ? 1e-3 * lambda : 0);"),
    ),
    "no pass over all pairs in the certificate": (
        "walk/certificate.cpp",
        ("u[i] = std::max(u[i], lambda - least_of_row(i));", ""),
    ),
    "one pair left out of that pass": (
        "walk/certificate.cpp",
        ("least_sum(cost.row(i), v.data(), cost.columns)", "least_sum(cost.row(i), v.data(), cost.columns - 1)"),
    ),
    "the walk lets the first blocking arc leave": (
        "walk/forest.cpp",
        ("if (is_row(x) && nodes_[x].flow < pivot.amount)", "if (is_row(x) && nodes_[x].flow <= pivot.amount)"),
        ("if (!is_row(x) && nodes_[x].flow <= pivot.amount)", "if (!is_row(x) && nodes_[x].flow < pivot.amount)"),
    ),
    "the walk lets the first of equal rows leave": (
        "walk/forest.cpp",
        ("if (is_row(x) && nodes_[x].flow < pivot.amount)", "if (is_row(x) && nodes_[x].flow <= pivot.amount)"),
    ),
    "the simplex lets the first blocking arc leave": (
        "simplex/fixed_simplex.cpp",
        ("if (is_row(x) && nodes_[x].flow < down.amount)", "if (is_row(x) && nodes_[x].flow <= down.amount)"),
        ("if (!is_row(y) && nodes_[y].flow <= up.amount)", "if (!is_row(y) && nodes_[y].flow < up.amount)"),
        ("const bool on_row_side = down.amount < up.amount;", "const bool on_row_side = down.amount <= up.amount;"),
    ),
    "the simplex lets the first of equal rows leave": (
        "simplex/fixed_simplex.cpp",
        ("if (is_row(x) && nodes_[x].flow < down.amount)", "if (is_row(x) && nodes_[x].flow <= down.amount)"),
    ),
    "an arc skipped in pricing": (
        "simplex/strips.cpp",
        ("return least_sum(costs(strip), kept, degree(strip));",
         "return least_sum(costs(strip), kept, degree(strip) - 1);"),
    ),
    "a potential of the simplex shifted": (
        "simplex/fixed_simplex.cpp",
        ("potential_[x] = node.parent == root_ ? 0.0 :", "potential_[x] = node.parent == root_ ? 1e-3 * lambda_ :"),
    ),
    "a row preferred to a column of the same flow": (
        "simplex/fixed_simplex.cpp",
        ("const bool on_row_side = down.amount < up.amount;", "const bool on_row_side = down.amount <= up.amount;"),
    ),
    "the potentials of a part that moves changed too little": (
        "simplex/fixed_simplex.cpp",
        ("const double shifted = potential[x] + change;", "const double shifted = potential[x] + 0.999 * change;"),
        ("while (changes_when_relabelled());", "while (false);"),
    ),
    "the range of a basis without its arcs": (
        "simplex/fixed_simplex.cpp",
        ("least = std::min(least, of_arcs);", "(void)of_arcs;"),
    ),
    "the range of a basis without its potentials": (
        "simplex/fixed_simplex.cpp",
        ("if (of_growing) least = std::min(least, potential);", ""),
        ("least = std::min(least, before_[k]);", ""),
    ),
    "a potential of the walk shifted": (
        "walk/forest.cpp",
        ("nodes_[node.parent].distance + step;", "nodes_[node.parent].distance + step + (x == 0 ? 1e-3 : 0);"),
    ),
}  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    if shutil.which(COMPILER[0]) is None:
        if "compiler" in os.environ.get("RPW_REQUIRE", "").split(","):
            pytest.fail(f"RPW_REQUIRE asks for a compiler, and there is no {COMPILER[0]!r}")
        pytest.skip(f"there is no C++ compiler {COMPILER[0]!r}")


def text_of(source, changes=()):
    """The text of a file of the core, with some of it replaced."""
    text = (CORE / source).read_text(encoding="utf-8")
    for right, wrong in changes:
        assert text.count(right) == 1, f"{source} has {text.count(right)} times {right!r}"
        text = text.replace(right, wrong)
    return text


@functools.cache
def object_of(text):
    """-O1 compiles as fast as -O0, and what it makes runs in a fifth of the time."""
    return compiled(text.encode(), "-std=c++20", "-O1", "-ffp-contract=off", f"-I{CORE}", "-c")


def verdict(sources, folder, changed=None, changes=(), seconds=60):
    """What the program of these files says, one of them changed, after at most so much processor time."""
    objects = [object_of(text_of(source, changes if source == changed else ())) for source in sources]
    program = folder / "checker"
    subprocess.run([*COMPILER, *objects, "-o", program], check=True)

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    done = subprocess.run([program], capture_output=True, text=True, preexec_fn=limit, check=False)
    return done.returncode, done.stdout


def test_the_core_as_it_is_passes(tmp_path):
    code, output = verdict((*PARTS, CHECKER), tmp_path)
    assert code == 0, output
    assert " 0 failures" in output


@pytest.mark.parametrize("name", SABOTAGE)
def test_sabotage_is_noticed(name, tmp_path):
    source, *changes = SABOTAGE[name]
    # A wrong core may go on for ever; the right one takes a fifth of a second.
    code, output = verdict((*PARTS, CHECKER), tmp_path, source, changes, seconds=5)
    assert code != 0, output


@pytest.mark.parametrize("most_solve", ["100", "0"])
def test_a_solve_that_does_not_end_is_handed_to_the_walk(most_solve, tmp_path):
    change = ("most_solve * cold_solve_", f"{most_solve} * cold_solve_")
    code, output = verdict((*PARTS, *PARTS_OF_SEARCH, SEARCH, HANDOVER), tmp_path, SEARCH, [change])
    assert code == 0, output
    assert output.endswith("0 failures, 0 by the simplex\n") == (most_solve == "0"), output
