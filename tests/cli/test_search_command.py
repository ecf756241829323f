"""``rpw index`` and ``rpw search``: neighbours in order, with their names; the bar on a terminal."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest
from children import ENVIRONMENT
from commands import answer, call, complaint

import rpw


def plain(text):
    """Without the colours of a terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text)


def test_search_finds_the_nearest_in_order(clouds, tmp_path):
    folder, points = clouds
    query = points[0] + np.array([0.12, 0])
    np.save(tmp_path / "q.npy", query)
    built = answer("index", folder, "--out", tmp_path / "I", "--p", "1")
    assert built["measures"] == 5
    found = answer("search", tmp_path / "I", tmp_path / "q.npy", "--top", "3")["queries"]
    assert [query["query"] for query in found] == ["q.npy"]
    assert [hit["index"] for hit in found[0]["nearest"]] == [1, 0, 2]  # shifts 0.1, 0 and 0.25 beside 0.12
    assert [hit["name"] for hit in found[0]["nearest"]] == ["cloud1.npy", "cloud0.npy", "cloud2.npy"]
    for hit in found[0]["nearest"]:
        assert hit["distance"] == rpw.distance(query, points[hit["index"]], p=1)
    assert "cloud1.npy" in call("search", tmp_path / "I", tmp_path / "q.npy").stdout


def test_search_for_several_queries_with_labels(tmp_path):
    images = np.zeros((4, 1, 5), dtype=np.uint8)
    images[range(4), 0, range(4)] = 1
    np.savez(tmp_path / "images.npz", images=images, labels=np.array([7, 8, 9, 9]))
    call("index", tmp_path / "images.npz", "--out", tmp_path / "I")
    found = answer("search", tmp_path / "I", tmp_path / "images.npz", "--top", "2")["queries"]
    assert [[hit["label"] for hit in query["nearest"]] for query in found] == [[7, 8], [8, 7], [9, 8], [9, 9]]
    assert [query["nearest"][0]["distance"] for query in found] == [0] * 4
    assert "label" in call("search", tmp_path / "I", tmp_path / "images.npz", "--top", "4").stdout


def test_names_of_another_index_are_not_shown(clouds, tmp_path):
    folder, _ = clouds
    call("index", folder, "--out", tmp_path / "I")
    (folder / "cloud0.npy").rename(folder / "zero.npy")
    call("index", folder, "--out", tmp_path / "J")
    (tmp_path / "J.names.json").replace(tmp_path / "I.names.json")
    arguments = ("search", tmp_path / "I", folder / "cloud1.npy", "--top", "1")
    for spoil in (lambda file: None, lambda file: file.write_text("["), lambda file: file.unlink()):
        spoil(tmp_path / "I.names.json")
        assert answer(*arguments)["queries"][0]["nearest"] == [{"distance": 0.0, "index": 1}]
        assert answer(*arguments)["note"].startswith("there is no I.names.json that belongs to this index")
    assert "there is no I.names.json" in " ".join(call(*arguments).stdout.split())


def test_the_file_of_names_is_announced(clouds, tmp_path):
    folder, _ = clouds
    assert "I.names.json" in call("index", folder, "--out", tmp_path / "I").stdout.replace("\n", "").replace(" ", "")
    assert answer("index", folder, "--out", tmp_path / "I")["names"] == str(tmp_path / "I.names.json")
    found = call("search", tmp_path / "I", folder / "cloud1.npy")
    assert "note" not in found.stdout
    assert found.stderr == ""


@pytest.mark.sample(1)
@pytest.mark.parametrize("command", ["search", "pairwise"])
def test_progress_is_shown_on_a_terminal(clouds, tmp_path, command):
    termios = pytest.importorskip("termios")
    folder, _ = clouds
    call("index", folder, "--out", tmp_path / "I")
    arguments = ("search", tmp_path / "I", folder) if command == "search" else ("pairwise", folder, "--out")
    counted = "5 queries" if command == "search" else "10 pairs"
    for extra, is_shown in ((), True), (("--json",), False):
        if command == "pairwise":
            extra = (tmp_path / f"D{is_shown}.csv", *extra)
        reading, writing = os.openpty()
        termios.tcsetwinsize(writing, (24, 80))
        line = [sys.executable, "-m", "rpw.cli", *arguments, *extra]
        environment = {**ENVIRONMENT, "TERM": "xterm"}
        subprocess.run(line, stdout=subprocess.PIPE, stderr=writing, timeout=60, env=environment, check=True)
        os.write(writing, b"end")
        shown = os.read(reading, 100_000).decode()
        os.close(reading)
        os.close(writing)
        assert shown == "end" or is_shown
        assert (f"100% 00:00 left {counted}" in plain(shown)) == is_shown


def test_search_refuses_what_is_no_index(diracs, tmp_path):
    assert "no such index" in complaint("search", tmp_path / "missing", diracs[0])
    assert complaint("search", diracs[0], diracs[1]) == f"rpw: {diracs[0]} is not an rpw index\n"


def test_an_index_does_not_replace_what_it_is_built_from(clouds, tmp_path):
    folder, points = clouds
    np.savez(tmp_path / "all.npz", points=np.stack(points))
    before = (tmp_path / "all.npz").read_bytes()
    assert "is one of the inputs" in complaint("index", tmp_path / "all.npz", "--out", tmp_path / "all.npz", code=2)
    assert (tmp_path / "all.npz").read_bytes() == before
    assert "lies in the folder that is read" in complaint("index", folder, "--out", folder / "cloud1.npy", code=2)
    np.testing.assert_array_equal(np.load(folder / "cloud1.npy"), points[1])
