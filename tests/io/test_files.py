"""The one writer of files: whole or not at all, and only over what it may replace."""

import os
import stat
import time

import pytest

from rpw.io import files
from rpw.io.files import replacing


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_replaced_by_a_file(tmp_path):
    """As root, a device such as /dev/full would be gone too."""
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(FileExistsError, match="not a regular file"), replacing(pipe) as file:
        file.write(b"1")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert os.listdir(tmp_path) == ["pipe.csv"]


@pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")
def test_who_may_read_a_replaced_file_may_read_the_new_one(tmp_path):
    for mode in (0o600, 0o640, 0o666):
        target = tmp_path / "page.html"
        target.touch()
        target.chmod(mode)
        with replacing(target) as file:
            (partial,) = tmp_path.glob(".rpw-*")
            assert stat.S_IMODE(partial.stat().st_mode) == mode
            file.write(b"new")
        assert stat.S_IMODE(target.stat().st_mode) == mode
        assert target.read_bytes() == b"new"


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "a.csv"
    for text in (b"1", b"23"):
        with replacing(path) as file:
            file.write(text)
        assert path.read_bytes() == text


def test_an_open_file_is_not_renamed(tmp_path, monkeypatch):
    """Windows would refuse."""
    opened, rename = [], os.replace

    def refusing(source, target):
        assert opened[0].closed
        rename(source, target)

    monkeypatch.setattr(files.os, "replace", refusing)
    with replacing(tmp_path / "new") as file:
        opened.append(file)
        file.write(b"whole")
    assert (tmp_path / "new").read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["new"]


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "old").write_bytes(b"old")

    def write_half():
        with replacing(tmp_path / "old") as file:
            file.write(b"half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert (tmp_path / "old").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["old"]


def test_only_old_leftovers_of_our_own_are_removed(tmp_path):
    links = [f".rpw-1-{'c' * 16}.part", f".rpw-1-{'d' * 16}.part"]
    (tmp_path / "precious").write_text("mine")
    (tmp_path / links[0]).symlink_to(tmp_path / "precious")
    (tmp_path / links[1]).mkdir()
    others = [".rpw-1-2.part", "x.part", ".rpw-notes.part"]
    old, fresh = (tmp_path / f".rpw-1-{digit * 16}.part" for digit in "ab")
    for path in (old, fresh, *(tmp_path / name for name in others)):
        path.write_bytes(b"half")
    two_hours_ago = time.time() - 7200
    for path in tmp_path.iterdir():
        if path != fresh:
            os.utime(path, (two_hours_ago, two_hours_ago))
    with replacing(tmp_path / "new") as file:
        file.write(b"whole")
    assert set(os.listdir(tmp_path)) == {fresh.name, "new", "precious", *links, *others}
