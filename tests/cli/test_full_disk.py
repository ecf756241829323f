"""A disk that is full: the error names the file, and what was there before stays. (Real ones: a limit of the process on
the length of files, and a file system of 64 kB where the machine lets us mount one.)"""

import resource
import shutil
import subprocess
import sys

import children
import numpy as np
import pytest

NEEDED = {"plot": "matplotlib", "zarr": "zarr"}


def commands(folder, inputs):
    """What writes more than fits, and the file that the error must name."""
    pairwise = ("pairwise", inputs / "many.npy", "--out")
    pair = ("profile", inputs / "a.csv", inputs / "b.csv", "--plot")
    return {
        "npy": ((*pairwise, folder / "D.npy"), folder / "D.npy"),
        "npz": ((*pairwise, folder / "D.npz"), folder / "D.npz"),
        "csv": ((*pairwise, folder / "D.csv"), folder / "D.csv"),
        "zarr": ((*pairwise, folder / "D.zarr"), folder / "D.zarr"),
        "index": (("index", inputs / "long.npy", "--out", folder / "I"), folder / "I"),
        "plot": ((*pair, folder / "p.png"), folder / "p.png"),
    }


@pytest.fixture
def inputs(tmp_path, diracs):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "many.npy", rng.random((120, 2, 2)))
    np.save(tmp_path / "long.npy", rng.random((2, 3000, 2)))
    return tmp_path


def allow_short_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["npy", "npz", "csv", "zarr", "index", "plot"])
def test_files_that_may_not_be_so_long(tmp_path, inputs, name):
    pytest.importorskip(NEEDED.get(name, "numpy"))
    folder = tmp_path / "out"
    folder.mkdir()
    line, target = commands(folder, inputs)[name]
    done = children.run("-m", "rpw", *line, preexec_fn=allow_short_files)
    assert done.returncode == 1, done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith(f"rpw: {target}")
    assert "File too large" in done.stderr or "is the disk full?" in done.stderr
    assert not list(folder.rglob("*.part"))


MOUNTED = 'mount -t tmpfs -o size=64k tmpfs "$1" && shift && exec "$@"'  # in a space of its own, which ends with it


@pytest.fixture(scope="module")
def can_mount(tmp_path_factory):
    place = tmp_path_factory.mktemp("place")
    line = ["unshare", "-Urm", "sh", "-c", MOUNTED, "sh", place, "true"]
    if shutil.which("unshare") is None or subprocess.run(line, capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here")


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["npy", "npz", "csv", "zarr", "index"])
@pytest.mark.usefixtures("can_mount")
def test_a_disk_that_is_full(tmp_path, inputs, name):
    pytest.importorskip(NEEDED.get(name, "numpy"))
    folder = tmp_path / "out"
    folder.mkdir()
    line, target = commands(folder, inputs)[name]
    rpw = [sys.executable, "-m", "rpw", *map(str, line)]
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", MOUNTED, "sh", folder, *rpw],
        env=children.ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1, done.stdout
    assert done.stderr.startswith(f"rpw: {target}: ")
    assert "No space left on device" in done.stderr or "is the disk full?" in done.stderr
    assert len(done.stderr.splitlines()) == 1
