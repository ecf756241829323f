"""The tables of rooms in CONTRIBUTING.md: the order in which files may know each other."""

import re
from pathlib import Path

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def rooms_of(folder):
    """The rows of the table for a folder, each a list of files and of folders, which end with a slash.

    A name without a folder stands in that of the name before it: `pair/ground.py`, `problem.py`.
    """
    _, _, after = CONTRIBUTING.read_text(encoding="utf-8").partition(f"| room in `{folder}/` |")
    table = after.partition("\n\n")[0].splitlines()[2:]
    return [_names(re.findall(r"`([^`]+)`", row.split("|")[1])) for row in table]


def _names(cell):
    names, folder = [], ""
    for name in cell:
        if "/" in name:
            folder = "" if name.endswith("/") else name.rpartition("/")[0] + "/"
            names.append(name)
        else:
            names.append(folder + name)
    return names


def place_of(path, rooms):
    """The row that names a file, or the nearest folder around it."""
    while path:
        for place, names in enumerate(rooms):
            if path in names:
                return place
        path = path.rstrip("/").rpartition("/")[0]
        path += "/" if path else ""
    return None
