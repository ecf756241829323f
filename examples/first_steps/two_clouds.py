"""
How far apart are two clouds, if one has outliers?
==================================================

The Wasserstein distance mostly measures the outliers. RPW mostly measures the clouds, and shows what it left behind.
"""

# %%
# The data are synthetic. The first cloud is an open ring. The second is another sample of it, shifted a little, in
# which 8 % of the points lie in a clump far away.

import matplotlib.pyplot as plt
import numpy as np

import rpw

rng = np.random.default_rng(0)
N, N_OUT = 150, 12


def open_ring(count):
    angle, radius = rng.uniform(0.9, 5.4, count), rng.normal(0.3, 0.025, count)
    return 0.4 + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


first = open_ring(N)
clean = open_ring(N) + np.array([0.05, 0.02])
second = clean.copy()
second[:N_OUT] = rng.normal([1.05, 0.95], 0.04, (N_OUT, 2))
is_planted = np.arange(N) < N_OUT

# %%
# Compare each distance without and with the clump. W₂ is the 2-Wasserstein distance: all mass moves. The clump makes
# W₂ three times as large. To RPW the clump can add at most 0.08, because it is 8 % of the mass.
#
# The unit of length Δ is 1 here, the default, because the clouds together are about 1 wide.

K = 0.3
print(f"{'':<16}{'without':>9}{'with':>9}{'ratio':>8}")
for name, distance in {
    "W₂": lambda y: rpw.wasserstein(first, y),
    f"RPW, k = {K}": lambda y: rpw.distance(first, y, k=K),
    "RPW, k = 1": lambda y: rpw.distance(first, y, k=1),
}.items():
    without, with_clump = distance(clean), distance(second)
    print(f"{name:<16}{without:9.4f}{with_clump:9.4f}{with_clump / without:8.1f}")

# %%
# :func:`rpw.solve` returns the distance, the transport plan, and a proof: a lower and an upper bound.

result = rpw.solve(first, second, k=K)
print(
    f"RPW = {result.distance:.4f}, proven to lie between {result.lower:.9f} and {result.upper:.9f}"
)
print(f"The plan moves {result.mass:.1%} of the mass at a cost of {result.cost:.4f}.")

# %%
# **What is left behind is not a list of outliers.** On both sides, the plan leaves the same share behind: the distance
# itself. If the clouds also differ in other ways, this share is larger than the clump. Then ordinary points stay behind
# too, and are ringed in the picture.

ringed = result.outliers_b
print(f"In the second cloud {ringed.sum()} points are left behind:")
print(
    f"  {(ringed & is_planted).sum()} of the {N_OUT} planted ones, and {(ringed & ~is_planted).sum()} ordinary ones."
)
print(
    f"In the first cloud, which has no outliers, {result.outliers_a.sum()} points are left behind."
)

# %%
# The picture on the left shows the plan. Both clouds have the same mass, so both leave the same share behind.
#
# The picture on the right shows how large this share is. The curve is the OT-profile: the cost of moving a share α of
# the mass, the cheapest share first. RPW is read off where the curve meets the falling line. The clump lies beyond
# that point.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
result.plot(ax=left).set_title(f"What moves and what stays, k = {K:g}")
masses = np.linspace(0, 1, 401)
rpw.profile(first, second).plot(ax=right, k=K)
right.plot(
    masses,
    rpw.profile(first, clean)(masses),
    color="0.35",
    ls=":",
    label="the same without the clump",
)
right.set(
    title="OT-profile and its crossing",
    ylabel="cost of moving it, $W$ (in units of Δ = 1)",
)
right.legend(
    frameon=False, loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=2, fontsize=9
)
right.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# **Take away:** with a few bad points, RPW stays close to the distance of the clean clouds, and W_p does not. The
# rings mark what the plan leaves behind, ordinary points included. To name outliers with a proven share of
# mistakes, see :doc:`/gallery/meaning/outliers_with_fdr`.
