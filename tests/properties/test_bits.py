"""The script that records numbers compares them to rounding, and not the same error twice."""

import pytest
from bits import cases_of_collection, cases_of_matrix, cases_of_pair, compare, numbers_of


@pytest.mark.parametrize("seed", range(1, 6))  # every exponent once
def test_no_case_of_a_pair_records_an_error(seed):
    names = set()
    for name, call in [*cases_of_pair(seed), *cases_of_matrix(seed)]:
        assert not isinstance(numbers_of(call), str), name
        names.add(name)
    assert len([name for name in names if " profile " in name]) >= 4


def test_no_case_of_a_collection_records_an_error():
    cases = list(cases_of_collection(0))
    assert len(cases) > 100
    for name, call in cases[::9]:
        assert not isinstance(numbers_of(call), str), name


def test_what_differs_is_counted(capsys):
    before = {name: numbers_of(lambda value=value: [value, "word"]) for name, value in (("a", 1.0), ("b", 2.0))}
    assert compare(before, dict(before)) == 0
    assert compare(before, before | {"b": numbers_of(lambda: [2.0 + 2**-51, "word"])}) == 0
    assert compare(before, before | {"b": numbers_of(lambda: [2.0 + 1e-11, "word"])}) == 1
    assert compare(before, before | {"b": numbers_of(lambda: [2.0, "words"])}) == 1
    assert compare(before, before | {"c": "ValueError"}) == 1
    assert "b\n    before: " in capsys.readouterr().out


def test_answers_within_a_tolerance_have_to_meet():
    exact = {"distance": 0.5, "lower": 0.5, "upper": 0.5, "status": "exact", "excess": 0.0}
    rough = exact | {"status": "tolerance", "lower": 0.45, "upper": 0.55, "distance": 0.55}
    assert compare({"a": rough}, {"a": rough | {"lower": 0.54}}) == 0
    assert compare({"a": rough}, {"a": rough | {"lower": 0.56, "upper": 0.6}}) == 1
    assert compare({"a": exact}, {"a": rough}) == 1
    assert compare({"a": rough}, {"a": exact}) == 0
    assert compare({"a": exact}, {"a": exact | {"excess": 1e-6}}) == 1
    curves = {"lower": [0.0, 0.4], "upper": [0.1, 0.5]}
    assert compare({"a": curves}, {"a": {"lower": [0.05, 0.5], "upper": [0.2, 0.6]}}) == 0
    assert compare({"a": curves}, {"a": {"lower": [0.05, 0.51], "upper": [0.2, 0.6]}}) == 1
