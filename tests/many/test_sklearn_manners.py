"""What RPWTransformer says, and of whom: it speaks of X, to the code that called it, and once."""

import datetime
import pickle
import warnings

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

import rpw  # noqa: E402
from rpw.sklearn import RPWTransformer  # noqa: E402

RNG = np.random.default_rng(0)
IMAGES = RNG.integers(0, 255, (4, 9, 9)).astype(np.uint8)
FAR = 10 * RNG.random((4, 5, 2))


def told(call):
    """The texts, all of which are told to this file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert {each.filename for each in caught} <= {__file__}
    return [str(each.message) for each in caught]


def fitted_and_transformed(X, **options):
    model = RPWTransformer(**options).fit(X)
    model.transform(X)


CALLS = {
    "fit, then transform": fitted_and_transformed,
    "fit_transform": lambda X, **options: RPWTransformer(**options).fit_transform(X),
    "a pipeline": lambda X, **options: make_pipeline(RPWTransformer(**options)).fit_transform(X),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_warning_is_told_once_to_the_caller_and_calls_x_by_its_name(call):
    rpw_options = ({"mode": "neighbors", "n_neighbors": 2}, {"ks": [0.5, 1]}, {})
    for options in (*({"diameter": 300} | more for more in rpw_options), {"distance": "wasserstein"}):
        (text,) = told(lambda options=options: CALLS[call](IMAGES, **options))
        assert text.startswith("X looks like images")
    (text,) = told(lambda: CALLS[call](FAR))
    assert "diameter was left at 1" in text


def test_what_only_transform_sees_is_told_there():
    model = RPWTransformer(diameter=300).fit(list(IMAGES.astype(float)))
    (text,) = told(lambda: model.transform(IMAGES))
    assert text.startswith("X looks like images")


def test_a_search_tells_its_caller():
    labels, clouds = np.arange(12) % 2, 10 * RNG.random((12, 5, 2))
    model = make_pipeline(RPWTransformer(ks=[0.5, 1]), KNeighborsClassifier(1, metric="precomputed"))
    search = GridSearchCV(model, {"rpwtransformer__k": [0.5, 1]}, cv=2)
    assert all("diameter was left at 1" in text for text in told(lambda: search.fit(clouds, labels)))


def test_the_diameter_of_what_was_fitted():
    points = RNG.random((4, 5, 2))
    assert RPWTransformer(diameter="auto").fit(points).diameter_ == rpw.diameter(points)
    assert RPWTransformer(diameter=3).fit(points).diameter_ == 3
    assert RPWTransformer().fit(points).diameter_ == 1
    assert RPWTransformer(distance="wasserstein").fit(points).diameter_ is None


NO_NUMBERS = {
    "texts": ["red", "blue", "red"],
    "digits": ["1", "2", "3"],
    "times": [datetime.datetime(2020, 1, day, tzinfo=None) for day in (1, 2, 3)],
    "days": [datetime.date(2020, 1, day) for day in (1, 2, 3)],
}


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_a_column_without_numbers_is_named(kind):
    """Times beside numbers make no array at all, and scikit-learn takes them for numbers."""
    arrow = pytest.importorskip("pyarrow")
    good = {"u": [1.0, 2.0, 3.0], "v": [0.5, 1.0, 0.5]}
    table = arrow.table(good | {"w": NO_NUMBERS[kind]})
    alone = arrow.table({"w": NO_NUMBERS[kind]})
    match = "has the column 'w', which holds .*, not a number"
    model = RPWTransformer(support="line")
    with pytest.raises(ValueError, match="^X " + match):
        model.fit(table)
    with pytest.raises(ValueError, match="^X " + match):
        model.fit(arrow.table(good | {"w": good["v"]})).transform(table)
    with pytest.raises(ValueError, match=r"^X\[0\] " + match):
        RPWTransformer().fit([table, table])
    with pytest.raises(ValueError, match=r"^X is two-dimensional"):
        RPWTransformer().fit(table)
    for points in (table, alone):
        with pytest.raises(ValueError, match="^x " + match):
            rpw.distance(points, points)


def broken(x, y):
    if x[0] > 0.99:
        raise ValueError("odd")
    return abs(x[0] - y[0])


@pytest.mark.parametrize("options", [{}, {"ks": [0.5, 1]}, {"distance": "wasserstein"}])
def test_a_pair_that_fails_names_no_argument_that_is_not_there(options):
    clouds = RNG.random((3, 4, 1)) * 0.9
    clouds[1, 0] = 1.0
    with pytest.raises(rpw.PairwiseError, match=r"odd.*; the error's \.distances holds .* all other pairs$") as caught:
        RPWTransformer(metric=broken, **options).fit(clouds).transform(clouds)
    assert np.isnan(caught.value.distances).any()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(rpw.PairwiseError, match=r"all other pairs, and on_error='nan' returns these$") as caught:
        rpw.pairwise(clouds, metric=broken, diameter=1)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
