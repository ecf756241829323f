"""What all files share: types of arrays, the number of threads, and files that are written whole or not at all."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Pixels = npt.NDArray[Any]
Report = Callable[[float, str], object]  # hears the share that is done, and what is being done


class UsageError(ValueError):
    """What was asked for makes no sense, whatever the files hold: the command ends with code 2, and not with 1."""


def silent(share: float, what: str) -> None:
    """A `Report` to nobody."""


def within(report: Report, before: float, size: float, prefix: str = "") -> Report:
    """The `Report` of a piece of the work, of this size, after what was done before. Rounded: it never falls."""
    return lambda share, what: report(round(before + size * min(share, 1.0), 9), f"{prefix}{what}")


def as_n_threads(given: int | None) -> int:
    """The number of threads: all cores that this process may use, unless given."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return given or cores


def listed(names: list[str]) -> str:
    """With commas, and "and" before the last."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def spelled(p: float) -> str:
    """An exponent as texts show it."""
    return f"{p:g}".replace("inf", "∞")


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of ``path`` when the block ends well, and vanishes if not."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with partial.open("wb") as stream:
            yield stream
        os.replace(partial, path)
    except OSError as error:  # NumPy counts what it could write, and does not say why it stopped
        raise OSError(error.errno, error.strerror or f"cannot be written whole: {error}", str(path)) from error
    finally:
        partial.unlink(missing_ok=True)
