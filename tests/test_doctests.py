"""The examples in the docstrings are true."""

import doctest
import importlib
import pkgutil

import pytest

import rpw

NAMES = ["rpw", *(m.name for m in pkgutil.walk_packages(rpw.__path__, "rpw.") if not m.name.endswith("._core"))]
LARGE = ("rpw.jax", "rpw.torch")
MODULES = [pytest.param(name, marks=pytest.mark.large) if name in LARGE else name for name in NAMES]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of(name):
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        pytest.skip(f"needs an extra: {error}")
    assert doctest.testmod(module).failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    examples = {name: sum(len(t.examples) for t in finder.find(getattr(rpw, name))) for name in rpw.__all__}
    without = [name for name in rpw.__all__ if callable(getattr(rpw, name)) and not examples[name]]
    assert without == []
