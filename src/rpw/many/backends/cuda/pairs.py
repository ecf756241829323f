"""Many pairs on the GPU: what goes there, is launched, and comes back."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from rpw.base.arrays import GpuPoints
from rpw.base.deadline import TimeLimitError
from rpw.many.backends.cuda.cuts import Cut
from rpw.many.backends.cuda.driver import Device, Memory, Stream, device
from rpw.many.backends.cuda.launches import TEAMS, Launch, plan_launches
from rpw.many.backends.cuda.layout import NO_MORE, Batch, Spread
from rpw.many.backends.cuda.terms import METRICS, QUANTITIES, UNFINISHED, Answers, Measures, Question

_Ints = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

Empty = Callable[[int, Any], Any]  # an array on the GPU of so many numbers of a type of NumPy

_SHORTEST_PAUSE, _LONGEST_PAUSE = 2e-5, 2e-3  # seconds between two looks at the GPU
_BETWEEN_REPORTS = 0.02  # seconds


def solve_pairs(
    a: Measures,
    b: Measures,
    question: Question,
    first: _Ints,
    second: _Ints,
    *,
    table: Any = None,
    plans: bool = False,
    progress: Callable[[int], object] | None = None,
    gpu: Device | None = None,
    teams: tuple[tuple[int, int], ...] = TEAMS,
    count_work: bool = False,
    keeps_unfinished: bool = False,
    cutoffs: _Floats | None = None,
    potentials: bool = False,
    kappas: _Floats | None = None,
    scale: float | None = None,
    empty: Empty | None = None,
) -> Answers:
    """The answers for the pairs (first[e], second[e]).

    ``table`` holds distances between places, where the measures have places; with ``scale``, which is `scale_of` their
    largest, it holds p-th powers of the distances in that unit. ``progress`` is called now and then with
    the number of pairs that are done; what it raises ends the work after the pairs at hand, of which one that takes
    the whole GPU is cut off. With ``keeps_unfinished``, a `TimeLimitError` from there is no error: what is known by
    then comes back. With ``cutoffs``, a pair is given up as soon as its RPW is proven to be larger: then its status is
    BEYOND_CUTOFF, and its value infinite. With ``potentials``, these come back without a plan, also of such pairs.
    With ``kappas``, each pair has a price of its own, and the question's is the largest. With ``empty``, which makes
    arrays on the GPU, the answers are such arrays, and nothing comes to the host.
    """
    gpu = device() if gpu is None else gpu
    gpu.make_current()
    work = Work(gpu, a, b, question, np.ascontiguousarray(first), np.ascontiguousarray(second), table, scale)
    work.make_room(plans, count_work, potentials, empty)
    if cutoffs is not None:
        work.set_cutoffs(cutoffs)
    if kappas is not None:
        work.set_prices(kappas)
    try:
        for launch in plan_launches(a.sizes[work.first], b.sizes[work.second], question, work.dimension, gpu, teams):
            work.start(launch)
        work.wait(progress)
    except BaseException as error:
        work.stop()
        if not (keeps_unfinished and isinstance(error, TimeLimitError)):
            raise
    return work.answers()


class Work:
    """The arrays of one call on the GPU."""

    def __init__(
        self,
        gpu: Device,
        a: Measures,
        b: Measures,
        question: Question,
        first: _Ints,
        second: _Ints,
        table: Any,
        scale: float | None = None,
    ) -> None:
        self.gpu, self.first, self.second, self.question = gpu, first, second, question
        self.dimension = 0 if a.points is None else int(a.points.shape[1])
        self._kept: list[Memory] = []
        self._settings: dict[str, int] = {}
        self._empty: Empty | None = None
        self._running: list[tuple[Memory, Memory, Stream]] = []
        self._out: dict[str, tuple[Memory, Any, int]] = {}
        self._arrays: dict[str, Any] = {}  # of `empty`
        self._starts: dict[str, _Ints] = {}
        self.batch = Batch()
        self.scale = scale_of(question, _largest(question, a, b, table)) if scale is None else scale
        self._describe(question)
        self._bring_measures(a, "a")
        if b is a:
            for name in ("points", "place", "start", "mass", "total", "unit", "before", "atoms"):
                setattr(self.batch, f"{name}_b", getattr(self.batch, f"{name}_a"))
        else:
            self._bring_measures(b, "b")
        if table is not None and question.quantity != "shared":
            powers = table if scale is not None else _powers(table, question, self.scale)
            self._set("table", powers, np.float64)
            self.batch.table_columns = powers.shape[1]
        self._sizes = a.sizes[first], b.sizes[second]

    def _describe(self, question: Question) -> None:
        batch = self.batch
        batch.p, batch.unmoved, batch.tol, batch.scale = question.p, question.unmoved, question.tol, self.scale
        batch.kappa, batch.truncation = question.kappa / self.scale, question.truncation / self.scale
        batch.prices = max(1, len(question.kappas))
        if question.kappas:
            self._set("kappas", np.array(question.kappas) / self.scale, np.float64)
        batch.question = QUANTITIES.index(question.quantity)
        batch.metric, batch.dimension = METRICS.index(question.metric), self.dimension

    def _set(self, name: str, array: Any, dtype: Any) -> Memory:
        memory = self.gpu.bring(array, dtype)
        self._kept.append(memory)
        setattr(self.batch, name, memory.pointer)
        return memory

    def _bring_measures(self, measures: Measures, side: str) -> None:
        """Once for all calls that have the same scale, such as the rounds of a search."""
        key = self.gpu, self.scale, self.question.quantity == "shared"
        if key not in measures.brought:
            measures.brought[key] = self._arrays_of(measures)
        arrays = measures.brought[key]
        self._kept += arrays.values()
        for name, memory in arrays.items():
            setattr(self.batch, f"{name}_{side}", memory.pointer)
        setattr(self.batch, f"atoms_{side}", int(measures.start[-1]))

    def _arrays_of(self, measures: Measures) -> dict[str, Memory]:
        bring, atoms, begins = self.gpu.bring, int(measures.start[-1]), measures.start[:-1]
        arrays = {"start": bring(measures.start, np.int64), "mass": bring(measures.mass, np.int64)}
        if measures.total is None:
            host = measures.mass if isinstance(measures.mass, np.ndarray) else arrays["mass"].read(np.int64, atoms)
            arrays["total"] = bring(np.add.reduceat(host, begins), np.int64)
            least, most = np.minimum.reduceat(host, begins), np.maximum.reduceat(host, begins)
            arrays["unit"] = bring(np.where(least == most, least, -least), np.int64)
            arrays["before"] = bring(measures.masses_before(host), np.int64)
        else:
            arrays |= {name: bring(getattr(measures, name), np.int64) for name in ("total", "unit", "before")}
        if measures.points is not None:
            arrays["points"] = self._spread(measures.points, atoms)
        place = measures.label if self.question.quantity == "shared" else measures.place
        if place is not None:
            arrays["place"] = bring(place, np.int32)
        return arrays

    def _spread(self, points: Any, atoms: int) -> Memory:
        """Coordinate by coordinate, in units of the scale."""
        if isinstance(points, np.ndarray):
            return self.gpu.bring(points.T / self.scale, np.float64)
        raw, out = self.gpu.bring(points, np.float64), self.gpu.allocate(8 * atoms * self.dimension)
        self._kept.append(raw)
        what = Spread(raw.pointer, out.pointer, atoms, self.dimension, self.scale)
        self.gpu.launch(self.gpu.kernel("spread"), min(4096, atoms // 64 + 1), 256, 0, what)
        return out

    def make_room(
        self,
        plans: bool = False,
        count_work: bool = False,
        potentials: bool = False,
        empty: Empty | None = None,
    ) -> None:
        """Allocate what comes back."""
        pairs, self._empty = len(self.first), empty
        self._set("first", self.first, np.int64)
        self._set("second", self.second, np.int64)
        for name in ("value", "lower", "upper"):
            self._return(name, np.float64, pairs * self.batch.prices)
        self._return("status", np.int32, pairs)
        self._out["status"][0].write(np.full(pairs, UNFINISHED, dtype=np.int32))
        if count_work:
            self._return("work", np.int64, 3 * pairs)
        if plans:
            self._make_room_for_plans()
        if (plans or potentials) and self.question.quantity != "shared":
            self._make_room_for_potentials()

    def set_cutoffs(self, cutoffs: _Floats) -> None:
        """The limit of each pair."""
        self._set("cutoffs", cutoffs, np.float64)
        self._settings["RPW_CUTOFF"] = 1

    def set_prices(self, kappas: _Floats) -> None:
        """The price of each pair."""
        self._set("kappas", kappas / self.scale, np.float64)
        self._settings["RPW_OWN_PRICE"] = 1

    def _make_room_for_plans(self) -> None:
        rows, columns = self._sizes
        entries = self._begin("plan_start", rows + columns)
        self._return("plan_row", np.int32, entries)
        self._return("plan_column", np.int32, entries)
        self._return("plan_mass", np.float64, entries)

    def _make_room_for_potentials(self) -> None:
        rows, columns = self._sizes
        self._return("u", np.float64, self._begin("u_start", rows))
        self._return("v", np.float64, self._begin("v_start", columns))
        self._return("multiplier", np.float64, len(rows))

    def set_cuts(self, cuts: list[list[Cut]]) -> None:
        """What bounds the pairs of each first measure: multipliers and potentials, in units of κ^p."""
        each = [cut for own in cuts for cut in own]
        unit_p = self.batch.kappa**self.question.p
        self._set("cut_start", np.concatenate([[0], np.cumsum([len(own) for own in cuts])]), np.int64)
        self._set("u_start", np.concatenate([[0], np.cumsum([len(cut.u) for cut in each])]), np.int64)
        self._set("u", unit_p * np.concatenate([cut.u for cut in each]), np.float64)
        self._set("multiplier", unit_p * np.array([cut.multiplier for cut in each]), np.float64)

    def _begin(self, name: str, sizes: _Ints) -> int:
        """Say where each pair begins, if they have these sizes; gives where the last one ends."""
        self._starts[name] = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        self._set(name, self._starts[name], np.int64)
        return int(self._starts[name][-1])

    def _return(self, name: str, dtype: Any, count: int) -> None:
        if self._empty is None:
            memory = self.gpu.allocate(count * np.dtype(dtype).itemsize)
        else:
            self._arrays[name] = self._empty(count, np.dtype(dtype))
            memory = self.gpu.bring(self._arrays[name], dtype)
        if count > 0:  # all of it is read back, also what no kernel writes: bounds without an upper one, pairs cut off
            self.gpu.clear(memory)
        self._out[name] = memory, dtype, count
        setattr(self.batch, name, memory.pointer)

    def start(self, launch: Launch) -> None:
        """Start the pairs of a launch on a stream of their own."""
        gpu, batch = self.gpu, self.batch
        order, counters, stream = gpu.bring(launch.pairs, np.int64), gpu.bring(np.zeros(2), np.int64), Stream(gpu)
        self._running.append((order, counters, stream))
        batch.order, batch.next, batch.done = order.pointer, counters.pointer, counters.pointer + 8
        batch.begin, batch.end = 0, len(launch.pairs)
        kernel = gpu.kernel(launch.kernel, **dict(launch.settings), **self._settings)
        shared = 0 if launch.is_grid else launch.room
        beside = gpu.blocks_per_multiprocessor(kernel, launch.threads, shared)
        if launch.is_grid:
            most = -(-launch.nodes // launch.threads)
            blocks = min(gpu.multiprocessors * beside, max(8, most))
            self._give_grid_space(launch, blocks)
        else:
            blocks = min(gpu.multiprocessors * beside, len(launch.pairs))
        gpu.finish_copies()
        gpu.launch(kernel, blocks, launch.threads, shared, batch, stream=stream, together=launch.is_grid)

    def wait(self, progress: Callable[[int], object] | None) -> None:
        """Wait for all launches; report how many pairs are done, and pass on what the report raises."""
        side = Stream(self.gpu)
        pause, reported = _SHORTEST_PAUSE, time.monotonic()
        while any(stream.is_busy() for _, _, stream in self._running):
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            if progress is not None and time.monotonic() - reported > _BETWEEN_REPORTS:
                reported = time.monotonic()
                progress(sum(int(side.read(counters, np.int64, 2)[1]) for _, counters, _ in self._running))
        if progress is not None:
            progress(len(self.first))

    def stop(self) -> None:
        """Let nobody take another pair, and wait for those at hand: their memory must outlive them. A pair that takes
        the whole GPU is left where it is."""
        side = Stream(self.gpu)
        for _, counters, _ in self._running:
            side.write(counters, np.array([NO_MORE]))
        for _, _, stream in self._running:
            stream.wait()

    def _give_grid_space(self, launch: Launch, blocks: int) -> None:
        space = self.gpu.allocate(launch.room + 64 * blocks + 4096)
        self.gpu.clear(space, 4096)
        self._kept.append(space)
        self.batch.workspace = space.pointer

    def answers(self) -> Answers:
        """Everything that was asked for, on the host; where arrays were made for it, in these."""
        if self._empty is not None:
            return Answers(scale=self.scale, **(self._arrays | self._starts))
        found: dict[str, Any] = {name: memory.read(dtype, count) for name, (memory, dtype, count) in self._out.items()}
        if "work" in found:
            found["work"] = found["work"].reshape(-1, 3)
        if self.question.kappas:
            found |= {name: found[name].reshape(-1, self.batch.prices) for name in ("value", "lower", "upper")}
        found.update(self._starts)
        return Answers(scale=self.scale, **found)


def _largest(question: Question, a: Measures, b: Measures, table: Any) -> float:
    """No distance is larger, as far as the host knows."""
    if question.quantity == "shared":
        return math.inf
    if table is not None:
        return float(table.max())
    if all(isinstance(measures.points, np.ndarray | GpuPoints) for measures in (a, b)):
        low, high = (f([f(m.points, axis=0) for m in (a, b)], axis=0) for f in (np.min, np.max))
        return math.hypot(*(high - low))  # no square leaves float64 there
    return math.inf


def scale_of(question: Question, largest: float) -> float:
    """A power of two to divide lengths by, near the one that docs/proofs/rounding.md, "Rounding", asks for."""
    if question.quantity == "shared":
        return 1.0
    largest = min(largest, question.truncation)
    if question.quantity == "crossing":
        largest = min(largest, question.kappa) if largest > 0 else question.kappa
    return 2.0 ** min(round(math.log2(largest)), 1023) if 0 < largest < math.inf else 1.0


def _powers(table: Any, question: Question, scale: float) -> Any:
    cut = np.minimum(np.asarray(table), question.truncation) / scale
    return np.ascontiguousarray(np.minimum(cut**question.p, 1e290))
