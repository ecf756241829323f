"""Runs modules and scripts one after the other, each in a fork of this process, which has imported what they need.

Each is then a process of its own as ever, with its own files and its own end, and saves the half second that its
imports would take. `children.forked` speaks to it, a line of JSON for every one of them.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import sys
import threading

import rpw

# Without torch and JAX: no command needs them, and a process that has them takes a third of a second to end.
LARGE = ("rpw.torch", "rpw.jax")
OTHERS = (
    "matplotlib.pyplot",
    "rpw_paper.cli.app",  # the paper's experiments, where they are installed
    "PIL.Image",
    "rich.progress",
    "scipy.spatial",
    "scipy.stats",
    "sklearn.datasets",
    "typer",
    "typer._adapters",  # with Pydantic, which Typer imports for the first option
    "zarr",
)


def import_everything():
    ours = [module.name for module in pkgutil.walk_packages(rpw.__path__, "rpw.")]
    for name in (*OTHERS, *ours):
        if name.endswith(".__main__") or name.startswith(LARGE):  # a main module is for the forks to run
            continue
        try:
            importlib.import_module(name)
        except ImportError:  # an extra that is not here: the command will say so
            continue


def become(arguments, folder, environment, stdout, stderr):
    """Turn this fork into ``python ...``."""
    for number, path in ((0, os.devnull), (1, stdout), (2, stderr)):
        os.dup2(os.open(path, os.O_RDWR), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        if arguments[0] == "-m":
            sys.argv[1:] = arguments[2:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv[:] = arguments
            runpy.run_path(arguments[0], run_name="__main__")
        raise SystemExit
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            leave(end.code or 0)
        raise


def leave(code):
    """End as Python does, but without taking all modules to pieces, which lasts longer than most commands."""
    threading._shutdown()
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        return  # Python itself says what is wrong
    os._exit(code)


if __name__ == "__main__":
    import_everything()
    gc.freeze()  # else every fork would copy all pages when it ends
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
