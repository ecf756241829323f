"""The script that records bits compares numbers, and not the same error twice."""

import pytest
from bits import bits_of, cases_of_collection, cases_of_matrix, cases_of_pair, compare


@pytest.mark.parametrize("seed", range(1, 6))  # every exponent once
def test_no_case_of_a_pair_records_an_error(seed):
    names = set()
    for name, call in [*cases_of_pair(seed), *cases_of_matrix(seed)]:
        assert len(bits_of(call).split()) == 2, name  # a digest, and the first number
        names.add(name)
    assert len([name for name in names if " profile " in name]) >= 4


def test_no_case_of_a_collection_records_an_error():
    cases = list(cases_of_collection(0))
    assert len(cases) > 100
    for name, call in cases[::9]:
        assert len(bits_of(call).split()) == 2, name


def test_what_differs_is_counted(capsys):
    before = {name: bits_of(lambda value=value: [value, "word"]) for name, value in (("a", 1.0), ("b", 2.0))}
    assert compare(before, dict(before)) == 0
    assert compare(before, before | {"b": bits_of(lambda: [2.0 + 2**-51, "word"])}) == 1
    assert compare(before, before | {"c": "ValueError"}) == 1
    assert "b\n    before: " in capsys.readouterr().out
