"""Stores of matrices that tests watch while a child writes them."""

import inspect
import os
from pathlib import Path

import children
import numpy as np


def clouds(count, n, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.random((n + s % 7, 2)) for s in range(count)]


# The children have the same inputs.
_BEGINNING = "import sys\nimport numpy as np\nimport rpw\n\n" + inspect.getsource(clouds)


def start(code, *arguments):
    return children.start("-c", _BEGINNING + code, *arguments)


def run(code, *arguments, **options):
    return children.run("-c", _BEGINNING + code, *arguments, **options)


def marks(path):
    folder = Path(path) / ".rpw" / "done"
    return set(os.listdir(folder)) if folder.is_dir() else set()
