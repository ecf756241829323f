"""The command ``rpw-paper``.

Exit codes: 0 done; 1 the files, their data or the machine do not allow it; 2 wrong usage; 130 interrupted. The reason
is on stderr.
"""

import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line of this process; ends in ``SystemExit``."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may lack ± and λ
    try:
        from rpw_paper.cli.app import app  # takes a while, in which Ctrl-C may come

        app(prog_name="rpw-paper")
    except KeyboardInterrupt:
        print("rpw-paper: interrupted", file=sys.stderr)
        raise SystemExit(130) from None
