"""Search on a GPU: bounds by nearest neighbours and by cuts, and rounds of solves that they cannot exclude."""

import numpy as np
import pytest

import rpw
from rpw.many.backends.cuda import backend as cuda_backend
from rpw.many.backends.cuda.bounds import bound_pairs
from rpw.many.backends.cuda.cuts import Cut, cuts_of
from rpw.many.backends.cuda.pairs import solve_pairs
from rpw.many.backends.cuda.terms import BEYOND_CUTOFF, Measures, Question
from rpw.pair.atoms import as_masses


@pytest.fixture
def on_host(host, monkeypatch):
    """`device="cuda"` is the host here."""
    monkeypatch.setattr(cuda_backend, "device", lambda number: host)
    return host


def draw(rng, count, most, dimension, is_grid):
    """Points and weights of ragged measures; on a grid many distances are equal, some 0."""
    for _ in range(count):
        size = int(rng.integers(1, most + 1))
        points = rng.integers(4, size=(size, dimension)) / 3 if is_grid else rng.random((size, dimension))
        weights = np.ones(size) if rng.random() < 0.4 else rng.random(size) + 0.01
        yield points, weights / weights.sum()


def as_measures(clouds):
    start = np.concatenate([[0], np.cumsum([len(w) for _, w in clouds])]).astype(np.int64)
    return Measures(start, as_masses(np.concatenate([w for _, w in clouds])), np.concatenate([x for x, _ in clouds]))


def powers(x, y, question):
    order = {"euclidean": 2, "cityblock": 1, "chebyshev": np.inf}[question.metric]
    return np.linalg.norm(x[:, None] - y[None], ord=order, axis=2) ** question.p


def by_definition(nearest, weights, question):
    """Where the sorted profile of nearest neighbours crosses, by bisection on ε."""
    order = np.argsort(nearest)
    mass, cost = np.cumsum(weights[order]), np.cumsum((nearest * weights)[order])
    profile = lambda alpha: np.interp(alpha, np.append(0, mass), np.append(0, cost))  # noqa: E731
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if profile(1 - middle) > (question.kappa * middle) ** question.p else (low, middle)
    return high


QUESTIONS = [
    Question(),
    Question(kappa=0.05),
    Question(kappa=30.0, p=1),
    Question(p=2.5, metric="cityblock"),
    Question(p=1, metric="chebyshev", kappa=0.3),
]


def check_bounds(gpu, rng, most=20):
    for question in QUESTIONS:
        for dimension in (1, 2, 9):
            clouds = list(draw(rng, 6, most, dimension, is_grid=rng.random() < 0.5))
            first, second = (side.ravel() for side in np.mgrid[:6, :6])
            measures = as_measures(clouds)
            found = bound_pairs(measures, measures, question, first, second, gpu=gpu)
            expected = []
            for (x, a), (y, b) in ((clouds[s], clouds[t]) for s, t in zip(first, second, strict=True)):
                cost = powers(x, y, question)
                sides = (cost.min(axis=1), a), (cost.min(axis=0), b)
                expected.append(max(by_definition(*side, question) for side in sides))
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
            lists = [rpw.Measure(x, w) for x, w in clouds]
            options = {"p": question.p, "k": question.kappa, "metric": question.metric, "diameter": 1}
            assert (found.reshape(6, 6) <= rpw.pairwise(lists, **options) + 1e-12).all()


def crossing_of(cut, a, b, cost, question):
    """Where the cut crosses, by bisection; ``cost`` and the cut are in units of κ^p."""
    v = np.maximum(0, cut.multiplier - (cost + cut.u[:, None]).min(axis=0))
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        is_below = cut.multiplier * (1 - middle) - a @ cut.u - b @ v > middle**question.p
        low, high = (middle, high) if is_below else (low, middle)
    return low


def check_cuts(gpu, rng, most=20):
    """Whatever the potentials are: the best of up to six cuts for each first measure, and none for the last."""
    for question in QUESTIONS:
        clouds = list(draw(rng, 5, most, 2, is_grid=rng.random() < 0.5))
        measures, (first, second) = as_measures(clouds), (side.ravel() for side in np.mgrid[:5, :5])
        unit = question.kappa**-question.p
        cuts = [
            [Cut(unit * rng.random() / 4, unit * rng.random(len(a)) / 9 * (rng.random(len(a)) < 0.3)) for _ in range(n)]
            for n, (_, a) in zip((1, 3, 4, 6, 0), clouds, strict=True)
        ]
        found = bound_pairs(measures, measures, question, first, second, gpu=gpu, cuts=cuts)
        for s, t, bound in zip(first, second, found, strict=True):
            (x, a), (y, b) = clouds[s], clouds[t]
            cost = powers(x, y, question) * unit
            expected = max((crossing_of(cut, a, b, cost, question) for cut in cuts[s]), default=0.0)
            assert bound == pytest.approx(expected, abs=1e-11)
        distances = solve_pairs(measures, measures, question, first, second, gpu=gpu).value
        assert (found <= distances + 1e-12).all()


