"""What cannot fit is refused before it is allocated, also for many pairs; and where memory runs out, it says so."""

import sys
import tracemalloc

import numpy as np
import pytest
from children import ENVIRONMENT, run

import rpw
from rpw.base import memory as _memory
from rpw.many import support


def test_two_small_histograms_on_a_large_support():
    places, rows = np.random.default_rng(0).random((40_000, 2)), np.zeros((2, 40_000))
    rows[0, 7], rows[1, 39_999] = 1, 1
    expected = rpw.distance(places[[7]], places[[39_999]])
    tracemalloc.start()
    assert rpw.pairwise(rows, support=places)[0, 1] == expected
    assert rpw.Index(rows, support=places).query(rows[0], top=2)[0].tolist() == [0, expected]
    assert rpw.pairwise(rows + 1, support=places, distance="total_variation")[0, 1] == pytest.approx(1 / 40_001)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1e8  # all distances between the places would be 12.8 GB


def test_leaving_out_empty_places_changes_no_bit(monkeypatch):
    rng = np.random.default_rng(0)
    places, rows = rng.random((3000, 2)), rng.random((6, 3000)) * (rng.random((6, 3000)) < 0.02)

    def answers():
        for distance in ("rpw", "wasserstein", "total_variation"):
            yield rpw.pairwise(rows, support=places, distance=distance)
            yield rpw.pairwise(rows[:2], rows[2:], support=places, distance=distance)
        yield from rpw.Index(rows[1:], support=places).query(rows[0], top=4)

    fewer = list(answers())
    monkeypatch.setattr(support, "_LARGE_SUPPORT", 10**9)
    for mine, theirs in zip(fewer, answers(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.fixture
def little_memory(monkeypatch):
    """A machine with a megabyte to spare."""
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)


def test_equal_points_of_a_collection_take_the_memory_of_one(monkeypatch):
    rng = np.random.default_rng(0)
    distinct = [rng.random((50, 8)) for _ in range(3)]
    clouds = [np.repeat(points, 70, axis=0) for points in distinct]
    monkeypatch.setattr(_memory, "available_bytes", lambda: 5e7)
    expected = rpw.pairwise(distinct)
    np.testing.assert_allclose(rpw.pairwise(clouds), expected, rtol=1e-12)
    np.testing.assert_allclose(rpw.Index(clouds).query(clouds[0], top=3)[0], np.sort(expected[0]), rtol=1e-12)
    results = rpw.solve_pairs(clouds[:2], clouds[1:])
    np.testing.assert_allclose([result.distance for result in results], expected[[0, 1], [1, 2]], rtol=1e-12)
    with pytest.raises(MemoryError, match="3,500 x 3,500 points need about"):
        rpw.pairwise([rng.random((3500, 8)) for _ in range(2)])


def test_what_does_not_fit_is_refused(little_memory, tmp_path):
    large = list(np.random.default_rng(0).random((2, 600, 2)))
    for call in (
        lambda: rpw.pairwise(large),
        lambda: rpw.pairwise(large, metric="canberra"),
        lambda: rpw.Index(large).query(large[0], top=1),
        lambda: rpw.Index(large).radius_query(large, 0.1),
        lambda: rpw.pairwise(large, out=tmp_path / "D.zarr"),
    ):
        with pytest.raises(MemoryError, match="600 x 600 points need about"):
            call()
    rows, places = np.ones((2, 600)), large[0]
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.pairwise(rows, support=places)
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.Index(rows, support=places).query(rows[0], top=1)
    many = [[[float(s)]] for s in range(600)]
    with pytest.raises(MemoryError, match=r"a matrix of 600 x 600 distances needs.*out="):
        rpw.pairwise(many)


def test_the_error_names_what_would_work(little_memory):
    """Trees, where the caller can ask for them and they answer; else there is nothing but fewer points."""
    x, y = np.random.default_rng(0).random((2, 600, 2))
    for function, options in (
        (rpw.solve, {}),
        (rpw.distance, {}),
        (rpw.profile, {}),
        (rpw.transport, {}),
        (rpw.wasserstein, {}),
        (rpw.partial_wasserstein, {"mass": 0.5}),
        (rpw.robot, {"lam": 0.1}),
    ):
        with pytest.raises(MemoryError, match=r"solver='points' needs no such matrix\. Fewer points need less"):
            function(x, y, **options)
        function(x, y, **options, solver="points")
    for call in (
        lambda: rpw.solve(x, y, metric="canberra"),
        lambda: rpw.solve(cost=np.random.default_rng(0).random((600, 600))),
        lambda: rpw.pairwise([x], [y]),
    ):
        with pytest.raises(MemoryError, match=r"available\. Fewer points need less"):
            call()


def test_threads_share_the_memory(little_memory):
    several = list(np.random.default_rng(0).random((6, 300, 2)))  # 900,000 bytes a pair
    with pytest.raises(MemoryError, match=r"4 threads on pairs of up to 300 x 300 points.*n_threads"):
        rpw.pairwise(several, n_threads=4)
    assert rpw.pairwise(several, n_threads=2).shape == (6, 6)
    # One large measure is never compared with itself, and only one thread at a time can work on a large pair.
    one_large = [np.random.default_rng(0).random((2000, 2)), *([[s, s * s]] for s in range(20))]
    assert rpw.pairwise(one_large, n_threads=16).shape == (21, 21)


def test_equal_points_take_no_room_twice(little_memory):
    """Images in few colours have many: the solvers see each place once."""
    places = np.random.default_rng(0).random((100, 2))
    clouds = [np.repeat(places, 20, axis=0), np.repeat(places[::-1] + 0.1, 30, axis=0), places]
    expected = rpw.pairwise([rpw.Measure(places), rpw.Measure(places + 0.1), rpw.Measure(places)], diameter=1)
    np.testing.assert_allclose(rpw.pairwise(clouds, diameter=1, n_threads=2), expected, atol=1e-12)
    assert rpw.solve_pairs(clouds[:2], clouds[1:], diameter=1)[0].distance == pytest.approx(expected[0, 1], abs=1e-12)
    assert rpw.Index(clouds, diameter=1).query(clouds[1], top=1)[1].tolist() == [1]
    with pytest.raises(MemoryError, match="3,000 x 2,000 points need about"):  # a metric in Python sees all of them
        rpw.pairwise(clouds[:2], metric="canberra", diameter=1)


def test_bisection_needs_room_for_two_matrices(little_memory):
    x, y = np.random.default_rng(0).random((2, 400, 2))
    cost = np.random.default_rng(1).random((400, 400))
    asked = {"diameter": 1, "tol": 0.2, "solver": "bisection"}
    for call in (
        lambda: rpw.solve(x, y, **asked),
        lambda: rpw.choose_solver(x, y, **asked),
        lambda: rpw.solve(cost=cost, a=np.arange(400), **asked),  # without the first row: a copy, and its powers
    ):
        with pytest.raises(MemoryError, match=r"400 x 400|399 x 400"):
            call()
    assert rpw.solve(cost=cost, **asked).gap <= 0.2  # the distances are the caller's
    assert rpw.solve(x, y, **asked, p=np.inf).gap <= 0.2
    assert rpw.solve(x, y, diameter=1).status == "exact"


@pytest.mark.parametrize("n", [600, 2100])
def test_at_infinity_trees_answer_where_no_matrix_fits(n, monkeypatch):
    rng = np.random.default_rng(0)
    x, y, a = rng.random((n, 2)), rng.integers(0, 50, (n, 2)) / 50, rng.random(n)
    asked = {"p": np.inf, "diameter": 1}
    calls = (
        lambda: rpw.levy_prokhorov(x, y, a),
        lambda: rpw.distance(x, y, a, k=0.3, **asked),
        lambda: rpw.wasserstein(x, y, a, p=np.inf),
        lambda: rpw.solve(x, y + 0.3, a, **asked).plan.toarray().tolist(),
    )
    expected = [call() for call in calls]
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)
    assert [call() for call in calls] == expected
    assert rpw.choose_solver(x, y, a, **asked)[0] == "infinity"
    with pytest.raises(MemoryError, match="points need about"):
        rpw.levy_prokhorov(x, y, metric="canberra")


