"""A build of the core that counts its work and whose tuning numbers can be set while it runs.

The source is copied. In the copy each number of ``cpp/base/tuning.hpp`` becomes a function that reads a table and notes
that it was asked. Work is the number of basic blocks that were entered (``-fsanitize-coverage=trace-pc`` of GCC), so it
is the same on every run. A block of a loop marked RPW_SIMD counts an eighth, since such loops are vectorised elsewhere.
"""

from __future__ import annotations

import ctypes
import math
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NUMBER = re.compile(r"^inline constexpr (\S+) (\w+) = ([^;]+);", re.MULTILINE)
SECTION = re.compile(r"^// -{20,} (.+)$", re.MULTILINE)
# Of tuning.hpp, which do not tune: see its head.
NO_TUNING = ("accuracy", "memory", "guards")

COUNTER = """
#include <atomic>
#include <cstdint>
extern "C" {
extern const char __start_rpw_simd[], __stop_rpw_simd[];
}
namespace {
std::atomic<std::uint64_t> of_ended_threads{0};
struct Count {
    std::uint64_t eighths = 0;
    ~Count() { of_ended_threads += eighths; }
};
thread_local Count own;
}
extern "C" {
void __sanitizer_cov_trace_pc() {
    const char* from = static_cast<const char*>(__builtin_return_address(0));
    own.eighths += from >= __start_rpw_simd && from < __stop_rpw_simd ? 1 : 8;
}
__attribute__((visibility("default"))) std::uint64_t rpw_work() { return (of_ended_threads + own.eighths) / 8; }
}
"""


@dataclass(frozen=True)
class Number:
    section: str
    type: str
    name: str
    text: str

    @property
    def tunes(self) -> bool:
        return self.section not in NO_TUNING

    def rounded(self, value: float) -> float:
        """As its type has it, and no whole number below 1."""
        return value if self.type == "double" else max(1, math.floor(value))


def settable(text: str) -> list[Number]:
    """All numbers in the file ``tuning.hpp`` with this text, in its order."""
    parts = SECTION.split(text)[1:]
    sections = zip(parts[::2], parts[1::2], strict=True)
    return [Number(section, *match) for section, part in sections for match in NUMBER.findall(part)]


def _write_tuning(tree: Path) -> None:
    """Numbers become functions ``read_name()``; the macros let the source keep its words."""
    file = tree / "cpp/base/tuning.hpp"
    text = file.read_text(encoding="utf-8")
    chosen = settable(text)
    for index, number in enumerate(chosen):
        constant = f"inline constexpr {number.type} {number.name} = {number.text};"
        reader = (
            f"inline {number.type} read_{number.name}() {{ rpw_was_read[{index}] = 1; "
            f"return static_cast<{number.type}>(rpw_numbers[{index}]); }}"
        )
        text = text.replace(constant, reader)
    tables = f'extern "C" {{ extern double rpw_numbers[{len(chosen)}]; extern char rpw_was_read[{len(chosen)}]; }}\n'
    text = text.replace("namespace rpw::tuning {", tables + "namespace rpw::tuning {", 1)
    text += "".join(f"#define {number.name} read_{number.name}()\n" for number in chosen)
    file.write_text(text, encoding="utf-8")
    values = ", ".join(number.text for number in chosen)
    seen = '__attribute__((visibility("default")))'
    source = f'extern "C" {{\n{seen} double rpw_numbers[] = {{{values}}};\n{seen} char rpw_was_read[{len(chosen)}];\n}}'
    (tree / "counter.cpp").write_text(COUNTER + source, encoding="utf-8")


def _write_options(tree: Path) -> None:
    simd = tree / "cpp/base/simd.hpp"
    section = '#define RPW_SIMD __attribute__((section("rpw_simd")))\n'
    simd.write_text("#pragma once\n" + section, encoding="utf-8")
    with (tree / "CMakeLists.txt").open("a", encoding="utf-8") as file:
        file.write(
            "target_compile_options(rpw_core PRIVATE -fsanitize-coverage=trace-pc)\n"
            "target_sources(_core PRIVATE counter.cpp)\n"
            "set_source_files_properties(counter.cpp PROPERTIES COMPILE_OPTIONS -ftls-model=initial-exec)\n"
        )


def _copy(source: Path, target: Path) -> None:
    """Only what differs is written, so that a second build compiles only that."""
    for file in source.rglob("*"):
        to = target / file.relative_to(source)
        if file.is_file() and "__pycache__" not in file.parts:
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)


def _update(old: Path, new: Path) -> None:
    for file in [f for f in old.rglob("*") if f.is_file() and not (new / f.relative_to(old)).exists()]:
        file.unlink()
    for file in [f for f in new.rglob("*") if f.is_file()]:
        to = old / file.relative_to(new)
        if not to.exists() or to.read_bytes() != file.read_bytes():
            to.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, to)


def build(folder: Path) -> Path:
    """The folder that holds the package ``rpw`` of this build."""
    new, tree, made, package = (folder / name for name in ("new", "tree", "made", "package"))
    shutil.rmtree(new, ignore_errors=True)
    _copy(ROOT / "cpp", new / "cpp")
    shutil.copy(ROOT / "CMakeLists.txt", new)
    shutil.copy(new / "cpp/base/tuning.hpp", new)
    _write_tuning(new)
    _write_options(new)
    _update(tree, new)
    nanobind = subprocess.run(
        [sys.executable, "-m", "nanobind", "--cmake_dir"], capture_output=True, text=True, check=True
    )
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind.stdout.strip()}"]
    with (folder / "build.log").open("w", encoding="utf-8") as log:
        subprocess.run(["cmake", "-S", tree, "-B", made, "-G", "Ninja", *options], stdout=log, stderr=log, check=True)
        subprocess.run(["cmake", "--build", made, "--target", "_core"], stdout=log, stderr=log, check=True)
    _copy(ROOT / "src/rpw", package / "rpw")
    shutil.copy(new / "tuning.hpp", package)
    for library in made.glob("_core*.so"):
        copy = package / "rpw" / library.name
        copy.unlink(missing_ok=True)  # a process that has loaded it keeps its own
        shutil.copy(library, copy)
    return package


class Core:
    """The numbers and the counter of the build whose package ``rpw`` lies in this folder."""

    def __init__(self, package: Path) -> None:
        self.settable = {number.name: number for number in settable((package / "tuning.hpp").read_text("utf-8"))}
        names = list(self.settable)
        core = ctypes.CDLL(str(next((package / "rpw").glob("_core*.so"))))
        self._index = {name: i for i, name in enumerate(names)}
        self._numbers = (ctypes.c_double * len(names)).in_dll(core, "rpw_numbers")
        self._was_read = (ctypes.c_char * len(names)).in_dll(core, "rpw_was_read")
        self._work = core.rpw_work
        self._work.restype = ctypes.c_uint64

    def value(self, name: str) -> float:
        return self._numbers[self._index[name]]

    def set(self, name: str, value: float) -> None:
        self._numbers[self._index[name]] = value

    def work(self) -> int:
        return self._work()

    def forget_reads(self) -> None:
        self._was_read.raw = bytes(len(self._was_read))

    def reads(self) -> set[str]:
        return {name for name, i in self._index.items() if self._was_read[i] != b"\0"}
