"""Outliers against a reference: planted ones, the proven error over random inputs, and what is refused."""

import math
import pickle
import warnings

import matplotlib
import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw
from rpw.pair.metrics import as_metric
from rpw.stats import OutliersResult, find_outliers
from rpw.stats.scores import Nearest

matplotlib.use("Agg")


def planted(seed, n=800, m=200, out=20, far=8.0):
    """A reference, rows of which the first lie ``far`` standard deviations away, and which those are."""
    rng = np.random.default_rng(seed)
    reference, rows = rng.normal(size=(n, 2)), rng.normal(size=(m, 2))
    angle = rng.uniform(0, 2 * math.pi, out)
    rows[:out] = far * np.column_stack([np.cos(angle), np.sin(angle)])
    return reference, rows, np.arange(m) < out


@pytest.mark.parametrize("score", ["nearest", "move", "price"])
def test_planted_outliers_are_named(score):
    reference, rows, is_out = planted(0)
    found = find_outliers(rows, reference, rng=0, score=score)
    assert found.mask[is_out].all()
    assert found.mask[~is_out].sum() <= 4
    assert found.scores[is_out].min() > np.median(found.scores)
    assert found.pvalues[is_out].max() < 0.01
    assert found.score == score


def test_nothing_is_named_if_nothing_is_planted():
    rng = np.random.default_rng(1)
    found = find_outliers(rng.normal(size=(100, 3)), rng.normal(size=(400, 3)), rng=1)
    assert not found.mask.any()
    assert "None of 100 rows" in str(found)


def test_four_strays_between_clusters_of_other_shares():
    """The price of mass sees the shares, 60/40 against 50/50; the distance to the nearest sees the strays."""
    rng = np.random.default_rng(0)
    reference = rng.normal(size=(1000, 2)) + 10 * (rng.random(1000) < 0.5)[:, None] * np.array([1, 0])
    rows = rng.normal(size=(100, 2)) + 10 * (rng.random(100) < 0.4)[:, None] * np.array([1, 0])
    rows[:4] = [[5, 5], [5, -5], [5, 2], [5, -3]]
    found = find_outliers(rows, reference, rng=0)
    assert found.least_named == 4
    assert np.flatnonzero(found.mask).tolist() == [0, 1, 2, 3]
    assert not find_outliers(rows, reference, rng=0, score="price").mask[:4].all()


# ---------------------------------------------------------------- the proven error