# ---------------------------------------------------------------- what the system allows

GB = 10**9


def plant(root, files):
    """Write a tree of files as the system would show them."""
    for path, text in files.items():
        where = root / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(f"{text}\n")


@pytest.fixture
def machine(tmp_path):
    """A machine with 64 GB left and nothing else to say."""
    plant(tmp_path, {"proc/meminfo": f"MemTotal: 99 kB\nMemAvailable: {64 * GB // 1024} kB"})
    return tmp_path


def group_v2(limit, used, cached=0):
    stat = f"anon 5\ninactive_file {cached // 2}\nactive_file {cached - cached // 2}\nfile {cached}"
    return {"memory.max": limit, "memory.current": used, "memory.stat": stat}


def group_v1(limit, used, cached=0):
    stat = f"cache 7\ninactive_file 3\ntotal_inactive_file {cached}\ntotal_active_file 0"
    return {"memory.limit_in_bytes": limit, "memory.usage_in_bytes": used, "memory.stat": stat}


def at(folder, files):
    return {f"sys/fs/cgroup/{folder}/{name}": text for name, text in files.items()}


def approx(value):
    return pytest.approx(value, abs=2048)


def test_a_machine_without_groups(machine, tmp_path_factory):
    assert _memory.available_bytes(machine) == approx(64 * GB)
    assert _memory.available_bytes(tmp_path_factory.mktemp("bare")) > 0  # no /proc at all


