"""The one writer of files: whole or not at all, and only over what it may replace."""

import os
import stat

import pytest

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
