"""Runs modules and scripts one after the other, each in a fork of this process, which has imported what they need.

Each is then a process of its own as ever, with its own files and its own end, and saves the half second that its
imports would take. `children.forked` speaks to it, a line of JSON for every one of them.
"""

import gc
import importlib
import json
import os
import pkgutil
import runpy
import sys

import rpw

OTHERS = ("matplotlib.pyplot", "PIL.Image", "rich.progress", "scipy.spatial", "sklearn.datasets", "typer", "zarr")


def import_everything():
    ours = [module.name for module in pkgutil.walk_packages(rpw.__path__, "rpw.")]
    for name in (*OTHERS, *ours):
        if name.endswith(".__main__"):  # is for the forks to run
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
    if arguments[0] == "-m":
        sys.argv[1:] = arguments[2:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:] = arguments
        runpy.run_path(arguments[0], run_name="__main__")
    raise SystemExit


if __name__ == "__main__":
    import_everything()
    gc.freeze()  # else every fork would copy all pages when it ends
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(**json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
