"""Sparse matrices of SciPy: their rows are histograms; anywhere else the error says what is wrong."""

import numpy as np
import pytest
from scipy import sparse

import rpw

RNG = np.random.default_rng(0)
ROWS = RNG.random((6, 12)) * (RNG.random((6, 12)) < 0.4)
ROWS[:, 3] += 1e-25  # below the resolution of masses: an entry, but no atom
ROWS[:, 0] += 0.1
PLACES = RNG.random((12, 2))
COST = np.sqrt(((PLACES[:, None] - PLACES) ** 2).sum(axis=2))
KINDS = ["csr_array", "csc_array", "coo_array", "csr_matrix", "lil_matrix", "dok_array"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("space", [{"support": PLACES}, {"cost": COST}])
def test_sparse_rows_are_histograms(kind, space):
    rows = getattr(sparse, kind)(ROWS)
    assert np.array_equal(rpw.pairwise(rows, **space), rpw.pairwise(ROWS, **space))
    assert np.array_equal(rpw.pairwise(rows[:2], ROWS, **space), rpw.pairwise(ROWS[:2], ROWS, **space))
    found, expected = (rpw.Index(given, **space).query(given, top=3) for given in (rows, ROWS))
    assert all(np.array_equal(*pair) for pair in zip(found, expected, strict=True))


def test_repeated_entries_add_up_and_the_matrix_stays_as_it_was():
    rows = sparse.csr_matrix((np.array([1.0, 2, 1, 4]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 12))
    before = rows.indices.copy(), rows.data.copy()
    assert np.array_equal(rpw.pairwise(rows, support=PLACES), rpw.pairwise(rows.toarray(), support=PLACES))
    assert all(np.array_equal(*pair) for pair in zip(before, (rows.indices, rows.data), strict=True))
    assert rows.nnz == 4


def test_one_sparse_histogram_is_one_query():
    index = rpw.Index(sparse.csr_array(ROWS), support=PLACES)
    distances, indices = index.query(sparse.coo_array(ROWS[2]), top=2)
    assert distances.shape == (2,)
    assert indices[0] == 2
    index.add(sparse.csr_array(ROWS[:1]))
    assert len(index) == 7


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (sparse.csr_array(ROWS[:, :5]), r"A must hold histograms .* got shape \(6, 5\)"),
        (sparse.csr_array((0, 12)), "A is an empty collection"),
        (sparse.csr_array((2, 12)), r"A\[0\] sums to 0"),
        (sparse.csr_array(-ROWS), r"A\[0\] has a negative entry"),
        (sparse.csr_array(ROWS * np.nan), "A.data has a NaN"),
        ([sparse.csr_array(ROWS[:1])], "A is a sparse matrix"),
    ],
)
def test_sparse_rows_that_are_no_histograms(value, message):
    with pytest.raises(ValueError, match=message):
        rpw.pairwise(value, support=PLACES)


SPARSE = sparse.csr_array(ROWS)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("x", lambda: rpw.distance(SPARSE, PLACES)),
        ("y", lambda: rpw.distance(PLACES, sparse.csr_matrix(PLACES))),
        ("a", lambda: rpw.distance(PLACES, PLACES, sparse.coo_array(ROWS[0]))),
        ("cost", lambda: rpw.distance(cost=sparse.csr_array(COST))),
        ("points", lambda: rpw.Measure(SPARSE)),
        ("A", lambda: rpw.diameter(SPARSE)),
        ("A", lambda: rpw.pairwise(SPARSE)),
        (r"A\[0\]", lambda: rpw.pairwise([SPARSE, SPARSE])),
        ("cost", lambda: rpw.pairwise(ROWS, cost=sparse.csr_array(COST))),
        ("support", lambda: rpw.pairwise(ROWS, support=sparse.csr_array(PLACES))),
        ("measures", lambda: rpw.Index(SPARSE)),
    ],
)
def test_sparse_input_elsewhere_gets_an_error_that_says_so(name, call):
    with pytest.raises(ValueError, match=rf"^{name} is a sparse matrix of SciPy"):
        call()
