"""Plans, what stays behind, scores and outliers as files: the numbers of the library, whole or not at all."""

import csv

import numpy as np
import pytest
from commands import answer, call, complaint
from scipy import sparse

import rpw

FORMATS = [".csv", ".TSV", ".npz", ".parquet"]
ASKED = {"p": 2, "k": 0.5, "diameter": 1}
OPTIONS = ("--k", "0.5", "--diameter", "1")


@pytest.fixture
def pair(tmp_path):
    """Two tables with weights, an outlier, and a row that is left out."""
    rng = np.random.default_rng(0)
    x, y = rng.random((12, 2)), rng.random((9, 2))
    y[4] += 5
    weights = rng.integers(1, 4, 12) * 1.0
    rows = [f"{a},{b},{w}" for (a, b), w in zip(x.tolist(), weights.tolist(), strict=True)]
    rows.insert(3, "0.5,NA,1")
    (tmp_path / "a.csv").write_text("\n".join(["x,y,weight", *rows]))
    np.save(tmp_path / "b.npy", y)
    return (tmp_path / "a.csv", tmp_path / "b.npy"), rpw.Measure(x, weights), rpw.Measure(y)


NUMBERS = np.array([0, 1, 2, *range(4, 13)])  # of the rows of the first file that are read


def read(path):
    """The columns of a table."""
    if path.suffix == ".npz":
        with np.load(path) as stored:
            return dict(stored)
    if path.suffix == ".parquet":
        table = pytest.importorskip("pyarrow.parquet").read_table(path)
        return {name: table[name].to_numpy() for name in table.column_names}
    with path.open(newline="") as stream:
        header, *rows = csv.reader(stream, delimiter="," if path.suffix == ".csv" else "\t")
    kinds = {"side": str, "outlier": lambda text: {"True": True, "False": False}[text]}
    return {name: np.array([kinds.get(name, float)(row[place]) for row in rows]) for place, name in enumerate(header)}


@pytest.mark.parametrize("ending", FORMATS)
def test_the_plan(pair, tmp_path, ending):
    files, x, y = pair
    out = tmp_path / f"plan{ending}"
    out.write_text("what was there before")
    assert answer("distance", *files, *OPTIONS, "--drop-missing", "--plan", out)["plan"] == str(out)
    plan = rpw.solve(x, y, **ASKED).plan.toarray()
    if ending == ".npz":
        found = sparse.load_npz(out)
        assert found.shape == (13, 9)
        np.testing.assert_array_equal(found.toarray()[NUMBERS], plan)
        assert found.toarray()[3].sum() == 0
        return
    table = read(out)
    assert list(table) == ["i", "j", "mass"]
    found = np.zeros((13, 9))
    found[table["i"].astype(int), table["j"].astype(int)] = table["mass"]
    np.testing.assert_array_equal(found[NUMBERS], plan)
    assert (table["mass"] > 0).all()


@pytest.mark.parametrize("ending", FORMATS)
def test_what_stays_behind(pair, tmp_path, ending):
    files, x, y = pair
    out = tmp_path / f"points{ending}"
    assert "points" in call("distance", *files, *OPTIONS, "--drop-missing", "--unmatched", out).stdout
    table, result = read(out), rpw.solve(x, y, **ASKED)
    assert list(table) == ["side", "index", "mass", "left_behind", "outlier"]
    assert table["side"].tolist() == ["a"] * 12 + ["b"] * 9
    np.testing.assert_array_equal(table["index"], [*NUMBERS, *range(9)])
    np.testing.assert_array_equal(table["mass"], [*x.weights, *y.weights])
    np.testing.assert_array_equal(table["left_behind"], [*result.unmatched_a, *result.unmatched_b])
    np.testing.assert_array_equal(table["outlier"], [*result.outliers_a, *result.outliers_b])
    assert table["outlier"][12 + 4]  # which was planted
    assert table["left_behind"][:12].sum() == pytest.approx(result.distance, abs=1e-12)


@pytest.mark.parametrize("ending", FORMATS)
def test_scores(pair, tmp_path, ending):
    files, x, y = pair
    out = tmp_path / f"scores{ending}"
    assert answer("profile", *files, "--drop-missing", "--scores", out)["scores"] == str(out)
    table, profile = read(out), rpw.profile(x, y)
    assert list(table) == ["side", "index", "mass", "score"]
    np.testing.assert_array_equal(table["score"], [*profile.scores_a, *profile.scores_b])
    assert np.argmax(table["score"][12:]) == 4
    assert "scores" in call("profile", *files, "--drop-missing", "--scores", out).stdout


def test_a_plan_and_points_at_once(pair, tmp_path):
    files, *_ = pair
    call("distance", *files, "--drop-missing", "--plan", tmp_path / "p.csv", "--unmatched", tmp_path / "u.csv")
    assert {"p.csv", "u.csv"} < {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("command", "option"),
    [("distance", "--plan"), ("distance", "--unmatched"), ("profile", "--scores"), ("outliers", "--out")],
)
def test_files_that_cannot_be_written_are_refused_before_the_work(pair, tmp_path, command, option):
    files, *_ = pair
    before = files[0].read_bytes()
    assert "choose a file that ends in one of .csv, .tsv, .npz, .parquet" in complaint(
        command, *files, option, tmp_path / "out.txt", code=2
    )
    assert "is one of the inputs" in complaint(command, *files, option, files[0], code=2)
    assert "there is no folder" in complaint(command, *files, option, tmp_path / "nowhere" / "out.csv")
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in complaint(command, *files, option, tmp_path / "folder.csv")
    assert "the path is empty" in call(command, *files, option, "", code=2).stderr
    assert files[0].read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"a.csv", "b.npy", "folder.csv"}


def test_one_file_is_not_written_twice(pair, tmp_path):
    files, *_ = pair
    same = ("--plan", tmp_path / "out.csv", "--unmatched", tmp_path / "." / "out.csv")
    assert "--unmatched writes to the same file" in complaint("distance", *files, *same, code=2)


def test_scores_need_the_exact_profile(pair, tmp_path):
    files, *_ = pair
    reason = complaint("profile", *files, "--scores", tmp_path / "s.csv", "--tol", "0.1", code=2)
    assert reason == "rpw: --scores and --tol: choose one of them\n"


def test_wrong_data_leave_no_file(pair, tmp_path):
    files, *_ = pair
    complaint("distance", *files, "--plan", tmp_path / "plan.csv")  # a missing value
    assert not (tmp_path / "plan.csv").exists()
