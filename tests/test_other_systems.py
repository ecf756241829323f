"""What works on a system that lacks what only POSIX has. The lack is feigned in a child; this is no test on Windows."""

import ctypes
import os
import textwrap

import numpy as np
import pytest
from children import ENVIRONMENT, run

from rpw.base import memory

# Runs before anything else in a child: modules that are not there, names that os does not have.
WITHOUT_POSIX = """
import os, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for name in ("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "geteuid", "getuid", "pread", "pwrite", "sysconf",
             "sched_getaffinity"):
    if hasattr(os, name):
        delattr(os, name)
os.supports_dir_fd.clear()
os.supports_fd.clear()
"""


@pytest.fixture
def without_posix(tmp_path):
    """Runs Python in a child that lacks what POSIX has: code, or the command line with these arguments."""
    # sitecustomize runs at the start of every interpreter that finds it, also of `python -m rpw`.
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_POSIX, encoding="utf-8")
    folder = tmp_path / "work"
    folder.mkdir()
    environment = {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join([str(tmp_path), ENVIRONMENT["PYTHONPATH"]])}

    def call(*arguments):
        return run(*arguments, cwd=folder, env=environment, timeout=120)

    call.folder = folder
    return call


def run_code(call, code):
    answer = call("-c", textwrap.dedent(code))
    assert answer.returncode == 0, answer.stderr
    return answer.stdout.split()


def test_the_lack_is_feigned(without_posix):
    code = """
    import os
    try:
        import fcntl
    except ImportError:
        print("no fcntl")
    print(hasattr(os, "O_NOFOLLOW"))
    """
    assert run_code(without_posix, code) == ["no", "fcntl", "False"]


def test_distances_and_matrices(without_posix):
    code = """
    import numpy as np
    import rpw

    print(rpw.distance([0.0], [1.0], p=1, k=1))
    clouds = [np.array([[0.0]]), np.array([[1.0]])]
    print(*rpw.pairwise(clouds, p=1, k=1, diameter=1.0).ravel())
    """
    assert [float(word) for word in run_code(without_posix, code)] == [0.5, 0.0, 0.5, 0.5, 0.0]


def test_a_store_is_refused_with_the_reason(without_posix):
    pytest.importorskip("zarr")
    code = """
    import numpy as np
    import rpw

    try:
        rpw.pairwise([np.zeros((2, 1)), np.ones((2, 1))], diameter=1.0, out="D.zarr")
    except ValueError as error:
        print(error)
    """
    words = " ".join(run_code(without_posix, code))
    assert words.startswith("out='D.zarr': stores on disk need a POSIX system")
    assert "Pass no out=" in words
    assert not (without_posix.folder / "D.zarr").exists()


def test_an_index_is_written_and_read(without_posix):
    code = """
    import numpy as np
    import rpw

    rng = np.random.default_rng(0)
    clouds = [rng.random((5, 2)) for _ in range(4)]
    index = rpw.Index(clouds, diameter=2.0)
    index.save("clouds.rpw")
    again = rpw.Index.load("clouds.rpw")
    print(*again.query(clouds[2], top=1)[1])
    """
    assert run_code(without_posix, code) == ["2"]


def write_clouds(folder):
    folder.mkdir()
    np.savetxt(folder / "a.csv", [[0.0]], delimiter=",")
    np.savetxt(folder / "b.csv", [[1.0]], delimiter=",")


def test_the_command(without_posix):
    pytest.importorskip("typer")
    write_clouds(without_posix.folder / "in")
    question = ("--p", "1", "--k", "1", "--diameter", "1")
    answer = without_posix("-m", "rpw", "distance", "in/a.csv", "in/b.csv", *question)
    assert answer.returncode == 0, answer.stderr
    assert "0.5" in answer.stdout
    answer = without_posix("-m", "rpw", "pairwise", "in", *question, "--out", "D.csv")
    assert answer.returncode == 0, answer.stderr
    assert (without_posix.folder / "D.csv").exists()


def test_the_command_refuses_a_store_in_one_line(without_posix):
    pytest.importorskip("typer")
    pytest.importorskip("zarr")
    write_clouds(without_posix.folder / "in")
    answer = without_posix("-m", "rpw", "pairwise", "in", "--diameter", "1", "--out", "D.zarr")
    assert answer.returncode == 1
    assert "need a POSIX system" in " ".join(answer.stderr.split())
    assert "Traceback" not in answer.stderr


# ---------------------------------------------------------------- memory


def test_the_memory_that_windows_reports(monkeypatch, tmp_path):
    """The function of Windows is replaced by one that fills in the same structure, byte by byte as documented."""

    class Kernel:
        @staticmethod
        def GlobalMemoryStatusEx(status):
            # Two 32-bit numbers, the length and the load; then seven 64-bit ones: total and available of three kinds.
            length = ctypes.cast(status, ctypes.POINTER(ctypes.c_uint32))[0]
            assert length == 64
            numbers = ctypes.cast(status, ctypes.POINTER(ctypes.c_uint64))
            numbers[2], numbers[4] = 3_000_000_000, 5_000_000_000
            return 1

    monkeypatch.delattr(os, "sysconf", raising=False)
    assert memory.available_bytes(tmp_path) == float("inf")
    monkeypatch.setattr(ctypes, "windll", type("Libraries", (), {"kernel32": Kernel}), raising=False)
    assert memory.available_bytes(tmp_path) == 3e9
