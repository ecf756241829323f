"""Puts the modules of the page's JavaScript together into one script, so that the page asks for no other file.

Each module becomes a function of its own: what it declares stays inside, and what it exports is what it returns.
"""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["bundled"]

_IMPORT = re.compile(r'^import \{([^}]*)\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const|let) (\w+))", re.MULTILINE)


def bundled(name: str, read: Callable[[str], str]) -> str:
    """The script of a module and of all that it imports, in an order in which each comes after what it needs."""
    order: list[str] = []
    texts: dict[str, str] = {}
    _visit(name, read, texts, order)
    return '"use strict";\n' + "\n".join(_as_function(each, texts[each]) for each in order)


def _visit(name: str, read: Callable[[str], str], texts: dict[str, str], order: list[str]) -> None:
    if name in texts:
        if name not in order:
            raise ValueError(f"{name}.js imports itself in the end")
        return
    texts[name] = read(f"{name}.js")
    for _, other in _IMPORT.findall(texts[name]):
        _visit(other, read, texts, order)
    order.append(name)


def _as_function(name: str, text: str) -> str:
    exported = ", ".join(each for _, each in _EXPORT.findall(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub(_unpacked, text))
    if re.search(r"^(import|export)\b", body, re.MULTILINE):
        raise ValueError(f"{name}.js has an import or an export of a kind that is not known here")
    return f"const {name}Module = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


def _unpacked(found: re.Match[str]) -> str:
    names = " ".join(found[1].split())
    return f"const {{ {names} }} = {found[2]}Module;\n"
