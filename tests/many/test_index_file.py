"""The file of an index: many writers, failed writers, and well-formed files that hold nonsense."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from checks import ragged_clouds as clouds
from children import ENVIRONMENT

import rpw


def test_many_writers_of_one_index(tmp_path):
    indices = [rpw.Index(clouds(20 + s, 5, seed=s)) for s in range(4)]
    path = tmp_path / "I"

    def save(index):
        for _ in range(25):
            index.save(path)
            assert len(rpw.Index.load(path)) in (20, 21, 22, 23)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(save, indices))
    assert os.listdir(tmp_path) == ["I"]


def test_a_save_that_fails_leaves_nothing(tmp_path, monkeypatch):
    index, path = rpw.Index(clouds(5, 4)), tmp_path / "I"
    index.save(path)
    before = path.read_bytes()
    assert (path.stat().st_mode & 0o777) == 0o666 & ~current_umask()

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="No space left"):
        index.save(path)
    assert os.listdir(tmp_path) == ["I"]
    assert path.read_bytes() == before


KILLED = """
import os, signal, sys
from rpw.io.files import replacing

with replacing(sys.argv[1]) as file:
    file.write(b"half an index")
    file.flush()
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
"""


def killed_writer(path, by="SIGKILL"):
    return subprocess.Popen([sys.executable, "-c", KILLED, path, by], env=ENVIRONMENT)


def test_a_killed_save_leaves_the_index_and_is_swept_up_later(tmp_path):
    index, path = rpw.Index(clouds(5, 4)), tmp_path / "I"
    index.save(path)
    before = path.read_bytes()
    assert killed_writer(path).wait(30) == -signal.SIGKILL
    assert path.read_bytes() == before
    (left,) = (each for each in tmp_path.iterdir() if each != path)
    assert left.name.startswith(".rpw-")
    os.utime(left, (0, 0))
    index.save(path)
    assert os.listdir(tmp_path) == ["I"]


def test_a_file_that_is_being_written_is_not_swept_up(tmp_path):
    index, path = rpw.Index(clouds(5, 4)), tmp_path / "I"
    with killed_writer(path, "SIGSTOP") as child:
        os.waitpid(child.pid, os.WUNTRACED)
        index.save(path)
        assert len(os.listdir(tmp_path)) == 2
        child.send_signal(signal.SIGCONT)
        assert child.wait(30) == 0
    assert path.read_bytes() == b"half an index"
    assert os.listdir(tmp_path) == ["I"]


def test_an_index_is_not_saved_through_a_link(tmp_path):
    (tmp_path / "precious").write_text("mine")
    (tmp_path / "I").symlink_to(tmp_path / "precious")
    index = rpw.Index(clouds(5, 4))
    index.save(tmp_path / "I")
    assert (tmp_path / "precious").read_text() == "mine"
    assert not (tmp_path / "I").is_symlink()
    assert len(rpw.Index.load(tmp_path / "I")) == 5


def test_a_picture_is_not_drawn_through_a_link(tmp_path):
    pytest.importorskip("matplotlib")
    typer = pytest.importorskip("typer.testing")
    from rpw.cli._app import app

    (tmp_path / "precious").write_text("mine")
    (tmp_path / "g.png").symlink_to(tmp_path / "precious")
    np.save(tmp_path / "x.npy", np.zeros((2, 1)))
    arguments = ["profile", str(tmp_path / "x.npy"), str(tmp_path / "x.npy"), "--plot", str(tmp_path / "g.png")]
    answer = typer.CliRunner().invoke(app, arguments)
    assert answer.exit_code == 0, answer.output
    assert (tmp_path / "precious").read_text() == "mine"
    assert not (tmp_path / "g.png").is_symlink()
    assert (tmp_path / "g.png").stat().st_size > 100


def current_umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_index_is_not_saved_to_a_folder(tmp_path):
    index = rpw.Index(clouds(5, 4))
    with pytest.raises(OSError, match="is a folder"):
        index.save(tmp_path)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        index.save(tmp_path / "nope" / "I")
    assert not os.listdir(tmp_path)


def saved_arrays(tmp_path, kind):
    rng = np.random.default_rng(0)
    if kind == "points":
        index = rpw.Index(clouds(6, 4))
    else:
        places, rows = rng.random((5, 2)), rng.random((6, 5))
        space = {kind: places if kind == "support" else np.abs(places[:, :1] - places[:, 0])}
        index = rpw.Index(rows, **space)
    index.save(tmp_path / "whole")
    with np.load(tmp_path / "whole") as stored:
        return {name: stored[name] for name in stored.files}


def about(arrays, **changes):
    text = json.loads(str(arrays["about"]))
    text["distance"] |= changes
    return {"about": np.array(json.dumps(text))}


def unsigned(arrays):
    text = json.loads(str(arrays["about"]))
    return np.array(json.dumps({name: part for name, part in text.items() if name != "digest"}))


def write_signed(path, arrays):
    """The file with the digest of what is in it now."""
    text = json.loads(str(arrays["about"]))
    rest = {name: array for name, array in arrays.items() if name != "about"}
    digest = hashlib.sha256(json.dumps(text.get("distance"), sort_keys=True).encode())
    for name in sorted(rest):
        digest.update(f"{name} {rest[name].dtype.str} {rest[name].shape}".encode() + rest[name].tobytes())
    with open(path, "wb") as file:
        np.savez(file, about=np.array(json.dumps(text | {"digest": digest.hexdigest()})), **rest)


def replaced(array, at, value):
    copy = array.copy()
    copy.flat[at] = value
    return copy


BROKEN = {
    "place beyond": ("support", lambda a: {"place": replaced(a["place"], 0, 5)}),
    "place far beyond": ("cost", lambda a: {"place": replaced(a["place"], 3, 2**31 - 1)}),
    "negative place": ("cost", lambda a: {"place": replaced(a["place"], 0, -1)}),
    "place of another type": ("support", lambda a: {"place": a["place"].astype(np.int64)}),
    "place without support": ("support", lambda a: {"support": None}),
    "place without cost": ("cost", lambda a: {"cost": None}),
    "support beside points": ("points", lambda a: {"support": np.eye(3)}),
    "neither points nor place": ("points", lambda a: {"points": None}),
    "both points and place": ("support", lambda a: {"points": np.zeros((len(a["mass"]), 2))}),
    "oblong cost": ("cost", lambda a: {"cost": a["cost"][:, :3]}),
    "negative cost": ("cost", lambda a: {"cost": -a["cost"]}),
    "NaN in support": ("support", lambda a: {"support": replaced(a["support"], 0, np.nan)}),
    "NaN in points": ("points", lambda a: {"points": replaced(a["points"], 0, np.nan)}),
    "points of another type": ("points", lambda a: {"points": a["points"].astype(np.float32)}),
    "flat points": ("points", lambda a: {"points": a["points"].ravel()}),
    "points in another order": ("points", lambda a: {"points": np.asfortranarray(a["points"])}),
    "too few points": ("points", lambda a: {"points": a["points"][:-1]}),
    "negative k": ("points", lambda a: about(a, k=-1.0)),
    "NaN k": ("points", lambda a: about(a, k=float("nan"))),
    "k of another type": ("points", lambda a: about(a, k="1")),
    "p = 0": ("points", lambda a: about(a, p=0)),
    "no diameter": ("points", lambda a: about(a, diameter=0)),
    "infinite diameter": ("points", lambda a: about(a, diameter=float("inf"))),
    "another distance": ("points", lambda a: about(a, name="wasserstein")),
    "unknown distance": ("points", lambda a: about(a, name="magic")),
    "unknown metric": ("points", lambda a: about(a, metric="magic")),
    "refused metric": ("points", lambda a: about(a, metric="cosine")),
    "metric of another type": ("points", lambda a: about(a, metric=3)),
    "mass that belongs elsewhere": ("points", lambda a: about(a, mass=0.5)),
    "unknown parameter": ("points", lambda a: about(a, magic=1)),
    "no parameters": ("points", lambda a: {"about": np.array('{"format": "rpw index", "version": 4}')}),
    "parameters of another type": (
        "points",
        lambda a: {"about": np.array('{"format": "rpw index", "version": 4, "distance": [1]}')},
    ),
    "masses that do not sum up": ("points", lambda a: {"mass": a["mass"] * 2}),
    "too little mass": ("points", lambda a: {"mass": a["mass"] // 2, "weights": a["weights"] / 2}),
    "negative weight": ("points", lambda a: {"weights": replaced(a["weights"], 0, -0.5)}),
    "NaN weight": ("points", lambda a: {"weights": replaced(a["weights"], 0, np.nan)}),
    "masses as floats": ("points", lambda a: {"mass": a["mass"].astype(float)}),
    "no measures": ("points", lambda a: {"start": np.array([0])}),
    "empty start": ("points", lambda a: {"start": np.empty(0, dtype=np.int64)}),
    "start that goes back": ("points", lambda a: {"start": replaced(a["start"], 1, a["start"][2] + 1)}),
    "start beyond": ("points", lambda a: {"start": replaced(a["start"], -1, 10**6)}),
    "a number as start": ("points", lambda a: {"start": np.int64(0)}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_an_index_with_broken_arrays_is_refused(tmp_path, name):
    kind, change = BROKEN[name]
    arrays = saved_arrays(tmp_path, kind)
    assert len(rpw.Index.load(tmp_path / "whole")) == 6
    arrays |= change(arrays)
    write_signed(tmp_path / "broken", {name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(ValueError, match="broken is damaged: ") as caught:
        rpw.Index.load(tmp_path / "broken")
    assert "\n" not in str(caught.value)
    assert "digest" not in str(caught.value)  # refused for what it is, whoever signed it


FORGED = {
    "a point that is off by a bit": (
        "points",
        lambda a: {"points": replaced(a["points"], 3, np.nextafter(a["points"].flat[3], 1))},
    ),
    "other points": ("points", lambda a: {"points": a["points"] + 1e-9}),
    "other places": ("support", lambda a: {"support": a["support"][::-1].copy()}),
    "other costs": ("cost", lambda a: {"cost": a["cost"] * 2}),
    "another k": ("points", lambda a: about(a, k=2.0)),
    "another diameter": ("support", lambda a: about(a, diameter=3.0)),
    "no digest": ("points", lambda a: {"about": unsigned(a)}),
}


@pytest.mark.parametrize("name", FORGED)
def test_an_index_that_was_changed_is_refused(tmp_path, name):
    kind, change = FORGED[name]
    arrays = saved_arrays(tmp_path, kind)
    write_signed(tmp_path / "whole again", arrays)
    assert len(rpw.Index.load(tmp_path / "whole again")) == 6  # the digest is what the documents say
    with open(tmp_path / "forged", "wb") as file:
        np.savez(file, **(arrays | change(arrays)))
    with pytest.raises(ValueError, match=r"forged is damaged: .*digest"):
        rpw.Index.load(tmp_path / "forged")


def test_a_description_of_brackets_without_end_is_no_index(tmp_path):
    np.savez(tmp_path / "deep.npz", about=np.array("[" * 200_000))
    with pytest.raises(ValueError, match="index"):
        rpw.Index.load(tmp_path / "deep.npz")
