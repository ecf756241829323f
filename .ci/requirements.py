#!/usr/bin/env python3
"""Prints what an extra of pyproject.toml needs, a requirement a line: pip can then install it without building rpw.

Usage: requirements.py NAME        ("build-system" is what building rpw itself needs)
"""

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))


def extra(name: str) -> list[str]:
    found = []
    for requirement in PYPROJECT["project"]["optional-dependencies"][name]:
        own = re.fullmatch(r"rpw\[(.+)\]", requirement)
        found += [r for part in own[1].split(",") for r in extra(part.strip())] if own else [requirement]
    return found


name = sys.argv[1]
if name == "build-system":
    print(*PYPROJECT["build-system"]["requires"], sep="\n")
else:
    print(*PYPROJECT["project"]["dependencies"], *extra(name), sep="\n")
