"""
Ten-minute tutorial
===================

A workshop measures the parts it makes. Has anything changed this week?

We compare this week with earlier weeks. This week has a real change and a few broken readings. You will compute a
distance, see what it leaves behind, judge whether it is large, and find what moved. The data is synthetic.
"""

# %%
# The data
# --------
# Each part has a length and a width, in millimetres. This week all parts are 0.5 mm
# longer, and six of the 200 readings are broken.

import textwrap

import matplotlib.pyplot as plt
import numpy as np

import rpw

rng = np.random.default_rng(0)
earlier = rng.normal([80, 50], 1, size=(2000, 2))
this_week = rng.normal([80.5, 50], 1, size=(200, 2))
broken = this_week.copy()
broken[:6] += [40, 20]

figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
axes.scatter(*earlier.T, s=12, marker="o", label="earlier, 2,000 parts")
axes.scatter(*broken.T, s=16, marker="x", label="this week, 200 parts")
axes.set(xlabel="length (mm)", ylabel="width (mm)", title="Six readings are far off")
axes.legend(loc="center right")
plt.show()

# %%
# A Wasserstein distance sees only the broken readings
# ----------------------------------------------------
# The 2-Wasserstein distance W₂ is the cost of moving one cloud onto the other. Six
# readings of 200 multiply it by more than ten.

without = rpw.wasserstein(earlier, this_week)
with_them = rpw.wasserstein(earlier, broken)
print(f"W₂ without the broken readings: {without:.2f} mm")
print(f"W₂ with them:                   {with_them:.2f} mm")

# %%
# RPW hardly notices them
# -----------------------
# RPW may leave a share of the points behind. It is a number between 0 and 1: the
# smallest share ε that must stay behind so that moving the rest costs at most k·Δ·ε.
#
# Δ is the unit of length. ``rpw.diameter`` with ``quantile=0.9`` takes it from the
# ordinary points: the 10 % of points that lie farthest out are ignored. k is 1 by
# default.

delta = rpw.diameter(earlier, broken, quantile=0.9)
print(f"Δ = {delta:.2f} mm")
without = rpw.distance(earlier, this_week, diameter=delta)
with_them = rpw.distance(earlier, broken, diameter=delta)
print(f"RPW without the broken readings: {without:.4f}")
print(f"RPW with them:                   {with_them:.4f}")

# %%
# Replace any share δ of the points by anything: RPW changes by at most δ. Here δ is
# 6 / 200 = 0.03.
#
# See what was moved
# ------------------
# ``rpw.solve`` gives the distance together with its proof, the plan, and what the plan
# leaves behind. The lower and the upper bound are computed in different ways. Here they
# agree: the answer is exact.

result = rpw.solve(earlier, broken, diameter=delta)
print(f"between {result.lower:.9f} and {result.upper:.9f}, {result.status}")

left = np.flatnonzero(result.outliers_b)
print(f"{len(left)} readings of this week stay behind.")
print(f"Among them are {np.sum(left < 6)} of the 6 broken ones.")

figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
result.plot(ax=axes)
axes.set(xlim=(76, 84.5), ylim=(46, 54), xlabel="length (mm)", ylabel="width (mm)")
axes.set_adjustable("box")
for dots in axes.collections:
    if dots.get_label() == "first":
        dots.set(alpha=0.25, zorder=0)  # 2,000 dots would hide the others
axes.set_title("What moves, and what stays behind (ringed)")
plt.show()

# %%
# In the legend, *first* are the earlier parts, and *second* the parts of this week.
# The picture leaves out the broken readings, which lie far to the right. Look at the
# ringed points: ordinary parts stay behind too. The share of the mass that stays
# behind is always the distance itself. Here it is larger than the share of broken
# readings. So the ringed points are *not* a list of errors. The plan may split a point;
# a point is ringed if more than half of it stays behind.
#
# Is the number large?
# --------------------
# Two samples of the same distribution are never at distance 0.
# ``rpw.stats.noise_floor`` mixes both samples, splits them at random again and again,
# and says what chance alone gives.

