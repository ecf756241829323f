"""How much of the tests is run, and what some of them need and may not find.

All at full strength, unless ``-m "not thorough"`` and ``HYPOTHESIS_PROFILE=quick`` ask for less, as ``make test`` does.
Runs repeat each other exactly; ``HYPOTHESIS_PROFILE=deep`` searches anew and for longer. A test that does not find its
browser, its GPU or its data is skipped, and fails where ``RPW_REQUIRE`` names it, as in ``RPW_REQUIRE=browser,data``.
"""

import collections
import os
import shutil
import zlib
from pathlib import Path

import compiled
import numpy as np
import pytest
from hypothesis import HealthCheck, settings

_quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("quick", max_examples=10, deadline=None, derandomize=True, suppress_health_check=_quiet)
settings.register_profile("full", max_examples=80, deadline=None, derandomize=True, suppress_health_check=_quiet)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=_quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))

# JAX takes three quarters of a GPU when it starts, so tests that run side by side there would find no memory left.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def pytest_sessionstart():
    compiled.forget_old()


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items):
    """Of the cases of a test marked ``sample(n)``, all but n are thorough: a draw that depends on their names alone."""
    cases = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("thorough"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for drawn in cases.values():
        (count,) = drawn[0].get_closest_marker("sample").args
        for item in sorted(drawn, key=lambda item: zlib.crc32(item.nodeid.encode()))[count:]:
            item.add_marker("thorough")


@pytest.fixture(autouse=True)
def _own_random_numbers(request, monkeypatch):
    """What a test draws from its module's RNG depends on the test alone, not on those that ran before it."""
    if hasattr(request.module, "RNG"):
        monkeypatch.setattr(request.module, "RNG", np.random.default_rng(zlib.crc32(request.node.nodeid.encode())))


def _missing(what: str, why: str):
    if what in os.environ.get("RPW_REQUIRE", "").split(","):
        pytest.fail(f"RPW_REQUIRE asks for {what}: {why}")
    pytest.skip(why)


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder RPW_DATA with the data sets of the experiments."""
    folder = os.environ.get("RPW_DATA")
    if not folder or not Path(folder).is_dir():
        _missing("data", "RPW_DATA names no folder")
    return Path(folder)


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the site that ``make docs`` has built."""
    folder = Path(__file__).parent.parent / "build" / "site" / "html"
    if not (folder / "index.html").exists():
        _missing("site", "make docs has not been run")
    return folder


@pytest.fixture(scope="session")
def gpu():
    """An NVIDIA GPU."""
    from rpw.many.backends.cuda import driver

    if not driver.is_available():
        _missing("gpu", "there is no NVIDIA GPU")
    return driver.device()


@pytest.fixture
def host():
    """A stand-in for a GPU, on the host."""
    from host_gpu import HostDevice

    return HostDevice()


@pytest.fixture
def on_host(host, monkeypatch):
    """`device="cuda"` is the host here."""
    from rpw.many.backends.cuda import backend

    monkeypatch.setattr(backend, "device", lambda number: host)
    return host


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    program = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        _missing("browser", "no Chromium is installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("browser", "playwright is not installed")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # its sandbox refuses to start for root
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()
