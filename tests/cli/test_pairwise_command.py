"""``rpw pairwise``: the matrix as a store that resumes, or as one file."""

import csv
import json

import numpy as np
import pytest
from commands import answer, call, complaint
from typer.testing import CliRunner

import rpw
from rpw.cli._app import app
from rpw.many.backends.cuda.driver import is_available

zarr = pytest.importorskip("zarr")


def test_a_store_grows_by_patient_21(tmp_path):
    folder, out, rng = tmp_path / "patients", tmp_path / "D.zarr", np.random.default_rng(0)
    folder.mkdir()
    for number in range(1, 21):
        np.save(folder / f"patient{number}.npy", rng.random((5, 2)))
    before = answer("pairwise", folder, "--out", out)
    np.save(folder / "patient21.npy", rng.random((5, 2)))
    found = answer("pairwise", folder, "--out", out)
    assert found["rows"] == [*before["rows"], "patient21.npy"] == [f"patient{number}.npy" for number in range(1, 22)]
    points = [np.load(folder / name) for name in found["rows"]]
    np.testing.assert_array_equal(np.asarray(zarr.open(out, mode="r")[:]), rpw.pairwise(points))


def test_pairwise_is_a_loop_over_distance_and_resumes(clouds, tmp_path):
    folder, points = clouds
    out = tmp_path / "D.zarr"
    found = answer("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2")
    expected = np.array([[rpw.distance(x, y, p=1, k=0.5) for y in points] for x in points])
    matrix = np.asarray(zarr.open(out, mode="r")[:])
    np.testing.assert_array_equal(matrix, expected)
    assert found["shape"] == [5, 5]
    assert found["rows"] == [f"cloud{number}.npy" for number in range(5)]
    assert found["resumed"] is False
    assert found["largest"] == expected.max()
    assert found["smallest"] == expected[~np.eye(5, dtype=bool)].min()
    shown = call("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2").stdout
    assert "5 x 5" in shown
    assert "(already complete)" in shown
    next((out / ".rpw" / "done").iterdir()).unlink()
    shown = call("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5", "--n-threads", "2").stdout
    assert "(continued)" in shown
    again = answer("pairwise", folder, "--out", out, "--p", "1", "--k", "0.5")
    assert (again["resumed"], again["already_complete"]) == (True, True)
    complaint("pairwise", folder, "--out", out, "--p", "2")  # other parameters: not the same matrix


def test_a_store_that_grew_was_not_complete(clouds, tmp_path):
    folder, points = clouds
    arguments = ("pairwise", folder, "--out", tmp_path / "D.zarr")
    call(*arguments)
    np.save(folder / "cloud5.npy", points[0] + 0.9)
    shown = call(*arguments).stdout
    assert "6 x 6" in shown
    assert "(continued)" in shown
    assert "(already complete)" not in shown
    assert "(already complete)" in call(*arguments).stdout
    np.save(folder / "cloud6.npy", points[0] + 0.8)
    found = answer(*arguments)
    assert (found["shape"], found["resumed"], found["already_complete"]) == ([7, 7], True, False)


def test_a_matrix_that_takes_too_long_is_given_up_and_a_store_goes_on(clouds, tmp_path):
    folder, _ = clouds
    for name in ("D.zarr", "D.csv"):
        reason = complaint("pairwise", folder, "--out", tmp_path / name, "--time-limit", "0")
        assert reason.startswith(
            "rpw: --time-limit passed before the end: 0 of 10 pairs were finished; allow more time"
        )
        assert ("same command again" in reason) == (name == "D.zarr")
    assert not (tmp_path / "D.csv").exists()
    found = answer("pairwise", folder, "--out", tmp_path / "D.zarr", "--time-limit", "60")
    assert (found["resumed"], found["failed"]) == (True, 0)


def test_pairwise_between_two_collections_and_other_distances(clouds, tmp_path):
    folder, points = clouds
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    queries = np.array(points[:2]) + 0.01
    call("pairwise", tmp_path / "queries.npy", "--b", folder, "--out", tmp_path / "W", "--distance", "wasserstein")
    expected = [[rpw.wasserstein(x, y) for y in points] for x in queries]
    np.testing.assert_array_equal(zarr.open(tmp_path / "W", mode="r")[:], expected)
    call("pairwise", tmp_path / "queries.npy", "--out", tmp_path / "R", "--distance", "robot", "--lam", "0.2")
    np.testing.assert_array_equal(
        zarr.open(tmp_path / "R", mode="r")[:], [[rpw.robot(x, y, lam=0.2) for y in queries] for x in queries]
    )