floor = rpw.stats.noise_floor(earlier, broken, diameter=delta, n_resamples=99, rng=0)
print(floor)

# %%
# The distance lies above what chance gives. ``rpw.stats.two_sample_test`` turns this
# into a p-value. It also gives a lower bound on the number of rows that have changed.
# With ``contamination=6`` the p-value holds even if any six rows were replaced.

test = rpw.stats.two_sample_test(
    earlier, broken, k=1, diameter=delta, n_resamples=99, rng=0, contamination=6
)
print(textwrap.fill(str(test), 72))

# %%
# Which readings are broken?
# --------------------------
# ``rpw.stats.find_outliers`` compares this week with the earlier parts, row by row. If
# all other rows follow the earlier distribution, at most 5 % of the rows that it names
# are ordinary, on average.

found = rpw.stats.find_outliers(broken, earlier, fdr=0.05, rng=0)
print(textwrap.fill(str(found), 72))
print("rows named:", np.flatnonzero(found.mask))

# %%
# All six broken readings are named. The other two named rows are ordinary parts, far
# from the middle. All parts are longer this week, so ordinary parts do not follow the
# earlier distribution, and the promise of 5 % does not hold strictly here. We remove the
# named rows, and compare again.

clean = broken[~found.mask]
print(f"RPW of the rest: {rpw.distance(earlier, clean, diameter=delta):.4f}")

# %%
# This is still above what chance gives. So the broken readings are not the reason: the
# parts themselves have changed.

# %%
# What has changed?
# -----------------
# The displacement says how far the plan moves the points along each column. Moves of
# RPW are shorter than the true shift of 0.5 mm, because the plan leaves behind the
# points that would have to move farthest. :func:`rpw.transport` moves all points.

moved = rpw.solve(earlier, clean, diameter=delta).displacement
whole = rpw.transport(earlier, clean).displacement
for number, name in enumerate(("length", "width")):
    print(f"mean move in {name}: {moved.mean[number]:+.2f} mm by RPW,", end=" ")
    print(f"{whole.mean[number]:+.2f} mm if all points move")

# %%
# Every k from one solve
# ----------------------
# k sets the exchange rate between distance and mass. The *profile* shows every k at
# once. It is the cost of moving a share α of the mass, cheapest first. RPW is read off
# where the curve meets the line k·Δ·(1 − α). The curve turns up sharply at its end:
# that is the cost of the broken readings.

profile = rpw.profile(earlier, broken, p=2, diameter=delta)
for k in (0.1, 0.3, 1, 3):
    print(f"k = {k}: RPW = {profile.distance(k):.4f}")

figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
profile.plot(ax=axes, k=1)
axes.set_title("The profile, and its crossing at k = 1")
plt.show()

# %%
# Many weeks at once
# ------------------
# ``rpw.pairwise`` compares all pairs of a list, on all cores. RPW is a metric, so its
# matrices work with clustering and nearest neighbours. Here are twelve weeks. From week
# 7 on the parts are longer, and every week has broken readings.

weeks = [
    rng.normal([80 + 0.5 * (week >= 6), 50], 1, size=(200, 2)) for week in range(12)
]
for week in weeks:
    week[: rng.integers(1, 5)] += [40, 20]
matrix = rpw.pairwise(weeks, diameter=delta)

figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
image = axes.imshow(matrix, cmap="viridis")
axes.set(xlabel="week", ylabel="week", title="RPW between twelve weeks")
axes.set(
    xticks=range(0, 12, 2),
    xticklabels=range(1, 13, 2),
    yticks=range(0, 12, 2),
    yticklabels=range(1, 13, 2),
)
figure.colorbar(image, label="RPW")
plt.show()

# %%
# The two blocks are the two periods. The broken readings do not blur them.
#
# Where to go next
# ----------------
# * :doc:`/meaning`: how to read the number, and what the tests prove.
# * :doc:`/choosing`: how to choose p, k and Δ.
# * :doc:`/howto/index`: recipes for tables, images, matrices, search, scikit-learn and more.
# * :doc:`/gallery/index`: worked examples with pictures.
