"""``python -m rpw_paper`` is the command ``rpw-paper``."""

from rpw_paper.cli import main

if __name__ == "__main__":
    main()