def test_the_store_knows_the_names_of_rows_and_columns(clouds, tmp_path):
    folder, points = clouds
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    out = tmp_path / "D.zarr"
    arguments = ("pairwise", tmp_path / "queries.npy", "--b", folder, "--out", out)
    rpw.pairwise(list(np.array(points[:2]) + 0.01), points, out=out)  # without names
    assert "rows" not in zarr.open(out, mode="r").attrs
    before = zarr.open(out, mode="r")[:]
    names = [f"cloud{number}.npy" for number in range(5)]
    assert answer(*arguments)["already_complete"]
    stored = zarr.open(out, mode="r")
    assert (stored.attrs["rows"], stored.attrs["columns"]) == (["0", "1"], names)
    assert stored.attrs["distance"] == "rpw"
    np.testing.assert_array_equal(stored[:], before)
    (folder / "cloud0.npy").rename(folder / "a.npy")  # the same measures in the same order: only a name is new
    next((out / ".rpw" / "done").iterdir()).unlink()
    answer(*arguments)
    assert zarr.open(out, mode="r").attrs["columns"] == ["a.npy", *names[1:]]
    rpw.pairwise(list(np.array(points[:2]) + 0.01), points, out=out)  # Python keeps them
    assert zarr.open(out, mode="r").attrs["columns"] == ["a.npy", *names[1:]]
    complaint(*arguments, "--k", "3")
    assert zarr.open(out, mode="r").attrs["k"] == 1


def test_pairs_that_fail_do_not_cost_the_names(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[0.0, 0.0]]]))  # no distribution: NaN
    assert "failed" in complaint("pairwise", tmp_path / "a.npy", "--out", tmp_path / "D", "--metric", "jensenshannon")
    assert zarr.open(tmp_path / "D", mode="r").attrs["rows"] == ["0", "1", "2"]


@pytest.mark.parametrize("ending", [".csv", ".TSV", ".npy", ".npz"])
def test_the_matrix_as_a_file_of_the_format_that_was_asked_for(clouds, tmp_path, ending):
    folder, points = clouds
    (folder / "cloud4.npy").rename(folder / 'odd, "name"\t5.npy')
    np.save(tmp_path / "queries.npy", np.array(points[:2]) + 0.01)
    out = tmp_path / f"D{ending}"
    out.write_text("what was there before")
    span = rpw.diameter(points, list(np.array(points[:2]) + 0.01))
    expected = np.array([[rpw.distance(x, y + 0.01, p=1, diameter=span) for y in points[:2]] for x in points])
    found = answer("pairwise", folder, "--b", tmp_path / "queries.npy", "--out", out, "--p", "1", "--diameter", "auto")
    assert (found["shape"], found["diameter"], found["resumed"]) == ([5, 2], span, False)
    assert found["largest"] == expected.max()
    rows, columns = [*(f"cloud{number}.npy" for number in range(4)), 'odd, "name"\t5.npy'], ["0", "1"]
    if ending == ".npy":
        matrix = np.load(out)
    elif ending == ".npz":
        with np.load(out) as stored:
            matrix = stored["distances"]
            assert (stored["rows"].tolist(), stored["columns"].tolist()) == (rows, columns)
            assert (str(stored["distance"]), float(stored["p"]), float(stored["diameter"])) == ("rpw", 1, span)
    else:
        with open(out, newline="") as stream:
            table = list(csv.reader(stream, delimiter="," if ending == ".csv" else "\t"))
        assert table[0] == ["", *columns]
        assert [row[0] for row in table[1:]] == [name.replace("\t", "\\x09") for name in rows]
        matrix = np.array([row[1:] for row in table[1:]], dtype=float)
    np.testing.assert_array_equal(matrix, expected)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([out.name, "clouds", "queries.npy"])


