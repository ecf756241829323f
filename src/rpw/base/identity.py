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
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["describe_callable"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def describe_callable(function: Callable[..., Any]) -> str:
    """The same text for the same function in another process: its name, and a digest of all that identifies it."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    digest = hashlib.sha256()
    for part in _parts(function, set()):
        digest.update(len(part).to_bytes(8, "little") + part)
    return f"callable {name} {digest.hexdigest()[:16]}"


def _parts(value: Any, seen: set[int]) -> Iterator[bytes]:
    """What identifies a value, piece by piece: functions by their code, other things by their pickled bytes."""
    if id(value) in seen:  # a function can hold itself
        return
    seen = seen | {id(value)}
    yield type(value).__qualname__.encode()
    if isinstance(value, types.FunctionType):
        yield value.__qualname__.encode()
        yield from _parts_of_code(value.__code__)
        yield from _parts_of_all(value.__defaults__ or (), seen)
        for name, default in sorted((value.__kwdefaults__ or {}).items()):
            yield name.encode()
            yield from _parts(default, seen)
        yield from _parts_of_all(_contents(value), seen)
    elif isinstance(value, types.MethodType):
        yield from _parts_of_all((value.__func__, value.__self__), seen)
    elif isinstance(value, functools.partial):
        yield from _parts_of_all((value.func, *value.args), seen)
        for name, argument in sorted(value.keywords.items()):
            yield name.encode()
            yield from _parts(argument, seen)
    elif isinstance(getattr(value, "__wrapped__", None), types.FunctionType):
        yield from _parts(value.__wrapped__, seen)  # caches and compiled functions: their own state is no identity
    else:
        call = inspect.getattr_static(type(value), "__call__", None)
        if isinstance(call, types.FunctionType):
            yield from _parts_of_code(call.__code__)
        yield from _parts_of_state(value, seen)


def _parts_of_all(values: Any, seen: set[int]) -> Iterator[bytes]:
    for value in values:
        yield from _parts(value, seen)


def _contents(function: types.FunctionType) -> list[Any]:
    """What the variables of the enclosing functions hold; one that is not set yet holds nothing."""
    contents = []
    for cell in function.__closure__ or ():
        try:
            contents.append(cell.cell_contents)
        except ValueError:
            contents.append(None)
    return contents


def _parts_of_code(code: types.CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr(code.co_names).encode()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _parts_of_code(constant)
        elif isinstance(constant, frozenset):  # its order changes from process to process
            yield repr(sorted(map(repr, constant))).encode()
        else:
            yield repr(constant).encode()


def _pickled(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value, protocol=4)
    except Exception:  # whatever the objects of a user raise
        return None


def _parts_of_state(value: Any, seen: set[int]) -> Iterator[bytes]:
    """The pickled bytes; where something cannot be pickled, its attributes one by one, or what it prints."""
    pickled = _pickled(value)
    attributes = getattr(value, "__dict__", None)
    if pickled is not None:
        yield pickled
    elif attributes:
        for name, attribute in sorted(attributes.items()):
            yield name.encode()
            yield from _parts(attribute, seen)
    else:
        yield _ADDRESS.sub("", repr(value)).encode()
