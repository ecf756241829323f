"""Which pairs are solved together on the GPU, by how many threads, and with how much memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rpw.many.backends.cuda.driver import Device
from rpw.many.backends.cuda.layout import room_for
from rpw.many.backends.cuda.terms import Question

_Ints = npt.NDArray[np.int64]

_MOST_DIMENSIONS = 8  # that have code of their own
_GRID_THREADS = 512
_ROOM_FOR_SHARED = 16
RESERVED = 1024  # bytes of shared memory: the system's in each block, and the kernel's own
_BESIDE_WITH_POINTS = 2
_MOST_BESIDE = 32  # blocks on a multiprocessor
_LEVELS_PER_OCTAVE = 8  # of how many fit: a launch gives all of its pairs the memory of the largest
_REGISTERS = 65536  # of a multiprocessor
# Threads for a pair whose larger side has up to so many points.
TEAMS = ((512, 64), (2048, 256), (4096, 512))


@dataclass(frozen=True, eq=False)
class Launch:
    """Pairs of similar size, solved by teams of the same kind."""

    pairs: _Ints  # positions, largest first
    threads: int
    room: int  # bytes of a team's workspace
    nodes: int  # of the largest pair
    is_grid: bool
    settings: tuple[tuple[str, int], ...]
    kernel: str = "walk"


def plan_launches(
    rows: _Ints, columns: _Ints, question: Question, dimension: int, gpu: Device, teams: tuple[tuple[int, int], ...]
) -> list[Launch]:
    """Sort the pairs by the memory they need, and put those together of which about equally many fit beside others."""
    if len(rows) == 0:
        return []
    mode, room = _modes_and_rooms(rows, columns, question, dimension, gpu)
    fits = room <= gpu.shared_per_block - RESERVED
    beside = (gpu.shared_per_multiprocessor // (room + 2 * RESERVED)).clip(1, _MOST_BESIDE)
    level = np.floor(_LEVELS_PER_OCTAVE * np.log2(np.arange(1, _MOST_BESIDE + 1))).astype(np.int64)[beside - 1]
    group = 3 * level + mode
    group[~fits] = -1 - np.arange(np.count_nonzero(~fits))  # one launch for each
    order = np.argsort((room.max() + 1) * group - room)  # by group, the largest first
    ends = np.flatnonzero(np.diff(group[order])) + 1
    launches = []
    for pairs in np.split(order, ends):
        size = int((rows[pairs] + columns[pairs]).max()), int(room[pairs].max())
        threads = _threads(int(np.maximum(rows[pairs], columns[pairs]).max()), teams) if fits[pairs[0]] else 0
        launches.append(launch_of(pairs, *size, threads, int(mode[pairs[0]]), question, dimension))
    return sorted(launches, key=lambda launch: -launch.room)


def _modes_and_rooms(
    rows: _Ints, columns: _Ints, question: Question, dimension: int, gpu: Device
) -> tuple[_Ints, _Ints]:
    """Which coordinates each pair brings (1: of both measures, 2: of the first), and the memory it needs then."""
    if question.quantity == "shared":
        return np.zeros_like(rows), np.full_like(rows, _ROOM_FOR_SHARED)
    mode, room = np.zeros_like(rows), room_for(rows, columns, 2)
    if dimension > 0:
        # As long as two teams fit beside each other: one of them computes while the other waits.
        part = gpu.shared_per_multiprocessor // _BESIDE_WITH_POINTS - 2 * RESERVED
        of_first, of_both = (room + 8 * dimension * count for count in (rows, rows + columns))
        mode = np.where(of_both <= part, 1, np.where(of_first <= part, 2, 0))
        room = np.choose(mode, [room, of_both, of_first])
    return mode, np.where(room <= gpu.shared_per_block - RESERVED, room, room_for(rows, columns, 4))


def _threads(longest: int, teams: tuple[tuple[int, int], ...]) -> int:
    return next((threads for most, threads in teams if longest <= most), teams[-1][1])


def _registers(threads: int) -> int:
    """What a thread may use: small teams are many on a multiprocessor, large ones few."""
    return 80 if threads < 256 else 128


def launch_of(
    pairs: _Ints, nodes: int, room: int, threads: int, mode: int, question: Question, dimension: int
) -> Launch:
    """Pairs for teams of so many threads; of 0, for all blocks together."""
    is_grid = threads == 0
    threads = threads or _GRID_THREADS
    squared = question.metric == "euclidean" and question.p == 2
    settings = {
        "RPW_THREADS": threads,
        "RPW_BLOCKS": max(1, _REGISTERS // (_registers(threads) * threads)),
        "RPW_DIM": dimension if dimension <= _MOST_DIMENSIONS else 0,
        "RPW_COST": 2 if dimension == 0 else 0 if squared else 1,
        "RPW_P": int(question.p) if question.p in (1, 2) else 0,
        "RPW_POINTS": 0 if is_grid else mode,
        "RPW_GRID": int(is_grid),
        "RPW_SEVERAL": int(bool(question.kappas)),
    }
    return Launch(pairs, threads, room, nodes, is_grid, tuple(sorted(settings.items())))
