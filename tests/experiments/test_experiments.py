"""The experiments: perturbations do what they say, planted data give planted answers, equal seeds give equal bytes."""

import contextlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import rpw
from rpw.experiments import convergence, perturbation, retrieval, robustness
from rpw.experiments.files import as_cell, write_csv
from rpw.experiments.statistics import fitted_exponent, mean_and_band
from rpw.images import pixel_grid
from rpw.pictures import Pictures

pytest.importorskip("zarr")
pytest.importorskip("sklearn")
pytest.importorskip("typer")

RNG = np.random.default_rng(5)
GREY = RNG.integers(1, 200, size=(9, 14, 6), dtype=np.uint8)
COLOUR = RNG.integers(0, 256, size=(8, 10, 10, 3), dtype=np.uint8)


# ---------------------------------------------------------------- perturbations


def test_noise_adds_up_to_a_tenth_of_the_mass_to_one_pixel():
    added = perturbation.add_noise(GREY, np.random.default_rng(0)) - GREY
    assert ((added != 0).sum(axis=(1, 2)) == 1).all()
    share = added.sum(axis=(1, 2)) / GREY.sum(axis=(1, 2))
    assert (share > 0).all()
    assert (share <= 0.1).all()


def test_white_takes_a_tenth_of_the_pixels():
    spoiled = perturbation.add_white(COLOUR, np.random.default_rng(0))
    changed = (spoiled != COLOUR).any(axis=3)
    assert changed.sum() >= 8 * 10 - 2  # a pixel may have been white before
    assert (spoiled[changed] == 255).all()
    assert (changed.sum(axis=(1, 2)) <= 10).all()


def test_shift_moves_labelled_grey_pictures_up_and_tints_all_colour_ones():
    queries, labelled = perturbation.perturbed(GREY[:2], GREY[2:], "shift", [0, 0])
    np.testing.assert_array_equal(queries, GREY[:2])
    np.testing.assert_array_equal(labelled[:, :-1], GREY[2:, 1:])  # 14 rows: one
    assert not labelled[:, -1].any()
    assert [perturbation.rows_to_move(height) for height in (8, 14, 28, 280)] == [1, 1, 2, 20]
    for before, after in zip(
        (COLOUR[:2], COLOUR[2:]), perturbation.perturbed(COLOUR[:2], COLOUR[2:], "shift", [0, 0]), strict=True
    ):
        raised = np.minimum(before.astype(int) + 20, 255)
        channels = (after == raised).all(axis=(1, 2)) & (after != before).any(axis=(1, 2))
        assert (channels.sum(axis=1) == 1).all()
        others = ~channels[:, None, None, :]
        assert (np.where(others, after, 0) == np.where(others, before, 0)).all()


def test_scenarios_are_reproducible_and_differ():
    def seen(scenario, seed):
        return np.concatenate(perturbation.perturbed(COLOUR[:2], COLOUR[2:], scenario, seed))

    np.testing.assert_array_equal(seen("both", [3, 1]), seen("both", [3, 1]))
    np.testing.assert_array_equal(seen("clean", [3, 1]), COLOUR)
    assert (seen("both", [3, 1]) != seen("both", [3, 2])).any()
    assert (seen("both", [3, 1]) != seen("noise", [3, 1])).any()
    with pytest.raises(ValueError, match="scenario must be one of noise, shift, both, clean"):
        seen("loud", [0])


# ---------------------------------------------------------------- retrieval


def planted(classes=3, each=8, side=6):
    """Pictures of a class share one corner of the canvas; classes lie apart."""
    rng = np.random.default_rng(1)
    images = np.zeros((classes * each, side, side), dtype=np.uint8)
    corners = [(0, 0), (0, side - 2), (side - 2, 0), (side - 2, side - 2)]
    labels = np.repeat(np.arange(classes), each)
    for image, label in zip(images, labels, strict=True):
        row, column = corners[label]
        image[row : row + 2, column : column + 2] = rng.integers(1, 9, size=(2, 2))
    return Pictures("planted", images, labels.astype(np.str_))


