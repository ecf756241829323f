"""A list of k gives a stack of matrices: each the one of its own call, from one walk per pair."""

import numpy as np
import pytest
from host_gpu import HostDevice

import rpw
from rpw.many.backends.cuda import backend as cuda_backend

INF = float("inf")
RNG = np.random.default_rng(0)
CLOUDS = [RNG.integers(0, 6, (RNG.integers(1, 25), 2)) / 5 for _ in range(9)]
MEASURES = [rpw.Measure(x, RNG.dirichlet(np.ones(len(x)))) for x in CLOUDS]
PRICES = [1, 0.1, 10, 0, 1e-9, 0.1, 1e9]


def slanted(x, y):
    return float(np.abs(x - y).sum())


def check_stack(A, B=None, k=PRICES, **options):
    stack = rpw.pairwise(A, B, k=k, **options)
    own = [rpw.pairwise(A, B, k=float(each), **options) for each in k]
    assert stack.shape == np.shape(own)
    np.testing.assert_allclose(stack, own, rtol=1e-12, atol=1e-12)
    small = np.asarray(k) > 1e6  # answers of 1e-9: to as many digits
    np.testing.assert_allclose(stack[small], np.asarray(own)[small], rtol=1e-10, atol=0)


@pytest.mark.parametrize("p", [1, 1.5, 2, 7, INF])
@pytest.mark.parametrize("A", [CLOUDS, MEASURES], ids=["ties", "weights"])
def test_each_matrix_is_that_of_its_own_call(A, p):
    check_stack(A, p=p, diameter=1.3)
    check_stack(A[:3], A[4:], p=p, n_threads=1)


@pytest.mark.parametrize("p", [1, 2, INF])
def test_other_grounds(p):
    check_stack(CLOUDS, p=p, metric=slanted)
    rows = RNG.integers(0, 3, (6, 10)) + np.eye(6, 10)
    check_stack(rows, support=RNG.random((10, 2)), p=p)
    check_stack(rows, cost=np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0))), p=p, diameter=9)
    check_stack(rows, cost=RNG.random((10, 10)), p=p)  # not symmetric, and no places of distance 0


@pytest.mark.sample(6)
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("sizes", [(4, 600), (600, 4), (25, 700), (220, 240)], ids=str)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_where_a_walk_does_not_pay(p, sizes, is_weighted):
    """Few against many, and long walks: the search goes on from the vertices that it knows."""
    rng = np.random.default_rng(sizes[0])
    A, B = ([rng.random((n, 3))] for n in sizes)
    if is_weighted:
        A, B = ([rpw.Measure(x, rng.dirichlet(np.ones(len(x)))) for x in each] for each in (A, B))
    check_stack(A, B, k=[3, 0.05, 1, 1.001, 0.4, 40], p=p)
    cost = np.sort(rng.random((6, 300)) + np.arange(300) / 300, axis=None).reshape(6, 300)
    rows = rng.random((2, 306))
    check_stack(rows, cost=np.block([[np.zeros((6, 6)), cost], [cost.T, np.zeros((300, 300))]]), k=[0.1, 1, 9], p=p)


@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("sizes", [(3, 400), (90, 100), (40, 7)], ids=str)
def test_at_infinity_each_price_goes_on_from_the_last(sizes, dimension):
    """Flows and passes are handed from price to price, and the answers are those of a search that knows nothing."""
    rng = np.random.default_rng(sizes[0])
    prices = rng.permutation(np.concatenate([10.0 ** rng.uniform(-3, 3, 12), [1, 1, np.nextafter(1, 2), 1e6]]))
    for draw in (rng.normal, lambda size: rng.integers(0, 5, size) / 4):
        A, B = ([rpw.Measure(draw(size=(n, dimension)), rng.dirichlet(np.ones(n)))] for n in sizes)
        own = [rpw.pairwise(A, B, k=k, p=INF, diameter=1) for k in prices]
        np.testing.assert_array_equal(rpw.pairwise(A, B, k=prices, p=INF, diameter=1), own)
        np.testing.assert_array_equal(rpw.pairwise(A, B, k=prices[::-1], p=INF, diameter=1), own[::-1])


@pytest.mark.sample(6)
@pytest.mark.parametrize("p", [1, 1.5, 2, 3, 30, INF])
@pytest.mark.parametrize("n", [1, 2, 60, 300])
def test_on_a_line(p, n):
    rng = np.random.default_rng(n)
    plain, other, weighted = rng.random((2, n, 1)), rng.normal(5, 3, (1, n + 1, 1)), rng.random((2, n, 1))
    check_stack(plain, p=p)
    check_stack(plain, other, p=p)
    check_stack(np.round(plain, 1), p=p)  # ties
    check_stack([rpw.Measure(x, rng.dirichlet(np.ones(n))) for x in weighted], p=p)
    slanted_line = np.linspace([0.0, 1.0], [3.0, 7.0], 2 * n + 1)
    check_stack([slanted_line[::2], slanted_line[1::2]], k=[0.1, 1, 10], p=p)


