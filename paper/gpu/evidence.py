"""The retrieval experiments at the paper's size and beyond, part by part, within some seconds, on one GPU.

    PYTHONPATH=SITE python3 evidence.py --data FOLDER --out FOLDER --seconds 540 --device cuda

Needs numpy and scipy beside rpw. A part is one distance in one repeat of one experiment; parts run in the order of
`all_parts`, and those that are named in ``--done``, or lie whole in ``--store`` already, are left out. Each that is
finished goes into a tar file for its data set at once; ``times.csv`` says how long it took, and how far the nearest
pictures of the first query are from what the CPU finds. A tar file unpacks into folders which
``rpw-paper reproduce retrieval --out FOLDER`` takes for its own, as does ``rpw-paper reproduce paper --out DIR`` in
DIR/runs:

    cifar10-noise-50        2,000 labelled, 50 queries, the 100 nearest: the paper's size
    cifar10-noise-600       2,000 labelled, 600 queries, the 10 nearest: distances that a claim of the paper names
    cifar10-shift-plain-50  the other reading of the paper: no query is tinted
"""

from __future__ import annotations

import argparse
import csv
import shutil
import tarfile
import time
import traceback
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import rpw
from rpw_paper.nearest import distance_matrix
from rpw_paper.pictures import load_pictures
from rpw_paper.retrieval import SWEPT_K, Method, Plan, find, methods, swept_k, swept_lam

SEED = 0
LABELLED = 2000
COLOUR = ("cifar10", "corel")
SCENARIOS = ("noise", "shift", "both")
CHEAP_FIRST = ("tv", "rpw-k0.1", "robot-0.1", "rpw-k1", "w1", "w2")
CLAIMED = {"mnist": ("tv", "rpw-k0.1", "robot-0.1", "rpw-k1", "w1", "w2")}  # all: they take seconds
CLAIMED |= dict.fromkeys(COLOUR, ("tv", "rpw-k0.1", "w1", "w2"))
STAGES = ("paper", "claims", "reading", "sweep", "repeats")

# Milliseconds of one pair on one H200, and the share of the pairs of colour pictures that bounds leave to W1 and W2.
COST = {"tv": 0.01, "rpw-k0.1": 0.06, "rpw-k1": 0.4, "w1": 1.2, "w2": 0.6, "rpw-sweep": 1.1, "robot-0.1": 0.26}
# λ-ROBOT: 50 queries of CIFAR-10 took 3 to 5 s at λ = 0.0316, 26 to 28 s at 0.1, and 136 to 156 s at 0.316.
GROWTH_WITH_LAM = 1.5
LEFT = {100: 0.26, 10: 0.13}  # by how many of the nearest are wanted
SHORTEST = 4.0  # seconds of the cheapest part
BESIDE = 3.0  # seconds for reading, drawing, bounds and files


def cost_of(key: str) -> float:
    """Of one pair of colour pictures."""
    name, _, lam = key.partition("-")
    return COST["robot-0.1"] * (float(lam) / 0.1) ** GROWTH_WITH_LAM if name == "robot" else COST[key]


@dataclass(frozen=True)
class Part:
    """One distance in one repeat of one experiment."""

    stage: str
    dataset: str
    scenario: str
    key: str
    repeat: int = 0
    queries: int = 50
    largest_m: int = 100
    plain_queries: bool = False

    @property
    def folder(self) -> str:
        """The experiment's."""
        return f"{self.dataset}-{self.scenario}{'-plain' * self.plain_queries}-{self.queries}"

    @property
    def name(self) -> str:
        """What stands in lists."""
        return f"{self.folder}/nearest/repeat-{self.repeat}/{self.key}"

    @property
    def seconds(self) -> float:
        """About how long it takes on one H200."""
        cost = cost_of(self.key) * self.queries * LABELLED / 1000
        if self.dataset == "mnist":
            return cost / 90 + BESIDE
        return cost * (LEFT[self.largest_m] if self.key in ("w1", "w2") else 1) + BESIDE

    def plan(self, pictures):
        """What is drawn."""
        counts = LABELLED, self.queries, SEED, self.plain_queries, self.largest_m
        return Plan(pictures, self.scenario, *counts)


