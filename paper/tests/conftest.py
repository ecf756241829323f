"""What the tests of the pages of results share."""

import importlib
import sys

import pytest
from results_files import RESULTS, text_of


@pytest.fixture(scope="session")
def programs():
    """The programs of paper/docs by their names: they import each other as scripts of one folder do."""
    before = set(sys.modules)
    sys.path.insert(0, str(RESULTS))
    try:
        yield lambda name: importlib.import_module(name)
    finally:
        sys.path.remove(str(RESULTS))
        for name in set(sys.modules) - before:
            if str(RESULTS) in (getattr(sys.modules[name], "__file__", None) or ""):
                del sys.modules[name]


@pytest.fixture(scope="session")
def tables(programs):
    return programs("tables")


@pytest.fixture(scope="session")
def page():
    """The text of a page by its name."""
    return text_of
