"""
The mean of fifteen digits, three of which are noise
====================================================

Twelve pictures show a three. In three others, the pixels are random. What is the mean of all fifteen, and does it
show which pictures are noise?

The digits are those of scikit-learn. The noise is synthetic.
"""

# %%
# Each picture becomes a measure: the larger the value of a pixel, drawn darker here, the more mass it has. The
# diagonal of the picture is the unit of length.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import rpw

rng = np.random.default_rng(0)
digits = load_digits()
images = digits.images[
    rng.choice(np.flatnonzero(digits.target == 3), 15, replace=False)
]
images[12:] = rng.uniform(0, images.max(), images[12:].shape)
measures = [rpw.Measure.from_image(image) for image in images]

fig, axes = plt.subplots(1, 5, figsize=(9, 2.1), layout="constrained")
for ax, number in zip(axes, (0, 5, 11, 12, 14), strict=True):
    ax.imshow(images[number], cmap="gray_r")
    ax.set(
        xticks=[],
        yticks=[],
        title=f"picture {number}" + (", noise" if number >= 12 else ""),
    )
plt.show()

# %%
# Four means
# ----------
# A mean is 100 points of equal mass. With a very large k, it is nearly the mean under W₂. Minimising the sum of RPW
# instead of RPW² is like taking a median instead of a mean. ``trim=0.2`` ignores the fifth of the pictures that is
# farthest away.

asked = {"n_points": 100, "diameter": 1.0, "n_starts": 1}
means = {
    "the twelve threes only": rpw.barycenter(measures[:12], k=2, **asked),
    "nearly W₂": rpw.barycenter(measures, k=1000, **asked),
    "sum of RPW": rpw.barycenter(measures, k=2, objective="rpw", **asked),
    "RPW², trim = 0.2": rpw.barycenter(measures, k=2, trim=0.2, **asked),
}
clean = means["the twelve threes only"].measure
print("W₂ to the mean of the twelve threes, in diagonals of a picture:")
for name, found in list(means.items())[1:]:
    print(f"{name:18} {rpw.wasserstein(found.measure, clean):.4f}")

# %%
# The pictures show each mean, with its points blurred a little. Under W₂ the noise blurs the three.

pixels = np.indices((60, 60)).reshape(2, -1).T / 59 * 0.9 - 0.1
fig, axes = plt.subplots(1, 4, figsize=(10, 3), layout="constrained")
for ax, (name, found) in zip(axes, means.items(), strict=True):
    squares = np.square(pixels[:, None] - found.measure.points).sum(axis=2)
    ax.imshow(
        np.exp(-squares / (2 * 0.05**2)).sum(axis=1).reshape(60, 60),
        cmap="gray_r",
        vmin=0,
    )
    ax.set(title=name, xticks=[], yticks=[])
plt.show()

# %%
# Which pictures are noise?
# -------------------------
# ``left_out`` is the share of each picture that the mean does not account for.

left_out = means["RPW², trim = 0.2"].left_out
worst = sorted(np.argsort(left_out)[-3:].tolist())
print(f"Left out most: pictures {', '.join(map(str, worst))}.")

fig, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
ax.bar(range(12), left_out[:12], label="threes")
ax.bar(range(12, 15), left_out[12:], hatch="//", edgecolor="white", label="noise")
ax.set(xlabel="picture", ylabel="share left out", xticks=range(15))
ax.set_title("The noise is left out most")
ax.legend(loc="upper left", frameon=False)
# sphinx_gallery_thumbnail_number = 2
plt.show()

# %%
# **Take away:** ``trim`` keeps bad inputs out of the mean, and ``left_out`` shows which inputs are bad.