def test_pairs_may_fail_and_files_may_not(tmp_path):
    """As the help of --on-error says."""
    folder, out = tmp_path / "clouds", tmp_path / "D.npy"
    folder.mkdir()
    for name, text in (("first.csv", "1,2\n"), ("second.csv", "3,four\n"), ("third.csv", "0,0\n")):
        (folder / name).write_text(text)
    arguments = ("pairwise", folder, "--out", out, "--metric", "jensenshannon", "--on-error", "nan")
    assert "second.csv" in complaint(*arguments)
    assert not out.exists()
    (folder / "second.csv").unlink()
    assert answer(*arguments)["failed"] == 1
    words = " ".join(call("pairwise", "--help").stdout.replace("│", " ").split())
    assert "A file that cannot be read is always an error." in words


def test_pairs_that_fail_are_nan_in_the_file(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[0.0, 0.0]]]))  # no distribution: NaN
    out = tmp_path / "D.npy"
    assert "failed" in complaint("pairwise", tmp_path / "a.npy", "--out", out, "--metric", "jensenshannon")
    assert np.isnan(np.load(out)).tolist() == [[False, False, True], [False, False, True], [True, True, False]]


@pytest.mark.parametrize("name", ["D.csv", "D.npz", "D.zarr"])
def test_pairs_that_fail_are_told_in_the_words_of_the_command(tmp_path, name):
    folder, out = tmp_path / "clouds", tmp_path / name
    folder.mkdir()
    for cloud, row in (("first.csv", "1,2"), ("second.csv", "3,4"), ("third.csv", "0,0")):  # no distribution: NaN
        (folder / cloud).write_text(f"{row}\n")
    arguments = ("pairwise", folder, "--out", out, "--metric", "jensenshannon")
    told = complaint(*arguments)
    assert told.startswith("rpw: pair (first.csv, third.csv) failed: --metric jensenshannon: ")
    assert told.endswith(
        f" (and 1 more); the matrix is in {out}, with NaN for failed pairs; with --on-error nan that is no error\n"
    )
    found = answer(*arguments, "--on-error", "nan")
    expected = rpw.distance([[1.0, 2.0]], [[3.0, 4.0]], metric="jensenshannon")
    assert (found["failed"], found["smallest"], found["largest"]) == (2, expected, expected)
    assert "failed    2 pairs" in call(*arguments, "--on-error", "nan").stdout
    assert answer(*arguments[:2], "--b", folder, "--out", tmp_path / "E.npy", *arguments[4:], "--on-error", "nan")[
        "failed"
    ] == len([pair for pair in np.ndindex(3, 3) if 2 in pair])
    reason = complaint(*arguments, "--on-error", "ignore", code=2)
    assert reason == "rpw: --on-error ignore: choose one of raise, nan\n"


def test_files_that_cannot_be_written_are_refused_before_the_work(clouds, tmp_path):
    folder, points = clouds
    assert "in .csv, .tsv, .npy, .npz, or to a Zarr store" in complaint(
        "pairwise", folder, "--out", tmp_path / "D.txt", code=2
    )
    (tmp_path / "folder.csv").mkdir()
    assert "is a folder" in complaint("pairwise", folder, "--out", tmp_path / "folder.csv")
    assert "there is no folder" in complaint("pairwise", folder, "--out", tmp_path / "nowhere" / "D.csv")
    assert "so it would be taken for one of its files" in complaint(
        "pairwise", folder, "--out", folder / "D.csv", code=2
    )
    np.save(tmp_path / "all.npy", np.array(points))
    before = (tmp_path / "all.npy").read_bytes()
    for arguments in (("all.npy",), ("clouds", "--b", "all.npy")):
        given = [name if name.startswith("--") else tmp_path / name for name in arguments]
        assert "is one of the inputs" in complaint("pairwise", *given, "--out", tmp_path / "all.npy", code=2)
    assert (tmp_path / "all.npy").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["all.npy", "clouds", "folder.csv"]


def test_a_store_that_is_there_keeps_its_name(clouds, tmp_path):
    folder, points = clouds
    rpw.pairwise(points, out=tmp_path / "D.v1")
    assert answer("pairwise", folder, "--out", tmp_path / "D.v1")["already_complete"]


