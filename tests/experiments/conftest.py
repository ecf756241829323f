"""What the tests of the page of results share."""

import importlib.util

import pytest
from results_files import RESULTS


@pytest.fixture(scope="module")
def tables():
    spec = importlib.util.spec_from_file_location("tables", RESULTS / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page():
    return (RESULTS / "README.md").read_text(encoding="utf-8")
