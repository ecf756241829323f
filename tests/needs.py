"""What tests need and may not find, and how many of their cases are run: for the library's tests and the paper's."""

import collections
import os
import shutil
import zlib

import pytest

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def leave_out_cases(items):
    """Of the cases of a test marked ``sample(n)``, all but n are thorough: a draw that depends on their names alone."""
    cases = collections.defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("thorough"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for drawn in cases.values():
        (count,) = drawn[0].get_closest_marker("sample").args
        for item in sorted(drawn, key=lambda item: zlib.crc32(item.nodeid.encode()))[count:]:
            item.add_marker("thorough")


def missing(what: str, why: str):
    """Skip the test, or let it fail where ``RPW_REQUIRE`` names what is missing."""
    if what in os.environ.get("RPW_REQUIRE", "").split(","):
        pytest.fail(f"RPW_REQUIRE asks for {what}: {why}")
    pytest.skip(why)


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    program = next((path for name in _BROWSERS if (path := shutil.which(name))), None)
    if program is None:
        missing("browser", "no Chromium is installed")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("browser", "playwright is not installed")
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []  # its sandbox refuses to start for root
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=arguments)
        yield started
        started.close()