def test_one_file_is_not_files(clouds, tmp_path):
    folder, _ = clouds
    (folder / "README.md").write_text("no data")
    assert "1 file of unknown kind" in call("pairwise", folder, "--out", tmp_path / "D").stdout
    (folder / "notes.md").write_text("no data")
    assert "2 files of unknown kind" in call("pairwise", folder, "--out", tmp_path / "D").stdout


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        (("--tol", "0.05"), {"tol": 0.05}),
        (("--tol", "0.05", "--solver", "lmr"), {"tol": 0.05, "solver": "lmr"}),
        (("--solver", "simplex"), {"solver": "simplex"}),
        (("--tol", "0"), {}),
    ],
)
def test_tol_and_solver_are_those_of_one_pair(clouds, tmp_path, options, asked):
    folder, points = clouds
    found = answer("pairwise", folder, "--b", folder, "--out", tmp_path / "D.npz", *options)
    expected = [[rpw.distance(x, y, **asked) for y in points] for x in points]
    with np.load(tmp_path / "D.npz") as stored:
        np.testing.assert_array_equal(stored["distances"], expected)
        assert {name: stored[name].item() for name in asked} == asked
    assert (found["tol"], found["solver"]) == (asked.get("tol", 0), asked.get("solver", "auto"))
    shown = call("pairwise", folder, "--b", folder, "--out", tmp_path / "D.csv", *options).stdout
    assert all(f"{name}={value}" in shown for name, value in asked.items())


def test_a_solver_of_another_distance(clouds, tmp_path):
    folder, points = clouds
    call("pairwise", folder, "--out", tmp_path / "W.npy", "--distance", "wasserstein", "--solver", "walk")
    expected = rpw.pairwise(points, distance="wasserstein", solver="walk")
    np.testing.assert_array_equal(np.load(tmp_path / "W.npy"), expected)


def test_a_store_made_with_another_tol_is_refused(clouds, tmp_path):
    folder, _ = clouds
    call("pairwise", folder, "--out", tmp_path / "D.zarr", "--tol", "0.05")
    assert answer("pairwise", folder, "--out", tmp_path / "D.zarr", "--tol", "0.05")["already_complete"]
    reason = complaint("pairwise", folder, "--out", tmp_path / "D.zarr", "--tol", "0.1")
    assert "tol is 0.05 there and 0.1 here" in reason


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distance", "wasserstein", "--tol", "0.1"), "--tol has no effect on --distance wasserstein"),
        (("--distance", "total_variation", "--solver", "walk"), "--solver has no effect on --distance total_variation"),
        (("--k", "1,2", "--tol", "0.1"), "--tol has no effect on several --k"),
        (("--k", "1,2", "--solver", "walk"), "--solver has no effect on several --k"),
        (("--solver", "lmr"), "--solver lmr is approximate: pass --tol > 0"),
        (("--distance", "wasserstein", "--solver", "lmr"), "--solver lmr computes only RPW"),
        (("--tol", "-1"), "--tol must be"),
    ],
)
def test_tol_and_solver_that_make_no_sense(options, message):
    assert message in complaint("pairwise", "folder", "--out", "D.npy", *options, code=2)


def test_trees_need_a_norm(clouds, tmp_path):
    reason = complaint("pairwise", clouds[0], "--out", tmp_path / "D.npy", "--solver", "points", "--metric", "canberra")
    assert reason.startswith("rpw: --solver points needs points without support= or cost=")


def test_pairwise_of_histograms_and_automatic_diameter(tmp_path):
    rng = np.random.default_rng(0)
    histograms, support = rng.random((4, 6)), 7 * rng.random((6, 2))
    np.savez(tmp_path / "h.npz", histograms=histograms, support=support)
    found = answer("pairwise", tmp_path / "h.npz", "--out", tmp_path / "D", "--diameter", "auto")
    delta = rpw.diameter(support)
    assert found["diameter"] == delta
    expected = [[rpw.distance(support, support, a, b, diameter=delta) for b in histograms] for a in histograms]
    np.testing.assert_array_equal(zarr.open(tmp_path / "D", mode="r")[:], expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--distance", "wasserstein", "--k", "2"), "--k has no effect on --distance wasserstein"),
        (("--distance", "robot"), "--lam is missing: --distance robot needs it"),
        (("--mass", "0.5"), "--mass has no effect on --distance rpw"),
        (("--distance", "total_variation", "--p", "1"), "--p has no effect"),
    ],
)
def test_options_that_do_not_belong_to_the_distance_are_refused(clouds, tmp_path, options, message):
    assert message in complaint("pairwise", clouds[0], "--out", tmp_path / "D", *options, code=2)
    assert not (tmp_path / "D").exists()