@pytest.mark.parametrize(("levels", "expected"), [
    ({"": ("max", 9), "a": ("max", 9), "a/b": (5 * GB, 2 * GB)}, 3 * GB),
    ({"a": (4 * GB, 3 * GB), "a/b": (5 * GB, 2 * GB)}, 1 * GB),  # the outer one leaves less
    ({"a": (40 * GB, 3 * GB), "a/b": ("max", 2 * GB)}, 37 * GB),
    ({"a": ("max", 1), "a/b": ("max", 1)}, 64 * GB),
    ({"other": (1, 1), "a/b/inner": (1, 1)}, 64 * GB),  # groups that this process is not in
    ({"a/b": (5 * GB, 6 * GB)}, 0),
])  # fmt: skip
def test_nested_groups_of_version_2(machine, levels, expected):
    plant(machine, {"proc/self/cgroup": "0::/a/b"})
    for folder, (limit, used) in levels.items():
        plant(machine, at(folder, group_v2(limit, used)))
    assert _memory.available_bytes(machine) == approx(expected)


@pytest.mark.parametrize(("levels", "expected"), [
    ({"": (2**63 - 4096, 9), "a/b": (5 * GB, 2 * GB)}, 3 * GB),
    ({"a": (4 * GB, 3 * GB), "a/b": (5 * GB, 2 * GB)}, 1 * GB),
    ({"a": (2**63 - 4096, 3 * GB)}, 64 * GB),
])  # fmt: skip
def test_nested_groups_of_version_1(machine, levels, expected):
    plant(machine, {"proc/self/cgroup": "12:cpu,cpuacct:/x\n4:memory:/a/b\n0::/nowhere"})
    plant(machine, at("cpu/x", group_v1(1, 1)))
    for folder, (limit, used) in levels.items():
        plant(machine, at(f"memory/{folder}", group_v1(limit, used)))
    assert _memory.available_bytes(machine) == approx(expected)


def test_groups_seen_from_inside_a_container(machine):
    """The container's own group is at the top; the path may be the one outside, or cut off."""
    plant(machine, at("", group_v2(6 * GB, 1 * GB)) | at("job", group_v2(3 * GB, 1 * GB)))
    plant(machine, at("memory", group_v1(8 * GB, 1 * GB)))
    for membership, expected in {
        "0::/docker/c": 5 * GB,
        "0::/job": 2 * GB,
        "0::/": 5 * GB,
        "0::/../elsewhere": 5 * GB,
        "5:memory:/docker/c": 7 * GB,
        "5:memory:/docker/c\n0::/docker/c": 5 * GB,
        "nonsense\n:::\n": 64 * GB,
    }.items():
        plant(machine, {"proc/self/cgroup": membership})
        assert _memory.available_bytes(machine) == approx(expected), membership


def test_cached_files_are_given_back(machine):
    """What a group has read from files counts as used in it until somebody needs the memory."""
    plant(machine, {"proc/self/cgroup": "0::/a"})
    plant(machine, at("a", group_v2(5 * GB, 5 * GB, cached=4 * GB)))
    assert _memory.available_bytes(machine) == approx(4 * GB)
    plant(machine, {"proc/self/cgroup": "3:memory:/a"})
    plant(machine, at("memory/a", group_v1(5 * GB, 5 * GB, cached=2 * GB)))
    assert _memory.available_bytes(machine) == approx(2 * GB)


def test_damaged_groups_say_nothing(machine):
    plant(machine, {"proc/self/cgroup": "0::/a"})
    for files in ({}, {"memory.max": "many"}, {"memory.max": 5}, {"memory.max": 5, "memory.current": "?"}):
        plant(machine, at("a", files))
        assert _memory.available_bytes(machine) == approx(64 * GB)
    plant(machine, at("a", {"memory.current": "0", "memory.max": 5 * GB, "memory.stat": "file"}))
    assert _memory.available_bytes(machine) == approx(5 * GB)


