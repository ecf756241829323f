"""``python -m rpw`` is the command ``rpw``."""

from rpw.cli import main

if __name__ == "__main__":
    main()
