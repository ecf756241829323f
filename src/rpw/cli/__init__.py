"""The command ``rpw`` (also ``python -m rpw``).

Exit codes: 0 done; 1 the files, their data or the machine do not allow it; 2 wrong usage: the command line itself makes
no sense, whatever the files hold; 3 ``rpw drift --fail-on`` has found something; 130 interrupted. The reason is on
stderr.
"""

from __future__ import annotations

import importlib.util
import sys

from rpw.base.ctrl_c import INTERRUPTED
from rpw.base.extras import missing_extra
from rpw.cli._streams import complain, escape_what_has_no_code, open_what_is_closed, stop_writing

__all__ = ["main"]


def main() -> None:
    """Run the command line of this process; ends in ``SystemExit``."""
    if any(importlib.util.find_spec(name) is None for name in ("typer", "rich")):
        print(missing_extra("the command line needs", "typer", "rich"), file=sys.stderr)
        raise SystemExit(1)
    open_what_is_closed()
    escape_what_has_no_code()
    try:
        from rpw.cli._app import app

        try:
            app(prog_name="rpw")
        finally:
            sys.stdout.flush()  # here, where an error can still be told
    except KeyboardInterrupt:  # before a command has started
        complain("interrupted")
        raise SystemExit(INTERRUPTED) from None
    except OSError as error:  # what commands raise is told already: this is about the help, or the end of the output
        stop_writing(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            complain(f"{error.filename or 'stdout'}: {error.strerror or error}")
        raise SystemExit(1) from None
