"""What the tests share: a browser, a GPU and the data, if they are there, and the programs that write the pages."""

import importlib
import os
import sys
from pathlib import Path

import pytest
from needs import browser, leave_out_cases, missing  # noqa: F401 (a fixture)
from results_files import RESULTS, text_of

import rpw


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items):
    leave_out_cases(items)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder RPW_DATA with the data sets of the paper."""
    folder = os.environ.get("RPW_DATA")
    if not folder or not Path(folder).is_dir():
        missing("data", "RPW_DATA names no folder")
    return Path(folder)


@pytest.fixture(scope="session")
def gpu():
    """An NVIDIA GPU."""
    try:
        rpw.pairwise([[[0.0]]], [[[0.0]]], diameter=1, device="cuda")
    except rpw.NoGpuError as error:
        missing("gpu", str(error))


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
