"""``rpw-paper reproduce``: equal seeds give equal bytes, killed runs resume, one line for every mistake."""

import contextlib
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from children import ENVIRONMENT, start, wait_until
from paper_command import COMMAND, forked_command, run_command
from planted_pictures import planted

from rpw_paper import retrieval

pytest.importorskip("zarr")
pytest.importorskip("sklearn")
pytest.importorskip("typer")


def call(*arguments, **options):
    return forked_command(*arguments, timeout=300, **options)


def on_terminal(*arguments):
    """The exit status, and what a terminal of 80 columns gets on stderr."""
    termios = pytest.importorskip("termios")
    reading, writing = os.openpty()
    termios.tcsetwinsize(writing, (24, 80))
    command = [sys.executable, *COMMAND, *map(str, arguments)]
    environment = {**ENVIRONMENT, "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writing, env=environment) as child:
        os.close(writing)
        shown = b""
        with contextlib.suppress(OSError):  # so the other end is closed on Linux
            while part := os.read(reading, 65536):
                shown += part
    os.close(reading)
    return child.returncode, shown.decode()


SMALL = ("reproduce", "retrieval", "--labelled", 30, "--queries", 4, "--repeats", 2)


@pytest.mark.thorough
def test_retrieval_writes_the_same_bytes_again(tmp_path):
    pytest.importorskip("matplotlib")
    answers = []
    # One in a process of its own: forks of one process would share the order of their sets.
    for name, threads, run in (("one", 1, forked_command), ("two", 2, run_command)):
        done = run(*SMALL, "--out", tmp_path / name, "--n-threads", threads, "--json")
        assert done.returncode == 0, done.stderr
        answers.append(json.loads(done.stdout))
    assert answers[0]["accuracy"] == answers[1]["accuracy"]
    assert set(answers[0]["accuracy"]) == {way.name for way in retrieval.methods()}
    assert len(answers[0]["accuracy"]["W1"]) == 30
    for file in ("accuracy.csv", "repeats.csv", "hits.csv", "ties.csv", "accuracy.svg", "page.html", "run.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes(), file
    assert (tmp_path / "one" / "accuracy.png").stat().st_size > 10_000
    other = call(*SMALL, "--seed", 1, "--out", tmp_path / "three", "--json")
    assert json.loads(other.stdout)["accuracy"] != answers[0]["accuracy"]


def finished_parts(folder):
    return len(list(folder.rglob("nearest/*/*/*.npz")))


@pytest.mark.thorough
def test_a_killed_run_resumes(tmp_path):
    arguments = ("reproduce", "retrieval", "--labelled", 60, "--queries", 8, "--repeats", 2)
    out = tmp_path / "out"
    for _ in range(3):
        before = finished_parts(out)
        with start(*COMMAND, *arguments, "--out", out) as child:
            wait_until(lambda before=before: finished_parts(out) > before, child)
            child.kill()
        assert not (out / "accuracy.csv").exists(), "the run was over before it could be killed"
    assert call(*arguments, "--out", out).returncode == 0
    assert call(*arguments, "--out", tmp_path / "whole").returncode == 0
    for file in ("accuracy.csv", "repeats.csv"):
        assert (out / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()


def test_output_fits_the_terminal_and_says_where_things_are(tmp_path):
    done = call(*SMALL, cwd=tmp_path, env={**ENVIRONMENT, "COLUMNS": "80"})
    assert done.returncode == 0, done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    for name in ("accuracy.csv", "accuracy.png", "page.html"):
        assert f"rpw-output/retrieval-digits-both/{name}" in done.stdout
        assert (tmp_path / "rpw-output" / "retrieval-digits-both" / name).exists()
    assert done.stderr == "", "a bar is for terminals"


def test_a_disk_that_is_full_is_named_and_nothing_is_left_behind(tmp_path):
    resource = pytest.importorskip("resource")
    limit = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))}
    done = run_command(*SMALL, "--out", tmp_path / "out", **limit)
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith(f"rpw-paper: {tmp_path / 'out'}{os.sep}")
    assert "File too large" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.rglob("*.part"))


