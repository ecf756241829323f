"""The GPU's source and its batches: on the host everywhere, on a GPU where there is one.

On the host the kernels' source is compiled by the system's compiler, and a stand-in for the driver runs it: the same
launches, the same arguments, other threads.
"""

import numpy as np
import pytest
from host_gpu import HostDevice

from rpw import _core
from rpw.many.backends.cuda import compile as compiler
from rpw.many.backends.cuda import driver
from rpw.many.backends.cuda.launches import TEAMS, plan_launches
from rpw.many.backends.cuda.pairs import solve_pairs
from rpw.many.backends.cuda.terms import Measures, Question
from rpw.pair.atoms import as_masses
from rpw.pair.metrics import equal_rows

QUESTIONS = [
    Question(),
    Question(kappa=0.1),
    Question(kappa=10.0, p=1),
    Question(p=2.5, metric="cityblock"),
    Question("mass"),
    Question("mass", p=1, unmoved=0.3, metric="chebyshev"),
    Question("mass", p=1, truncation=0.2),
]


def draw(rng, count=8, most=25, dimension=2, places=None):
    """Ragged measures: points, or places in a shared space; weights equal or random."""
    sizes = rng.integers(1, most + 1, size=count)
    weights = []
    for size in sizes:
        weight = np.ones(size) if rng.random() < 0.3 else rng.random(size) + 0.01
        weights.append(weight / weight.sum())
    start = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    mass = as_masses(np.concatenate(weights))
    if places is not None:
        return Measures(start, mass, place=rng.integers(places, size=start[-1]).astype(np.int32))
    points = (
        rng.integers(5, size=(start[-1], dimension)) / 4 if rng.random() < 0.5 else rng.random((start[-1], dimension))
    )
    return Measures(start, mass, points)


def all_pairs(measures):
    count = len(measures.start) - 1
    return (side.ravel() for side in np.mgrid[:count, :count])


def on_cpu(measures, question, first, second, table=None, labels=None):
    space = _core.Space.of_metric(getattr(_core.Metric, question.metric))
    if labels is not None:
        space = _core.Space.of_labels()
    elif table is not None:
        space = _core.Space.of_matrix(table)
    of_core = _core.Measures(measures.start, measures.mass, measures.points, measures.place, labels)
    asked = _core.Question(
        getattr(_core.Quantity, question.quantity),
        p=question.p,
        kappa=question.kappa,
        unmoved=question.unmoved,
        truncation=question.truncation,
    )
    values = np.full(len(first), np.nan)
    assert not _core.pair_values(space, of_core, of_core, asked, first, second, values, 2, np.inf, None)
    return values


def check_answers(gpu, measures, question, table=None):
    first, second = all_pairs(measures)
    answers = solve_pairs(measures, measures, question, first, second, table=table, plans=True, gpu=gpu)
    np.testing.assert_allclose(answers.value, on_cpu(measures, question, first, second, table), rtol=0, atol=1e-12)
    assert (answers.lower <= answers.value).all()
    assert (answers.value <= answers.upper).all()
    assert (answers.upper**question.p - answers.lower**question.p).max() <= 1e-9
    for e in range(len(first)):
        entries = slice(answers.plan_start[e], answers.plan_start[e + 1])
        moves = answers.plan_mass[entries] > 0
        rows = np.bincount(answers.plan_row[entries][moves], answers.plan_mass[entries][moves])
        masses = measures.mass[measures.start[first[e]] : measures.start[first[e] + 1]] / 2.0**60
        assert (rows <= masses[: len(rows)] + 1e-12).all()
        if question.quantity == "crossing":
            assert answers.plan_mass[entries].sum() == pytest.approx(1 - answers.value[e], abs=1e-12)
    return answers


