"""
Is 0.17 large?
==============

It depends on the number of points, on the dimension and on k·Δ. So ask what chance alone would give for your data.
"""

# %%
# Two samples of *one* distribution have a distance too, because no two samples have their points at the same places.
# This distance is the noise floor. Here is the floor for two samples of 300 standard normal points (synthetic), in
# one to ten dimensions.
#
# The unit of length Δ is the 99 % quantile of the distance between two such points, so that k = 1 means the same in
# each dimension.

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import chi2

import rpw

N, DIMENSIONS = 300, (1, 2, 4, 6, 10)


def unit(dimension):
    """The 99 % quantile of the distance between two standard normal points."""
    return float(np.sqrt(2 * chi2.ppf(0.99, dimension)))


rng = np.random.default_rng(1)
floors = []
for d in DIMENSIONS:
    x, y = rng.normal(size=(2, N, d))
    floors.append(rpw.stats.noise_floor(x, y, diameter=unit(d), n_resamples=99, rng=0))
    print(f"dimension {d:2}: {floors[-1].chance}")

# %%
# The line at 0.17 lies far above the floor in the plane, and far below it in ten dimensions.

figure, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
middle = np.array([floor.median for floor in floors])
ends = np.array([[floor.low, floor.high] for floor in floors]).T
ax.errorbar(
    DIMENSIONS,
    middle,
    np.abs(ends - middle),
    fmt="o",
    color="#0072B2",
    capsize=4,
    label="chance: median and middle 90 %",
)
ax.axhline(0.17, color="#D55E00", ls="--", label="0.17")
ax.set(
    xlabel="dimension",
    ylabel="RPW (share of the mass)",
    xticks=DIMENSIONS,
    ylim=(0, None),
)
ax.set_title(f"RPW of two samples of one distribution, {N} points each")
ax.legend(frameon=False, loc="upper left")
plt.show()

# %%
# Here are two pairs of tables with about the same distance. In the plane, one column has moved by 1.3 standard
# deviations. In six dimensions, nothing has moved.

x2, y2 = rng.normal(size=(2, N, 2))
y2[:, 0] += 1.3
x6, y6 = rng.normal(size=(2, N, 6))
tests = {
    "two columns, one of them shifted": rpw.stats.two_sample_test(
        x2, y2, k=1, diameter=unit(2), n_resamples=199, rng=0
    ),
    "six columns, nothing shifted": rpw.stats.two_sample_test(
        x6, y6, k=1, diameter=unit(6), n_resamples=199, rng=0
    ),
}
for name, test in tests.items():
    print(f"{name}:\n{textwrap.indent(textwrap.fill(str(test), 78), '  ')}")

# %%
# :func:`rpw.stats.two_sample_test` pools the rows, splits them at random again and again, and compares their
# distances with the observed distance. The p-value is the share of splits that are at least as far apart.
# The observed samples count as one of the splits.

figure, axes = plt.subplots(1, 2, figsize=(9.6, 3.6), layout="constrained")
for ax, (name, test) in zip(axes, tests.items(), strict=True):
    test.plot(ax=ax).set_title(f"{name}: p = {test.pvalue:.3g}", fontsize=10)
plt.show()

# %%
# The first difference is significant. The second is not significant at 5 %, although the distance is as large. (Of
# twenty pairs of equal distributions, about one is significant at 5 % by chance.)
#
# A p-value does not say how large a change is. ``changed_at_least`` is a lower bound on the number of rows that have
# changed, with 95 % confidence. ``at_most`` bounds the distance of the two populations from above.

for name, test in tests.items():
    print(f"{name}:")
    print(
        f"  at least {test.changed_at_least()} of {2 * N} rows have changed,", end=" "
    )
    print(f"and the populations are at most {test.at_most():.3f} apart")

# %%
# All of this needs independent rows. Rows that follow each other in time, or several rows of one customer, make
# every p-value too small.
#
# **Take away:** compare a distance with its own noise floor before you call it large. :doc:`/meaning` explains the
# rest.