def run(pictures, tmp_path, **options):
    given = {"scenario": "clean", "labelled": 12, "queries": 5, "repeats": 2, "seed": 0, "store": tmp_path, **options}
    return retrieval.retrieve(pictures, **given)


def test_planted_classes_are_retrieved_without_fault(tmp_path):
    result = run(planted(), tmp_path, labelled=18, queries=4)
    for w, way in enumerate(result.methods):
        for repeat in range(2):
            drawn = retrieval.draw(planted(), "clean", 18, 4, [0, repeat])
            labels = planted().labels
            counts = [(labels[drawn.labelled_index] == labels[q]).sum() for q in drawn.query_index]
            assert (result.accuracy[w, repeat, : min(counts)] == 1).all(), way.name
            expected = np.mean([count / 18 for count in counts])
            assert result.accuracy[w, repeat, -1] == pytest.approx(expected), "all of 18 are retrieved in the end"


def test_matrices_are_those_of_the_single_functions(tmp_path):
    drawn = retrieval.draw(planted(), "noise", 6, 3, [0, 0])
    grid = pixel_grid(6, 6)
    single = {
        "W1": lambda a, b: rpw.wasserstein(grid, grid, a, b, p=1),
        "W2": lambda a, b: rpw.wasserstein(grid, grid, a, b, p=2),
        "TV": lambda a, b: 0.5 * np.abs(a / a.sum() - b / b.sum()).sum(),
        "RPW(2,1)": lambda a, b: rpw.distance(grid, grid, a, b, p=2, k=1),
        "RPW(2,0.1)": lambda a, b: rpw.distance(grid, grid, a, b, p=2, k=0.1),
        "ROBOT(0.1)": lambda a, b: rpw.robot(grid, grid, a, b, p=1, lam=0.1),
    }
    for way in retrieval.methods():
        matrix = retrieval._matrix(drawn, way, out=tmp_path / f"{way.key}.zarr")
        expected = [[single[way.name](q.ravel(), x.ravel()) for x in drawn.labelled] for q in drawn.queries]
        np.testing.assert_allclose(matrix, expected, rtol=1e-12, atol=1e-15, err_msg=way.name)


def test_colour_pictures_use_five_dimensions_and_tv_the_channels(tmp_path):
    images = COLOUR.copy()
    images[0] = 0  # a black picture has no mass of its own
    pictures = Pictures("colours", images, np.array(list("aabbccdd")))
    drawn = retrieval.draw(pictures, "clean", 5, 3, [0, 0])
    ways = {way.name: way for way in retrieval.methods()}
    tv = retrieval._matrix(drawn, ways["TV"], out=tmp_path / "tv.zarr")
    flat = [part.reshape(len(part), -1).astype(float) for part in (drawn.queries, drawn.labelled)]
    flat = [np.where(part.sum(axis=1, keepdims=True) == 0, 1, part) for part in flat]
    q, x = (part / part.sum(axis=1, keepdims=True) for part in flat)
    np.testing.assert_allclose(tv, 0.5 * np.abs(q[:, None] - x[None]).sum(axis=2), rtol=1e-9)
    ours = retrieval._matrix(drawn, ways["RPW(2,1)"], out=tmp_path / "rpw.zarr")
    one = rpw.distance(rpw.Measure.from_image(drawn.queries[1]), rpw.Measure.from_image(drawn.labelled[2]), p=2, k=1)
    assert ours[1, 2] == one


