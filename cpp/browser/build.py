"""Compiles the core to WebAssembly for the playground: ``make playground``.

The result, ``src/rpw/explore/core.wasm``, is part of the package, so that nobody needs Emscripten to install it. Beside
it lies ``core.json``: the compiler, its flags, and digests of the sources and of the file. ``tests/explore`` fails when
they no longer match the checkout. Objects are kept in ``build/playground``; only what has changed is compiled again.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CPP = ROOT / "cpp"
OBJECTS = ROOT / "build" / "playground"
WASM = ROOT / "src" / "rpw" / "explore" / "core.wasm"
RECORD = WASM.with_suffix(".json")

COMPILER = "3.1.6"  # Debian's Emscripten: another one makes another file
# -ffp-contract=off: as in CMakeLists.txt, so that numbers are those of Python.
COMPILE = (
    "-std=c++20", "-O2", "-msimd128", "-DNDEBUG", "-fwasm-exceptions", "-ffp-contract=off", "-Wall", "-Wextra",
    "-Icpp", "-include", "cpp/browser/shims.hpp",
)  # fmt: skip
LINK = (
    "-O2", "-fwasm-exceptions", "--no-entry", "-sSTANDALONE_WASM", "-sALLOW_MEMORY_GROWTH",
    "-sMAXIMUM_MEMORY=2147483648", "-sTOTAL_STACK=1048576", "-sASSERTIONS=0",
)  # fmt: skip
ELSEWHERE = ("tests", "bindings", "many")  # rooms of the core that the page does not need: they know Python or threads
WORKERS = 2


def sources() -> list[Path]:
    """What is compiled."""
    return sorted(path for path in CPP.glob("*/*.cpp") if path.parent.name not in ELSEWHERE)


def closure(path: Path) -> set[Path]:
    """A file and all files of the core that it includes, directly or not."""
    found: set[Path] = set()
    todo = [path, CPP / "browser" / "shims.hpp"]
    while todo:
        here = todo.pop()
        if here not in found:
            found.add(here)
            names = re.findall(r'^#include "(.+)"$', here.read_text(encoding="utf-8"), re.MULTILINE)
            todo += [CPP / name for name in names]
    return found


def exports() -> list[str]:
    """The functions that the page calls."""
    _, _, text = (CPP / "browser" / "exports.cpp").read_text(encoding="utf-8").partition('extern "C" {')
    return re.findall(r"^[a-z][\w *]* \**(rpw_\w+)\(", text, re.MULTILINE)


def digest_of(paths: set[Path], *flags: str) -> str:
    """One digest of files, with their names, and of flags."""
    digest = hashlib.sha256(json.dumps([COMPILER, *flags]).encode())
    for path in sorted(paths):
        digest.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def record() -> dict[str, object]:
    """What the compiled file is made of, as the checkout has it now."""
    everything = set().union(*map(closure, sources()))
    flags = (*COMPILE, "|", *LINK, "|", *exports())
    return {
        "compiler": f"emcc {COMPILER}",
        "flags": " ".join((*COMPILE, *LINK)),
        "exports": exports(),
        "sources": len(everything),
        "digest": digest_of(everything, *flags),
    }


def compiler_version() -> str:
    """What emcc says it is."""
    said = subprocess.run(["emcc", "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"\d+\.\d+\.\d+", said)
    return found[0] if found else said


def compiled(path: Path) -> Path:
    """The object of a source; it is made unless it is there already."""
    made = OBJECTS / f"{path.parent.name}-{path.stem}-{digest_of(closure(path), *COMPILE)[:16]}.o"
    if not made.exists():
        for old in OBJECTS.glob(f"{path.parent.name}-{path.stem}-*"):
            old.unlink()
        unfinished = made.with_suffix(".new.o")
        subprocess.run(["emcc", *COMPILE, "-c", path.relative_to(ROOT), "-o", unfinished], cwd=ROOT, check=True)
        unfinished.rename(made)
    return made


def main() -> None:
    """Compile what has changed, link, and write the file with its record."""
    try:
        version = compiler_version()
    except FileNotFoundError:
        sys.exit(f"make playground needs Emscripten {COMPILER} (Debian: apt install emscripten)")
    if version != COMPILER:
        sys.exit(f"make playground needs Emscripten {COMPILER}, and emcc here is {version}")
    OBJECTS.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(WORKERS) as pool:
        objects = list(pool.map(compiled, sources()))
    names = ",".join(f"_{name}" for name in exports())
    made = OBJECTS / "core.wasm"
    subprocess.run(["emcc", *objects, *LINK, f"-sEXPORTED_FUNCTIONS={names}", "-o", made], cwd=ROOT, check=True)
    WASM.write_bytes(made.read_bytes())
    facts = record() | {"bytes": WASM.stat().st_size, "sha256": hashlib.sha256(WASM.read_bytes()).hexdigest()}
    RECORD.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    print(f"{WASM.relative_to(ROOT)}: {facts['bytes']:,} bytes, digest {facts['digest']}")


if __name__ == "__main__":
    main()
