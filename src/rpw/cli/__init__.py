"""The command ``rpw`` (also ``python -m rpw.cli``).

Exit codes: 0 done, 1 wrong input (the reason is on stderr), 2 wrong usage, 130 interrupted.
"""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; ends in ``SystemExit``."""
    if any(importlib.util.find_spec(name) is None for name in ("typer", "rich")):
        print("the command line needs: pip install 'rpw[cli]'", file=sys.stderr)
        raise SystemExit(1)
    try:
        from rpw.cli._app import app

        app(prog_name="rpw")
    except KeyboardInterrupt:  # before a command has started
        raise SystemExit(130) from None
