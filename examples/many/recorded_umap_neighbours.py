"""
A map of digits with UMAP, from exact neighbours (recorded)
===========================================================

UMAP draws a map from the nearest neighbours of each item. Here the items are noisy digits, and ``rpw.Index`` finds
their neighbours under RPW exactly. Does the map keep the digits apart?

This page shows a recorded run, because UMAP takes too long to compile while the site is built. The digits are those
of scikit-learn. The noise is synthetic.
"""

# %%
# Three stray pixels are added to each of 600 digits.

import warnings

import matplotlib.pyplot as plt
import numpy as np
import umap
from sklearn.datasets import load_digits

import rpw

print(f"rpw {rpw.__version__}, umap-learn {umap.__version__}")
rng = np.random.default_rng(0)
digits = load_digits()
images, labels = digits.data[:600].copy(), digits.target[:600]
for image in images:
    image[rng.choice(64, 3, replace=False)] = images.max()
grid = np.indices((8, 8)).reshape(2, -1).T / np.hypot(7, 7)

# %%
# Neighbours
# ----------
# Each digit is its own first neighbour, as UMAP expects. For W₂ the search uses a very large k: the order of the
# neighbours is then that of W₂.

TOP = 15
neighbours = {}
for name, k in (("RPW, k = 0.3", 0.3), ("W₂", 1e4)):
    index = rpw.Index(images, support=grid, k=k)
    distances, which = index.query(images, top=TOP)
    neighbours[name] = (which, distances * k)
    same = np.mean(labels[which[:, 1:]] == labels[:, None])
    solved = index.stats.solved / index.stats.pairs
    print(f"{name:13} same digit: {same:.0%} of the neighbours;", end=" ")
    print(f"solved: {solved:.1%} of the pairs")

# %%
# The map
# -------
# If there are few items, UMAP looks for neighbours itself. With ``force_approximation_algorithm`` it uses the
# neighbours in ``precomputed_knn`` instead. It warns that it cannot place new items on this map. We ignore the
# warning.

warnings.filterwarnings("ignore", message="precomputed_knn")
fig, axes = plt.subplots(1, 2, figsize=(10, 5), layout="constrained")
for ax, (name, found) in zip(axes, neighbours.items(), strict=True):
    reducer = umap.UMAP(
        n_neighbors=TOP,
        precomputed_knn=found,
        force_approximation_algorithm=True,
        random_state=0,
        n_jobs=1,
    )
    place = reducer.fit_transform(images)
    for digit in range(10):
        ax.scatter(
            *place[labels == digit].T,
            s=28,
            marker=f"${digit}$",
            color=f"C{digit}",
            linewidths=0.3,
        )
    ax.set(
        title=name,
        xlabel="first coordinate of UMAP",
        ylabel="second coordinate of UMAP",
    )
plt.show()
# sphinx_gallery_thumbnail_path = "images/recorded_umap_neighbours.png"

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
#    rpw 0.3.0, umap-learn 0.5.12
#    RPW, k = 0.3  same digit: 85% of the neighbours; solved: 4.7% of the pairs
#    W₂            same digit: 63% of the neighbours; solved: 5.2% of the pairs
#
# .. image:: /images/recorded_umap_neighbours.png
#    :alt: Two maps of 600 noisy digits. From neighbours under RPW, most digits form islands of their own.
#       From neighbours under W₂, they run into each other.
#
# .. recorded output ends
#
# **Take away:** ``rpw.Index`` gives UMAP exact neighbours, and RPW keeps the noise out of the map.