BARS = {
    "retrieval": SMALL,
    "robustness": ("reproduce", "robustness", "--count", 2),
    "paper": ("reproduce", "paper", "--quick", "--parts", "lemma 2.2,lemma 3.2,figure 2"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", BARS.values(), ids=BARS)
def test_a_terminal_sees_one_bar_with_the_time_left(tmp_path, command):
    status, shown = on_terminal(*command, "--out", tmp_path)
    assert status == 0
    assert shown.count("\n") <= 1, "one line, drawn again and again"
    frames = shown.split("\r")
    assert max(len(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", frame)) for frame in frames) <= 80
    shares = [int(share) for share in re.findall(r"(\d+)%", shown)]
    assert shares == sorted(shares)
    assert re.search(r"\d+:\d\d:\d\d", shown), "the time left"
    assert frames[-1].endswith("\x1b[2K"), "it vanishes at the end"


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
        assert done.stderr.startswith("rpw-paper: ")


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
        (("retrieval", "--data", "pics"), 2, "pass it as dataset (--dataset pics)"),
        (("robustness", "--data", "pics"), 2, "pass it as dataset (--dataset pics)"),
        (("retrieval", "--dataset", "pics", "--data", "there"), 2, "pass it as dataset (--dataset there)"),
        (("retrieval", "--scenario", "loud"), 2, "'loud'"),
        (("retrieval", "--labelled", "0"), 2, "labelled"),
        (("retrieval", "--labelled", "1790", "--queries", "50"), 1, "1797 pictures"),
        (("retrieval", "--lam", "-1"), 2, "--lam"),
        (("retrieval", "--distances", "w1,w7"), 2, "no distance 'w7'"),
        (("retrieval", "--nearest", "0"), 2, "nearest"),
        (("retrieval", "--lam", "nan"), 2, "--lam"),
        (("retrieval", "--seed", "-1"), 2, "seed"),
        (("retrieval", "--device", "gpu"), 2, "--device gpu: choose one of cpu, cuda"),
        (("retrieval", "--size", "8"), 2, "size (--size) is for folders of pictures"),
        (("retrieval", "--dataset", ""), 1, "dataset '' is neither one of"),
        (("convergence", "--largest-n", "5"), 2, "largest-n"),
        (("robustness", "--count", "0"), 2, "count"),
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


PATHS = [("demo", "--out"), ("reproduce claims runs", "--out"), ("reproduce paper", "--runs")]
PATHS += [(f"reproduce {name}", "--out") for name in ("paper", "retrieval", "convergence", "robustness", "sweep")]
PATHS += [(f"reproduce {name}", "--data") for name in ("paper", "retrieval", "robustness", "sweep")]


@pytest.mark.parametrize(("command", "option"), PATHS)
def test_an_empty_path_is_refused_and_does_not_mean_this_folder(tmp_path, command, option):
    for text, kind in (("", "empty"), (" ", "blank")):
        done = call(*command.split(), option, text, cwd=tmp_path)
        assert done.returncode == 2, done.stderr
        assert f"Invalid value for '{option}': the path is {kind}" in done.stderr
        assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("arguments", [(), ("reproduce",)])
def test_without_a_command_there_is_the_help_and_code_2(arguments):
    done = call(*arguments)
    assert done.returncode == 2
    assert done.stdout.split() == call(*arguments, "--help").stdout.split()


@pytest.mark.thorough
def test_convergence_and_robustness_run(tmp_path):
    done = call("reproduce", "convergence", "--repeats", 2, "--largest-n", 250, "--out", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "RPW(2,10)" in done.stdout
    assert "k^4" in done.stdout.replace("\n", " ")
    for file in ("values.csv", "exponents.csv", "discrete.png", "discrete.svg", "densities.png"):
        assert (tmp_path / "c" / file).stat().st_size > 100
    robustness = ("reproduce", "robustness", "--count", 2, "--json", "--out")
    outputs = [run(*robustness, tmp_path / name) for name, run in (("r", forked_command), ("s", run_command))]
    assert outputs[0].returncode == 0, outputs[0].stderr
    change = np.array(json.loads(outputs[0].stdout)["change"]["RPW(2,1)"])
    assert (change <= np.array(json.loads(outputs[0].stdout)["shares"]) + 1e-12).all()
    for file in ("outliers.csv", "thresholds.csv"):
        assert (tmp_path / "r" / file).read_bytes() == (tmp_path / "s" / file).read_bytes()


def test_mnist_from_the_data_folder(data_folder, tmp_path):
    done = call(
        *("reproduce", "retrieval", "--dataset", "mnist", "--labelled", 20, "--queries", 2, "--repeats", 1, "--json"),
        *("--out", tmp_path),
        env={**ENVIRONMENT, "RPW_DATA": str(data_folder)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dataset"] == "mnist"
