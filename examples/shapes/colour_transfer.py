"""
How do I transfer colours, but not those of a sticker?
======================================================

Optimal transport gives one picture the colours of another, all of them. RPW leaves behind the colours that fit
nowhere.
"""

# %%
# Both pictures are synthetic and drawn by this script: a landscape by day, and one in the evening. Somebody put a
# green sticker on the second picture. It should not end up in the first.

import matplotlib.pyplot as plt
import numpy as np
from scipy.spatial import KDTree

import rpw

H, W = 80, 120
rng = np.random.default_rng(0)
down, across = np.mgrid[0:H, 0:W] / np.array([H, W])[:, None, None]


def landscape(sky_above, sky_below, far_hill, near_hill):
    """A picture of H x W pixels with red, green and blue in [0, 1]."""
    depth = down[..., None]
    picture = (
        np.array(sky_above) * (1 - depth / 0.7) + np.array(sky_below) * depth / 0.7
    )
    far = 0.55 + 0.06 * np.sin(6 * across + 1) + 0.03 * np.sin(15 * across)
    near = 0.72 + 0.05 * np.sin(4 * across + 3) + 0.02 * np.sin(21 * across)
    for edge, colour, fade in ((far, far_hill, 0.5), (near, near_hill, 0.9)):
        hill = np.array(colour) * (1.15 - fade * (down - edge)[..., None])
        picture = np.where((down > edge)[..., None], hill, picture)
    return (picture + rng.normal(0, 0.015, picture.shape)).clip(0, 1)


day = landscape(
    (0.30, 0.52, 0.85), (0.75, 0.86, 0.95), (0.35, 0.50, 0.45), (0.22, 0.40, 0.18)
)
clean = landscape(
    (0.45, 0.35, 0.60), (0.98, 0.72, 0.45), (0.50, 0.33, 0.38), (0.28, 0.20, 0.16)
)
is_sticker = np.hypot(H * down - 20, W * across - 92) < 16
evening = clean.copy()
evening[is_sticker] = (
    np.array([0.05, 0.95, 0.25]) + rng.normal(0, 0.015, (is_sticker.sum(), 3))
).clip(0, 1)
print(f"The sticker covers {is_sticker.mean():.1%} of the picture.")

# %%
# A picture is a cloud of pixels in the space of colours (red, green, blue). 800 random pixels of each picture are
# enough for a plan. The plan gives each chosen pixel a move, or leaves it behind.
#
# Then every pixel of the picture follows the five chosen pixels of nearest colour that moved.

chosen = [rng.choice(H * W, 800, replace=False) for _ in range(2)]
x, y = (
    picture.reshape(-1, 3)[rows]
    for picture, rows in zip((day, evening), chosen, strict=True)
)
y_clean = clean.reshape(-1, 3)[chosen[1]]


def recoloured(result, colours):
    """The picture of the day, with its colours moved as the plan says."""
    mass = result.plan.sum(axis=1)
    has_moved = mass > 0.25 * mass.max()
    moves = (result.plan @ colours)[has_moved] / mass[has_moved, None] - x[has_moved]
    pixels = day.reshape(-1, 3)
    lengths, nearest = KDTree(x[has_moved]).query(pixels, k=5)
    weights = 1 / (lengths + 0.02) ** 2
    moved = np.einsum(
        "ij,ijk->ik", weights / weights.sum(axis=1, keepdims=True), moves[nearest]
    )
    return (pixels + moved).clip(0, 1).reshape(H, W, 3)


# %%
# W₂ must use every colour of the evening, also the green of the sticker. RPW may leave it out. The colours span a
# cube of side 1, so the default unit Δ = 1 fits.

K = 1
everything, robust = rpw.transport(x, y), rpw.solve(x, y, k=K, diameter=1)
from_sticker = is_sticker.reshape(-1)[chosen[1]]
print(
    f"RPW = {robust.distance:.3f}. Of the {from_sticker.sum()} chosen pixels of the sticker,"
)
print(f"{(robust.outliers_b & from_sticker).sum()} are left behind, and", end=" ")
print(
    f"{(robust.outliers_b & ~from_sticker).sum()} of the {(~from_sticker).sum()} others."
)

pictures = {
    "by day": day,
    "in the evening, with a sticker": evening,
    "by day, with the colours of W₂": recoloured(everything, y),
    "by day, with the colours of RPW": recoloured(robust, y),
}
figure, axes = plt.subplots(2, 2, figsize=(8.4, 6.0), layout="constrained")
for ax, (title, picture) in zip(axes.flat, pictures.items(), strict=True):
    ax.imshow(picture)
    ax.set(title=title, xlabel="column (pixels)", ylabel="row (pixels)")
plt.show()

# %%
# RPW leaves behind more than the sticker: with k = 1 and Δ = 1, the share that stays is as large as the cost of
# moving the rest. A larger k leaves less behind. The ideal is what W₂ makes of the evening without a sticker.

ideal = recoloured(rpw.transport(x, y_clean), y_clean)


def difference(picture):
    return np.sqrt(((picture - ideal) ** 2).mean())


print(
    f"W₂          differs from the ideal by {difference(pictures['by day, with the colours of W₂']):.3f}"
)
ks = (10, 5, 3, 2, 1, 0.5, 0.2)
errors, shares = [], []
for k in ks:
    result = rpw.solve(x, y, k=k, diameter=1)
    errors.append(difference(recoloured(result, y)))
    shares.append(result.distance)
    print(
        f"RPW, k = {k:<3} differs from the ideal by {errors[-1]:.3f}, and leaves {shares[-1]:.1%} behind"
    )

# %%
figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
ax.plot(shares, errors, "D-", color="#0072B2", label="RPW")
best = np.argmin(errors)
for k, share, error in zip(ks, shares, errors, strict=True):
    beside = (
        (5, -13) if share > shares[best] else (8, -3)
    )  # the words stand beside the curve
    ax.annotate(
        f"k = {k}",
        (share, error),
        (-34, -13) if k == ks[best] else beside,
        textcoords="offset points",
        fontsize=9,
    )
ax.axhline(
    difference(pictures["by day, with the colours of W₂"]),
    color="#D55E00",
    ls="--",
    label="W₂",
)
ax.axvline(is_sticker.mean(), color="0.4", ls=":", label="share of the sticker")
ax.set(
    xlabel="share left behind, RPW",
    ylabel="difference to the ideal\n(root mean square of the colours)",
    xlim=(0, 0.7),
    ylim=(-0.02, 0.21),
    title="Best if the sticker and little else stays behind",
)
ax.legend(frameon=False, loc="upper center")
plt.show()

# %%
# The result is good as soon as more than the sticker stays behind. If far more stays behind, the colours become
# duller: only the nearest colours are used.
#
# **Take away:** if a picture has a region whose colours belong nowhere else, use the plan of RPW, with a k that
# leaves behind a little more than that region.