def test_pairwise_refuses_what_is_no_collection(diracs, tmp_path):
    assert "holds one measure" in complaint("pairwise", diracs[0], "--out", tmp_path / "D")
    assert "No such file" in complaint("pairwise", tmp_path / "missing.npz", "--out", tmp_path / "D")


@pytest.mark.parametrize("name", ["D.zarr", "D.npy", "D.npz"])
def test_several_k_are_a_stack(clouds, tmp_path, name):
    folder, points = clouds
    out = tmp_path / name
    found = answer("pairwise", folder, "--out", out, "--k", "10,0.1,0")
    expected = rpw.pairwise(points, k=[10, 0.1, 0])
    if name == "D.npz":
        with np.load(out) as stored:
            stack = stored["distances"]
            assert (stored["k"].tolist(), len(stored["rows"])) == ([10, 0.1, 0], 5)
    elif name == "D.npy":
        stack = np.load(out)
    else:
        stored = zarr.open(out, mode="r")
        stack = stored[:]
        assert (stored.attrs["k"], len(stored.attrs["rows"])) == ([10, 0.1, 0], 5)
    np.testing.assert_array_equal(stack, expected)
    assert (found["k"], found["shape"]) == ([10, 0.1, 0], [3, 5, 5])
    others = expected[:, ~np.eye(5, dtype=bool)]
    assert found["smallest"] == others.min(axis=1).tolist()
    assert found["largest"] == others.max(axis=1).tolist()
    np.testing.assert_allclose(found["mean"], others.mean(axis=1), rtol=1e-12)
    shown = call("pairwise", folder, "--out", out, "--k", "10,0.1,0").stdout
    for k, row in zip(("k=10", "k=0.1", "k=0"), others, strict=True):
        text = f"smallest {row.min():.6g}, mean {row.mean():.6g}, largest {row.max():.6g}"
        assert [k, *text.split()] in [line.split() for line in shown.splitlines()]
    assert "entries" not in shown
    assert "5 x 5 for each of 3 k in" in shown
    assert "k=10,0.1,0" in shown


@pytest.mark.parametrize("given", [("10", "0.1"), ("10,0.1",), ("10", "0.1,0", "2")])
def test_an_option_given_again_adds_to_the_stack(clouds, tmp_path, given):
    folder, points = clouds
    found = answer("pairwise", folder, "--out", tmp_path / "D.npy", *(word for k in given for word in ("--k", k)))
    expected = [float(k) for k in ",".join(given).split(",")]
    assert found["k"] == expected
    np.testing.assert_array_equal(np.load(tmp_path / "D.npy"), rpw.pairwise(points, k=expected))


def test_of_very_many_k_only_some_are_shown(clouds, tmp_path):
    shown = call("pairwise", clouds[0], "--out", tmp_path / "D.npy", "--k", ",".join(map(str, range(1, 21)))).stdout
    assert "k=16" in [line.split()[0] for line in shown.splitlines()]
    assert "k=17" not in [line.split()[0] for line in shown.splitlines()]
    assert "and 4 more: --json has them all" in shown


def test_pairs_that_fail_at_several_k_count_once(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[[1.0, 2.0]], [[3.0, 4.0]], [[0.0, 0.0]]]))  # no distribution: NaN
    arguments = ("pairwise", tmp_path / "a.npy", "--out", tmp_path / "D.npy", "--metric", "jensenshannon")
    assert "(and 1 more)" in complaint(*arguments, "--k", "1,2")
    assert np.isnan(np.load(tmp_path / "D.npy")).sum(axis=(1, 2)).tolist() == [4, 4]


@pytest.mark.parametrize(
    ("out", "k", "code", "words"),
    [
        ("D.csv", "1,2", 2, "a table holds one matrix, and several values in --k give a stack"),
        ("D.TSV", "1,2", 2, "choose .npy, .npz or a Zarr store"),
        ("D.npy", "1,x", 2, "'1,x' is neither a number nor numbers with commas between them"),
        ("D.npy", "1,", 2, "'1,' is neither"),
        ("D.npy", "1,-2", 2, "k must be"),
    ],
)
def test_lists_of_k_that_are_refused(clouds, tmp_path, out, k, code, words):
    done = call("pairwise", clouds[0], "--out", tmp_path / out, "--k", k, code=code)
    assert words in " ".join(done.stderr.replace("│", " ").split())
    assert not (tmp_path / out).exists()


