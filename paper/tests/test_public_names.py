"""The paper's experiments stand on what `rpw` publishes: no file here, not even a test, uses a private module."""

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import rpw

TOP = Path(__file__).parents[1]
FILES = sorted(TOP.rglob("*.py"))
PUBLIC = [name for name in dir(rpw) if not name.startswith("__")]
MODULES = {f"rpw.{name}" for name in PUBLIC if inspect.ismodule(getattr(rpw, name, None))}


def names_in(tree):
    """What is imported from rpw, and the attributes of ``rpw`` that are used: dotted names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute) and ast.unparse(node).startswith("rpw."):
            yield ast.unparse(node)


def is_public(name):
    """A public module, a name in its ``__all__``, or an attribute of such a name."""
    if name == "rpw" or name in MODULES or name == "rpw.__version__":
        return True
    home, _, last = name.rpartition(".")
    if home == "rpw" or home in MODULES:
        return last in importlib.import_module(home).__all__
    return home.startswith("rpw") and not last.startswith("_") and is_public(home)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(TOP)))
def test_only_public_names_of_rpw_are_used(path):
    names = [name for name in names_in(ast.parse(path.read_text(encoding="utf-8"))) if name.partition(".")[0] == "rpw"]
    assert [name for name in names if not is_public(name)] == []


def test_private_names_would_be_found():
    public = "from rpw.images import pixel_grid\nrpw.Measure.from_image(rpw.stats.drift)\n"
    text = public + "import rpw.io.files\nfrom rpw.pair.metrics import as_metric\nrpw._core.solve()"
    found = {name for name in names_in(ast.parse(text)) if not is_public(name)}
    assert found == {"rpw._core", "rpw._core.solve", "rpw.io.files", "rpw.pair.metrics.as_metric"}
    assert len(FILES) > 60
    assert {"rpw.images", "rpw.readers", "rpw.stats"} <= MODULES