def check_potentials(gpu, rng, most=20):
    """Pairs that are solved have cuts that are sharp for them; pairs that are given up prove that they may be."""
    for question in QUESTIONS:
        clouds = list(draw(rng, 5, most, 2, is_grid=False))
        measures, (first, second) = as_measures(clouds), (side.ravel() for side in np.mgrid[:5, :5])
        values = solve_pairs(measures, measures, question, first, second, gpu=gpu).value
        cutoffs = np.where(rng.random(25) < 0.5, 0.9 * values, 1.0)
        answers = solve_pairs(measures, measures, question, first, second, gpu=gpu, cutoffs=cutoffs, potentials=True)
        for e, cut in enumerate(cuts_of(answers, question)):
            if values[e] == 0:
                continue
            own = [[cut] if s == first[e] else [] for s in range(5)]
            pair = first[e : e + 1], second[e : e + 1]
            (bound,) = bound_pairs(measures, measures, question, *pair, gpu=gpu, cuts=own)
            if np.isinf(answers.value[e]):
                assert cutoffs[e] - 1e-9 <= bound <= values[e] + 1e-12
            else:
                assert bound == pytest.approx(values[e], abs=1e-9)


def groups(rng, count, size=12):
    """Clouds around centres far from each other: most of a search can be left out."""
    centres = 3 * rng.random((count, 1, 2))
    return centres + 0.05 * rng.random((count, size, 2))


def brute_force(queries, items, top, **options):
    matrix = rpw.pairwise(queries, items, device="cuda", **options)
    order = np.argsort(matrix, axis=1, kind="stable")[:, :top]
    return np.take_along_axis(matrix, order, axis=1), order


