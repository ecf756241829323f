"""
How do I align a shape with a scan that has gaps and clutter?
=============================================================

A plan that moves everything drags the shape into the clutter. A plan that may leave a part behind does not.
"""

# %%
# The data are synthetic. The model is an outline of 200 points. The scan shows the same outline, turned and
# shifted, but a quarter of it is missing, and 15 % of its points are a clump that is not part of the shape.

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import KDTree

import rpw

N, MISSING, CLUTTER, NOISE = 200, 0.25, 0.15, 0.01


def outline(t):
    r = 1 + 0.35 * np.cos(3 * t) + 0.2 * np.sin(2 * t) + 0.12 * np.cos(5 * t + 1)
    return np.column_stack([r * np.cos(t), 0.75 * r * np.sin(t)])


def turn(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def scene(seed):
    """The model, the scan, and where the seen part of the outline lies before and after the motion."""
    rng = np.random.default_rng(seed)
    model, n_clutter = outline(rng.uniform(0, 2 * np.pi, N)), round(CLUTTER * N)
    angle = np.deg2rad(rng.choice([-1, 1]) * rng.uniform(15, 35))
    shift = rng.uniform(-0.3, 0.3, 2)
    seen = outline(
        rng.uniform(0, 2 * np.pi)
        + rng.uniform(0, 2 * np.pi * (1 - MISSING), N - n_clutter)
    )
    clump = turn(rng.uniform(0, 2 * np.pi)) @ [1.9, 0] + rng.normal(
        0, 0.12, (n_clutter, 2)
    )
    moved = seen @ turn(angle).T + shift
    scan = np.concatenate(
        [moved + rng.normal(0, NOISE, moved.shape), clump @ turn(angle).T + shift]
    )
    return model, scan, seen, moved


# %%
# The algorithm is the classical one. Match the model with the scan, find the rigid motion that fits the matches
# best, move the model, and repeat. The best motion for weighted matches has a closed form (Kabsch).


def best_motion(x, y, weights):
    """The rotation R and the shift s that minimise the sum of w |R x + s - y|²."""
    w = weights / weights.sum()
    u, _, vt = np.linalg.svd((x - w @ x).T @ ((y - w @ y) * w[:, None]))
    rotation = vt.T @ np.diag([1, np.sign(np.linalg.det(vt.T @ u.T))]) @ u.T
    return rotation, w @ y - rotation @ (w @ x)


def register(model, scan, match, steps=30):
    rotation, shift = np.eye(2), np.median(scan, axis=0) - np.median(model, axis=0)
    for step in range(steps):
        rows, columns, weights = match(model @ rotation.T + shift, scan, step)
        rotation, shift = best_motion(model[rows], scan[columns], weights)
    return rotation, shift


# %%
# Only the matching differs. RPW starts with k = 0.5 and lowers it: first the rough position counts, then only what
# fits closely. It is not told how much is missing.
#
# ICP (iterative closest point) matches each point of the scan with the nearest of the model. Trimmed ICP keeps the
# best 85 % of the matches. It *is* told the truth: 15 % of the scan is clutter.


def entries(plan):
    plan = plan.tocoo()
    return *plan.coords, plan.data


def by_w2(x, y, step):
    return entries(rpw.transport(x, y).plan)


def by_rpw(x, y, step):
    return entries(rpw.solve(x, y, k=max(0.05, 0.5 * 0.85**step), diameter=2).plan)


def by_icp(x, y, step, kept=1.0):
    lengths, nearest = KDTree(x).query(y)
    best = np.argsort(lengths)[: round(kept * len(y))]
    return nearest[best], best, np.ones(len(best))


def by_trimmed_icp(x, y, step):
    return by_icp(x, y, step, kept=0.85)


methods = {"W₂": by_w2, "RPW": by_rpw, "ICP": by_icp, "trimmed ICP": by_trimmed_icp}

# %%
# Here is one scene. The left picture shows the start, and the others show where the model ends.

model, scan, seen, moved = scene(0)
figure, axes = plt.subplots(
    1, 3, figsize=(9.6, 3.9), layout="constrained", sharex=True, sharey=True
)
places = {"Start": (np.eye(2), np.zeros(2))}
places |= {
    f"Aligned by {name}": register(model, scan, methods[name]) for name in ("W₂", "RPW")
}
for ax, (title, (rotation, shift)) in zip(axes, places.items(), strict=True):
    ax.scatter(
        *scan.T,
        s=16,
        color="#D55E00",
        marker="^",
        lw=0,
        label="scan, with a gap and a clump",
    )
    ax.scatter(
        *(model @ rotation.T + shift).T, s=10, color="#0072B2", lw=0, label="model"
    )
    ax.set(
        title=title, aspect="equal", xlabel="x", ylabel="y" if ax is axes[0] else None
    )
figure.legend(
    *axes[0].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=2,
    frameon=False,
)
plt.show()

# %%
# The last plan of RPW leaves behind the clump, and the part of the model that the scan does not show. It also leaves
# behind ordinary points of the scan. The scan has as many points as the model, but shows less of the outline. So its
# points lie more densely there, and some of them find no partner.

rotation, shift = places["Aligned by RPW"]
result = rpw.solve(model @ rotation.T + shift, scan, k=0.05, diameter=2)
in_clump = np.arange(N) >= N - round(CLUTTER * N)
print(f"RPW = {result.distance:.2f}. Of the {in_clump.sum()} points of the clump,")
print(
    f"{(result.outliers_b & in_clump).sum()} are left behind; of the {(~in_clump).sum()} others,",
    end=" ",
)
print(f"{(result.outliers_b & ~in_clump).sum()}.")

# %%
# Now twenty scenes. The error is how far the seen part of the outline lies from its true place (root mean square).
# The outline is about 2.5 long, and the noise of the scan is 0.01.

errors = {}
for name, match in methods.items():
    errors[name] = []
    for seed in range(20):
        model, scan, seen, moved = scene(seed)
        rotation, shift = register(model, scan, match)
        errors[name].append(
            np.sqrt(((seen @ rotation.T + shift - moved) ** 2).sum(axis=1).mean())
        )
    found = np.array(errors[name])
    print(
        f"{name:<12} median error {np.median(found):.3f}; above 0.1 in {(found > 0.1).sum()} of {len(found)} scenes"
    )

# %%
figure, ax = plt.subplots(figsize=(6.4, 3.0), layout="constrained")
for place, (name, marker) in enumerate(zip(errors, "oDs^", strict=True)):
    spread = np.linspace(-0.25, 0.25, len(errors[name]))
    ax.plot(errors[name], place + spread, marker, color="0.55", ms=4, mew=0)
    ax.plot(np.median(errors[name]), place, marker, color="#0072B2", ms=9)
ax.set_yticks(range(len(errors)), list(errors))
ax.invert_yaxis()
ax.set(
    xscale="log",
    xlabel="error (units of the points)",
    title="Small: one scene. Large: median.",
)
plt.show()

# %%
# Trimmed ICP is more exact if it succeeds. RPW fails in fewer of these scenes, and need not be told how much to leave
# out.
#
# Like all methods that improve step by step, both can end in a wrong place: in a few scenes they did. Start from
# several angles if the turn may be large.
#
# **Take away:** put the plan of RPW into the loop in place of nearest neighbours, and lower k as you go. Gaps and
# clutter are then left behind, and you need not know how much of each there is.