def test_a_line_needs_no_matrix():
    far = np.random.default_rng(0).random((2, 200_000, 1))  # 320 GB of distances
    stack = rpw.pairwise(far, k=[1, 10], p=1)
    assert stack[0, 0, 1] == pytest.approx(rpw.distance(far[0], far[1], k=1, p=1), abs=1e-12)
    assert stack[1, 0, 1] == pytest.approx(rpw.distance(far[0], far[1], k=10, p=1), abs=1e-12)


@pytest.mark.parametrize("k", [[0.0], [2], (0, 0), np.array([3.0, 1.0])])
def test_short_lists_and_zeros(k):
    check_stack(MEASURES, k=k)
    check_stack(MEASURES, k=k, metric=slanted)


@pytest.mark.parametrize("p", [2, 30, 200])
def test_distances_of_many_orders_of_magnitude(p):
    """Powers that have no unit in common: then each k is solved by itself."""
    clouds = [10.0 ** RNG.uniform(-40, 3, (6, 1)) for _ in range(4)]
    check_stack(clouds, p=p, k=[1e-38, 1e-20, 1, 50], diameter=1)
    check_stack(clouds, p=p, k=[1e-38, 1e-20, 1, 50], diameter=1, metric=slanted)


def test_what_is_refused():
    for k, options, words in (
        ([], {}, "k is an empty list: it needs at least one number"),
        ([[1.0]], {}, r"k must be a list of numbers, got \[\[1.0\]\]"),
        ([1, -1], {}, "k must be"),
        ([1, float("nan")], {}, "k must not be NaN"),
        ([1, 2], {"distance": "wasserstein"}, "k has no effect on distance='wasserstein': leave it out"),
        (["a"], {}, "k must be a number"),
    ):
        with pytest.raises(ValueError, match=words):
            rpw.pairwise(CLOUDS, k=k, **options)


def test_pairs_that_fail_are_named_and_the_rest_is_kept():
    def broken(x, y):
        if 7 in (x[0], y[0]):
            raise ArithmeticError("seven")
        return abs(float(x[0] - y[0]))

    clouds = [[0.0], [7.0], [1.0]]
    with pytest.raises(rpw.PairwiseError, match=r"pair \(0, 1\) failed: .*seven") as caught:
        rpw.pairwise(clouds, k=[1, 2], metric=broken, diameter=1)
    assert caught.value.distances.shape == (2, 3, 3)
    assert np.isnan(caught.value.distances[:, 0, 1]).all()
    assert (caught.value.distances[:, 0, 2] > 0).all()
    stack = rpw.pairwise(clouds, k=[1, 2], metric=broken, diameter=1, on_error="nan")
    assert np.isnan(stack[:, 1, [0, 2]]).all()


def test_time_limit():
    with pytest.raises(rpw.TimeLimitError, match="pairs were finished"):
        rpw.pairwise(list(RNG.random((6, 400, 2))), k=[1, 10], time_limit=0)


