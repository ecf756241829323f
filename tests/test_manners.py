"""How the library behaves as a guest in a process: Ctrl-C, threads, memory, imports."""

import importlib.util
import pkgutil
import re
import shutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from children import interrupted, run, start

import rpw

INF = float("inf")


def run_child(code):
    return run("-c", textwrap.dedent(code), timeout=120)


# ---------------------------------------------------------------- Ctrl-C

LONG_SOLVE = """
import sys, time
import numpy as np
import rpw

def problem(n, far):
    rng = np.random.default_rng(0)
    x = np.column_stack([np.arange(n * 1.0), np.zeros(n)]) if far else rng.random((n, 2))
    y = x + n if far else rng.random((n, 2))
    return x, y, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))

small = problem(50, False)
before = rpw.distance(*small, p=2, k=1)
try:
    for n in (3000, 6000, 9000):  # larger ones only for a library that is faster than today's
        arguments = problem(n, FAR)
        print("ready", flush=True)
        CALL
    print("finished", flush=True)
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    assert rpw.distance(*small, p=2, k=1) == before
    assert rpw.distance([0.0], [1.0], p=1, k=1) == 0.5
    print("healthy", flush=True)
"""

LONG_CALLS = {
    "solve": ("rpw.solve(*arguments, p=1, k=1e6)", "True"),
    "distance of a power": ("rpw.distance(*arguments, p=1.5, k=1e6)", "True"),
    "wasserstein": ("rpw.wasserstein(*arguments, p=2)", "True"),
    "profile": ("rpw.profile(*arguments, p=2)", "True"),
    "profile on the line": ("rpw.profile(np.arange(3e6), np.arange(3e6) + 0.5, p=2, max_breakpoints=10**7)", "True"),
    "points on two places": ("rpw.distance(np.arange(1.5e6) % 2, np.arange(1.5e6) % 3 < 1, p=5, diameter=1)", "True"),
    "grids apart at infinity": (
        "x, a = np.arange(1e5), 1 + np.arange(10**5) % 3; rpw.profile(x, x + 1e5, a, a, p=float('inf'), diameter=1)",
        "True",
    ),
    "profile at infinity": ("rpw.profile(*arguments, p=float('inf'))", "False"),
    "two_sample_test": ("rpw.stats.two_sample_test(*arguments[:2], n_resamples=99_999)", "False"),
    "find_outliers": (
        "z = np.random.default_rng(0).normal(size=(300_000, 8)); rpw.stats.find_outliers(z[:10**5], z[10**5:])",
        "False",
    ),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", LONG_CALLS)
def test_ctrl_c_ends_a_long_solve_and_leaves_the_process_healthy(name):
    """The promise is 0.2 s; ten times that is allowed here for a busy machine."""
    call, far = LONG_CALLS[name]
    code = LONG_SOLVE.replace("CALL", call).replace("FAR", far)
    lines, sent, errors = interrupted(code, after=1.0)
    assert lines, errors
    assert lines[0] != "finished", "the problem is too small to be interrupted: enlarge it"
    assert lines[0].startswith("interrupted"), errors
    assert float(lines[0].split()[1]) - sent < 2.0
    assert lines[1:] == ["healthy"], errors


def test_children_hear_ctrl_c_where_their_parent_ignores_it():
    """Else the tests above and their like would wait in vain in a job in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with start("-c", "from signal import *; print(getsignal(SIGINT) is default_int_handler)") as child:
            assert child.communicate(timeout=60) == ("True\n", "")
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_handler_that_raises_is_heard():
    """Any exception of a handler gets through, not only KeyboardInterrupt."""
    answer = run_child("""
        import signal
        import numpy as np
        import rpw

        class Alarm(Exception):
            pass

        def ring(*_):
            raise Alarm

        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        rng = np.random.default_rng(0)
        try:
            for n in (3000, 6000, 9000):
                x = np.column_stack([np.arange(n * 1.0), np.zeros(n)])
                rpw.distance(x, x + n, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n)), p=1, k=1e6)
        except Alarm:
            print("rang", rpw.distance([0.0], [1.0], p=1))
    """)
    assert answer.stdout.strip() == "rang 0.5", answer.stderr


# ---------------------------------------------------------------- threads


def problems(count=24):
    rng = np.random.default_rng(0)
    for index in range(count):
        n, m = rng.integers(20, 90, 2)
        points = np.round(rng.random((n, 2)), 1 + index % 3), np.round(rng.random((m, 2)), 1 + index % 3)
        yield *points, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(m)), (1, 1.5, 2, 8, INF)[index % 5], index % 4


def test_many_threads_agree_with_one():
    def answer(problem):
        x, y, a, b, p, k = problem
        result = rpw.solve(x, y, a, b, p=p, k=k)
        return result.distance, result.cost, result.plan.toarray(), rpw.profile(x, y, a, b, p=p).distance(2.0)

    todo = list(problems())
    alone = [answer(problem) for problem in todo]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(answer, todo * 3))
    for one, other in zip(alone * 3, together, strict=True):
        assert one[0] == other[0]
        assert one[1] == other[1]
        np.testing.assert_array_equal(one[2], other[2])
        assert one[3] == other[3]


def test_threads_may_share_one_result_and_one_input():
    rng = np.random.default_rng(1)
    x, y = rpw.Measure(rng.random((60, 2))), rpw.Measure(rng.random((60, 2)))
    shared = rpw.solve(x, y)
    with ThreadPoolExecutor(8) as pool:
        plans = list(pool.map(lambda _: shared.plan.toarray(), range(16)))
        values = set(pool.map(lambda _: rpw.distance(x, y), range(16)))
    assert values == {shared.distance}
    assert all((plan == plans[0]).all() for plan in plans)


def test_other_threads_run_during_a_solve():
    """With the GIL held, the loop below would not turn until the solve was over."""
    rng = np.random.default_rng(2)
    n = 900
    x = np.column_stack([np.arange(n * 1.0), np.zeros(n)])
    arguments = x, x + n, rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    rpw.distance([0.0], [1.0])  # imports what is imported on first use
    solver = threading.Thread(target=rpw.solve, args=arguments, kwargs={"p": 1, "k": 1e6, "time_limit": 2.0})
    solver.start()
    turns = 0
    while solver.is_alive():
        turns += 1
        time.sleep(0.001)
    solver.join()
    assert turns >= 20


def test_no_thread_outlives_import_or_call():
    answer = run_child("""
        import os, threading
        import numpy, scipy.spatial.distance, scipy.sparse
        count = lambda: len(os.listdir("/proc/self/task")) if os.path.exists("/proc/self/task") else 0
        before = count()
        import rpw
        assert count() == before, "import"
        x = numpy.random.default_rng(0).random((300, 2))
        for p in (1, 2, float("inf")):
            rpw.solve(x, x + 0.1, p=p).plan
            rpw.profile(x, x + 0.1, p=p)
        assert count() == before, "call"
        assert threading.active_count() == 1
        print("alone")
    """)
    assert answer.stdout.strip() == "alone", answer.stderr


# ---------------------------------------------------------------- memory


@pytest.mark.parametrize("name", ["solve", "profile", "wasserstein", "levy_prokhorov"])
def test_problems_too_large_are_refused_with_their_size(name):
    """Where there are no trees: under a metric of SciPy."""
    x = np.column_stack([np.arange(1e6), np.zeros(10**6)])
    with pytest.raises(MemoryError, match=r"1,000,000 x 1,000,000.*GB"):
        getattr(rpw, name)(x, x + 0.5, metric="canberra")


def test_the_profile_at_infinity_needs_a_matrix():
    x = np.column_stack([np.arange(1e6), np.zeros(10**6)])
    for solver in ("auto", "points"):
        with pytest.raises(MemoryError, match=r"1,000,000 x 1,000,000.*GB"):
            rpw.profile(x, x + 0.5, p=INF, solver=solver)


def test_levy_prokhorov_of_many_points_needs_no_matrix():
    """The nearest pairs are √0.5 apart, and all mass can move over them."""
    x = np.column_stack([np.arange(1e5), np.zeros(10**5)])
    assert rpw.levy_prokhorov(x, x + 0.5) == pytest.approx(np.sqrt(0.5), rel=1e-12)


def test_a_million_points_need_no_matrix():
    """Each has a partner 0.5 away, and kΔε = W at ε = 0.5: half of the mass moves by 0.5."""
    x = np.column_stack([np.arange(1e6), np.zeros(10**6)])
    x[-1, 1] = 1  # else it is a line
    result = rpw.solve(x, x + np.array([0.5, 0]), p=1, diameter=0.5)
    assert result.solver == "points"
    assert result.distance == pytest.approx(0.5, rel=1e-9)
    assert result.lower == pytest.approx(0.5, rel=1e-9)


def test_choose_solver_refuses_what_solve_refuses():
    x = np.column_stack([np.arange(1e6), np.zeros(10**6)])
    x[-1, 1] = 1  # else it is a line
    for options in ({"solver": "lmr", "tol": 0.1}, {"solver": "simplex"}, {"metric": "canberra"}):
        reasons = []
        for function in (rpw.solve, rpw.choose_solver):
            with pytest.raises(MemoryError, match=r"1,000,000 x 1,000,000.*GB") as caught:
                function(x, x + 0.5, diameter=1, **options)
            reasons.append(str(caught.value).partition(", and ")[0])  # what is available may change
        assert reasons[0] == reasons[1]
    assert rpw.choose_solver(x, x + 0.5, diameter=1)[0] == "points"
    assert rpw.choose_solver(x, x + 0.5, diameter=1, p=INF)[0] == "points"
    assert rpw.choose_solver(x, x + 0.5, k=0)[0] == "total_variation"
    assert rpw.choose_solver(x[:-1], x[:-1] + np.array([0.5, 0]))[0] == "line"
    light = np.zeros(len(x))
    light[:9] = 1
    assert rpw.choose_solver(x, x, light, light)[0] == "line"  # atoms without mass need no room, and hide no line


def test_total_variation_of_many_points_needs_no_matrix():
    x = np.arange(2e5)
    assert rpw.total_variation(x, x + 1) == pytest.approx(5e-6, rel=1e-9)
    assert rpw.distance(x, x[::-1], k=0) == 0


def test_what_is_refused_counts_atoms_with_mass_only():
    x, a = np.arange(1e6), np.zeros(10**6)
    a[5] = 1
    assert rpw.distance(x, [5.5], a, p=1, k=1) == pytest.approx(1 / 3)


# ---------------------------------------------------------------- import


def test_import_is_light():
    answer = run_child("""
        import sys
        import rpw
        heavy = {"scipy", "matplotlib", "ot", "torch", "jax", "PIL", "sklearn", "dask"}
        print(sorted(heavy & {name.split(".")[0] for name in sys.modules}))
    """)
    assert answer.stdout.strip() == "[]", answer.stderr


def test_every_public_name_is_there_and_documented():
    for name in rpw.__all__:
        assert getattr(rpw, name).__doc__, name
    contract = {"Measure", "Profile", "Result", "choose_solver", "diameter", "distance", "levy_prokhorov"}
    contract |= {"partial_wasserstein", "profile", "robot", "solve", "total_variation", "wasserstein"}
    assert contract <= set(rpw.__all__)


def test_modules_that_users_need_are_there_after_import_rpw_and_not_loaded_before():
    answer = run_child("""
        import sys
        import rpw
        before = set(sys.modules)
        assert "rpw.io.readers" not in before, "loaded too early"
        print(rpw.readers.read_points.__name__, rpw.images.pixel_grid.__name__)
        import rpw.readers as readers
        assert readers is rpw.readers is sys.modules["rpw.readers"]
        try:
            rpw.nothing
        except AttributeError as error:
            print(error)
    """)
    assert answer.stdout.splitlines() == [
        "read_points pixel_grid",
        "module 'rpw' has no attribute 'nothing'",
    ], answer.stderr


def test_a_public_module_that_moved_says_where():
    where = r"rpw\.pictures is now rpw_paper\.pictures: pip install \./paper"
    with pytest.raises(AttributeError, match=where):
        rpw.pictures  # noqa: B018
    with pytest.raises(ImportError, match=where):
        importlib.import_module("rpw.pictures")


def test_dir_shows_what_is_meant_for_users():
    shown = set(dir(rpw))
    assert set(rpw.__all__) <= shown
    assert {"readers", "sklearn", "__version__"} <= shown
    for name in shown - set(rpw.__all__) - {"__doc__", "__version__"}:
        assert importlib.util.find_spec(f"rpw.{name}") is not None, name
    for name in ("ModuleType", "import_module", "VERSION", "Any", "TYPE_CHECKING"):
        assert not hasattr(rpw, name)


def test_a_module_and_another_thing_never_share_a_name():
    """Else ``import rpw.name as m`` gives the other thing, and no module."""
    modules = [found.name for found in pkgutil.walk_packages(rpw.__path__, "rpw.")]
    assert len(modules) > 60
    for name in modules:
        if name.endswith("__main__"):  # runs the command line
            continue
        if name == "rpw.pictures":  # says where it went
            continue
        if name in ("rpw.torch", "rpw.jax") and importlib.util.find_spec(name.partition(".")[2]) is None:
            continue  # it cannot be imported without that library
        module = importlib.import_module(name)
        parent, _, own = name.rpartition(".")
        assert getattr(sys.modules[parent], own) is module, name
    with pytest.raises(ModuleNotFoundError, match=r"rpw\.pairwise"):
        importlib.import_module("rpw.pairwise")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_every_file_names_the_same_version():
    top = Path(__file__).parents[1]
    project = tomllib.loads((top / "pyproject.toml").read_text())["project"]["version"]
    cited = re.search(r"^version: (\S+)$", (top / "CITATION.cff").read_text(), re.MULTILINE)
    newest = re.search(r"^## (\S+)", (top / "CHANGELOG.md").read_text(), re.MULTILINE)
    recipe = re.search(r'^  version: "(\S+)"$', (top / "conda" / "recipe.yaml").read_text(), re.MULTILINE)
    named = {rpw.__version__, project, cited[1], newest[1], recipe[1]}
    assert len(named) == 1, named
    assert rpw.__version__ != "0.1.0"  # whose stores and indices are refused


def test_make_clean_removes_all_that_make_makes():
    root = Path(__file__).parents[1]
    made = (root / ".gitignore").read_text().split("# made by `make`\n")[1].split("\n\n")[0].split()
    clean = subprocess.run(["make", "-n", "clean"], cwd=root, capture_output=True, text=True, check=True).stdout.split()
    assert len(made) > 3
    assert {path.strip("/") for path in made} <= set(clean)
