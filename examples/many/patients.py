"""
Twenty patients, each a cloud of cells
======================================

For each patient, three markers were measured in each of 60 cells. Do ill patients differ from healthy ones? Which
patient stands out? The patient is the unit here, and the cells are the points of a cloud.

All data here are synthetic.
"""

# %%
# Patients 0 to 9 are healthy. In patients 10 to 19, who are ill, one kind of cell has grown from a tenth to a third.
# Patients differ from each other, and most have one to three spoiled cells with absurd values.
# In patient 4, half of the cells were stained badly. The spoiled cells lie outside the picture.

import matplotlib.pyplot as plt
import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

import rpw

rng = np.random.default_rng(0)
CELLS, KINDS = 60, np.array([[0.0, 0, 0], [3, 1, 0], [1, 3, 2]])


def patient(shares):
    kinds = rng.choice(3, CELLS, p=shares)
    cells = KINDS[kinds] + rng.normal(0, 0.5, (CELLS, 3)) + rng.normal(0, 0.25, 3)
    spoiled = rng.integers(0, 4)
    cells[:spoiled] = rng.uniform(-30, 30, (spoiled, 3))
    return cells


healthy = [patient([0.5, 0.4, 0.1]) for _ in range(10)]
ill = [patient([0.35, 0.32, 0.33]) for _ in range(10)]
healthy[4][30:, 0] += 2.5
patients = [*healthy, *ill]

fig, axes = plt.subplots(
    1, 3, figsize=(9, 3.2), sharex=True, sharey=True, layout="constrained"
)
shown = (
    ("healthy", 0, "o", "C0"),
    ("healthy, bad stain", 4, "s", "C2"),
    ("ill", 12, "^", "C1"),
)
for ax, (name, number, marker, colour) in zip(axes, shown, strict=True):
    ax.scatter(*patients[number][:, :2].T, s=12, marker=marker, color=colour)
    ax.set(
        title=f"patient {number}: {name}", xlabel="marker 1", xlim=(-3, 7), ylim=(-3, 6)
    )
axes[0].set_ylabel("marker 2")
plt.show()

# %%
# The matrix, and groups
# ----------------------
# One Δ serves all patients: the scale of the cells without the farthest tenth.
# Average linkage makes three groups and does not know the diagnoses.

delta = rpw.diameter(patients, quantile=0.9)
matrix = rpw.pairwise(patients, diameter=delta)
groups = fcluster(linkage(squareform(matrix), "average"), 3, criterion="maxclust")
for group in np.unique(groups):
    print(f"group {group}: patients {np.flatnonzero(groups == group).tolist()}")

# %%
# Which patient stands out?
# -------------------------
# A patient stands out if even the most similar other patient is far away. Under W₂ the answer depends on the spoiled
# cells.

nearest = np.sort(matrix, axis=1)[:, 1]
nearest_w2 = np.sort(rpw.pairwise(patients, distance="wasserstein", p=2), axis=1)[:, 1]
for name, far in (("RPW", nearest), ("W₂", nearest_w2)):
    second, first = np.sort(far)[-2:]
    print(
        f"{name}: patient {far.argmax()}, at {first:.3g}; the next one is at {second:.3g}"
    )

fig, (left, right) = plt.subplots(
    1, 2, figsize=(9.5, 4), width_ratios=(1.1, 1), layout="constrained"
)
picture = left.imshow(matrix)
left.set(
    title="RPW between patients",
    xlabel="patient",
    ylabel="patient",
    xticks=range(0, 20, 2),
    yticks=range(0, 20, 2),
)
fig.colorbar(picture, ax=left, label="distance")
for name, rows, marker in (("healthy", range(10), "o"), ("ill", range(10, 20), "^")):
    right.plot(rows, nearest[rows], marker, label=name)
right.set(
    xlabel="patient", ylabel="RPW to the nearest other patient", xticks=range(0, 20, 2)
)
right.legend(loc="upper right", frameon=False)
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# Do the groups of patients differ?
# ---------------------------------
# The cells of one patient are not independent. So ``groups`` names the patient of each cell, and the test exchanges
# whole patients. Without ``groups``, the test exchanges single cells, and mistakes differences between patients for a
# difference between groups.


def pvalue(first, second, by_patient):
    x, y = (
        np.concatenate([patients[number] for number in part])
        for part in (first, second)
    )
    named = (np.repeat(first, CELLS), np.repeat(second, CELLS)) if by_patient else None
    return rpw.stats.two_sample_test(
        x, y, k=1, n_resamples=199, groups=named, rng=0
    ).pvalue


p = pvalue(range(10), range(10, 20), by_patient=True)
print(f"healthy against ill, by patient: p = {p:.3f}")

# %%
# Now split the ten ill patients into two groups of five. There is no difference to find between these groups. The
# test by patient finds none. The test by cell reports a difference, because it treats cells of one patient as
# independent.

first, second = range(10, 15), range(15, 20)
for name, by_patient in (("patient", True), ("cell", False)):
    p = pvalue(first, second, by_patient)
    print(f"five ill patients against five others, by {name}: p = {p:.3f}")

# %%
# **Take away:** RPW sees patients as clouds, so spoiled cells do not decide who is close to whom. If several rows
# come from one patient, pass ``groups``.
