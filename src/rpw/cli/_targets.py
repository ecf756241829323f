"""Files that are written must not be those that are read."""

from __future__ import annotations

from pathlib import Path

from rpw.base.usage import UsageError

__all__ = ["check_not_read"]


def check_not_read(option: str, target: Path, inputs: list[Path]) -> None:
    """Raise if what is written to ``target`` would replace an input, or lie among the measures of one."""
    for path in inputs:
        if target.resolve() == path.resolve():
            raise UsageError(f"{option} {target}: is one of the inputs, and would be replaced")
        if path.is_dir() and target.resolve().is_relative_to(path.resolve()):
            raise UsageError(
                f"{option} {target}: lies in the folder that is read, so it would be taken for one of its files"
            )
