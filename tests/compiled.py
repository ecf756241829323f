"""What tests compile, kept in ``build/compiled`` by a digest of all that it depends on; ``make clean`` removes it."""

import functools
import hashlib
import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "build" / "compiled"
COMPILER = tuple(shlex.split(os.environ.get("CXX", "c++")))
DAYS = 7  # what was not asked for in so many days goes


def compiled(source, *options, compiler=COMPILER, folder=FOLDER):
    """The file that the compiler makes of the text of a C++ source: made once, by the process that asks first.

    The digest is of the text after the preprocessor, so that each header counts, of the options, and of the compiler.
    """
    import fcntl  # not on Windows, where nothing is compiled for tests

    command = [*compiler, *map(str, options), "-x", "c++", "-"]
    text = subprocess.run([*command, "-E"], input=source, capture_output=True, check=True).stdout
    digest = hashlib.sha256(repr((command, identity(compiler), text)).encode()).hexdigest()[:32]
    folder.mkdir(parents=True, exist_ok=True)
    made = folder / digest
    with open(folder / f"{digest}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            unfinished = folder / f"{digest}.new"
            subprocess.run([*command, "-o", unfinished], input=source, check=True)
            unfinished.rename(made)
    os.utime(made)
    return made


@functools.cache
def identity(compiler):
    """What tells one compiler from another: what it says of itself, and the programs and libraries it works with."""

    def says(*question):
        return subprocess.run([*compiler, *question], capture_output=True, text=True, check=True)

    parts = [f"-print-prog-name={name}" for name in ("cc1plus", "as", "ld")]
    parts += [f"-print-file-name={name}" for name in ("libgcc.a", "libstdc++.so", "crtbeginS.o")]
    paths = [shutil.which(word) for word in compiler] + [says(part).stdout.strip() for part in parts]
    states = [(path, os.stat(path)) for path in paths if path and os.path.exists(path)]
    return says("-v").stderr, [(path, state.st_size, state.st_mtime_ns) for path, state in states]


def forget_old(folder=FOLDER):
    """Remove what no test has asked for in some days: each edit of a source leaves something behind."""
    before = time.time() - DAYS * 24 * 3600
    for path in folder.glob("*"):
        if path.stat().st_mtime < before:
            path.unlink()
