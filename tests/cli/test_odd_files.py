"""Closed pipes, damaged lists of names, paths that are none: the command says so in one line."""

import json
import subprocess
import sys

import numpy as np
import pytest
from checks import ragged_clouds as clouds
from children import ENVIRONMENT
from children import forked_command as command

from rpw.readers import read_collection


@pytest.fixture
def files(tmp_path):
    folder = tmp_path / "clouds"
    folder.mkdir()
    for s, cloud in enumerate(clouds(4, 3)):
        np.savetxt(folder / f"{s}.csv", cloud, delimiter=",")
    return folder


def test_a_closed_stdout_is_no_error(files):
    for closed, code in ((">&-", 0), (">&- 2>&-", 0)):
        line = f"{sys.executable} -m rpw.cli distance {files / '0.csv'} {files / '1.csv'} {closed}"
        answer = subprocess.run(line, shell=True, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        assert (answer.returncode, answer.stderr) == (code, "")


@pytest.mark.parametrize("key", ["names", "labels"])
def test_too_few_names_are_none(files, tmp_path, key):
    path = tmp_path / "I"
    assert command("index", files, "--out", path).returncode == 0
    names = tmp_path / "I.names.json"
    content = json.loads(names.read_text())
    content[key] = ["only one"]
    names.write_text(json.dumps(content))
    answer = command("search", path, files / "0.csv", "--json")
    assert answer.returncode == 0, answer.stderr
    found = json.loads(answer.stdout)
    assert "no I.names.json that belongs to this index" in found["note"]
    assert set(found["queries"][0]["nearest"][0]) == {"distance", "index"}


def test_what_does_not_exist_is_called_so(files, tmp_path):
    answer = command("pairwise", tmp_path / "nope", "--out", tmp_path / "E.zarr")
    assert (answer.returncode, answer.stderr) == (1, f"rpw: {tmp_path / 'nope'}: does not exist\n")
    assert not (tmp_path / "E.zarr").exists()


def test_an_empty_path_is_refused(files, tmp_path):
    path = tmp_path / "I"
    command("index", files, "--out", path)
    for arguments in (("search", path, ""), ("distance", "", files / "0.csv"), ("index", files, "--out", "")):
        answer = command(*arguments, cwd=files)
        assert answer.returncode == 2
        assert "the path is empty" in answer.stderr


def test_an_index_is_not_a_measure(files, tmp_path):
    path = tmp_path / "I.npz"
    command("index", files, "--out", path)
    for arguments in (("distance", path, path), ("index", path, "--out", tmp_path / "J"), ("search", path, path)):
        answer = command(*arguments)
        assert answer.returncode == 1
        assert "I.npz: is an index of rpw, not a measure" in answer.stderr


def test_a_file_beside_the_folders_of_classes_is_refused(files):
    inner = files / "cats"
    inner.mkdir()
    assert len(read_collection(files)) == 4  # an empty folder is no class
    (inner / "0.csv").write_text("0,0\n")
    with pytest.raises(ValueError, match=r"holds the file 0\.csv and the folder cats"):
        read_collection(files)


def test_the_command_says_it_in_one_line(tmp_path):
    (tmp_path / "a.csv").write_text("0,0\n1,1\n")
    (tmp_path / "b.csv").write_text("0,0.1\n1,0.5\n")
    answer = command("profile", tmp_path / "a.csv", tmp_path / "b.csv", "--p", 1000)
    assert answer.returncode == 1
    assert answer.stderr.startswith("rpw: the profile cannot be represented")
    assert answer.stderr.count("\n") == 1