def test_device(clouds, tmp_path, on_host):
    """In this process, where a stand-in for the GPU is at hand."""
    folder, points = clouds
    run = CliRunner()
    done = run.invoke(app, ["pairwise", str(folder), "--out", str(tmp_path / "D.npy"), "--device", "cuda:1"])
    assert done.exit_code == 0, done.output
    assert " on cuda:1" in done.output
    assert on_host.launched
    np.testing.assert_allclose(np.load(tmp_path / "D.npy"), rpw.pairwise(points), rtol=0, atol=1e-12)
    on_host.launched.clear()
    rpw.Index(points).save(tmp_path / "I")
    query = str(folder / "cloud0.npy")
    done = run.invoke(app, ["search", str(tmp_path / "I"), query, "--device", "cuda", "--json"])
    assert on_host.launched
    assert [hit["index"] for hit in json.loads(done.stdout)["queries"][0]["nearest"]] == [0, 1, 2, 3, 4]


@pytest.mark.skipif(is_available(), reason="there is a GPU")
def test_without_a_gpu_there_is_one_clear_error(clouds, tmp_path):
    folder, _ = clouds
    for out in ("D.npy", "D.zarr"):
        assert "needs an NVIDIA GPU" in complaint("pairwise", folder, "--out", tmp_path / out, "--device", "cuda")
        assert not (tmp_path / out).exists()
    reason = complaint("pairwise", folder, "--out", tmp_path / "D.npy", "--device", "cuda:0")
    assert "--device cuda needs an NVIDIA GPU" in reason
    assert "'" not in reason  # no Python


def test_what_a_gpu_cannot_do_is_said_in_the_words_of_the_command_line(clouds, tmp_path):
    reason = complaint("pairwise", clouds[0], "--out", tmp_path / "D.npy", "--device", "cuda", "--p", "inf")
    assert reason.startswith("rpw: --device cuda cannot compute this: ")
    assert "pass --device cpu" in reason


@pytest.mark.usefixtures("gpu")
def test_on_the_gpu(clouds, tmp_path):
    folder, points = clouds
    answer("pairwise", folder, "--out", tmp_path / "D.npy", "--device", "cuda")
    np.testing.assert_allclose(np.load(tmp_path / "D.npy"), rpw.pairwise(points), rtol=0, atol=1e-12)


FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\uff1d1", "'quoted"]


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_names_of_files_are_no_formulas_in_a_table(tmp_path, ending):
    """They come back with one apostrophe in front and without control characters; all else, and numbers, as it is."""
    folder, out = tmp_path / "folder", tmp_path / f"D.{ending}"
    folder.mkdir()
    names = [f"{start}.csv" for start in (*FORMULAS, "plain", "a=b", "1")]
    for number, name in enumerate(names):
        (folder / name).write_text(f"{number / 10}\n")
    found = answer("pairwise", folder, "--out", out)
    assert sorted(found["rows"]) == sorted(names)
    with out.open(newline="", encoding="utf-8") as stream:
        (_, *columns), *rows = csv.reader(stream, delimiter="," if ending == "csv" else "\t")
    assert [row[0] for row in rows] == columns
    assert not any(name.startswith(tuple("=+-@\t\r\uff1d")) for name in columns)
    assert {"plain.csv", "a=b.csv", "1.csv", "'=HYPERLINK(1).csv", "''quoted.csv"} <= set(columns)
    plain = [name.replace("\t", r"\x09").replace("\r", r"\x0d") for name in found["rows"]]
    assert [name.removeprefix("'") for name in columns] == plain
    expected = rpw.pairwise([[[float(c) / 10]] for c in map(names.index, found["rows"])])
    np.testing.assert_array_equal(np.array([row[1:] for row in rows], dtype=float), expected)


def test_other_formats_keep_names_as_they_are(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "=1.csv").write_text("0\n")
    call("pairwise", folder, "--out", tmp_path / "D.npz")
    with np.load(tmp_path / "D.npz") as stored:
        assert stored["rows"].tolist() == ["=1.csv"]
