"""The folders of the core show its direction: each includes only itself and those above it in CONTRIBUTING.md."""

import re
from pathlib import Path

from rooms import rooms_of

CORE = Path(__file__).parents[1] / "cpp"
ORDER = [*(name.rstrip("/") for names in rooms_of("cpp") for name in names), "tests"]


def included(path):
    """The files of the core that a file names."""
    return [CORE / name for name in re.findall(r'^#include "(.+)"$', path.read_text(), re.MULTILINE)]


def test_every_folder_includes_downwards_only():
    files = [path for path in CORE.rglob("*") if path.suffix in (".cpp", ".hpp")]
    assert len(files) > 30
    assert {path.parent.name for path in files} == set(ORDER)
    for path in files:
        for other in included(path):
            assert other.is_file(), f"{path} includes {other}"
            assert ORDER.index(other.parent.name) <= ORDER.index(path.parent.name), f"{path} includes {other}"


def test_no_header_includes_itself():
    below = {path: set(included(path)) for path in CORE.rglob("*.hpp")}
    while below:  # take away, again and again, the headers that include nothing that is left
        free = {path for path, others in below.items() if not others & below.keys()}
        assert free, f"a cycle among {sorted(map(str, below))}"
        below = {path: others for path, others in below.items() if path not in free}


def test_no_two_headers_define_a_type_of_the_same_name():
    """The linker keeps one of two and says nothing, even where their fields differ (the one-definition rule)."""
    names = [
        name
        for path in CORE.rglob("*.hpp")
        for name in re.findall(r"^(?:struct|class|enum class) (\w+)\b.*\{", path.read_text(), re.MULTILINE)
    ]
    assert len(names) > 60
    assert sorted(names) == sorted(set(names))


def test_only_the_bindings_know_python():
    strangers = [p for p in CORE.rglob("*pp") if p.parent.name != "bindings" and "nanobind" in p.read_text()]
    assert strangers == []