def check_search(rng, count, **options):
    items = groups(rng, count)
    items[count // 2] = items[3]  # a tie
    queries = items[[3, 7, count - 1]] + np.array([[[0.0]], [[0.01]], [[0.3]]])
    index = rpw.Index(items, device="cuda", **options)
    for top in (1, 2, 5, count):
        found = index.query(queries, top=top)
        for one, other in zip(found, brute_force(queries, items, top, **options), strict=True):
            np.testing.assert_array_equal(one, other)
    assert found[1][0, :2].tolist() == [3, count // 2]
    return index, queries


def sum_of_parts(stats):
    return stats.solved + stats.bounded + stats.stopped_early


def check_cutoffs(gpu, rng, most):
    """Given up where, and only where, the distance lies beyond; else the same bits as without."""
    for question in QUESTIONS:
        clouds = list(draw(rng, 5, most, 2, is_grid=False))
        measures, (first, second) = as_measures(clouds), (side.ravel() for side in np.mgrid[:5, :5])
        values = solve_pairs(measures, measures, question, first, second, gpu=gpu).value
        far = rng.random(25) < 0.5
        cutoffs = np.where(far, np.maximum(0, values - 1e-6), values + 1e-9)
        found = solve_pairs(measures, measures, question, first, second, gpu=gpu, cutoffs=cutoffs)
        is_beyond = far & (values > 0)
        np.testing.assert_array_equal(found.value, np.where(is_beyond, np.inf, values))
        np.testing.assert_array_equal(found.status == BEYOND_CUTOFF, is_beyond)


class TestOnTheHost:
    def test_cuts_bound_as_by_definition(self, host):
        check_cuts(host, np.random.default_rng(12))

    def test_solves_leave_cuts(self, host):
        check_potentials(host, np.random.default_rng(13))

    def test_cuts_leave_out_what_neighbours_do_not(self, on_host, monkeypatch):
        monkeypatch.setattr(cuda_backend, "_SOLVES_IN_ROUND", 2)
        monkeypatch.setattr(cuda_backend, "_PAIRS_IN_ROUND", 0)
        clouds = np.random.default_rng(14).random((65, 10, 2))  # none is far from another
        queries, items = clouds[:5], clouds[5:]
        index, begun = rpw.Index(items, device="cuda", diameter=1), []
        for cuts in (lambda answers, question: [None] * len(answers.value), cuts_of):
            monkeypatch.setattr(cuda_backend, "cuts_of", cuts)
            index.stats = rpw.index.SearchStats()
            np.testing.assert_array_equal(index.query(queries, top=3), brute_force(queries, items, 3, diameter=1))
            begun.append(index.stats.solved + index.stats.stopped_early)
        assert begun[1] < 0.9 * begun[0]

    def test_pairs_beyond_their_cutoff_are_given_up(self, host):
        check_cutoffs(host, np.random.default_rng(10), 20)

    def test_bounds_are_those_of_the_definition_and_below_the_distance(self, host):
        check_bounds(host, np.random.default_rng(1))

    def test_bounds_by_a_shared_table(self, host):
        rng = np.random.default_rng(2)
        table, masses = rng.random((8, 8)), as_masses(rng.dirichlet(np.ones(5), size=2))
        places = rng.integers(8, size=(2, 5)).astype(np.int32)
        measures = Measures(np.array([0, 5, 10]), masses.ravel(), place=places.ravel())
        found = bound_pairs(measures, measures, Question(p=1), np.array([0]), np.array([1]), table=table, gpu=host)
        cost = table[np.ix_(*places)]
        sides = (cost.min(axis=1), masses[0] / 2.0**60), (cost.min(axis=0), masses[1] / 2.0**60)
        expected = max(by_definition(*side, Question(p=1)) for side in sides)
        np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-9)

    def test_pairs_too_large_for_shared_memory_have_no_bound(self, host):
        from host_gpu import HostDevice

        clouds = list(draw(np.random.default_rng(3), 4, 30, 2, is_grid=False))
        measures, pairs = as_measures(clouds), (np.arange(4), np.array([1, 2, 3, 0]))
        small = HostDevice(shared=1024 + 8 * 30)
        whole = bound_pairs(measures, measures, Question(), *pairs, gpu=host)
        part = bound_pairs(measures, measures, Question(), *pairs, gpu=small)
        fits = measures.sizes[pairs[0]] + measures.sizes[pairs[1]] <= 30
        assert 0 < fits.sum() < 4
        np.testing.assert_array_equal(part, np.where(fits, whole, 0))

    @pytest.mark.parametrize("options", [{}, {"p": 1, "k": 0.2}, {"k": 10, "diameter": 3.0}, {"k": 0}], ids=str)
    def test_neighbours_are_those_of_brute_force(self, on_host, options, monkeypatch):
        monkeypatch.setattr(cuda_backend, "_SOLVES_IN_ROUND", 2)
        monkeypatch.setattr(cuda_backend, "_PAIRS_IN_ROUND", 0)
        index, queries = check_search(np.random.default_rng(4), 40, **options)
        assert index.stats.pairs == 4 * 3 * 40 == sum_of_parts(index.stats)
        if options.get("k", 1) > 0:
            index.stats = rpw.index.SearchStats()
            index.query(queries, top=2)
            assert index.stats.solved < 60 < index.stats.bounded

    def test_radius(self, on_host):
        items = groups(np.random.default_rng(5), 30)
        index = rpw.Index(items, device="cuda", diameter=1)
        matrix = rpw.pairwise(items[:4], items, device="cuda", diameter=1)
        for radius in (0.0, 0.01, 0.3, 0.7, 2.0):
            distances, found = index.radius_query(list(items[:4]), radius)
            for row, near, indices in zip(matrix, distances, found, strict=True):
                expected = np.argsort(row, kind="stable")
                expected = expected[row[expected] <= radius]
                np.testing.assert_array_equal(indices, expected)
                np.testing.assert_array_equal(near, row[expected])

    def test_measures_are_brought_once_for_all_rounds(self, on_host, monkeypatch):
        items = groups(np.random.default_rng(6), 40)
        index, brought, bring = rpw.Index(items, device="cuda", diameter=1), [], on_host.bring
        monkeypatch.setattr(cuda_backend, "_PAIRS_IN_ROUND", 0)
        monkeypatch.setattr(
            on_host, "bring", lambda array, dtype: brought.append(np.shape(array)) or bring(array, dtype)
        )
        on_host.launched.clear()
        index.query(items[:3], top=30)
        assert len(on_host.launched) > 2
        assert brought.count((2, items[..., 0].size)) == 1

    def test_a_failure_names_its_pair(self, on_host, monkeypatch):
        solve = cuda_backend.solve_pairs

        def spoilt(*arguments, **options):
            answers = solve(*arguments, **options)
            answers.value[1] = np.nan
            return answers

        items = groups(np.random.default_rng(7), 5)
        index = rpw.Index(items, device="cuda", diameter=1)
        monkeypatch.setattr(cuda_backend, "solve_pairs", spoilt)
        with pytest.raises(RuntimeError, match=r"query 0 and measure \d failed: the GPU proved no more"):
            index.query(items[0])
        assert index.stats.pairs == 0


class TestOnTheGpu:
    def test_cuts_bound_as_by_definition(self, gpu):
        check_cuts(gpu, np.random.default_rng(15), 200)

    def test_solves_leave_cuts(self, gpu):
        check_potentials(gpu, np.random.default_rng(16), 200)

    def test_pairs_beyond_their_cutoff_are_given_up(self, gpu):
        check_cutoffs(gpu, np.random.default_rng(11), 300)

    def test_bounds_are_those_of_the_definition_and_below_the_distance(self, gpu):
        check_bounds(gpu, np.random.default_rng(8), most=300)

    @pytest.mark.parametrize("options", [{}, {"p": 1, "k": 0.2}, {"k": 10, "diameter": 3.0}, {"k": 0}], ids=str)
    @pytest.mark.usefixtures("gpu")
    def test_neighbours_are_those_of_brute_force(self, options):
        index, _ = check_search(np.random.default_rng(9), 3000, **options)
        assert sum_of_parts(index.stats) == index.stats.pairs
