"""Libraries that only some users have."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(name: str, argument: str) -> Any:
    """Import a library of the extra ``cluster``, or say how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{argument} needs {name}: pip install 'rpw[cluster]'") from error
