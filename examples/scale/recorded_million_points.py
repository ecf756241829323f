"""
A million points, with a proven interval (recorded)
===================================================

Two clouds of a million points each make 10¹² pairs. How long does RPW take, and how much memory?

This page shows a recorded run: the site does not run the script again. All data here are synthetic.
:doc:`many_points` runs a smaller version.
"""

# %%
# The clouds are as in the smaller version: the second is moved by 0.03, and every 20th point is spread over
# the square.

import resource
import time

import matplotlib.pyplot as plt
import numpy as np

import rpw

SIZE = 1_000_000
rng = np.random.default_rng(0)
x = rng.normal(0.5, 0.12, (SIZE, 2))
y = rng.normal([0.53, 0.5], 0.12, (SIZE, 2))
spread = np.arange(SIZE) % 20 == 0
y[spread] = rng.random((spread.sum(), 2))

# %%
# The memory is the most that the process has used so far, Python and the data included. Times are seconds of
# processor time.

print(f"rpw {rpw.__version__}, NumPy {np.__version__}")
for tol in (0.01, 0.003):
    begun = time.process_time()
    result = rpw.solve(x, y, diameter=1, tol=tol)
    seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"tol = {tol:<5g} [{result.lower:.5f}, {result.upper:.5f}]", end=" ")
    print(f"in {seconds:.0f} s and {memory:.0f} MB")

# %%
# The plan is for all points at full size. It attains the upper bound.

print(f"The plan moves the points by {result.displacement.mean.round(4)} on average.")
print(f"The plan moves {result.mass:.2%} of the mass along {result.plan.nnz} arrows.")
left = result.outliers_b
print(f"It leaves behind {left[spread].mean():.0%} of the spread points", end=" ")
print(f"and {left[~spread].mean():.1%} of the others.")

fig, ax = plt.subplots(figsize=(6, 4.8), layout="constrained")
cells = ax.hexbin(*y.T, C=left, gridsize=60, extent=(0, 1, 0, 1), cmap="Blues")
ax.set(
    title="The second cloud",
    xlabel="x",
    ylabel="y",
    xlim=(0, 1),
    ylim=(0, 1),
    aspect="equal",
)
fig.colorbar(cells, label="share of the points that is left behind")
plt.show()
# sphinx_gallery_thumbnail_path = "images/recorded_million_points.png"

# %%
# Recorded output
# ---------------
#
# .. recorded output begins
#
# Recorded on two cores of a server CPU (AMD EPYC), Python 3.11:
#
# .. code-block:: text
#
#    rpw 0.3.0, NumPy 2.4.6
#    tol = 0.01  [0.02171, 0.02481] in 9 s and 382 MB
#    tol = 0.003 [0.02283, 0.02329] in 14 s and 496 MB
#    The plan moves the points by [ 0.02   -0.0001] on average.
#    The plan moves 97.67% of the mass along 1000705 arrows.
#    It leaves behind 35% of the spread points and 0.6% of the others.
#
# .. image:: /images/recorded_million_points.png
#    :alt: In the middle of the square, nothing is left behind. Towards the corners and the right edge, nearly
#       everything is.
#
# .. recorded output ends
#
# **Take away:** these clouds of a million points a side need 14 seconds of processor time and half a gigabyte, if an
# error of 0.003 is good enough.
