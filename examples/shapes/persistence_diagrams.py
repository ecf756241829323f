"""
How do I compare persistence diagrams, if some have a false loop?
=================================================================

A persistence diagram is a set of points, so distances between sets of points apply. A single false loop, far from the
diagonal, makes up the bottleneck distance and most of W₂. In RPW it counts as one point.
"""

# %%
# The data are synthetic. Each cloud has nine noisy circles on a grid. In group A the circles have radius 1, in group
# B 0.8. A third of the clouds also have a wide loop of stray points far away, of random size.
#
# `ripser <https://ripser.scikit-tda.org>`__ computes the diagrams: each loop is born at one distance between
# points, and dies at another.

import matplotlib.pyplot as plt
import numpy as np
from ripser import ripser

import rpw

RADII, PER_GROUP = {"A": 1.0, "B": 0.8}, 12


def circle(rng, count, centre, radius, noise):
    angle = 2 * np.pi * (np.arange(count) + rng.uniform(-0.5, 0.5, count)) / count
    return centre + (radius + rng.normal(0, noise, count))[:, None] * np.column_stack(
        [np.cos(angle), np.sin(angle)]
    )


def cloud(rng, radius, has_stray):
    centres = 4.0 * np.array([[i, j] for i in range(3) for j in range(3)])
    parts = [circle(rng, 20, centre, radius, 0.06) for centre in centres]
    if has_stray:
        parts.append(circle(rng, 12, np.array([25.0, 4.0]), rng.uniform(3, 9), 0.06))
    return np.concatenate(parts)


rng = np.random.default_rng(0)
groups = np.repeat(list(RADII), PER_GROUP)
has_stray = np.tile(np.arange(PER_GROUP) % 3 == 0, 2)
clouds = [
    cloud(rng, RADII[group], stray)
    for group, stray in zip(groups, has_stray, strict=True)
]
diagrams = [ripser(points, maxdim=1)["dgms"][1] for points in clouds]
print("loops in the diagrams of A:", [len(diagram) for diagram in diagrams[:PER_GROUP]])
print("loops in the diagrams of B:", [len(diagram) for diagram in diagrams[PER_GROUP:]])

# %%
# A cloud with a stray loop, and the diagrams of all clouds. Noise lies near the diagonal, and the stray loops lie far
# from it. Loops that are born between 2 and 3, and die before 4.1, run between the circles.

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.0), layout="constrained")
left.scatter(*clouds[0].T, s=8, color="#0072B2", lw=0)
left.set(
    title="One cloud of group A, with a stray loop",
    aspect="equal",
    xlabel="x",
    ylabel="y",
)
for group, colour, marker in (("A", "#0072B2", "o"), ("B", "#D55E00", "^")):
    loops = np.concatenate(
        [
            diagram
            for diagram, name in zip(diagrams, groups, strict=True)
            if name == group
        ]
    )
    right.scatter(
        *loops.T,
        s=18,
        color=colour,
        marker=marker,
        lw=0,
        alpha=0.6,
        label=f"loops of group {group}",
    )
right.axline((0, 0), slope=1, color="0.4", lw=0.8, label="diagonal")
right.set(
    title="All persistence diagrams",
    xlabel="birth (distance)",
    ylabel="death (distance)",
)
right.legend(frameon=False, loc="lower right")
plt.show()

# %%
# **The measure.** Diagrams have different numbers of loops, and noise should be free to vanish. So the diagonal is
# treated as *one* point of the space. A loop (birth, death) lies (death − birth) / √2 from this point. The distance
# between two loops is the shorter of two ways: the straight line, or the way over the diagonal.
#
# d(u, v) = min(\|u − v\|, d(u, diagonal) + d(v, diagonal)).
#
# Each diagram gets as many copies of the diagonal as it needs to have N points, with the same N for all diagrams.
# Each point then has mass 1/N. RPW is a metric for these measures, because d is a metric and N is fixed.

N = max(len(diagram) for diagram in diagrams)
loops = np.concatenate(diagrams)
to_diagonal = np.append(
    (loops[:, 1] - loops[:, 0]) / np.sqrt(2), 0.0
)  # the last place is the diagonal itself
cost = to_diagonal[:, None] + to_diagonal
straight = np.linalg.norm(loops[:, None] - loops, axis=2)
cost[:-1, :-1] = np.minimum(cost[:-1, :-1], straight)

weights = np.zeros((len(diagrams), len(loops) + 1))
start = 0
for row, diagram in enumerate(diagrams):
    weights[row, start : start + len(diagram)] = 1
    weights[row, -1] = N - len(diagram)
    start += len(diagram)
print(
    f"N = {N}: one loop weighs 1/{N} = {1 / N:.3f} of the mass. Each diagram has {weights[0].sum():.0f} points."
)

# %%
# The diagrams are histograms on one list of places, with one matrix of distances. Δ = 1 is the scale of the true
# loops.

matrices = {
    "bottleneck": rpw.pairwise(weights, cost=cost, distance="wasserstein", p=np.inf),
    "W₂": rpw.pairwise(weights, cost=cost, distance="wasserstein", p=2),
    "RPW": rpw.pairwise(weights, cost=cost, p=2, k=1, diameter=1.0),
}

# %%
# The nearest other diagram should belong to the same group.

print(f"{'nearest in the same group':<28}{'all':>10}{'with a stray loop':>20}")
for name, matrix in matrices.items():
    nearest = np.where(np.eye(len(matrix), dtype=bool), np.inf, matrix).argmin(axis=1)
    is_right = groups[nearest] == groups
    all_right, stray_right = (
        f"{is_right.sum()} of {len(groups)}",
        f"{is_right[has_stray].sum()} of {has_stray.sum()}",
    )
    print(f"{name:<28}{all_right:>10}{stray_right:>20}")

# %%
figure, axes = plt.subplots(1, 3, figsize=(9.6, 3.9), layout="constrained")
order = np.lexsort((has_stray, groups))
units = {"bottleneck": "length", "W₂": "length", "RPW": "share of the mass"}
for ax, (name, matrix) in zip(axes, matrices.items(), strict=True):
    image = ax.imshow(matrix[np.ix_(order, order)], cmap="viridis")
    figure.colorbar(
        image, ax=ax, location="bottom", label=f"distance ({units[name]})", shrink=0.9
    )
    for edge in (7.5, 19.5):  # the last third of each group has stray loops
        ax.axhline(edge, color="white", lw=0.6, ls=":")
        ax.axvline(edge, color="white", lw=0.6, ls=":")
    ax.axhline(11.5, color="white", lw=1.2)
    ax.axvline(11.5, color="white", lw=1.2)
    ax.set_xticks([3.5, 9.5, 15.5, 21.5], ["A", "A stray", "B", "B stray"], fontsize=8)
    ax.set_yticks([3.5, 9.5, 15.5, 21.5], ["A", "A stray", "B", "B stray"], fontsize=8)
    ax.set(title=name, xlabel="diagram", ylabel="diagram")
plt.show()

# %%
# Under the bottleneck distance and W₂, clouds with stray loops are mainly sorted by the size of the stray loop.
# Under RPW the stray loop adds at most its mass, and the two groups stand out.
#
# What RPW cannot do: a group that differs in *one* loop looks like a group with one false loop. The difference of
# interest must weigh more than the outliers.
#
# **Take away:** give each diagram N points, with the diagonal as one place. Then m false loops change RPW by at most
# m/N.
