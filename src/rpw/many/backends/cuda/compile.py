"""The kernels, each a .cu file of its name, and what they include, compiled by NVRTC and kept on disk."""

from __future__ import annotations

import ctypes
import functools
import hashlib
import importlib.util
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rpw.base.spelling import setting

FOLDER = Path(__file__).parent
_INCLUDE = re.compile(r'#include "([a-z_]+\.cuh)"')


class CompileError(RuntimeError):
    """The CUDA source could not be compiled here."""


def joined_source(kernel: str) -> bytes:
    """The file of a kernel with those that it includes: NVRTC looks for none, and the cache knows them all."""
    return "".join(_lines_of(FOLDER / f"{kernel}.cu", set())).encode()


def _lines_of(path: Path, seen: set[str]) -> Iterator[str]:
    """The lines of a file, each included one once; #line says where they come from."""
    seen.add(path.name)
    yield f'#line 1 "{path.name}"\n'
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(keepends=True), 1):
        included = _INCLUDE.match(line)
        if included is None:
            yield "\n" if line.startswith("#pragma once") else line
        elif included[1] not in seen:
            yield from _lines_of(path.with_name(included[1]), seen)
            yield f'#line {number + 1} "{path.name}"\n'
        else:
            yield "\n"


def cubin(kernel: str, architecture: str, settings: tuple[tuple[str, int], ...]) -> bytes:
    """The machine code of a kernel for ``architecture`` (such as sm_90), compiled once, and then read from disk."""
    source = joined_source(kernel)
    options = [
        f"--gpu-architecture={architecture}",
        "--std=c++17",
        "--fmad=false",
        "--generate-line-info",
        *(f"-D{name}={value}" for name, value in settings),
    ]
    version = _version(_nvrtc()) if _find_nvrtc() is not None else (0, 0)
    digest = hashlib.sha256(repr((source, options, version)).encode()).hexdigest()
    kept = cache_folder() / f"{kernel}-{digest[:32]}.cubin"
    try:
        return kept.read_bytes()
    except OSError:
        pass
    code = _compile(f"{kernel}.cu", source, options)
    _keep(kept, code)
    return code


def cache_folder() -> Path:
    """Where compiled code is kept: RPW_CACHE, or rpw in XDG_CACHE_HOME, or in ~/.cache."""
    if own := os.environ.get("RPW_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rpw"


def _keep(path: Path, code: bytes) -> None:
    """Write the whole file or none of it; without a place to write, the next process compiles again."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    except OSError:
        return
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(code)
        os.replace(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)


def _compile(name: str, source: bytes, options: list[str]) -> bytes:
    nvrtc = _nvrtc()
    program = ctypes.c_void_p()
    _check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, name.encode(), 0, None, None))
    try:
        flags = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
        if nvrtc.nvrtcCompileProgram(program, len(options), flags) != 0:
            raise CompileError(f"{name} does not compile with {' '.join(options)}:\n{_log(nvrtc, program)}")
        size = ctypes.c_size_t()
        _check(nvrtc, nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)))
        code = ctypes.create_string_buffer(size.value)
        _check(nvrtc, nvrtc.nvrtcGetCUBIN(program, code))
        return code.raw
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _log(nvrtc: ctypes.CDLL, program: ctypes.c_void_p) -> str:
    size = ctypes.c_size_t()
    _check(nvrtc, nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size)))
    log = ctypes.create_string_buffer(size.value)
    _check(nvrtc, nvrtc.nvrtcGetProgramLog(program, log))
    return log.value.decode(errors="replace")


def _check(nvrtc: ctypes.CDLL, code: int) -> None:
    if code != 0:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        raise CompileError(f"NVRTC: {nvrtc.nvrtcGetErrorString(code).decode()}")


def _version(nvrtc: ctypes.CDLL) -> tuple[int, int]:
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(nvrtc, nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


def _nvrtc() -> ctypes.CDLL:
    found = _find_nvrtc()
    if found is None:
        raise CompileError(
            f"{setting('device', 'cuda')} needs NVRTC, the run-time compiler of CUDA, and found none: "
            "install torch or cupy with CUDA, or the package nvidia-cuda-nvrtc"
        )
    return found


@functools.cache
def _find_nvrtc() -> ctypes.CDLL | None:
    """The library that torch, CuPy or a toolkit brought, without importing any of them."""
    for name in _candidates():
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        if hasattr(library, "nvrtcGetCUBIN"):
            return library
    return None


def _candidates() -> Iterator[str]:
    for package, pattern in (
        ("nvidia", "*/lib/libnvrtc.so.*"),  # the wheels that torch and CuPy depend on
        ("torch", "lib/libnvrtc*.so*"),
    ):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            yield from sorted(map(str, Path(folder).glob(pattern)), reverse=True)
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            yield from sorted(map(str, Path(home).glob("lib64/libnvrtc.so*")), reverse=True)
    yield from ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so")
