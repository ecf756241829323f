"""What `make test` runs and what it leaves to `make test-all` are together all tests, and none of them twice."""

import pytest

pytest_plugins = ["pytester"]

SUITE = """
import pytest

@pytest.mark.sample(2)
@pytest.mark.parametrize("seed", range(7))
@pytest.mark.parametrize("p", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_many(seed, p): pass

@pytest.mark.thorough
def test_long(): pass

def test_short(): pass
"""


@pytest.fixture
def selected(pytester, request):
    """A function that tells which tests of that suite run, under our conftest."""
    conftest = request.config.rootpath / "tests" / "conftest.py"
    pytester.makeconftest(conftest.read_text(encoding="utf-8"))
    pytester.makeini("[pytest]\nmarkers = sample\n    thorough")
    pytester.makepyfile(SUITE)

    def of(*options):
        passed, _, _ = pytester.inline_run(*options).listoutcomes()
        return {report.nodeid.partition("::")[2] for report in passed}

    return of


def test_a_sample_is_drawn_and_the_others_are_thorough(selected):
    everything, quick, rest = selected(), selected("-m", "not thorough"), selected("-m", "thorough")
    assert len(everything) == 2 * 7 + 2
    assert quick | rest == everything
    assert not quick & rest
    assert "test_short" in quick
    assert "test_long" in rest
    assert len(quick) == 3
    assert not [name for name in quick if name.startswith("test_many[2-")]
    assert selected("-m", "not thorough") == quick
