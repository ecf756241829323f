"""Matrices of distances between the measures of two collections; see `rpw.many.pairwise`, where the work is done."""

from rpw.many.backends.cuda.driver import NoGpuError
from rpw.many.errors import PairwiseError
from rpw.many.pairwise import pairwise
from rpw.many.progress import Progress
from rpw.many.solve_pairs import solve_pairs

__all__ = ["NoGpuError", "PairwiseError", "Progress", "pairwise", "solve_pairs"]
