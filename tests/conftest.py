"""How much of the tests is run, and what some of them need and may not find.

All at full strength, unless ``-m "not thorough"`` and ``HYPOTHESIS_PROFILE=quick`` ask for less, as ``make test`` does.
Runs repeat each other exactly; ``HYPOTHESIS_PROFILE=deep`` searches anew and for longer. A test that does not find its
browser, its GPU or its site is skipped, and fails where ``RPW_REQUIRE`` names it, as in ``RPW_REQUIRE=browser,site``.
"""

import os
import zlib
from pathlib import Path

import compiled
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from needs import browser, leave_out_cases, missing  # noqa: F401 (fixtures)

_quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("quick", max_examples=10, deadline=None, derandomize=True, suppress_health_check=_quiet)
settings.register_profile("full", max_examples=80, deadline=None, derandomize=True, suppress_health_check=_quiet)
settings.register_profile("deep", max_examples=3000, deadline=None, suppress_health_check=_quiet)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "full"))

# JAX takes three quarters of a GPU when it starts, so tests that run side by side there would find no memory left.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


def pytest_sessionstart():
    compiled.forget_old()


@pytest.hookimpl(tryfirst=True)  # before -m looks at the marks
def pytest_collection_modifyitems(items):
    leave_out_cases(items)


@pytest.fixture(autouse=True)
def _own_random_numbers(request, monkeypatch):
    """What a test draws from its module's RNG depends on the test alone, not on those that ran before it."""
    if hasattr(request.module, "RNG"):
        monkeypatch.setattr(request.module, "RNG", np.random.default_rng(zlib.crc32(request.node.nodeid.encode())))


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder of the site that ``make docs`` has built."""
    folder = Path(__file__).parent.parent / "build" / "site" / "html"
    if not (folder / "index.html").exists():
        missing("site", "make docs has not been run")
    return folder


@pytest.fixture(scope="session")
def gpu():
    """An NVIDIA GPU."""
    from rpw.many.backends.cuda import driver

    if not driver.is_available():
        missing("gpu", "there is no NVIDIA GPU")
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
