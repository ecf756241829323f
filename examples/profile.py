"""Two small clouds, the second a shifted copy of the first with a few outliers: what do the distances say?

Run it with ``python examples/profile.py`` where rpw and matplotlib are installed. It prints a table and writes the
OT-profile with its crossing to ``demo_output/profile.png``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import matplotlib
import numpy as np
import numpy.typing as npt

import rpw

matplotlib.use("Agg")  # a picture in a file; no display is needed
from matplotlib import pyplot

Points = npt.NDArray[np.float64]

HERE = Path(__file__).resolve().parent
PICTURE = HERE.parent / "demo_output" / "profile.png"
OUTLIERS = 12  # the last points of the second cloud
PRICES = (0.1, 0.3, 1.0, 3.0, 10.0)
SHOWN_K = 0.3  # the crossing in the picture


def read_clouds() -> tuple[Points, Points, npt.NDArray[np.bool_]]:
    """The first cloud, the second, and which points of the second are outliers."""
    first = np.loadtxt(HERE / "data" / "first.csv", delimiter=",", skiprows=1)
    second = np.loadtxt(HERE / "data" / "second.csv", delimiter=",", skiprows=1)
    return first, second, np.arange(len(second)) >= len(second) - OUTLIERS


def print_table(first: Points, clean: Points, second: Points) -> None:
    """Each distance without and with the outliers; for RPW also the proven interval."""
    print(f"{'':<18}{'without':>10}{'with':>10}{'change':>9}   proven interval (with)")
    plain: dict[str, Callable[[Points], float]] = {
        "W1": lambda y: rpw.wasserstein(first, y, p=1),
        "W2": lambda y: rpw.wasserstein(first, y, p=2),
        "TV": lambda y: rpw.total_variation(first, y),
    }
    for name, of in plain.items():
        print_row(name, of(clean), of(second))
    for k in PRICES:
        without = rpw.distance(first, clean, p=2, k=k)
        result = rpw.solve(first, second, p=2, k=k)
        print_row(f"RPW p=2, k={k:g}", without, result.distance, f"[{result.lower:.9f}, {result.upper:.9f}]")


def print_row(name: str, without: float, with_outliers: float, note: str = "") -> None:
    change = with_outliers / without - 1
    print(f"{name:<18}{without:>10.6f}{with_outliers:>10.6f}{change:>+9.0%}   {note}".rstrip())


def draw(first: Points, clean: Points, second: Points, result: rpw.Result) -> None:
    """The picture: the clouds on the left, the two profiles and the crossing on the right."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    result.plot(ax=left).set_title(f"What moves and what stays, k = {SHOWN_K:g}")
    masses = np.linspace(0, 1, 401)
    without = rpw.profile(first, clean, p=2)
    right.plot(masses, without(masses), color="0.45", ls=":", label="$W_{2,\\alpha}$ without the outliers")
    rpw.profile(first, second, p=2).plot(ax=right, k=SHOWN_K)
    right.set(title="OT-profile and its crossing", ylabel="cost of moving mass $\\alpha$")
    right.legend(frameon=False, loc="upper left", fontsize=9)
    right.spines[["top", "right"]].set_visible(False)
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=100)
    pyplot.close(figure)


def main() -> None:
    start = time.perf_counter()
    first, second, is_outlier = read_clouds()
    clean = second[~is_outlier]
    print(
        f"{len(first)} points, and {len(clean)} of them shifted by about 0.045 with {is_outlier.sum()} outliers added"
    )
    print(f"({is_outlier.mean():.0%} of the mass). Each distance without and with the outliers; diameter 1:\n")
    print_table(first, clean, second)

    result = rpw.solve(first, second, p=2, k=SHOWN_K)
    left = result.unmatched_b[is_outlier].sum() / is_outlier.mean()
    profile = rpw.profile(first, second, p=2)
    highest = np.argsort(profile.scores_b)[-OUTLIERS:]
    print(f"\nAt k = {SHOWN_K:g} the plan leaves {result.distance:.1%} of the mass behind,", end=" ")
    print(f"with {left:.0%} of the outliers.")
    print(f"Of the {OUTLIERS} points with the highest scores, {is_outlier[highest].sum()} are outliers.", end=" ")
    print(f"The elbow is at {profile.elbow():g}: it names only what lies much farther out.")
    draw(first, clean, second, result)
    shown = PICTURE.relative_to(Path.cwd()) if PICTURE.is_relative_to(Path.cwd()) else PICTURE
    print(f"\nThe OT-profile with its crossing is in {shown} ({time.perf_counter() - start:.1f} s in all).")


if __name__ == "__main__":
    main()
