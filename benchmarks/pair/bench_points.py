"""Points without a matrix: exact RPW from 5,000 to 100,000 points in the plane and in space, W_2 in the plane, and
proven intervals at a million.

Run it with ``make bench-points`` (all takes an hour or more; ``--only exact --largest 20000`` a quarter of a minute).
Every solve has a process of its own, so that its peak memory is known. POT's lazy solver of W_2, which needs no matrix
either, runs at 5,000 points in the same way; ratios are to that. Growth exponents are fitted over all sizes
that were solved; with ``--figure FILE`` times are plotted.

``--only peers`` times W_2 beside others that need no matrix, with their errors: POT's lazy solver, the auction over k-d
trees of Hera (as Gudhi ships it) and the sparse Sinkhorn solver of MultiScaleOT. What is not installed is left out.
``--only inputs`` times pictures, scans, cells, clusters and few points against many. ``--only scale`` gives the other
cells of the table in docs/scale.md: the line, many dimensions, and a million points exactly.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one core; must be set before NumPy loads

import argparse
import importlib
import importlib.util
import json
import subprocess
import sys
import time

import numpy as np

SIZES = (5_000, 10_000, 20_000, 50_000, 100_000)
KINDS = ("plain", "outliers", "dirichlet", "shifted", "density")
LOOKS = {  # of a curve: its name and its marker
    "plain": ("equal weights, overlapping", "o"),
    "outliers": ("far outliers", "s"),
    "dirichlet": ("Dirichlet weights", "^"),
    "shifted": ("shifted", "D"),
    "density": ("other density", "v"),
}
MILLION = 1_000_000
SCALE = {  # dimensions, and points on either side
    1: (1_000, 10_000, 50_000, 100_000, MILLION),
    2: (1_000, MILLION),
    3: (1_000, MILLION),
    10: (1_000, 10_000, 50_000, 100_000),
    64: (1_000, 10_000, 50_000),
}
PEER_SIZE = 5_000
PEER_KINDS = ("plain", "shifted", "density")
PEER_SIZES = (1_000, 5_000, 20_000)
OTHERS = ("picture 64", "picture 128", "scans", "cells", "clusters", "100 x 40,000")
PEERS = {
    "lazy": ("ot", "POT, emd2_lazy"),
    "hera": ("gudhi.hera", "Hera"),
    "multiscale": ("MultiScaleOT", "MultiScaleOT"),
}
PEER_LIMIT = 60  # seconds
HERA_ERROR = 0.01  # relative, as it is promised
EPSILON_TIMES_N = 0.1  # of Sinkhorn: a tenth of that does not converge in its number of iterations


def drawn(kind: str, n: int, d: int, seed: int):
    """Two clouds in the unit cube, and their weights."""
    rng = np.random.default_rng(seed)
    x, y = rng.random((n, d)), rng.random((n, d))
    a = b = None
    if kind == "outliers":
        y[: n // 10] = 5 + 0.1 * rng.random((n // 10, d))
    if kind == "shifted":
        y[:, 0] += 0.05
    if kind == "density":
        y = rng.normal(0.5, 0.15, (n, d))
    if kind == "dirichlet":
        a, b = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    return x, y, a, b


def smooth_picture(n: int, rng: np.random.Generator) -> np.ndarray:
    """Noise, smoothed over a sixteenth of the picture: weights of its pixels."""
    from scipy.ndimage import gaussian_filter

    noise = gaussian_filter(rng.random((n, n)), n / 16, mode="wrap")
    return ((noise - noise.min()) / (noise - noise.min()).sum()).ravel()


def scan(shift: float, rng: np.random.Generator) -> np.ndarray:
    """20,000 points on 40 rings, the outermost of radius 1/2."""
    radius, angle = np.repeat(np.linspace(0.05, 0.5, 40), 500), 2 * np.pi * rng.random(20_000)
    return np.stack([radius * np.cos(angle) + shift, radius * np.sin(angle), 0.0005 * rng.normal(size=20_000)], axis=1)


def cells(centres: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """10,000 cells of types that are normal clusters, with shares of their own; 30 standard deviations are 1."""
    types = rng.choice(len(centres), 10_000, p=rng.dirichlet(np.full(len(centres), 5.0)))
    return (centres[types] + rng.normal(size=(10_000, centres.shape[1]))) / 30


def clusters(rng: np.random.Generator) -> np.ndarray:
    """10,000 points in ten normal clusters of the unit cube in ten dimensions."""
    return rng.random((10, 10))[rng.integers(0, 10, 10_000)] + 0.05 * rng.normal(size=(10_000, 10))


def other_input(kind: str, seed: int):
    """Two measures of a kind that people have, and their weights."""
    rng = np.random.default_rng(seed)
    if kind.startswith("picture"):
        n = int(kind.split()[1])
        pixels = (np.stack(np.divmod(np.arange(n * n), n), axis=1) + 0.5) / n
        return pixels, pixels, smooth_picture(n, rng), smooth_picture(n, rng)
    if kind == "scans":
        return scan(0.0, rng), scan(0.0075, rng), None, None
    if kind == "cells":
        centres = 3 * rng.normal(size=(12, 50))
        return cells(centres, rng), cells(centres, rng), None, None
    if kind == "clusters":
        return clusters(rng), clusters(rng), None, None
    return rng.random((100, 2)), rng.random((40_000, 2)), None, None


def peak_megabytes() -> float:
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def lazy_w2(x: np.ndarray, y: np.ndarray) -> float:
    import ot

    cost = ot.lp.emd2_lazy(X_a=x, X_b=y, metric="sqeuclidean", return_matrix=False, numItermax=10_000_000)
    return float(cost) ** 0.5


def hera_w2(x: np.ndarray, y: np.ndarray) -> float:
    """W_2 of as many points on either side, as persistence diagrams that lie far above the diagonal.

    If one point of x were matched to the diagonal, one of y would be too, since there are as many of both. To match
    these two to each other costs no more than the square of the diameter, which is less than what they pay.
    """
    from gudhi import hera

    low, high = (np.concatenate([x, y]).min(axis=0), np.concatenate([x, y]).max(axis=0))
    diameter = float(np.linalg.norm(high - low))
    up = np.array([0, high[0] - low[1] + 2**0.5 * diameter])
    return hera.wasserstein_distance(x + up, y + up, order=2, internal_p=2, delta=HERA_ERROR) / len(x) ** 0.5


def multiscale_w2(x: np.ndarray, y: np.ndarray) -> float:
    import MultiScaleOT

    MultiScaleOT.setVerboseMode(False)
    n = len(x)
    depth = int(np.ceil(np.log2(n) / 2))
    of_x, of_y = (
        MultiScaleOT.TMultiScaleSetup(points, np.full(n, 1 / n), depth, childMode=MultiScaleOT.childModeTree)
        for points in (x, y)
    )
    layers = of_x.getNLayers()
    epsilons = MultiScaleOT.TEpsScalingHandler()
    epsilons.setupGeometricMultiLayerB(layers, EPSILON_TIMES_N / n, 4.0, 2, 2)
    cost = MultiScaleOT.THierarchicalCostFunctionProvider_SquaredEuclidean(of_x, of_y)
    solver = MultiScaleOT.TSinkhornSolverStandard(epsilons, 0, layers - 1, 1e-3, of_x, of_y, cost)
    if solver.initialize() != 0 or solver.solve() != 0:
        return float("nan")
    return float(solver.getScorePrimalUnreg()) ** 0.5


def one_solve(task: dict) -> dict:
    """Runs in a process of its own."""
    is_other = task["kind"] in OTHERS
    x, y, a, b = (
        other_input(task["kind"], task["seed"]) if is_other else drawn(task["kind"], task["n"], task["d"], task["seed"])
    )
    importlib.import_module(PEERS[task["way"]][0] if task["way"] in PEERS else "rpw")  # not to be timed
    start = time.process_time()
    if task["way"] in PEERS:
        value = {"lazy": lazy_w2, "hera": hera_w2, "multiscale": multiscale_w2}[task["way"]](x, y)
        return {"seconds": time.process_time() - start, "megabytes": peak_megabytes(), "upper": value}
    import rpw

    if task["way"] == "w2":
        answer = rpw.transport(x, y, a, b, p=2)
    else:
        answer = rpw.solve(x, y, a, b, p=2, k=1, diameter=task.get("diameter", 1), tol=task["tol"])
    return {
        "seconds": time.process_time() - start,
        "megabytes": peak_megabytes(),
        "lower": answer.lower,
        "upper": answer.upper,
        "status": answer.status,
    }


def measured(limit: float, **task) -> dict | None:
    """None if it takes longer than the limit."""
    try:
        done = subprocess.run(
            [sys.executable, __file__, "--one", json.dumps(task)],
            capture_output=True, text=True, timeout=limit, check=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout)


def exponent(sizes: list[int], seconds: list[float]) -> float:
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def growth(options, way: str, d: int = 2) -> dict[str, tuple[list[int], list[float]]]:
    """Prints a table of seconds and megabytes; gives the times of each kind."""
    sizes = [n for n in SIZES if n <= options.largest]
    print(f"\n{way}, {d}-d, p = 2: seconds of the processor, megabytes in all")
    print(f"{'':10}" + "".join(f"{n:>16,}" for n in sizes) + "  exponent")
    found = {}
    for kind in KINDS:
        times: list[float] = []
        row = ""
        for n in sizes:
            result = measured(options.limit, kind=kind, n=n, d=d, seed=options.seed, way=way, tol=0.0)
            if result is None:
                row += f"{'over ' + format(options.limit, '.0f') + ' s':>16}"
                break
            times.append(result["seconds"])
            row += f"{result['seconds']:>8.2f} s {result['megabytes']:>3.0f} MB"
        solved = sizes[: len(times)]
        found[kind] = solved, times
        slope = f"{exponent(solved, times):.2f}" if len(times) > 1 else "-"
        print(f"{kind:10}{row:<{16 * len(sizes)}}  {slope:>8}", flush=True)
    return found


def intervals(options) -> None:
    print(f"\n{MILLION:,} points, tol = {options.tol}: seconds of the processor, megabytes, the interval")
    for d in (2, 3):
        for kind in KINDS:
            result = measured(options.limit, kind=kind, n=MILLION, d=d, seed=options.seed, way="rpw", tol=options.tol)
            if result is None:
                print(f"{d}-d {kind:10} over {options.limit:.0f} s", flush=True)
                continue
            width = result["upper"] - result["lower"]
            print(
                f"{d}-d {kind:10}{result['seconds']:>8.1f} s {result['megabytes']:>5.0f} MB  "
                f"[{result['lower']:.5f}, {result['upper']:.5f}]  width {width:.5f}",
                flush=True,
            )


def scale(options) -> None:
    print("\nEqual weights, overlapping, p = 2, k = 1: seconds of the processor, megabytes in all")
    for d, sizes in SCALE.items():
        diameter = 1 if d <= 3 else d**0.5
        for n in (n for n in sizes if n <= options.largest or n == MILLION):
            task = {"kind": "plain", "n": n, "d": d, "seed": options.seed, "way": "rpw", "tol": 0.0}
            result = measured(options.limit, **task, diameter=diameter)
            shown = f"{result['seconds']:.2f} s {result['megabytes']:.0f} MB" if result else "over the limit"
            print(f"{d:>2}-d, diameter {diameter:.2f}, {n:>9,}: {shown}", flush=True)


def other_inputs(options) -> None:
    print("\nOther inputs, exact: seconds of the processor and megabytes of RPW (p = 2, k = 1) and W_2")
    for kind in OTHERS:
        found = [measured(options.limit, kind=kind, seed=options.seed, way=way, tol=0.0) for way in ("rpw", "w2")]
        shown = (f"{r['seconds']:>8.2f} s {r['megabytes']:>5.0f} MB" if r else f"{'over the limit':>19}" for r in found)
        print(f"{kind:14}" + "".join(shown), flush=True)


def beside_peers(options) -> None:
    """W_2 with equal weights in the plane, since Hera knows no other."""
    ways = {"w2": "rpw"}
    for way, (module, name) in PEERS.items():
        if importlib.util.find_spec(module.split(".")[0]):
            ways[way] = name
        else:
            print(f"\n{name} is left out: there is no module {module}")
    print(
        f"\nW_2 in the plane beside others: seconds of the processor, megabytes, relative error (limit {PEER_LIMIT} s)"
    )
    for kind in PEER_KINDS:
        for n in (n for n in PEER_SIZES if n <= options.largest):
            exact = float("nan")
            for way, name in ways.items():
                result = measured(PEER_LIMIT, kind=kind, n=n, d=2, seed=options.seed, way=way, tol=0.0)
                if result is None:
                    print(f"{kind:8}{n:>7,} {name:15} over {PEER_LIMIT} s", flush=True)
                    continue
                exact = result["upper"] if way == "w2" else exact
                error = f"{abs(result['upper'] / exact - 1):.0e}" if result["upper"] > 0 else "did not converge"
                print(
                    f"{kind:8}{n:>7,} {name:15}{result['seconds']:>8.2f} s {result['megabytes']:>5.0f} MB  {error}",
                    flush=True,
                )


def plot(found: dict, path: str) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 4), layout="constrained")
    for kind, (sizes, times) in found.items():
        if len(times) > 1:
            name, marker = LOOKS[kind]
            axes.loglog(sizes, times, marker=marker, label=name)
    axes.set_xlabel("points on either side")
    axes.set_ylabel("seconds of the processor, one core")
    axes.set_title("Exact RPW in the plane, p = 2, k = 1")
    axes.grid(visible=True, which="both", alpha=0.3)
    figure.legend(loc="outside right upper")
    figure.savefig(path, dpi=120)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="no exact solve of more points")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a solve is given up")
    parser.add_argument("--tol", type=float, default=0.01, help="of the intervals at a million points")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("exact", "space", "w2", "million", "peers", "inputs", "scale"))
    parser.add_argument("--figure")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(one_solve(json.loads(options.one))))
        return
    if options.only in (None, "exact"):
        found = growth(options, "rpw")
        peer = measured(options.limit, kind="plain", n=PEER_SIZE, d=2, seed=options.seed, way="lazy", tol=0.0)
        if peer:
            print(f"\nPOT, emd2_lazy, plain, n = {PEER_SIZE:,}: {peer['seconds']:.2f} s, {peer['megabytes']:.0f} MB")
            for kind, (sizes, times) in found.items():
                if 20_000 in sizes:
                    ratio = times[sizes.index(20_000)] / peer["seconds"]
                    print(f"  {kind}, n = 20,000, over that: {ratio:.2f}")
        if options.figure:
            plot(found, options.figure)
    if options.only in (None, "space"):
        growth(options, "rpw", d=3)
    if options.only in (None, "w2"):
        growth(options, "w2")
    if options.only in (None, "peers"):
        beside_peers(options)
    if options.only in (None, "inputs"):
        other_inputs(options)
    if options.only in (None, "scale"):
        scale(options)
    if options.only in (None, "million"):
        intervals(options)


if __name__ == "__main__":
    main()
