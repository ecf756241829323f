"""RPWOutlierDetector: scikit-learn's own checks, and false alarms at most as often as alpha says."""

import math
import pickle
import warnings
from unittest import SkipTest

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from rpw.sklearn import RPWOutlierDetector  # noqa: E402


@pytest.mark.sample(1)
@pytest.mark.parametrize("options", [{}, {"alpha": 0.3, "n_neighbors": 1, "metric": "chebyshev"}])
def test_estimator_checks(options):
    for estimator, check in estimator_checks_generator(RPWOutlierDetector(**options)):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X has too few rows for this alpha")
            try:
                check(estimator)
            except SkipTest:
                continue


@pytest.mark.parametrize("metric", ["euclidean", "cityblock", "canberra"])
def test_predictions_are_those_of_the_pvalues(metric):
    rng = np.random.default_rng(0)
    train, rows = np.round(rng.normal(size=(150, 2)), 1), np.round(2 * rng.normal(size=(300, 2)), 1)  # ties
    for alpha in (0.02, 0.05, 0.1, 0.5):
        model = RPWOutlierDetector(alpha=alpha, metric=metric, random_state=0).fit(train)
        found = model.predict(rows)
        np.testing.assert_array_equal(found == -1, model.pvalues(rows) <= alpha + 1e-13)
        np.testing.assert_array_equal(found == -1, model.decision_function(rows) < 0)
        np.testing.assert_array_equal(model.decision_function(rows), model.score_samples(rows) - model.offset_)
        assert set(found) == {-1, 1}


@pytest.mark.parametrize("kind", ["normal", "integers"])
def test_false_alarms_over_draws(kind):
    """Each draw has a row of its own and a fit of its own, so that the bound is that of the theorem."""
    alarms = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        rows = rng.normal(size=(61, 2)) if kind == "normal" else rng.integers(0, 4, (61, 1))
        model = RPWOutlierDetector(alpha=0.1, random_state=seed, n_threads=1).fit(rows[:60])
        alarms += model.predict(rows[60:])[0] == -1
    assert alarms / 250 <= 0.1 + 4 * math.sqrt(0.09 / 250)


def test_planted_outliers_are_called_so():
    rng = np.random.default_rng(0)
    model = RPWOutlierDetector(random_state=0).fit(rng.normal(size=(400, 3)))
    assert (model.predict(10 + rng.normal(size=(20, 3))) == -1).all()
    assert (model.predict(rng.normal(size=(500, 3))) == 1).mean() > 0.9


def test_the_answer_for_a_row_depends_on_no_other_row():
    rng = np.random.default_rng(0)
    model = RPWOutlierDetector(random_state=0).fit(rng.normal(size=(200, 2)))
    rows = 2 * rng.normal(size=(50, 2))
    np.testing.assert_array_equal(model.predict(rows), [model.predict(row[None])[0] for row in rows])


def test_it_clones_pickles_and_stands_in_pipelines():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 2))
    model = RPWOutlierDetector(alpha=0.1, random_state=3).fit(rows)
    for same in (pickle.loads(pickle.dumps(model)), clone(model).fit(rows)):
        np.testing.assert_array_equal(same.score_samples(rows), model.score_samples(rows))
    piped = make_pipeline(FunctionTransformer(), RPWOutlierDetector(alpha=0.1, random_state=3)).fit(rows)
    np.testing.assert_array_equal(piped.predict(rows), model.predict(rows))


def test_too_few_rows_are_told_and_call_nothing_an_outlier():
    with pytest.warns(UserWarning, match="too few rows for this alpha") as caught:
        model = RPWOutlierDetector(alpha=0.05, random_state=0).fit(np.arange(36.0)[:, None])  # 18 calibrate
    assert caught[0].filename == __file__
    assert model.predict([[1e9]]).tolist() == [1]
    model = RPWOutlierDetector(alpha=0.05, random_state=0).fit(np.arange(38.0)[:, None])
    assert model.predict([[1e9]]).tolist() == [-1]


def test_tables_must_name_their_columns_as_in_fit():
    arrow = pytest.importorskip("pyarrow")
    rows = np.random.default_rng(0).normal(size=(100, 2))
    one, swapped = (arrow.table(dict(zip(names, rows.T, strict=True))) for names in ("uv", "vu"))
    model = RPWOutlierDetector(random_state=0).fit(one)
    np.testing.assert_array_equal(model.predict(one), RPWOutlierDetector(random_state=0).fit(rows).predict(rows))
    with pytest.raises(ValueError, match=r"same order as they were in fit|X has the columns v, u"):
        model.predict(swapped)
    with pytest.raises(ValueError, match="X has the column 'w', which holds 'a'"):
        model.fit(arrow.table({"u": [1.0, 2.0], "w": ["a", "b"]}))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"alpha": 0}, "^alpha must lie between 0 and 1"),
        ({"alpha": 5}, "^alpha must lie between 0 and 1"),
        ({"calibration": 1.0}, "^calibration must lie between 0 and 1"),
        ({"n_neighbors": 0}, "^n_neighbors must be a whole number"),
        ({"metric": "cosine"}, "^metric='cosine'"),
        ({"n_threads": 0}, "^n_threads must be"),
    ],
)
def test_bad_parameters_are_named(options, match):
    with pytest.raises(ValueError, match=match):
        RPWOutlierDetector(**options).fit(np.zeros((50, 2)))
    with pytest.raises(ValueError, match="NaN"):
        RPWOutlierDetector().fit([[0.0], [np.nan], [1.0]])
