"""The compiled core in the package is the one that these sources give."""

import hashlib
import importlib.util
import json
import shutil
from pathlib import Path

import pytest

import rpw

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "cpp" / "browser" / "build.py"
PACKAGE = Path(rpw.__file__).parent / "explore"


@pytest.fixture(scope="module")
def build():
    spec = importlib.util.spec_from_file_location("build_playground", BUILD)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recorded():
    return json.loads((PACKAGE / "core.json").read_text(encoding="utf-8"))


def test_the_sources_are_those_that_were_compiled(build, recorded):
    now = build.record()
    assert {name: recorded[name] for name in now} == now, (
        "cpp/ has changed: run `make playground` and commit the result"
    )


def test_the_file_is_the_one_that_was_made(recorded):
    compiled = (PACKAGE / "core.wasm").read_bytes()
    assert (len(compiled), hashlib.sha256(compiled).hexdigest()) == (recorded["bytes"], recorded["sha256"])
    assert compiled[:8] == b"\0asm\1\0\0\0"


def test_every_room_but_three_is_in_the_digest(build):
    """A room that is new, or a header that is included from afar, must count."""
    compiled = {path.parent.name for path in build.sources()}
    rooms = {path.name for path in (ROOT / "cpp").iterdir() if any(path.glob("*.cpp"))}
    assert rooms - compiled == {"tests", "bindings", "many"}
    headers = set().union(*map(build.closure, build.sources()))
    assert ROOT / "cpp" / "base" / "tuning.hpp" in headers
    assert ROOT / "cpp" / "browser" / "shims.hpp" in headers


def test_a_changed_source_or_flag_gives_another_digest(build, tmp_path, monkeypatch):
    before = build.record()["digest"]
    monkeypatch.setattr(build, "COMPILE", (*build.COMPILE, "-O1"))
    assert build.record()["digest"] != before
    monkeypatch.undo()
    copy = tmp_path / "copy"
    shutil.copytree(ROOT / "cpp", copy / "cpp")
    monkeypatch.setattr(build, "ROOT", copy)
    monkeypatch.setattr(build, "CPP", copy / "cpp")
    assert build.record()["digest"] == before
    header = copy / "cpp" / "base" / "masses.hpp"
    header.write_text(header.read_text() + "// another\n")
    assert build.record()["digest"] != before


def test_the_page_calls_what_is_exported(recorded):
    script = (PACKAGE / "browser" / "core.js").read_text(encoding="utf-8")
    assert recorded["exports"]
    assert [name for name in recorded["exports"] if f"exports.{name}(" not in script] == []
