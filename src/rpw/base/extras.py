"""Libraries that only some users have."""

from __future__ import annotations

import importlib
import shlex
from typing import Any

__all__ = ["import_extra", "missing_extra"]

# What pip calls them, where that is another name.
_PACKAGES = {"PIL": "Pillow", "distributed": "dask[distributed]", "sklearn": "scikit-learn"}


def import_extra(name: str, subject: str) -> Any:
    """Import a library, or say what needs it (``subject``, such as "plots need") and how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise missing_extra(subject, name, because=error) from error


def missing_extra(subject: str, *names: str, because: ImportError | None = None) -> ImportError:
    """The error to raise where libraries are missing; a reason is added where one is there and cannot be imported."""
    modules = [name.partition(".")[0] for name in names]
    packages = [_PACKAGES.get(module, module) for module in modules]
    is_there = because is not None and (because.name or "").partition(".")[0] not in modules
    reason = f" ({because})" if is_there else ""
    return ImportError(f"{subject} {' and '.join(packages)}: pip install {shlex.join(packages)}{reason}")
