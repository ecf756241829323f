"""The compiled file has the name, and with that the promise, that its wheel makes for this Python."""

import importlib.machinery
import re
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from rpw import _core

TOP = Path(__file__).parent.parent

FILE = Path(_core.__file__).name
IS_FREE_THREADED = bool(sysconfig.get_config_var("Py_GIL_DISABLED"))


def test_one_file_serves_all_pythons_from_3_12_on():
    """nanobind drops the stable ABI without a word if CMake was not asked for the component Development.SABIModule.

    Before 3.12 there is no stable ABI that nanobind could use, and none for a free-threaded Python before 3.15. There
    the file must name its Python, so that no other tries to load it.
    """
    if sys.version_info < (3, 12) or IS_FREE_THREADED:
        version = f"{sys.version_info.major}{sys.version_info.minor}{'t' if IS_FREE_THREADED else ''}"
        assert importlib.machinery.EXTENSION_SUFFIXES[0] == FILE.removeprefix("_core")
        assert re.search(rf"\b(cpython-|cp){version}\b", FILE), FILE
    elif sys.platform == "win32":
        assert FILE == "_core.pyd"  # the file of an ordinary module would be called _core.cp312-win_amd64.pyd
    else:
        assert FILE == "_core.abi3.so"


@pytest.mark.skipif(not (TOP / "CMakeLists.txt").exists(), reason="the sources are not here")
def test_the_build_asks_for_the_stable_abi():
    """The test above sees that only on a Python from 3.12 on; this one also on 3.11."""
    cmake = (TOP / "CMakeLists.txt").read_text(encoding="utf-8")
    assert re.search(r"find_package\(Python [^)]*\bDevelopment\.Module \$\{SKBUILD_SABI_COMPONENT\}\)", cmake)
    assert re.search(r"nanobind_add_module\([^)]*\bSTABLE_ABI\b", cmake)
    build = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["scikit-build"]
    assert build["wheel"]["py-api"] == "cp312"
