"""What each tuning number earns: the counted work at half and at twice its value over that at the value.

    python benchmarks/core/tuning.py [--only NAME ...] [--family NAME ...] [--jobs 2]
    python benchmarks/core/tuning.py --set NAME=VALUE ... [--family NAME ...]

A number that no case of a family reads is not tried there. Ratios are geometric means over the cases of a family. For
half and for twice the table shows the mean over the families that read the number, and those where the work grows and
falls most. A number whose worst family stays below 1.02 on both sides earns nothing: it goes into a formula, or with
its branch, unless the hardest single case says what it is there for. ``--set`` tells what other values together cost,
family by family: a value that switches a branch off tells what the branch earns.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import itertools
import json
import math
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import counted_build

LIMIT = 20  # times the processor time at the value, then a case is given up
FACTORS = (0.5, 2.0)
EARNS_NOTHING = 1.02


class TooLongError(Exception):
    pass


def _give_up(*_: object) -> None:
    raise TooLongError


# ---------------------------------------------------------------- in the process that counts


def serve(every: int) -> None:
    """For each line that comes, a family and values of numbers: the work of its cases over that at their own values."""
    import counted_problems

    import rpw

    warnings.simplefilter("ignore")
    core = counted_build.Core(Path(rpw.__file__).parents[1])
    signal.signal(signal.SIGVTALRM, _give_up)
    families = {family.__name__: list(family())[::every] for family in counted_problems.FAMILIES}
    at_value: dict[str, list[dict]] = {}
    for text in sys.stdin:
        family, values = json.loads(text)
        cases = families[family]
        if family not in at_value:
            cases[0][2]()  # what is made once is not counted
            at_value[family] = [_counted(core, case, math.inf) for case in cases]
        known = at_value[family]
        if not values:
            answer = {"values": {name: core.value(name) for name in core.settable}, "cases": known}
            print(json.dumps(answer), flush=True)
            continue
        own = {name: core.value(name) for name in values}
        for name, value in values.items():
            core.set(name, value)
        answer = [
            {"ratio": 1, "is_equal": True} if own.keys().isdisjoint(at["reads"]) else _compared(core, case, at)
            for case, at in zip(cases, known, strict=True)
        ]
        for name, value in own.items():
            core.set(name, value)
        print(json.dumps(answer), flush=True)


def _counted(core: counted_build.Core, case: tuple, limit: float) -> dict:
    name, _, call = case
    core.forget_reads()
    work, start = core.work(), time.process_time()
    if limit < math.inf:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit)
    try:
        answer = call()
    except TooLongError:
        answer = math.nan
    except Exception as error:  # an answer like others: it should be the same one
        answer = f"{type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    seconds = time.process_time() - start
    return {
        "case": name, "answer": answer, "work": core.work() - work, "seconds": seconds, "reads": sorted(core.reads()),
    }  # fmt: skip


def _compared(core: counted_build.Core, case: tuple, at: dict) -> dict:
    now = _counted(core, case, 1 + LIMIT * at["seconds"])
    old, new = at["answer"], now["answer"]
    if isinstance(old, str) or isinstance(new, str):
        is_equal = old == new
    else:
        is_equal = math.isnan(new) or abs(new - old) <= case[1] * max(1, abs(old))
    return {"ratio": max(now["work"], 1) / max(at["work"], 1), "is_equal": is_equal}


# ---------------------------------------------------------------- in the process that asks


class Counter:
    """A process that counts."""

    def __init__(self, package: Path, every: int) -> None:
        environment = {**os.environ, "PYTHONPATH": str(package), "PYTHONHASHSEED": "0"}
        command = [sys.executable, __file__, "--serve", "--every", str(every)]
        self._process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def at_value(self, family: str) -> dict:
        return self._ask(family, {})

    def compared(self, family: str, values: dict[str, float]) -> list[dict]:
        return self._ask(family, values)

    def _ask(self, family: str, values: dict[str, float]) -> Any:
        print(json.dumps([family, values]), file=self._process.stdin, flush=True)
        return json.loads(self._process.stdout.readline())

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait()


@dataclass(frozen=True)
class Cost:
    """What another value of a number costs in a family: the mean over its cases, and the case that suffers most."""

    family: str
    mean: float
    worst: float
    worst_case: str
    is_equal: bool


Costs = dict[str, dict[float, list[Cost]]]  # by the number's name and the factor


def _mean(ratios: list[float]) -> float:
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def _cost(family: str, at_value: list[dict], answer: list[dict]) -> Cost:
    ratios = [case["ratio"] for case in answer]
    worst = ratios.index(max(ratios))
    are_equal = all(case["is_equal"] for case in answer)
    return Cost(family, _mean(ratios), ratios[worst], at_value[worst]["case"], are_equal)


def _costs_in(
    family: str, package: Path, every: int, numbers: list[counted_build.Number]
) -> list[tuple[str, float, Cost]]:
    """Of the numbers that the family reads."""
    counter = Counter(package, every)
    at_value = counter.at_value(family)
    cases, values = at_value["cases"], at_value["values"]
    read = {name for case in cases for name in case["reads"]}
    found = []
    for number, factor in itertools.product([number for number in numbers if number.name in read], FACTORS):
        changed = number.rounded(factor * values[number.name])
        answer = counter.compared(family, {number.name: changed})
        found.append((number.name, factor, _cost(family, cases, answer)))
    counter.end()
    lines = [f"{family} {len(cases)} cases"] + [f"{name} {factor} {cost}" for name, factor, cost in found]
    (package.parent / f"{family}.txt").write_text("\n".join(lines), encoding="utf-8")
    return found


def show_together(package: Path, every: int, families: list[str], values: dict[str, float]) -> None:
    """What these values cost together."""
    costs = []
    for family in families:
        counter = Counter(package, every)
        cases = counter.at_value(family)["cases"]
        cost = _cost(family, cases, counter.compared(family, values))
        counter.end()
        costs.append(cost.mean)
        note = "" if cost.is_equal else "  ANSWERS DIFFER"
        print(f"{family:12} {cost.mean:6.3f}  hardest {cost.worst:.2f} {cost.worst_case}{note}", flush=True)
    print(f"{'mean':12} {_mean(costs):6.3f}")


def _all_costs(package: Path, every: int, families: list[str], numbers: list[counted_build.Number], jobs: int) -> Costs:
    """The dearest families first, so that none is left over at the end."""
    order = sorted(families, key=lambda family: family not in ("points", "trial", "crossings", "transport"))
    costs: Costs = {number.name: {factor: [] for factor in FACTORS} for number in numbers}
    with ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(lambda family: _costs_in(family, package, every, numbers), order):
            for name, factor, cost in found:
                costs[name][factor].append(cost)
    return costs


def _show(number: counted_build.Number, of_number: dict[float, list[Cost]]) -> str:
    columns = []
    everywhere = [cost for costs in of_number.values() for cost in costs]
    for costs in of_number.values():
        if not costs:
            return f"{number.name:26} {number.text:>11}  never read"
        worst = max(costs, key=lambda cost: cost.mean)
        least = min(costs, key=lambda cost: cost.mean)
        mean = _mean([cost.mean for cost in costs])
        columns.append(f"{mean:6.3f} {worst.mean:7.3f} {worst.family:10} {least.mean:6.3f} {least.family:10}")
    unequal = sorted({cost.family for cost in everywhere if not cost.is_equal})
    notes = [f"ANSWERS DIFFER: {', '.join(unequal)}"] * bool(unequal)
    if all(cost.mean < EARNS_NOTHING for cost in everywhere):
        hardest = max(everywhere, key=lambda cost: cost.worst)
        notes.append(f"earns nothing; hardest case {hardest.worst:.2f} ({hardest.family}: {hardest.worst_case})")
    return f"{number.name:26} {number.text:>11}  {' | '.join(columns)} {'; '.join(notes)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", help="of a number in tuning.hpp")
    parser.add_argument("--set", action="append", metavar="NAME=VALUE", help="what these values cost together")
    parser.add_argument("--family", action="append")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every N-th case, for a first look")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--folder", type=Path, default=counted_build.ROOT / "build/tuning")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.every)
        return
    options.folder.mkdir(parents=True, exist_ok=True)
    package = counted_build.build(options.folder)
    sys.path.insert(0, str(package))
    import counted_problems

    families = options.family or [family.__name__ for family in counted_problems.FAMILIES]
    text = (package / "tuning.hpp").read_text(encoding="utf-8")
    numbers = counted_build.settable(text)
    chosen = [number for number in numbers if (number.name in options.only if options.only else number.tunes)]
    if options.set:
        pairs = (setting.split("=") for setting in options.set)
        show_together(package, options.every, families, {name: float(value) for name, value in pairs})
        return
    costs = _all_costs(package, options.every, families, chosen, options.jobs)
    print(f"{sum(number.tunes for number in numbers)} numbers tune, {len(numbers)} stand in tuning.hpp")
    columns = "mean  worst family       least family"
    print(f"{'number':26} {'value':>11}  {'half: ' + columns:42} | {'twice: ' + columns}")
    for number in chosen:
        print(_show(number, costs[number.name]))


if __name__ == "__main__":
    main()
