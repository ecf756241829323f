"""The command ``rpw`` (also ``python -m rpw``).

Exit codes: 0 done; 1 the files, their data or the machine do not allow it; 2 wrong usage: the command line itself makes
no sense, whatever the files hold; 130 interrupted. The reason is on stderr.
"""

from __future__ import annotations

import importlib.util
import os
import sys

from rpw.base.extras import missing_extra

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; ends in ``SystemExit``."""
    if any(importlib.util.find_spec(name) is None for name in ("typer", "rich")):
        print(missing_extra("the command line needs", "typer", "rich"), file=sys.stderr)
        raise SystemExit(1)
    _open_what_is_closed()
    try:
        from rpw.cli._app import app

        app(prog_name="rpw")
    except KeyboardInterrupt:  # before a command has started
        print("rpw: interrupted", file=sys.stderr)
        raise SystemExit(130) from None


def _open_what_is_closed() -> None:
    """Without a stdout or stderr (``rpw ... >&-``) Python has None there, and whatever prints would fail."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 (open to the end)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