def test_ties_are_ranked_by_the_permutation():
    matrix = np.array([[0.5, 0.1, 0.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    assert retrieval.rank(matrix, np.array([3, 2, 1, 0])).tolist() == [[1, 3, 2, 0], [3, 2, 1, 0]]
    assert retrieval._share_of_ties(matrix) == (0.75 + 1) / 2


def test_too_few_pictures_are_refused(tmp_path):
    with pytest.raises(ValueError, match="planted has 24 pictures, fewer than 30 labelled and 5 queries"):
        run(planted(), tmp_path, labelled=30)


def test_black_pictures_are_named_before_the_work(tmp_path):
    images = planted().images.copy()
    images[5] = 0
    with pytest.raises(ValueError, match=r"picture 5 of dark \(label 0\) is all black"):
        run(Pictures("dark", images, planted().labels), tmp_path, labelled=18, queries=6)
    images[:] = 0
    images[:, 0] = 1
    with pytest.raises(ValueError, match="the shift moved all of it out"):
        run(Pictures("top", images, planted().labels), tmp_path, scenario="shift")
    assert not list(tmp_path.iterdir())


def test_bands():
    mean, band = mean_and_band(np.array([[1.0, 2.0, 3.0]]), axis=1)
    assert mean.tolist() == [2.0]
    assert band[0] == pytest.approx(4.302653 / math.sqrt(3), rel=1e-6)
    assert np.isnan(mean_and_band(np.ones((2, 1)), axis=1)[1]).all()


# ---------------------------------------------------------------- convergence and robustness


def test_a_threshold_lies_where_straight_lines_cross_the_level():
    assert robustness._crossing(np.array([0.0, 1.0, 4.0]), 2.5) == 1.5
    assert robustness._crossing(np.array([0.0, 1.0, 4.0]), 1.0) == 1.0
    assert robustness._crossing(np.array([0.0, 2.0, 1.0, 4.0]), 1.0) == 0.5
    assert robustness._crossing(np.array([3.0, 4.0]), 2.0) == 0.0
    assert math.isinf(robustness._crossing(np.array([0.0, 1.0]), 2.0))


def test_rates_of_the_theory():
    assert [convergence.rate_of_rpw(p, 2) for p in (1, 2, 4, math.inf)] == [-1 / 2, -1 / 3, -2 / 7, -1 / 4]
    assert [convergence.rate_of_rpw(p, 3) for p in (1, 2, math.inf)] == [-1 / 3, -2 / 7, -1 / 5]
    assert [convergence.rate_of_w(p, 2) for p in (1, 2, 4, math.inf)] == [-1 / 2, -1 / 4, -1 / 8, 0]
    n = np.array([10.0, 100.0, 1000.0])
    assert fitted_exponent(n, 7 * n**-0.4) == pytest.approx(-0.4)


def test_spaces_have_diameter_one():
    for support in convergence.DISCRETE.values():
        assert rpw.diameter([support()]) == pytest.approx(1)
    for _, sample in convergence.CONTINUOUS.values():
        points = sample(np.random.default_rng(0), 20000)
        assert 0.95 < rpw.diameter([points]) <= 1


def test_discrete_curves_follow_the_theory():
    curves = {(c.case, c.distance): c for c in convergence.discrete_curves(0, 10)}
    assert len(curves) == 10
    for case in convergence.DISCRETE:
        assert curves[case, "W2"].exponent() == pytest.approx(-0.25, abs=0.06)
        assert curves[case, "TV"].exponent() == pytest.approx(-0.5, abs=0.08)
        assert curves[case, "RPW(2,0.1)"].exponent() == pytest.approx(-0.5, abs=0.08)
    two = {name: curve.mean for (case, name), curve in curves.items() if case == "two points"}
    small = convergence.DISCRETE_N.index(100)
    assert two["RPW(2,10)"][small] == pytest.approx(two["W2"][small] / 10, rel=0.25)
    # The closed form: the imbalance t has to move by 1, so that ε solves t - ε = k² ε².
    for k in (0.1, 1, 10):
        t = two["TV"][-1]
        assert two[f"RPW(2,{k:g})"][-1] == pytest.approx((math.sqrt(1 + 4 * k**2 * t) - 1) / (2 * k**2), rel=0.05)


def test_continuous_curves_are_deterministic_whatever_the_threads():
    one = list(convergence.continuous_curves(0, 2, 250, 1))
    two = list(convergence.continuous_curves(0, 2, 250, 2))
    assert len(one) == 24
    assert all(np.array_equal(a.values, b.values) for a, b in zip(one, two, strict=True))
    by_name = {(c.case, c.distance): c.mean[-1] for c in one}
    assert by_name["two squares", "Winf"] > 0.5, "one sample has more points in a square, and one must cross over"
    assert by_name["two squares", "RPW(inf,1)"] < 0.15


def test_outliers_change_rpw_by_at_most_their_share():
    result = robustness.outlier_changes(0)
    shares = np.array(result.shares)
    for name, change in zip(result.names, result.change, strict=True):
        if name.startswith("RPW"):
            assert (change <= shares + 1e-12).all()
        else:
            assert change[-1, 1] > 0.9, "one percent of outliers at 100 moves W1 by one and more"


def test_thresholds_of_planted_pictures():
    """One lit pixel each: TV to another class is 1, and noise reaches that only where it is everything."""
    images = np.zeros((2, 5, 5), dtype=np.uint8)
    images[0, 4, 0] = images[1, 0, 4] = 1
    result = robustness.thresholds(Pictures("dots", images, np.array(["a", "b"])), 0, 2)
    by_name = {way.name: (result.noise[w], result.shift[w]) for w, way in enumerate(result.methods)}
    assert (by_name["TV"][0] == 1).all()
    assert (by_name["TV"][1] == 1).all(), "a shift by one row shares nothing"
    assert np.isinf(by_name["W1"][1]).all(), "the other dot is a diagonal away, and no shift goes that far"
    with pytest.raises(ValueError, match="2 pictures, fewer than --count 3"):
        robustness.thresholds(Pictures("dots", images, np.array(["a", "b"])), 0, 3)
    with pytest.raises(ValueError, match="one label"):
        robustness.thresholds(Pictures("dots", images, np.array(["a", "a"])), 0, 2)
    with pytest.raises(ValueError, match="picture 1 of dots is all black"):
        robustness.thresholds(Pictures("dots", images * np.array([1, 0])[:, None, None], np.array(["a", "b"])), 0, 2)
    with pytest.raises(ValueError, match="need grey pictures"):
        robustness.thresholds(Pictures("c", COLOUR, np.array(list("aabbccdd"))), 0, 2)


# ---------------------------------------------------------------- files and the command line


def test_cells_and_tables(tmp_path):
    assert [as_cell(v) for v in (0.5, 1e-9, float("nan"), 3, "a", 0.0)] == [
        "0.500000",
        "1.000000e-09",
        "",
        "3",
        "a",
        "0.000000",
    ]
    assert write_csv(tmp_path / "deep" / "t.csv", ["x", "y"], [("a,b", 1.0)]).read_bytes() == b'x,y\n"a,b",1.000000\n'


def call(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-m", "rpw.cli", *map(str, arguments)], capture_output=True, text=True, timeout=300, **options
    )


def on_terminal(*arguments):
    """The exit status, and what a terminal of 80 columns gets on stderr."""
    termios = pytest.importorskip("termios")
    reading, writing = os.openpty()
    termios.tcsetwinsize(writing, (24, 80))
    command = [sys.executable, "-m", "rpw.cli", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writing, env=environment) as child:
        os.close(writing)
        shown = b""
        with contextlib.suppress(OSError):  # so the other end is closed on Linux
            while part := os.read(reading, 65536):
                shown += part
    os.close(reading)
    return child.returncode, shown.decode()


SMALL = ("reproduce", "retrieval", "--labelled", 30, "--queries", 4, "--repeats", 2)


def test_retrieval_writes_the_same_bytes_again(tmp_path):
    pytest.importorskip("matplotlib")
    answers = []
    for name, threads in (("one", 1), ("two", 2)):
        done = call(*SMALL, "--out", tmp_path / name, "--n-threads", threads, "--json")
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
    assert answers[0]["accuracy"] == answers[1]["accuracy"]
    assert set(answers[0]["accuracy"]) == {way.name for way in retrieval.methods()}
    assert len(answers[0]["accuracy"]["W1"]) == 30
    for file in ("accuracy.csv", "repeats.csv", "ties.csv", "accuracy.svg", "page.html", "run.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    assert (tmp_path / "one" / "accuracy.png").stat().st_size > 10_000
    other = call(*SMALL, "--seed", 1, "--out", tmp_path / "three", "--json")
    assert json.loads(other.stdout)["accuracy"] != answers[0]["accuracy"]


def test_a_killed_run_resumes(tmp_path):
    arguments = ("reproduce", "retrieval", "--labelled", 300, "--queries", 20, "--repeats", 2)
    command = [sys.executable, "-m", "rpw.cli", *map(str, arguments), "--out", str(tmp_path / "out")]
    killed = 0
    for wait in (2.0, 3.0, 4.0):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(wait)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                killed += 1
    assert killed, "the run was over before it could be killed"
    assert call(*arguments, "--out", tmp_path / "out").returncode == 0
    assert call(*arguments, "--out", tmp_path / "whole").returncode == 0
    for file in ("accuracy.csv", "repeats.csv"):
        assert (tmp_path / "out" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def test_output_fits_the_terminal_and_says_where_things_are(tmp_path):
    done = call(*SMALL, cwd=tmp_path, env={**os.environ, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    for name in ("accuracy.csv", "accuracy.png", "page.html"):
        assert f"rpw-output/retrieval-digits-both/{name}" in done.stdout
        assert (tmp_path / "rpw-output" / "retrieval-digits-both" / name).exists()
    assert done.stderr == "", "a bar is for terminals"


@pytest.mark.parametrize("command", [SMALL, ("reproduce", "robustness", "--count", 2)], ids=["retrieval", "robustness"])
def test_a_terminal_sees_one_bar_with_the_time_left(tmp_path, command):
    status, shown = on_terminal(*command, "--out", tmp_path)
    assert status == 0
    assert shown.count("\n") <= 1, "one line, drawn again and again"
    frames = shown.split("\r")
    assert max(len(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", frame)) for frame in frames) <= 80
    shares = [int(share) for share in re.findall(r"(\d+)%", shown)]
    assert shares == sorted(shares)
    assert re.search(r"\d+:\d\d left", shown)
    assert frames[-1].endswith("\x1b[2K"), "it vanishes at the end"


def test_the_share_that_is_done_grows_from_nothing_to_all(tmp_path):
    seen = []
    run(planted(), tmp_path, report=lambda share, what: seen.append((share, what)))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert shares[-1] == pytest.approx(1)
    assert list(dict.fromkeys(what for _, what in seen)) == [
        f"repeat {repeat} of 2: {way.name}" for repeat in (1, 2) for way in retrieval.methods()
    ]
    seen.clear()
    list(convergence.continuous_curves(0, 2, 250, 2, lambda share, what: seen.append(share)))
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1)


def test_another_run_in_the_same_folder_is_refused(tmp_path):
    assert call(*SMALL, "--out", tmp_path).returncode == 0
    done = call(*SMALL, "--scenario", "noise", "--out", tmp_path)
    assert done.returncode == 1
    assert "holds another run: scenario is 'both' there and 'noise' here" in done.stderr
    assert "Traceback" not in done.stderr
    more = call("reproduce", "retrieval", "--labelled", 30, "--queries", 4, "--repeats", 3, "--out", tmp_path, "--json")
    assert json.loads(more.stdout)["repeats"] == 3, "further repeats go on where the others ended"
    (tmp_path / "run.json").write_text("junk")
    assert "run.json is damaged" in call(*SMALL, "--out", tmp_path).stderr


def test_experiments_do_not_share_a_folder(tmp_path):
    assert call(*SMALL, "--out", tmp_path / "out").returncode == 0
    before = (tmp_path / "out" / "run.json").read_bytes()
    for other in ("convergence", "robustness"):
        done = call("reproduce", other, "--out", tmp_path / "out")
        assert done.returncode == 1
        assert f"experiment is 'retrieval' there and '{other}' here" in done.stderr
    assert (tmp_path / "out" / "run.json").read_bytes() == before
    (tmp_path / "file").write_text("")
    for other in ("convergence", "robustness"):
        done = call("reproduce", other, "--out", tmp_path / "file")
        assert done.returncode == 1
        assert done.stderr.startswith("rpw: ")


def test_an_odd_name_of_a_folder_spoils_nothing(tmp_path):
    pictures = planted()
    folder = tmp_path / "do$l_{lar$x <b>"
    folder.mkdir()
    np.savez(folder / "some.npz", images=pictures.images, labels=pictures.labels)
    done = call("reproduce", "retrieval", "--dataset", folder, "--repeats", 2, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "20 labelled, 4 queries, 2 repeats" in done.stdout, "as many as there are"
    assert "<b>" not in (tmp_path / "out" / "page.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "code", "reason"),
    [
        (("retrieval", "--dataset", "nowhere"), 1, "nowhere"),
        (("retrieval", "--data", "pics"), 1, "pass --dataset pics"),
        (("robustness", "--data", "pics"), 1, "pass --dataset pics"),
        (("retrieval", "--dataset", "pics", "--data", "there"), 1, "pass --dataset there"),
        (("retrieval", "--scenario", "loud"), 1, "--scenario loud"),
        (("retrieval", "--labelled", "0"), 2, "labelled"),
        (("retrieval", "--labelled", "1790", "--queries", "50"), 1, "1797 pictures"),
        (("retrieval", "--lam", "-1"), 1, "--lam"),
        (("retrieval", "--lam", "nan"), 1, "--lam"),
        (("retrieval", "--seed", "-1"), 2, "seed"),
        (("robustness", "--dataset", "mnist", "--data", "nowhere"), 1, "nowhere"),
        (("convergence", "--repeats", "0"), 2, "repeats"),
        (("nothing",), 2, "nothing"),
    ],
)
def test_mistakes_get_one_line(tmp_path, arguments, code, reason):
    done = call("reproduce", *arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.iterdir())


def test_convergence_and_robustness_run(tmp_path):
    done = call("reproduce", "convergence", "--repeats", 2, "--largest-n", 250, "--out", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "RPW(2,10)" in done.stdout
    assert "k^4" in done.stdout.replace("\n", " ")
    for file in ("values.csv", "exponents.csv", "discrete.png", "discrete.svg", "densities.png"):
        assert (tmp_path / "c" / file).stat().st_size > 100
    outputs = [call("reproduce", "robustness", "--count", 2, "--out", tmp_path / name, "--json") for name in ("r", "s")]
    assert outputs[0].returncode == 0, outputs[0].stderr
    change = np.array(json.loads(outputs[0].stdout)["change"]["RPW(2,1)"])
    assert (change <= np.array(json.loads(outputs[0].stdout)["shares"]) + 1e-12).all()
    for file in ("outliers.csv", "thresholds.csv"):
        assert (tmp_path / "r" / file).read_bytes() == (tmp_path / "s" / file).read_bytes()


def test_mnist_from_the_data_folder(data_folder, tmp_path):
    done = call(
        *("reproduce", "retrieval", "--dataset", "mnist", "--labelled", 20, "--queries", 2, "--repeats", 1, "--json"),
        *("--out", tmp_path),
        env={**os.environ, "RPW_DATA": str(data_folder)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dataset"] == "mnist"