def draws(base, outliers, count, seeds, **options):
    """For each seed the share of named rows that are ordinary, and whether any row is named."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        reference, rows = base(rng, 160), base(rng, 40)
        rows[:count] = outliers(rng, count)
        mask = find_outliers(rows, reference, rng=seed, fdr=0.2, n_threads=1, **options).mask
        yield mask[count:].sum() / max(1, mask.sum()), mask.any()


def normal(rng, count):
    return rng.normal(size=(count, 2))


def integers(rng, count):
    return rng.integers(0, 4, (count, 1)).astype(float)


def last_is_farthest(rows, reference):
    """Depends on nothing but the order of the rows."""
    return np.arange(len(rows))


CASES = {
    "scaled": (normal, lambda rng, count: rng.normal([9, 0], size=(count, 2)), 10, {"scale": "robust"}),
    "a few far away": (normal, lambda rng, count: 5 + normal(rng, count), 10, {}),
    "a clump, by the plan": (normal, lambda rng, count: np.full((count, 2), 2.5), 10, {"score": "move"}),
    "nothing": (normal, normal, 0, {}),
    "integers": (integers, lambda rng, count: 3 + integers(rng, count), 8, {}),
    "integers, by the price": (integers, lambda rng, count: 3 + integers(rng, count), 8, {"score": "price"}),
    "by the order of rows": (normal, normal, 0, {"score": last_is_farthest}),
    "all scores equal": (integers, integers, 0, {"score": lambda rows, reference: np.zeros(len(rows))}),
}


def check_rate(name, seeds):
    base, outliers, count, options = CASES[name]
    found = np.array(list(draws(base, outliers, count, seeds, **options)), dtype=float)
    share, bound = found[:, 0], 0.2 * (40 - count) / 40
    assert share.mean() <= bound + 4 * max(share.std(), 0.1) / math.sqrt(len(share))
    if count == 0:
        assert found[:, 1].mean() <= 0.2 + 4 * math.sqrt(0.16 / len(found))


@pytest.mark.parametrize("name", CASES)
def test_the_false_discovery_rate_over_draws(name):
    check_rate(name, range(60))


@pytest.mark.thorough
@pytest.mark.parametrize("name", CASES)
def test_the_false_discovery_rate_over_many_draws(name):
    check_rate(name, range(1000))


@pytest.mark.parametrize("score", ["nearest", "price", last_is_farthest])
def test_pvalues_of_ordinary_rows_are_no_smaller_than_uniform_ones(score):
    """Whatever the order of the rows, and with many ties: 30 reference rows, 15 of which calibrate."""
    pvalues = []
    for seed in range(250):
        rng = np.random.default_rng(seed)
        rows, reference = np.sort(integers(rng, 8), axis=0), np.sort(integers(rng, 30), axis=0)[::-1]
        pvalues.append(find_outliers(rows, reference, rng=seed, fdr=0.5, score=score, n_threads=1).pvalues)
    pvalues = np.array(pvalues)
    assert set(np.round(pvalues.ravel() * 16)) <= set(range(1, 17))
    # Rows are sorted within a draw, so that only the mean over all of them is that of an exchangeable row.
    for level in np.arange(1, 16) / 16:
        share = (pvalues <= level + 1e-12).mean(axis=1)
        assert abs(share.mean() - level) <= 4 * share.std() / math.sqrt(250)


def test_a_score_sees_each_row_once_and_in_a_random_order():
    seen = []

    def score(rows, reference):
        seen.append((rows.copy(), reference.copy()))
        return rows[:, 0]

    for seed in range(200):
        find_outliers(np.arange(4.0), np.arange(10.0, 20.0), rng=seed, score=score, fdr=0.5)
    places = []
    for rows, reference in seen:
        assert sorted([*rows[:, 0], *reference[:, 0]]) == [*range(4), *range(10, 20)]
        assert reference.min() >= 10
        assert len(reference) == 5
        places += np.flatnonzero(rows[:, 0] < 4).tolist()
    assert np.bincount(places, minlength=9).min() > 50  # 800 / 9 = 89


def test_rows_in_another_order_get_the_same_answer():
    """A score that looks at one row at a time, and no ties: only then. Else the answers agree in distribution."""
    reference, rows, _ = planted(2)
    order = np.random.default_rng(0).permutation(len(rows))
    one, other = find_outliers(rows, reference, rng=5), find_outliers(rows[order], reference, rng=5)
    np.testing.assert_array_equal(one.mask[order], other.mask)
    np.testing.assert_array_equal(one.pvalues[order], other.pvalues)
    np.testing.assert_array_equal(one.scores[order], other.scores)


def test_the_rng_decides_and_the_threads_do_not():
    reference, rows, _ = planted(3)
    one = find_outliers(rows, reference, rng=7, n_threads=1)
    for same in (7, np.int64(7), np.random.default_rng(7), np.random.SeedSequence(7)):
        np.testing.assert_array_equal(find_outliers(rows, reference, rng=same, n_threads=2).pvalues, one.pvalues)
    assert (find_outliers(rows, reference, rng=8).pvalues != one.pvalues).any()
    generator = np.random.default_rng(7)
    drawn = [find_outliers(rows, reference, rng=generator).pvalues for _ in range(2)]
    assert (drawn[0] != drawn[1]).any()
    assert len(find_outliers(rows, reference).pvalues) == len(rows)


# ---------------------------------------------------------------- units


def in_raw_units(seed=0, scales=(1e4, 1.0)):
    """500 rows, of which the first 10 lie 20 standard deviations away in the last column, and 2,000 ordinary rows."""
    rng = np.random.default_rng(seed)
    rows, reference = rng.normal(size=(500, len(scales))), rng.normal(size=(2000, len(scales)))
    rows[:10, -1] += 20
    return rows * scales, reference * scales


def warned(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call()
    assert all(each.filename == __file__ for each in caught)
    return found, [str(each.message) for each in caught]


def test_scaled_columns_show_what_raw_units_hide():
    rows, reference = in_raw_units()
    raw, (message,) = warned(lambda: find_outliers(rows, reference, rng=0))
    assert not raw.mask.any()
    assert message.startswith("column 0 (counted from 0) makes up nearly all of the distance between points")
    assert "pass scale='robust', or pass this column alone" in message
    scaled, told = warned(lambda: find_outliers(rows, reference, rng=0, scale="robust"))
    assert scaled.mask[:10].all()
    assert told == []


@pytest.mark.parametrize("score", ["nearest", "move", "price", lambda rows, known: rows[:, 1]])
def test_scaled_columns_have_no_units(score):
    rows, reference, _ = planted(1, n=100, m=40, out=8)
    expected = find_outliers(rows, reference, rng=0, score=score, scale="robust")
    units = np.array([2.0**30, 2.0**-30])  # powers of 2: no rounding
    found = find_outliers(rows * units, reference * units, rng=0, score=score, scale="robust")
    np.testing.assert_array_equal(found.scores, expected.scores)
    np.testing.assert_array_equal(found.mask, expected.mask)


def test_widths_are_those_of_all_rows_together():
    """So that they treat the rows of x and those that calibrate in the same way."""
    rng = np.random.default_rng(0)
    rows, reference = rng.normal(size=(30, 2)), 5 * rng.normal(size=(71, 2))
    pooled = np.sort(np.concatenate([rows, reference]), axis=0)
    by_hand = find_outliers(*(part / (pooled[75] - pooled[25]) for part in (rows, reference)), rng=0)
    np.testing.assert_array_equal(find_outliers(rows, reference, rng=0, scale="robust").scores, by_hand.scores)


def test_the_column_in_larger_units_is_named_by_its_name():
    arrow = pytest.importorskip("pyarrow")
    rows, reference = in_raw_units()
    table = arrow.table(dict(zip(["pay", "age"], reference.T, strict=True)))
    for x in (rows, rows[:5]):  # few rows of x do not hide it
        _, (message,) = warned(lambda x=x: find_outliers(x, table, rng=0))
        assert message.startswith("the column pay makes up")


def test_no_doubt_about_units_without_reason():
    rows, reference = in_raw_units()
    for call in (
        lambda: find_outliers(rows / [1e4, 1], reference / [1e4, 1], rng=0),
        lambda: find_outliers(rows, reference, rng=0, score=last_is_farthest),  # a score of one's own
        lambda: find_outliers(np.abs(rows), np.abs(reference), rng=0, metric="canberra"),
        lambda: find_outliers(rows[:, :1], reference[:, :1], rng=0),
        lambda: find_outliers(*in_raw_units(scales=(1e4, 1e4, 1.0)), rng=0),  # as the guide says: two escape
    ):
        assert warned(call)[1] == []


# ---------------------------------------------------------------- scores


METRICS = ["euclidean", "cityblock", "chebyshev", "minkowski", "canberra", lambda u, v: float(np.abs(u - v).max())]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("dimension", [1, 2, 20])
def test_the_nth_nearest_by_sorting(metric, dimension):
    rng = np.random.default_rng(dimension)
    reference, rows = rng.integers(-3, 4, (40, dimension)) / 2, rng.integers(-4, 5, (30, dimension)) / 2
    expected = np.sort(cdist(rows, reference, metric), axis=1)
    for nth in (1, 5, 40, 99):
        found = Nearest(reference, as_metric(metric), nth)(rows)
        np.testing.assert_allclose(found, expected[:, min(nth, 40) - 1], rtol=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e-90, 1.0, 1e90, 1e200])
def test_the_unit_of_length_does_not_matter(scale):
    reference, rows, is_out = planted(4)
    found = find_outliers(scale * rows, scale * reference, rng=0)
    np.testing.assert_array_equal(found.mask, find_outliers(rows, reference, rng=0).mask)
    assert found.mask[is_out].all()


def seen_by(score, rows, reference, **options):
    """The scores that find_outliers computes, beside what it hands to a score."""
    handed = {}

    def look(pooled, known):
        handed["rows"], handed["reference"] = pooled, known
        return np.zeros(len(pooled))

    found = find_outliers(rows, reference, rng=3, score=score, **options)
    find_outliers(rows, reference, rng=3, score=look, calibration=options.get("calibration", 0.5))
    place = [int(np.flatnonzero((handed["rows"] == row).all(axis=1))[0]) for row in rows]
    return found.scores, handed["rows"], handed["reference"], place


@pytest.mark.parametrize("p", [1, 2, math.inf])
def test_moves_are_the_ways_in_the_plan(p):
    """As many rows as in R0: the plan is a permutation, and each row has one way."""
    rng = np.random.default_rng(0)
    rows, reference = rng.random((20, 2)), rng.random((60, 2))
    scores, pooled, known, place = seen_by("move", rows, reference, p=p, calibration=1 / 3)
    assert len(pooled) == len(known)
    i, j = rpw.transport(known, pooled, p=p).plan.tocoo().coords
    ways = np.zeros(len(pooled))
    ways[j] = np.linalg.norm(known[i] - pooled[j], axis=1)
    np.testing.assert_allclose(scores, ways[place], rtol=1e-12)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_the_mean_of_all_moves_is_wasserstein(p):
    """Rows of which parts move to different places, and equal rows."""
    rng = np.random.default_rng(p)
    rows, reference = np.round(rng.random((17, 2)), 1), np.round(rng.random((52, 2)), 1)
    _, pooled, known, _ = seen_by("move", rows, reference, p=p)
    found = find_outliers(rows, reference, rng=3, score="move", p=p)
    moves = np.concatenate([found.scores, found.calibration_scores])
    assert len(moves) != len(known)
    assert (moves**p).mean() ** (1 / p) == pytest.approx(rpw.wasserstein(known, pooled, p=p), rel=1e-12)


def test_prices_are_those_of_the_profile():
    rng = np.random.default_rng(1)
    rows, reference = rng.random((15, 2)), rng.random((40, 2))
    scores, pooled, known, place = seen_by("price", rows, reference, p=1)
    np.testing.assert_array_equal(scores, rpw.profile(known, pooled, p=1).scores_b[place])


# ---------------------------------------------------------------- what comes in


def test_lists_integers_lines_and_measures():
    rng = np.random.default_rng(0)
    reference, rows = rng.integers(0, 50, 200), rng.integers(0, 50, 30)
    rows[:6] = 500
    expected = find_outliers(rows.astype(float)[:, None], reference.astype(float)[:, None], rng=0)
    assert expected.mask[:6].all()
    for one, other in [
        (rows, reference),
        (rows.tolist(), reference.tolist()),
        (rpw.Measure(rows), rpw.Measure(reference, np.full(200, 3.0))),
    ]:
        np.testing.assert_array_equal(find_outliers(one, other, rng=0).pvalues, expected.pvalues)


def test_equal_rows_everywhere():
    found = find_outliers(np.ones((10, 2)), np.ones((100, 2)), rng=0)
    assert found.scores.tolist() == [0] * 10
    found = find_outliers(np.full((10, 2), 2.0), np.ones((100, 2)), rng=0)
    assert found.mask.all()


def test_tables_must_name_their_columns_alike():
    arrow = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    rows, reference = rng.random((30, 2)), rng.random((100, 2))
    one, other, swapped = (
        arrow.table(dict(zip(names, values.T, strict=True)))
        for names, values in (("uv", rows), ("uv", reference), ("vu", reference))
    )
    np.testing.assert_array_equal(
        find_outliers(one, other, rng=0).pvalues, find_outliers(rows, reference, rng=0).pvalues
    )
    with pytest.raises(ValueError, match="reference has the columns v, u, and x has u, v"):
        find_outliers(one, swapped)
    with pytest.raises(ValueError, match="reference has the column 'w', which holds 'a'"):
        find_outliers(one, arrow.table({"u": [1.0, 2.0], "w": ["a", "b"]}))


X, R = np.zeros((3, 2)), np.zeros((50, 2))
REFUSED = {
    "NaN in x": ([[0.0, np.nan]], R, {}, r"^x has a NaN or .* first at index \(0, 1\): drop such rows"),
    "NaN in the reference": (X, [[np.inf, 0.0]] * 3, {}, "^reference has a NaN or infinite entry"),
    "dimensions": (X, np.zeros((9, 3)), {}, "^x and reference must have rows of the same dimension, got 2 and 3"),
    "no rows": (np.zeros((0, 2)), R, {}, "^x is an empty"),
    "no reference": (X, np.zeros((0, 2)), {}, "^reference is an empty"),
    "one reference row": (X, R[:1], {}, "^reference needs at least 2 rows"),
    "texts": ("a.csv", R, {}, "^x must be numeric"),
    "weights of x": (rpw.Measure(X, [1, 2, 3]), R, {}, "^x has weights"),
    "weights of the reference": (X, rpw.Measure(X, [1, 1, 0]), {}, "^reference has weights"),
    "fdr 0": (X, R, {"fdr": 0}, "^fdr must lie between 0 and 1, got 0"),
    "fdr 1": (X, R, {"fdr": 1.0}, "^fdr must lie between 0 and 1, got 1"),
    "fdr in per cent": (X, R, {"fdr": 5}, "^fdr must lie between 0 and 1, got 5"),
    "fdr as text": (X, R, {"fdr": "0.05"}, "^fdr must be a number"),
    "NaN as fdr": (X, R, {"fdr": np.nan}, "^fdr must not be NaN"),
    "calibration": (X, R, {"calibration": 1}, "^calibration must lie between 0 and 1"),
    "negative rng": (X, R, {"rng": -1}, "^rng must be a whole number"),
    "float as rng": (X, R, {"rng": 0.5}, "^rng must be"),
    "text as rng": (X, R, {"rng": "seed"}, "^rng must be"),
    "score": (X, R, {"score": "lof"}, "^score must be 'nearest' or 'move' or 'price', got 'lof'"),
    "metric": (X, R, {"metric": "sqeuclidean"}, "^metric='sqeuclidean' breaks the triangle"),
    "n_neighbors": (X, R, {"n_neighbors": 0}, "^n_neighbors must be a whole number of at least 1"),
    "p": (X, R, {"score": "move", "p": 0.5}, "^p must be at least 1"),
    "n_threads": (X, R, {"n_threads": 0}, "^n_threads must be"),
    "p without effect": (X, R, {"p": 1}, "^p has no effect with score='nearest'"),
    "n_neighbors without effect": (X, R, {"score": "move", "n_neighbors": 3}, "^n_neighbors has no effect"),
    "scale": (X, R, {"scale": "standard"}, "^scale must be 'robust', got 'standard'"),
    "scale without a norm": (X, R, {"scale": "robust", "metric": "canberra"}, "^scale='robust' needs a metric that"),
    "metric without effect": (X, R, {"score": last_is_farthest, "metric": "cityblock"}, "^metric has no effect"),
    "a score of one number": (X, R, {"score": lambda rows, reference: 1.0}, r"^score must return one number for each"),
    "a score of texts": (X, R, {"score": lambda rows, _: ["a"] * len(rows)}, r"^score must return one number for each"),
    "a score of NaN": (
        X,
        R,
        {"score": lambda rows, _: np.full(len(rows), np.nan)},
        "^score must return a number for every row",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name):
    x, reference, options, match = REFUSED[name]
    with pytest.raises(ValueError, match=match):
        find_outliers(x, reference, **options)


# ---------------------------------------------------------------- what comes out


def test_words_for_what_was_found_and_what_could_be():
    reference, rows, _ = planted(0)
    assert str(find_outliers(rows, reference, rng=0)).startswith("21 of 200 rows are named as outliers; on average at")
    one = find_outliers([[99.0, 0.0]], reference, rng=0)
    assert str(one).startswith("1 of 1 row is named as an outlier; on average at most 5 % of the rows named")


def test_words_for_why_nothing_is_named():
    reference, rows, _ = planted(0)
    single = find_outliers([[0.0, 0.0]], reference, rng=0)
    assert str(single) == (
        "The row is not named as an outlier. No row stands out enough; a single one could have been named."
    )
    inner = find_outliers(rows[20:] / 10, reference, rng=0)
    assert inner.least_named == math.ceil(180 / (0.05 * 401)) == 9
    assert str(inner) == (
        "None of 180 rows is named as an outlier. No row stands out enough. It takes at least 9 outliers before any "
        "can be named."
    )
    few = find_outliers(np.concatenate([rows[:3], rows[20:] / 10]), reference, rng=0)  # three are far out
    assert few.least_named == 10
    assert str(few) == (
        "None of 183 rows is named as an outlier. Too few rows stand out. It takes at least 10 outliers before any can "
        "be named. With more reference rows, fewer outliers are enough: to name a single one, 3,659 rows must "
        "calibrate the p-values, and here 400 do."
    )


def test_a_reference_that_can_name_nothing_is_told():
    reference, rows, _ = planted(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = find_outliers(rows, reference[:37], rng=0)  # 18 calibrate: the smallest p-value is 1/19
    assert [each.filename for each in caught] == [__file__]
    assert "too few rows for this fdr" in str(caught[0].message)
    assert found.least_named == 211 > len(rows)
    assert not found.mask.any()
    assert str(found).endswith(
        "None could have been named, however far out it lies: 19 rows of the reference must calibrate the p-values, "
        "and here 18 do."
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_outliers(rows + 99, reference[:38], rng=0).mask.all()  # 19 calibrate


def test_exchanged_arguments_are_told():
    for seed, score in enumerate(["nearest", "move", "nearest"]):
        reference, rows, _ = planted(seed)  # 800 and 200 rows, 20 of them far out
        found, (message,) = warned(lambda: find_outliers(reference, rows, rng=seed, score=score))  # noqa: B023
        assert not found.mask.any()
        assert message.endswith("are the two exchanged?")
        found, told = warned(lambda: find_outliers(rows, reference, rng=seed, score=score))  # noqa: B023
        assert found.mask.any()
        assert told == []


@pytest.mark.parametrize("draw", ["normal", "standard_cauchy", "poisson"])
def test_no_doubt_about_the_order_without_reason(draw):
    """Rows of one distribution, in fifty trials; and x with more rows, of which some are far out."""
    rng = np.random.default_rng(3)
    for seed in range(50):
        rows, reference = (getattr(rng, draw)(size=(count, 2)) for count in (300, 100))
        assert warned(lambda: find_outliers(rows, reference, rng=seed, fdr=0.06))[1] == []  # noqa: B023
        rows = rows + 1e4 * (np.arange(300) < 15)[:, None]
        assert warned(lambda: find_outliers(rows, reference, rng=seed, fdr=0.06))[1] == []  # noqa: B023


def test_the_result_shows_itself():
    reference, rows, is_out = planted(0)
    found = find_outliers(rows, reference, rng=0)
    assert repr(found) == "OutliersResult(21 of 200 rows named, fdr=0.05, least_named=10, score='nearest')"
    html = found._repr_html_()
    for text in ("Outliers", "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …", "at most 0.05", "10 rows or more", "400 rows"):
        assert text in html
    ax = found.plot()
    dots = {each.get_label(): each.get_offsets() for each in ax.collections}
    assert len(dots["x, named"]) == 21
    assert len(dots["x"]) == 179
    assert sorted(dots["x, named"][:, 0])[-20:] == pytest.approx(sorted(found.scores[is_out]))
    assert ax.get_xlabel() == "score (nearest)"
    assert find_outliers(rows[20:], reference, rng=0).plot(ax=ax) is ax


def test_the_result_cannot_be_changed_and_pickles():
    reference, rows, _ = planted(0)
    found = find_outliers(rows, reference, rng=0)
    with pytest.raises(AttributeError):
        found.fdr = 0.5
    for name in ("mask", "pvalues", "scores", "calibration_scores"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(found, name)[0] = 1
    again = pickle.loads(pickle.dumps(found))
    assert isinstance(again, OutliersResult)
    np.testing.assert_array_equal(again.pvalues, found.pvalues)
    assert rpw.stats.find_outliers is find_outliers
    assert "stats" in dir(rpw)