# Of the room that a test leaves, glibc may reserve 64 MB for each thread, or not: it depends on where things happen to
# lie. One heap for all threads makes the room what the test says it is.
ONE_HEAP = {**ENVIRONMENT, "MALLOC_ARENA_MAX": "1"}


def in_a_process(code):
    """Run ``code`` in a process of its own, which may limit itself."""
    imports = "import math, resource, numpy as np, rpw\nfrom rpw import _core\nfrom rpw.base import memory as _memory\n"
    code = f"{imports}{LIMITING}\n{code}"
    done = run("-W", "error", "-c", code, env=ONE_HEAP)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.strip()


LIMITING = """
def used(field):
    with open("/proc/self/statm") as file:
        return int(file.read().split()[field]) * resource.getpagesize()
def leave(room, which=resource.RLIMIT_AS, field=0):
    resource.setrlimit(which, (used(field) + room, resource.RLIM_INFINITY))
def failing(call):
    try:
        call()
    except MemoryError as error:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        return error
    raise AssertionError("it did not fail")
"""

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux keeps them")


@linux
@pytest.mark.parametrize("limit", ["resource.RLIMIT_AS, 0", "resource.RLIMIT_DATA, 5"])
def test_the_limits_of_a_process_are_seen(limit):
    room = float(in_a_process(f"leave(300_000_000, {limit}); print(_memory.available_bytes())"))
    assert 250e6 < room <= 300e6
    says = in_a_process(
        f"leave(300_000_000, {limit})\n"
        "try: rpw.solve(*np.random.default_rng(0).random((2, 9000, 2)), solver='walk')\n"
        "except MemoryError as error: print(error)"
    )
    assert "9,000 x 9,000 points need about 0.8 GB for their costs, and 0.3 GB are available" in says


# The system does not tell how much is left in these: that is how memory can run out in the midst of a solve.
SILENT = "_memory.available_bytes = lambda: math.inf\n"


@linux
def test_the_core_runs_out_of_memory():
    says = in_a_process(
        SILENT
        + """
cost = np.full((1500, 1500), 0.5)
leave(4_000_000)
error = failing(lambda: rpw.solve(cost=cost, p=math.inf))
print(type(error).__name__, error)
"""
    )
    assert says == "MemoryError the solver ran out of memory"


@linux
def test_the_pair_that_ran_out_of_memory_is_named():
    says = in_a_process(
        SILENT
        + """
import pickle
small, large = np.zeros((3, 16)), np.random.default_rng(0).random((4000, 16)) / 6
clouds = [small, small + 1 / 6, large, small + 1 / 3, large + 1 / 6]  # in so many dimensions by a matrix
index = rpw.Index(clouds)
leave(80_000_000)
error = failing(lambda: rpw.pairwise(clouds, n_threads=1))
again = pickle.loads(pickle.dumps(error))
print(isinstance(error, rpw.PairwiseError), type(again) is type(error), error.failures)
print(error)
print(np.isnan(error.distances).sum(), error.distances[0, 1] > 0)
leave(80_000_000)
print(failing(lambda: index.query(large + 1 / 6, top=2, n_threads=1)))
"""
    ).splitlines()
    assert says[0] == "True True [(2, 4, 'MemoryError: the solver ran out of memory')]"
    assert says[1].startswith("pair (2, 4) failed: MemoryError: the solver ran out of memory")
    assert says[2] == "2 True"
    assert says[3] == "query 0 and measure 2 failed: MemoryError: the solver ran out of memory"


@pytest.mark.thorough
@linux
def test_projections_run_out_of_memory():
    says = in_a_process(
        SILENT
        + """
x, y = np.random.default_rng(0).random((2, 400_000, 2))
rpw.sliced(x[:9000], y[:9000], n_projections=1, n_threads=1)  # products of matrices have room of their own by now
leave(80_000_000)  # enough for the projections
error = failing(lambda: rpw.sliced(x, y, n_projections=1, n_threads=1))
print(type(error).__name__, error)
"""
    )
    assert says == "MemoryError the projections could not be compared: MemoryError: the solver ran out of memory"


@linux
def test_fewer_threads_where_there_is_no_room_for_their_stacks():
    says = in_a_process("""
import threading
threading.stack_size(0)
resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, 64 << 20))
clouds = [np.random.default_rng(s).random((5, 2)) for s in range(40)]
expected = rpw.pairwise(clouds, n_threads=1)
leave(200_000_000)
print(np.array_equal(rpw.pairwise(clouds, n_threads=32), expected))
""")
    assert says == "True"
