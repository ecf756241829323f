"""What cannot fit is refused before it is allocated, also for many pairs."""

import tracemalloc

import numpy as np
import pytest

import rpw
from rpw import _memory, _pairs


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
    monkeypatch.setattr(_pairs, "_LARGE_SUPPORT", 10**9)
    for mine, theirs in zip(fewer, answers(), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.fixture
def little_memory(monkeypatch):
    """A machine with a megabyte to spare."""
    monkeypatch.setattr(_memory, "available_bytes", lambda: 1e6)


def test_what_does_not_fit_is_refused(little_memory, tmp_path):
    large = [np.zeros((600, 2)), np.ones((600, 2))]
    for call in (
        lambda: rpw.pairwise(large),
        lambda: rpw.pairwise(large, metric="canberra"),
        lambda: rpw.Index(large, n_pivots=1),
        lambda: rpw.Index(large).query(large[0], top=1),
        lambda: rpw.Index(large).radius_query(large, 0.1),
        lambda: rpw.pairwise(large, out=tmp_path / "D.zarr"),
    ):
        with pytest.raises(MemoryError, match="600 x 600 points need about"):
            call()
    rows, places = np.ones((2, 600)), np.arange(600.0)
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.pairwise(rows, support=places)
    with pytest.raises(MemoryError, match="600 x 600 points need about"):
        rpw.Index(rows, support=places).query(rows[0], top=1)
    many = [[[float(s)]] for s in range(400)]
    with pytest.raises(MemoryError, match=r"a matrix of 400 x 400 distances needs.*out="):
        rpw.pairwise(many)


def test_threads_share_the_memory(little_memory):
    several = [np.zeros((200, 2)) + s for s in range(6)]  # 400,000 bytes a pair
    with pytest.raises(MemoryError, match=r"4 threads on pairs of up to 200 x 200 points.*n_threads"):
        rpw.pairwise(several, n_threads=4)
    assert rpw.pairwise(several, n_threads=2).shape == (6, 6)
    # One large measure is never compared with itself, and only one thread at a time can work on a large pair.
    one_large = [np.zeros((2000, 1)), *([[float(s)]] for s in range(20))]
    assert rpw.pairwise(one_large, n_threads=16).shape == (21, 21)
