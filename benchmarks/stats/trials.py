"""What the scripts of this folder share: their options, and shares with their Monte Carlo errors."""

from __future__ import annotations

import argparse
import math
import time

import numpy as np

Array = np.ndarray
LEVEL = 0.05


def options(words: str | None, seed: int = 0) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=words, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few draws: does it run?")
    parser.add_argument("--seed", type=int, default=seed)
    return parser


def generator(seed: int, *case: int) -> np.random.Generator:
    """One for each case, so that a case gives the same whichever others run."""
    return np.random.default_rng([seed, *case])


def standard_error(share: float, draws: int) -> float:
    """Of a share of draws; a share of 0 or 1 gets that of half a draw."""
    kept = min(max(share, 0.5 / draws), 1 - 0.5 / draws)
    return math.sqrt(kept * (1 - kept) / draws)


def shown(hits: list[bool]) -> str:
    share = float(np.mean(hits))
    return f"{share:.3f} ± {standard_error(share, len(hits)):.3f}"


def mean_shown(values: list[float], form: str = ".1f") -> str:
    error = float(np.std(values)) / math.sqrt(len(values))
    return f"{np.mean(values):{form}} ± {error:{form}}"


def print_row(cells: list[object], widths: list[int]) -> None:
    line = "  ".join(f"{cell!s:<{width}}" for cell, width in zip(cells, widths, strict=True))
    print(line.rstrip(), flush=True)


class Stopwatch:
    """Seconds by the clock and of the processor since the start."""

    def __init__(self) -> None:
        self._clock, self._processor = time.perf_counter(), time.process_time()

    def __str__(self) -> str:
        return (
            f"{time.perf_counter() - self._clock:.0f} s, {time.process_time() - self._processor:.0f} s of the processor"
        )
