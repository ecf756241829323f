"""What cannot be an answer is never handed out as one."""

import numpy as np
import pytest

import rpw
from rpw import _core
from rpw.base.deadline import NEVER
from rpw.pair.problem import as_problem
from rpw.pair.question import Question

NAN = float("nan")


@pytest.mark.parametrize("points", [[0.0, 1.0, 3.0], [[0.0, 0.0], [1.0, 2.0], [5.0, 1.0]]], ids=["line", "plane"])
@pytest.mark.parametrize("p", [1, 2, 3])
def test_a_nan_from_the_core_is_an_error(points, p):
    """A price that no caller can pass, because it is checked at the border, makes every algorithm fail."""
    problem = as_problem(np.array(points), np.array(points)[::-1] * 2, None, None, cost=None, metric="euclidean")
    question = Question(p=p, k=NAN)
    with pytest.raises(RuntimeError, match="defect of rpw"):
        _core.solve(*problem.to_core(question, NEVER), question.to_core(), 1e9)


def test_many_pairs_name_the_pair(monkeypatch):
    """The same where thousands are solved: the pair is named, and its number is no NaN in a matrix."""
    monkeypatch.setattr(Question, "kappa", NAN)
    monkeypatch.setattr(Question, "kappas", (NAN, 1.0))
    for k in (1.0, [1.0, 2.0]):
        with pytest.raises(rpw.PairwiseError, match="defect of rpw"):
            rpw.pairwise([[[0.0, 1.0]], [[1.0, 3.0], [2.0, 8.0]]], k=k, diameter=1)