def all_parts() -> list[Part]:
    """In the order in which they are wanted."""
    grey = [Part("claims", "mnist", scenario, key, 0, 600, 10) for scenario in SCENARIOS for key in CLAIMED["mnist"]]
    return [
        *(Part("paper", data, scenario, key) for data in COLOUR for scenario in SCENARIOS for key in CHEAP_FIRST),
        *grey,
        *(
            Part("claims", data, scenario, key, 0, 600, 10)
            for data in COLOUR
            for scenario in SCENARIOS
            for key in CLAIMED[data]
        ),
        *(
            Part("reading", data, scenario, key, plain_queries=True)
            for data in COLOUR
            for scenario in ("shift", "both")
            for key in CHEAP_FIRST
        ),
        *sweep_parts(),
        *(
            Part("repeats", data, scenario, key, repeat)
            for repeat in (1, 2)
            for data in ("mnist", *COLOUR)
            for scenario in SCENARIOS
            for key in CHEAP_FIRST
        ),
    ]


def sweep_parts() -> list[Part]:
    """RPW over k of every data set, then λ-ROBOT from the smallest λ, the cheapest, to the largest.

    MNIST has 600 queries too: they take a minute, and fifty decide little.
    """
    lams = [way.key for way in swept_lam() if way.key not in CHEAP_FIRST]
    every = [(data, scenario) for data in ("mnist", *COLOUR) for scenario in SCENARIOS]
    many = [("mnist", scenario) for scenario in SCENARIOS]
    return [
        *(Part("sweep", "mnist", scenario, key) for scenario in SCENARIOS for key in CHEAP_FIRST),
        *(Part("sweep", *where, "rpw-sweep") for where in every),
        *(Part("sweep", *where, "rpw-sweep", 0, 600, 10) for where in many),
        *(Part("sweep", *where, key) for key in lams for where in every),
        *(Part("sweep", *where, key, 0, 600, 10) for key in lams for where in many),
    ]


def way_of(key: str) -> Method:
    return {way.key: way for way in (*swept_lam(), swept_k(), *methods())}[key]


class OutOfTimeError(Exception):
    """Raised inside a part."""


class Runner:
    """Computes parts below a folder, until a moment."""

    def __init__(self, options) -> None:
        self.options = options
        self.store = options.out / "parts" if options.store is None else options.store
        self.end = time.monotonic() + options.seconds
        self.pictures = cache(lambda name: load_pictures(name, options.data))

    @property
    def seconds_left(self) -> float:
        return self.end - time.monotonic()

    def find(self, part: Part, store: Path):
        """What the part asks for; raises `OutOfTimeError`."""
        plan, options = part.plan(self.pictures(part.dataset)), self.options
        drawn = plan.draw(part.repeat)

        def report(_share, _what):
            if self.seconds_left < 0:
                raise OutOfTimeError

        run = {"n_threads": None, "device": options.device, "report": report}
        order, distances = find(
            plan, way_of(part.key), part.repeat, drawn, store=store / part.folder / "nearest", **run
        )
        return drawn, order, distances

    def compute(self, part: Part) -> list:
        """A row of ``times.csv``."""
        started = time.monotonic()
        drawn, order, distances = self.find(part, self.store)
        took, way = time.monotonic() - started, way_of(part.key)
        few = order[..., 0, :3].ravel()
        expected = distance_matrix(drawn.queries[:1], drawn.labelled[few], way.options)
        if distances.ndim == 3:  # of each k its own pictures
            expected = np.stack([each[0, 3 * i : 3 * i + 3] for i, each in enumerate(expected)])
        error = np.abs(expected - distances[..., 0, :3].reshape(expected.shape)).max()
        return [part.name, len(drawn.queries), f"{took:.1f}", f"{part.seconds:.0f}", f"{error:.1e}"]


def add_to_tar(archive: Path, store: Path, part: Part) -> None:
    """Append the files of a part."""
    with tarfile.open(archive, "a") as tar:
        for path in sorted((store / part.name).glob("*.npz")):
            tar.add(path, arcname=str(path.relative_to(store)))


def is_whole(folder: Path, queries: int) -> bool:
    """Whether the files of a part know all queries."""
    spans = [tuple(map(int, path.stem.split("-"))) for path in folder.glob("*-*.npz")]
    return len({q for first, stop in spans for q in range(first, stop)}) >= queries


