"""
Cluster point clouds, although most have outliers
=================================================

Sixty clouds have one of three shapes, and in most clouds a few points lie far away. Can HDBSCAN, a clustering method,
find the three groups? It takes any matrix of distances. RPW is a metric, so its matrix suits HDBSCAN.

All data here are synthetic.
"""

# %%
# Each cloud has 80 points on a ring, a cross or two bars. Up to eight points are replaced by outliers.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

import rpw

rng = np.random.default_rng(0)
SIZE, EACH = 80, 20


def ring():
    angle = rng.uniform(0, 2 * np.pi, SIZE)
    return np.column_stack([np.cos(angle), np.sin(angle)])


def cross():
    along, first = rng.uniform(-1.3, 1.3, SIZE), rng.random(SIZE) < 0.5
    return np.column_stack([along * first, along * ~first])


def bars():
    return np.column_stack([rng.uniform(-1, 1, SIZE), rng.choice([-0.7, 0.7], SIZE)])


clouds, shapes = [], []
for shape, draw in enumerate((ring, cross, bars)):
    for _ in range(EACH):
        cloud = draw() + rng.normal(0, 0.08, (SIZE, 2))
        count = rng.integers(0, 9)
        cloud[:count] = rng.normal([6, 0], 2, (count, 2))
        clouds.append(cloud)
        shapes.append(shape)

fig, axes = plt.subplots(
    1, 3, figsize=(9, 3), sharex=True, sharey=True, layout="constrained"
)
for ax, number in zip(axes, (2, 22, 49), strict=True):
    ax.scatter(
        *clouds[number].T,
        s=12,
        marker="os^"[shapes[number]],
        color=f"C{shapes[number]}",
    )
    ax.set(title=f"cloud {number}", xlabel="x")
axes[0].set_ylabel("y")
plt.show()

# %%
# Two matrices
# ------------
# The unit of length Δ is the scale of the ordinary points, the same for all clouds. A smaller k, here 0.5, makes
# differences of shape count more. Outliers still add at most their share.

delta = rpw.diameter(clouds, quantile=0.9)
by_rpw = rpw.pairwise(clouds, diameter=delta, k=0.5)
by_w2 = rpw.pairwise(clouds, distance="wasserstein", p=2)

# %%
# Clusters
# --------
# The label -1 means "in no cluster". The adjusted Rand index (ARI) is 1 if the groups are found exactly, and about 0
# for a random grouping.

found = {}
for name, matrix in (("RPW", by_rpw), ("W₂", by_w2)):
    found[name] = HDBSCAN(metric="precomputed", copy=True).fit_predict(matrix)
    score = adjusted_rand_score(shapes, found[name])
    clusters, none = found[name].max() + 1, np.sum(found[name] == -1)
    print(f"{name:4} {clusters} clusters, {none} clouds in none, ARI {score:.2f}")

# %%
# In the matrix of RPW, three dark squares stand out: clouds of one shape are close to each other. In the matrix of
# W₂, clouds with equally many outliers are close to each other, whatever their shapes. Rings are clouds 0 to 19,
# crosses 20 to 39, bars 40 to 59. The strip on the left of each matrix shows the clusters: one colour each, and white
# for "in none".

fig, axes = plt.subplots(
    1, 4, figsize=(10, 4.2), width_ratios=(0.05, 1, 0.05, 1), layout="constrained"
)
for (strip, ax), (name, matrix) in zip(
    axes.reshape(2, 2), (("RPW", by_rpw), ("W₂", by_w2)), strict=True
):
    shown = np.ma.masked_equal(found[name], -1)[:, None]
    strip.imshow(
        shown, aspect="auto", cmap="tab10", vmin=0, vmax=9, interpolation="nearest"
    )
    strip.set(xticks=[], ylabel="cloud")
    picture = ax.imshow(matrix, aspect="auto")
    ax.set(title=name, xlabel="cloud", yticks=[])
    fig.colorbar(picture, ax=ax, label="distance", orientation="horizontal", shrink=0.8)
# sphinx_gallery_thumbnail_number = 2
plt.show()

# %%
# **Take away:** RPW is a metric, so its matrix fits every method that takes ``metric="precomputed"``. Under W₂ the
# outliers decide which clouds are close.