class TestOnTheGpu:
    """A list of k with ``device="cuda"``: on the host's stand-in everywhere, on a GPU where there is one."""

    def check(self, A, B=None, k=PRICES, **options):
        stack = rpw.pairwise(A, B, k=k, device="cuda", **options)
        own = [rpw.pairwise(A, B, k=float(each), device="cuda", **options) for each in k]
        assert stack.shape == np.shape(own)
        np.testing.assert_allclose(stack, own, rtol=0, atol=1e-12)
        np.testing.assert_allclose(stack, rpw.pairwise(A, B, k=k, **options), rtol=0, atol=1e-12)

    @pytest.mark.sample(2)
    @pytest.mark.parametrize("p", [1, 1.5, 2, 7])
    @pytest.mark.parametrize("A", [CLOUDS, MEASURES], ids=["ties", "weights"])
    def test_each_matrix_is_that_of_its_own_call(self, on_host, A, p):
        self.check(A, p=p, diameter=1.3)
        self.check(A[:3], A[4:], p=p)

    def test_other_grounds(self, on_host):
        rows = RNG.integers(0, 3, (6, 10)) + np.eye(6, 10)
        support = RNG.random((10, 2))
        self.check(rows, support=support)
        self.check(rows, support=support, metric="canberra")
        self.check(rows, cost=RNG.random((10, 10)), k=[1, 0.1])

    @pytest.mark.parametrize("k", [[0.0], [2], (0, 0), np.array([3.0, 1.0]), [0, 2]])
    def test_short_lists_and_zeros(self, on_host, k):
        self.check(MEASURES, k=k)

    def test_zeros_alone_take_any_p(self, on_host):
        found = rpw.pairwise(CLOUDS, k=[0, 0], p=INF, device="cuda")
        np.testing.assert_array_equal(found, rpw.pairwise(CLOUDS, k=[0, 0], p=INF))

    def test_a_pair_is_walked_once(self, on_host):
        """As many launches as for the largest k alone, and no more work than that."""
        rpw.pairwise(MEASURES, k=10, device="cuda")
        alone = list(on_host.launched)
        on_host.launched.clear()
        rpw.pairwise(MEASURES, k=[0.1, 10, 1, 5], device="cuda")
        assert on_host.launched == alone

    def test_prices_without_a_common_scale_are_solved_by_themselves(self, on_host):
        self.check(MEASURES, k=[2.0**-55, 1, 2.0**55], p=10)

    def test_a_store_holds_the_bits_of_the_stack(self, on_host, tmp_path):
        pytest.importorskip("zarr")
        stored = rpw.pairwise(MEASURES, k=[1, 0, 0.1], device="cuda", out=tmp_path / "D.zarr")
        np.testing.assert_array_equal(stored[:], rpw.pairwise(MEASURES, k=[1, 0, 0.1], device="cuda"))

    def test_more_prices_than_fit_at_once(self, on_host, monkeypatch):
        monkeypatch.setattr(cuda_backend, "_PAIRS_AT_ONCE", 10)
        self.check(MEASURES, k=[1, 2, 3])

    def test_on_disk(self, on_host, tmp_path):
        pytest.importorskip("zarr")
        stored = rpw.pairwise(CLOUDS, k=[1, 0, 2], device="cuda", out=tmp_path / "D.zarr")
        np.testing.assert_array_equal(stored[:], rpw.pairwise(CLOUDS, k=[1, 0, 2], device="cuda"))
        with pytest.raises(ValueError, match="device is 'cuda' there and 'cpu' here"):
            rpw.pairwise(CLOUDS, k=[1, 0, 2], out=tmp_path / "D.zarr")

    def test_a_pair_that_takes_the_whole_gpu(self, host, monkeypatch):
        small = HostDevice(shared=1100)
        monkeypatch.setattr(cuda_backend, "device", lambda number: small)
        self.check(MEASURES)
        assert {together for _, together, _ in small.launched} == {False, True}  # total variation is not

    def test_pairs_without_proof_have_no_value_at_all(self, on_host, monkeypatch):
        solve = cuda_backend.solve_pairs

        def spoilt(*arguments, **options):
            answers = solve(*arguments, **options)
            if answers.value.ndim == 2:
                answers.lower[3, 1] -= 0.1
            return answers

        monkeypatch.setattr(cuda_backend, "solve_pairs", spoilt)
        with pytest.raises(rpw.PairwiseError, match=r"pair \(0, 4\) failed: the GPU proved no more than") as caught:
            rpw.pairwise(CLOUDS, k=[1, 0, 2], device="cuda")
        assert len(caught.value.failures) == 1
        assert np.isnan(caught.value.distances[:, 0, 4]).all()
        assert np.isnan(caught.value.distances).sum() == 6

    def test_what_is_refused(self):
        for k, options, words in (
            ([0, 1], {"p": INF}, "p = inf"),
            ([0, 1], {"p": 11}, "p is at most 10"),
            ([2, 1], {"metric": slanted}, "computed in Python"),
        ):
            with pytest.raises(ValueError, match=rf"device='cuda' cannot compute this: .*{words}"):
                rpw.pairwise(CLOUDS, k=k, device="cuda", **options)
        with pytest.raises(ValueError, match=r"device='cuda' cannot compute this: .*cost="):
            rpw.pairwise(np.ones((2, 3)), cost=np.ones((3, 3)), k=[0, 1], device="cuda")

    def test_time_limit(self, on_host):
        with pytest.raises(rpw.TimeLimitError, match="pairs were finished"):
            rpw.pairwise(CLOUDS, k=[0, 1], device="cuda", time_limit=0)

    @pytest.mark.parametrize("p", [1, 2, 3])
    @pytest.mark.usefixtures("gpu")
    def test_on_the_gpu(self, p):
        rng = np.random.default_rng(1)
        clouds = [rng.random((int(size), 2)) for size in rng.integers(1, 300, 40)]
        self.check(clouds, p=p)
        self.check(MEASURES, p=p)
        once, again = (rpw.pairwise(clouds, k=PRICES, p=p, device="cuda") for _ in range(2))
        np.testing.assert_array_equal(once, again)
