"""Batches of pairs on one NVIDIA GPU: CUDA source compiled at run time, launched through the driver.

`solve_pairs` is the border; inputs are trusted, as in the compiled core.
"""

from __future__ import annotations

from rpw._cuda._batch import Answers, Measures, Question, solve_pairs
from rpw._cuda._driver import NoGpuError, device, is_available

__all__ = ["Answers", "Measures", "NoGpuError", "Question", "device", "is_available", "solve_pairs"]