def list_state(results: Path) -> None:
    """Print the names of the parts that are whole, for ``--done``."""
    for part in all_parts():
        if is_whole(results / part.name, part.queries):
            print(part.name)


def list_twice(results: Path) -> None:
    """Print as CSV whether RPW at one k is, bit by bit, what the sweep over k found for it in a run of its own."""
    print("run,distance,queries,same_pictures,same_bits")
    for part in all_parts():
        alone = results / part.name
        together = alone.with_name(swept_k().key)
        if part.key in ("rpw-k1", "rpw-k0.1") and part.stage != "repeats" and alone.exists() and together.exists():
            place = SWEPT_K.index(float(part.key.removeprefix("rpw-k")))
            one, many = kept_in(alone), kept_in(together)
            same = [all((one[q][i] == many[q][i][place]).all() for q in range(part.queries)) for i in (0, 1)]
            print(part.folder, part.key, part.queries, *("yes" if each else "no" for each in same), sep=",")


def kept_in(folder: Path) -> dict:
    """Of each query the nearest pictures and their distances."""
    found = {}
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as arrays:
            rows = zip(*(np.moveaxis(arrays[name], -2, 0) for name in ("order", "distances")), strict=True)
            found |= {int(arrays["start"]) + q: row for q, row in enumerate(rows)}
    return found


def run(options) -> None:
    rpw.pairwise([[[0.0]]], [[[0.0]]], diameter=1, device=options.device)  # raises at once if it is not there
    runner = Runner(options)
    done = set(options.done.read_text().split()) if options.done and options.done.exists() else set()
    if options.earlier and options.earlier.exists():
        shutil.copytree(options.earlier, runner.store, dirs_exist_ok=True)
    options.out.mkdir(parents=True, exist_ok=True)
    todo = [part for part in all_parts() if part.stage in options.stages and part.name not in done]
    todo = [part for part in todo if not is_whole(runner.store / part.name, part.queries)]
    with (options.out / "times.csv").open("a", newline="") as stream:
        table = csv.writer(stream, lineterminator="\n")
        table.writerow(["part", "queries", "seconds", "guessed", "from_cpu"])
        for part in todo:
            if runner.seconds_left < SHORTEST:
                break
            one_block = part.seconds / max(1, part.queries // 100)
            if one_block > runner.seconds_left:
                print(f"left out: {part.name}, about {part.seconds:.0f} s", flush=True)
                continue
            try:
                row = runner.compute(part)
            except OutOfTimeError:
                row = [part.name, part.queries, "", f"{part.seconds:.0f}", "cut off; finished queries are kept"]
            except Exception as error:  # one part must not cost the others their time on the machine
                traceback.print_exc()
                row = [part.name, part.queries, "", f"{part.seconds:.0f}", f"failed: {type(error).__name__}"]
            table.writerow(row)
            stream.flush()
            print(*row, f"{runner.seconds_left:.0f} s left", flush=True)
            add_to_tar(options.out / f"{part.dataset}.tar", runner.store, part)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="mnist.npz, cifar10.npz and corel5k.npz lie there")
    parser.add_argument("--out", type=Path, help="for tar files and times.csv")
    parser.add_argument("--store", type=Path, help="for the files of the parts; a folder of --out if left out")
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--stages", type=lambda text: text.split(","), default=STAGES, help=",".join(STAGES))
    parser.add_argument("--done", type=Path, help="a list of parts that are done")
    parser.add_argument("--earlier", type=Path, help="what parts have found that are not whole")
    parser.add_argument("--list-done", type=Path, metavar="RESULTS", help="only print the parts that lie there whole")
    parser.add_argument(
        "--list-twice", type=Path, metavar="RESULTS", help="only print whether k = 1 and 0.1 came twice"
    )
    parser.add_argument("--plan", action="store_true", help="only print the parts, with about how long they take")
    options = parser.parse_args()
    if options.list_done:
        list_state(options.list_done)
    elif options.list_twice:
        list_twice(options.list_twice)
    elif options.plan:
        for part in all_parts():
            print(f"{part.stage:8} {part.seconds:5.0f} s  {part.name}")
    else:
        run(options)


if __name__ == "__main__":
    main()
