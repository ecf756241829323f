"""Nothing is written, deleted or read through a link: what it points to stays as it was."""

import os
import shutil

import numpy as np
import pytest
from checks import ragged_clouds as clouds

import rpw

pytest.importorskip("zarr")


@pytest.fixture
def store(tmp_path):
    out = tmp_path / "G.zarr"
    rpw.pairwise(clouds(8, 4), out=out)
    return out


@pytest.fixture
def victim(tmp_path):
    """A folder of the user, with names that the store also has."""
    folder = tmp_path / "victim"
    for name in ("note", "0.1", "lock", "part", "done/0.1", "1/0", "0/1"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_dir():
            (folder / name).write_text(f"precious {name}")
    return folder


def state(folder):
    """Everything below a folder: what the files hold, when they were written, where links point."""
    found = {}
    for path in sorted(folder.rglob("*")):
        about = path.lstat()
        found[path.relative_to(folder)] = (
            path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None,
            about.st_mtime_ns,
            about.st_ino,
        )
    return found


def replace_by_link(path, target):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.symlink_to(target)


FOLDERS = [".rpw", ".rpw/done", "c", "c/0", "c/1"]
FILES = ["zarr.json", ".rpw/lock", ".rpw/part", ".rpw/done/0.1", ".rpw/done/0.1.nan", "c/0/1", "c/1/0"]


@pytest.mark.sample(8)
@pytest.mark.parametrize("on_error", ["raise", "nan"])
@pytest.mark.parametrize("is_finished", [True, False])
@pytest.mark.parametrize("name", FOLDERS + FILES)
def test_a_link_inside_a_store_is_refused(store, victim, name, is_finished, on_error):
    if name == ".rpw/done/0.1.nan":  # looked at only then
        (store / ".rpw/done/0.1").unlink()
    if not is_finished:
        for mark in ("0.0", "0.1"):
            (store / ".rpw" / "done" / mark).unlink(missing_ok=True)
    target = victim if name in FOLDERS else victim / "note"
    replace_by_link(store / name, target)
    before = state(victim)
    if is_finished and name in (".rpw/lock", ".rpw/part"):  # nothing is written, so nobody looks at these
        rpw.pairwise(clouds(8, 4), out=store, on_error=on_error)
    else:
        with pytest.raises(ValueError, match=rf"^out='{store}': its {name} is a link"):
            rpw.pairwise(clouds(8, 4), out=store, on_error=on_error)
    assert state(victim) == before
    assert (store / name).is_symlink()


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", FOLDERS + FILES)
def test_a_copy_of_a_store_as_victim_is_not_touched(store, tmp_path, name):
    """The link points to what the store itself would hold: everything fits, and still nothing is written there."""
    copy = tmp_path / "copy.zarr"
    shutil.copytree(store, copy)
    for mark in ("0.0", "0.1"):
        (copy / ".rpw" / "done" / mark).unlink()
        (store / ".rpw" / "done" / mark).unlink()
    replace_by_link(store / name, copy / name)
    before = state(copy)
    with pytest.raises(ValueError, match=r"its .* is a link, and no link is followed there: remove it, or choose"):
        rpw.pairwise(clouds(8, 4), out=store)
    assert state(copy) == before


@pytest.mark.parametrize("name", ["done", "lock", "part"])
def test_links_in_a_folder_that_has_just_begun(tmp_path, victim, name):
    out = tmp_path / "G.zarr"
    (out / ".rpw").mkdir(parents=True)
    (out / ".rpw" / name).symlink_to(victim / name)
    before = state(victim)
    with pytest.raises(ValueError, match=rf"its \.rpw/{name} is a link"):
        rpw.pairwise(clouds(8, 4), out=out)
    assert state(victim) == before


def test_a_link_without_a_target_creates_nothing(store, tmp_path):
    (store / ".rpw" / "done" / "0.0").unlink()
    for name in (".rpw/part", ".rpw/lock", ".rpw/done/0.0"):
        replace_by_link(store / name, tmp_path / "new")
        with pytest.raises(ValueError, match=f"its {name} is a link"):
            rpw.pairwise(clouds(8, 4), out=store)
        (store / name).unlink()
    (tmp_path / "dangling").symlink_to(tmp_path / "new")
    with pytest.raises(ValueError, match=r"out='.*dangling' is a link to nothing"):
        rpw.pairwise(clouds(8, 4), out=tmp_path / "dangling")
    assert not (tmp_path / "new").exists()


def test_a_second_name_of_a_file_is_not_written_through(store, victim):
    """Hard links: files that are ours by one name and the user's by another."""
    (store / ".rpw" / "done" / "0.1").unlink()
    for name in (".rpw/lock", ".rpw/part", "c/0/1", "zarr.json"):
        (victim / "second").unlink(missing_ok=True)
        if (store / name).exists():
            os.link(store / name, victim / "second")
        else:
            os.link(victim / "note", store / name)
        before = {path: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
        np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=store)[:], rpw.pairwise(clouds(8, 4)))
        assert before == {path: path.read_bytes() for path in victim.rglob("*") if path.is_file()}
        (store / ".rpw" / "done" / "0.1").unlink()


def test_the_path_that_the_user_gives_may_be_a_link(store, tmp_path, victim):
    (tmp_path / "link").symlink_to(store)
    (store / ".rpw" / "done" / "0.1").unlink()
    stored = rpw.pairwise(clouds(8, 4), out=tmp_path / "link")
    np.testing.assert_array_equal(stored[:], rpw.pairwise(clouds(8, 4)))
    assert (store / ".rpw" / "done" / "0.1").exists()
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "folder").symlink_to(tmp_path)
    np.testing.assert_array_equal(rpw.pairwise(clouds(8, 4), out=tmp_path / "folder" / "G.zarr")[:], stored[:])
    (tmp_path / "to victim").symlink_to(victim)
    before = state(victim)
    with pytest.raises(ValueError, match="was not written by rpw"):
        rpw.pairwise(clouds(8, 4), out=tmp_path / "to victim")
    assert state(victim) == before


@pytest.mark.parametrize("name", ["c/0/1", ".rpw/lock", ".rpw/done/0.1", "zarr.json"])
def test_what_is_no_file_is_not_waited_for(store, name):
    """A named pipe without a writer would be read for ever."""
    (store / ".rpw" / "done" / "0.0").unlink()
    (store / name).unlink()
    os.mkfifo(store / name)
    with pytest.raises(ValueError, match=f"its {name} is not a regular file"):
        rpw.pairwise(clouds(8, 4), out=store)


def test_links_are_refused_while_reading(store, tmp_path):
    array = rpw.pairwise(clouds(8, 4), out=store)
    shutil.move(store / "c" / "0" / "1", tmp_path / "chunk")
    (store / "c" / "0" / "1").symlink_to(tmp_path / "chunk")
    with pytest.raises(ValueError, match="its c/0/1 is a link"):
        array[:]
    assert array[-1, -1] == 0


@pytest.mark.parametrize("name", ["zarr.json", ".rpw/lock", ".rpw/part"])
def test_names_are_not_written_through_a_link(store, victim, name):
    from rpw.many.store.tile_store import write_names

    target = victim / "note"
    if name == "zarr.json":
        shutil.copy(store / name, target)
    replace_by_link(store / name, target)
    before = state(victim)
    with pytest.raises(ValueError, match=f"its {name} is a link"):
        write_names(store, rows=["a"] * 8, columns=["b"] * 8)
    assert state(victim) == before