class TestOnTheHost:
    @pytest.mark.sample(2)
    @pytest.mark.parametrize("question", QUESTIONS, ids=str)
    def test_answers_are_those_of_the_core(self, host, question):
        rng = np.random.default_rng(1)
        for dimension in (1, 2, 9):
            check_answers(host, draw(rng, dimension=dimension), question)

    def test_a_shared_matrix_of_distances(self, host):
        rng = np.random.default_rng(2)
        support = rng.random((30, 3))
        table = np.linalg.norm(support[:, None] - support[None], axis=2)
        for question in (Question(p=1), Question("mass", p=1, truncation=0.4)):
            check_answers(host, draw(rng, places=30), question, table)

    def test_total_variation(self, host):
        measures = draw(np.random.default_rng(4), most=40)
        labels = equal_rows(measures.points)
        order = np.concatenate(
            [
                s + np.argsort(labels[s:e], kind="stable")
                for s, e in zip(measures.start, measures.start[1:], strict=False)
            ]
        )
        rank = order - np.repeat(measures.start[:-1], measures.sizes)
        ready = Measures(measures.start, measures.mass[order], label=labels[order].astype(np.int32), rank=rank)
        first, second = all_pairs(measures)
        question = Question("shared")
        answers = solve_pairs(ready, ready, question, first, second, gpu=host)
        np.testing.assert_array_equal(answers.value, on_cpu(measures, question, first, second, labels=labels))

    def test_pairs_that_do_not_fit_shared_memory_use_the_whole_gpu(self, host):
        small = HostDevice(shared=1900)
        check_answers(small, draw(np.random.default_rng(5)), Question())
        assert {together for _, together, _ in small.launched} == {False, True}

    def test_tolerance_gives_an_interval_that_holds_the_answer(self, host):
        measures = draw(np.random.default_rng(6), count=2, most=120)
        first, second = np.array([0]), np.array([1])
        exact = on_cpu(measures, Question(), first, second)
        answers = solve_pairs(measures, measures, Question(tol=0.2), first, second, gpu=host)
        assert answers.lower[0] <= exact[0] + 1e-12
        assert exact[0] <= answers.upper[0] + 1e-12
        assert answers.upper[0] - answers.lower[0] <= 0.2

    def test_what_progress_raises_ends_the_work(self, host):
        measures = draw(np.random.default_rng(7), count=3)

        def interrupt(done):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            solve_pairs(measures, measures, Question(), *all_pairs(measures), progress=interrupt, gpu=host)

    def test_every_pair_is_in_one_launch(self, host):
        rng = np.random.default_rng(8)
        rows, columns = rng.integers(1, 6000, size=(2, 500))
        launches = plan_launches(rows, columns, Question(), 2, host, TEAMS)
        assert sorted(np.concatenate([launch.pairs for launch in launches])) == list(range(500))
        assert all(launch.is_grid or launch.room <= host.shared_per_block for launch in launches)
        assert all(len(launch.pairs) == 1 for launch in launches if launch.is_grid)


class TestLoader:
    def test_without_a_driver_there_is_one_clear_error(self, monkeypatch):
        def missing(name):
            raise OSError(name)

        monkeypatch.setattr(driver.ctypes, "CDLL", missing)
        with pytest.raises(driver.NoGpuError, match=r"needs an NVIDIA GPU"):
            driver.Device(0)

    def test_what_is_compiled_holds_every_file_that_it_includes_once(self):
        """So that the name in the cache changes with each of them."""
        held = set()
        for kernel in compiler.FOLDER.glob("*.cu"):
            source = compiler.joined_source(kernel.stem).decode()
            assert '#include "' not in source
            for file in (kernel, *compiler.FOLDER.glob("*.cuh")):
                count = source.count(f'#line 1 "{file.name}"\n')
                assert count == 1 if file is kernel else count <= 1
                if count == 0:
                    continue
                held.add(file.name)
                lines = [
                    line for line in file.read_text().splitlines() if not line.startswith(("#include", "#pragma once"))
                ]
                assert all(f"{line}\n" in source for line in lines)
        assert held == {file.name for file in compiler.FOLDER.glob("*.cu*")}
        assert len(held) > 10

    def test_compiled_code_is_kept_in_the_cache(self, monkeypatch, tmp_path):
        compiled = []
        monkeypatch.setenv("RPW_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(compiler, "_compile", lambda name, source, options: compiled.append(options) or b"code")
        for _ in range(2):
            assert compiler.cubin("walk", "sm_90", (("RPW_DIM", 2),)) == b"code"
        assert len(compiled) == 1
        compiler.cubin("walk", "sm_80", (("RPW_DIM", 2),))
        assert len(compiled) == 2
        assert len(list((tmp_path / "cache").iterdir())) == 2

    def test_a_cache_that_cannot_be_written_is_no_obstacle(self, monkeypatch, tmp_path):
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("RPW_CACHE", str(tmp_path / "file" / "below"))
        monkeypatch.setattr(compiler, "_compile", lambda name, source, options: b"code")
        assert compiler.cubin("walk", "sm_90", ()) == b"code"

    def test_the_cache_folder_follows_xdg(self, monkeypatch, tmp_path):
        monkeypatch.delenv("RPW_CACHE", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert compiler.cache_folder() == tmp_path / "rpw"


class TestOnTheGpu:
    @pytest.mark.parametrize("question", QUESTIONS, ids=str)
    def test_answers_are_those_of_the_core(self, gpu, question):
        rng = np.random.default_rng(9)
        for dimension, most in ((1, 40), (2, 300), (5, 600)):
            check_answers(gpu, draw(rng, dimension=dimension, most=most), question)

    def test_repeats_give_the_same_bits(self, gpu):
        measures = draw(np.random.default_rng(10), count=30, most=200)
        once, again = (solve_pairs(measures, measures, Question(), *all_pairs(measures), gpu=gpu) for _ in range(2))
        for name in ("value", "lower", "upper"):
            np.testing.assert_array_equal(getattr(once, name), getattr(again, name))

    def test_one_pair_on_the_whole_gpu(self, gpu):
        rng = np.random.default_rng(11)
        points = rng.random((12000, 2))
        mass = as_masses(np.full(12000, 1 / 6000))
        measures = Measures(np.array([0, 6000, 12000]), mass, points)
        first, second = np.array([0]), np.array([1])
        answers = solve_pairs(measures, measures, Question(kappa=0.05), first, second, gpu=gpu)
        expected = on_cpu(measures, Question(kappa=0.05), first, second)
        np.testing.assert_allclose(answers.value, expected, rtol=0, atol=1e-12)
