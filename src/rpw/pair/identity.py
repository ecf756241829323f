"""What tells one Python function from another, across processes: a digest of its code and of what it carries along.

Nothing is ever unpickled. A function that reads a global variable, a file or a clock can still change unnoticed.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import pickle
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

__all__ = ["describe_callable"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def describe_callable(function: Callable[..., Any]) -> str:
    """The same text for the same function in another process: its name, and a digest of all that identifies it."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    digest = hashlib.sha256()
    for part in _parts(function, frozenset()):
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"callable {name} {digest.hexdigest()[:16]}"


def _parts(value: Any, around: frozenset[int]) -> Iterator[bytes]:
    """What identifies a value, piece by piece: functions by their code, other things by their pickled bytes."""
    if id(value) in around:  # a function can hold itself
        return
    yield type(value).__qualname__.encode()
    held: Sequence[Any]
    if isinstance(value, types.FunctionType):
        yield value.__qualname__.encode()
        yield from _parts_of_code(value.__code__)
        held = [*(value.__defaults__ or ()), *_flat(value.__kwdefaults__ or {}), *_contents(value)]
    elif isinstance(value, types.MethodType):
        held = value.__func__, value.__self__
    elif isinstance(value, functools.partial):
        held = value.func, *value.args, *_flat(value.keywords)
    elif isinstance(getattr(value, "__wrapped__", None), types.FunctionType):
        held = (value.__wrapped__,)  # caches and compiled functions: their own state is no identity
    else:
        call = inspect.getattr_static(type(value), "__call__", None)
        if isinstance(call, types.FunctionType):
            yield from _parts_of_code(call.__code__)
        pickled = _pickled(value)
        held = _flat(getattr(value, "__dict__", {})) if pickled is None else ()
        if not held:
            yield _ADDRESS.sub("", repr(value)).encode() if pickled is None else pickled
    for each in held:
        yield from _parts(each, around | {id(value)})


def _flat(named: dict[str, Any]) -> list[Any]:
    """Names and what they stand for, one after the other."""
    return [part for name in sorted(named) for part in (name, named[name])]


def _contents(function: types.FunctionType) -> Iterator[Any]:
    """What the variables of the enclosing functions hold; one that is not set yet holds nothing."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            yield None


def _parts_of_code(code: types.CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts_of_code(constant)
        else:  # the order of a set changes from process to process
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant).encode()


def _pickled(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:  # whatever the objects of a user raise
        return None
