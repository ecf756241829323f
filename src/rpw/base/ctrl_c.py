"""Ctrl-C while the command ``rpw`` loads its libraries, and after it has answered: an end without a traceback.

Loading takes a while, and begins before any code of the command runs. So `rpw` imports this module first, and it does
something only where the process is the command.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["INTERRUPTED", "heard"]

INTERRUPTED = 130  # the exit code of what Ctrl-C has ended, as in shells


def _is_command() -> bool:
    """Whether this process is ``rpw``, ``python -m rpw`` or ``python -m rpw.cli``."""
    if sys.argv[:1] == ["-m"]:  # so Python calls a module that it still looks for
        module = sys.orig_argv[-len(sys.argv) :][:1]
        return module in (["rpw"], ["rpw.cli"], ["-mrpw"], ["-mrpw.cli"])
    return [os.path.basename(name) for name in sys.argv[:1]] in (["rpw"], ["rpw.exe"])


def _end(*_: object) -> None:
    """Not by an exception: the import of a library may catch it, or turn it into another one."""
    with suppress(OSError):
        os.write(2, b"rpw: interrupted\n")
    os._exit(INTERRUPTED)


@contextmanager
def heard() -> Iterator[None]:
    """Inside, Ctrl-C is a ``KeyboardInterrupt`` as ever: a command has things to put in order."""
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, _end)


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored: as for nohup
    signal.signal(signal.SIGINT, _end)
