"""
Fifty thousand points in about a second
=======================================

How far apart are two clouds of 50,000 points? The exact answer takes a while. An answer with a known error is often
enough: ``tol`` bounds the error, and the result has proven bounds, ``lower`` and ``upper``.

All data here are synthetic. :doc:`recorded_million_points` does the same with a million points.
"""

# %%
# The second cloud is moved to the right by 0.03. Every 20th of its points is spread over the whole square.

import time

import matplotlib.pyplot as plt
import numpy as np

import rpw

SIZE = 50_000
rng = np.random.default_rng(0)
x = rng.normal(0.5, 0.12, (SIZE, 2))
y = rng.normal([0.53, 0.5], 0.12, (SIZE, 2))
spread = np.arange(SIZE) % 20 == 0
y[spread] = rng.random((spread.sum(), 2))

# %%
# Intervals
# ---------
# No matrix of pairs is built. Cells of many points are compared first, then smaller cells, until the interval is
# short enough. Times are seconds of processor time.

tols, sizes, intervals = (0.01, 0.002), (2_000, 10_000, SIZE), []
for tol in tols:
    for size in sizes:
        begun = time.process_time()
        result = rpw.solve(x[:size], y[:size], diameter=1, tol=tol)
        seconds = time.process_time() - begun
        intervals.append((result.lower, result.upper))
        print(f"{size:6} points, tol = {tol:<5g}", end=" ")
        print(f"[{result.lower:.5f}, {result.upper:.5f}] in {seconds:.2f} s")

# %%
# An interval is at most as long as ``tol``, and often shorter. Chance drives small samples apart, so RPW falls as the
# number of points grows.

fig, ax = plt.subplots(figsize=(6.5, 3.5), layout="constrained")
for number, (tol, marker) in enumerate(zip(tols, "os", strict=True)):
    lower, upper = np.array(intervals[3 * number : 3 * number + 3]).T
    place, middle = np.arange(3) + 0.15 * number, (lower + upper) / 2
    ax.errorbar(
        place,
        middle,
        (upper - lower) / 2,
        fmt=marker,
        markersize=4,
        capsize=6,
        label=f"tol = {tol:g}",
    )
ax.set(
    xticks=np.arange(3) + 0.075,
    xticklabels=[f"{size:,}" for size in sizes],
    xlabel="points",
    ylabel="RPW",
    title="RPW lies in the interval",
)
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
plt.show()

# %%
# What moved, and what is left behind
# -----------------------------------
# The last result, of all points, also has a plan. It attains the upper bound.

print(f"The plan moves the points by {result.displacement.mean.round(4)} on average.")
print(f"The plan moves {result.mass:.2%} of the mass along {result.plan.nnz} arrows.")
left = result.outliers_b
print(f"It leaves behind {left[spread].mean():.0%} of the spread points", end=" ")
print(f"and {left[~spread].mean():.1%} of the others.")

# %%
# The points that stay behind lie away from the first cloud. Spread points in the middle of that cloud look like
# ordinary points.

fig, ax = plt.subplots(figsize=(5.5, 5.5), layout="constrained")
ax.scatter(*y[~left][::10].T, s=2, color="0.7", label="matched (every tenth)")
ax.scatter(*y[left].T, s=8, marker="x", color="C3", linewidths=0.8, label="left behind")
ax.set(title="The second cloud", xlabel="x", ylabel="y", aspect="equal")
fig.legend(loc="outside lower center", ncols=2, frameon=False, markerscale=2)
# sphinx_gallery_thumbnail_number = 2
plt.show()

# %%
# **Take away:** with ``tol``, the answer is an interval that is proven to contain RPW. No matrix is built.
