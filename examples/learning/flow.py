"""
Where do free points flow, if the data have outliers?
=====================================================

Two hundred points move downhill along the gradient of a loss, towards a ring. A tenth of the data lies away from the
ring. RPW delays the flow to the outliers, but does not prevent it. RPW is a metric: it is 0 only if the points have
reached all of the data.

All data here are synthetic. Everything runs on the CPU.
"""

# %%
# The points start in a small cloud on the left.

import matplotlib.pyplot as plt
import numpy as np
import torch

import rpw.torch

torch.set_num_threads(1)  # the tensors are small
SIZE, STEPS = 200, 600
rng = np.random.default_rng(0)
angle = rng.uniform(0, 2 * np.pi, SIZE)
ring = np.column_stack([np.cos(angle), np.sin(angle)]) * rng.normal(1, 0.05, (SIZE, 1))
outliers = SIZE // 10
ring[:outliers] = np.array([4.0, 2.0]) + rng.normal(0, 0.15, (outliers, 2))
start, data = torch.tensor(rng.normal([-2.0, 0.0], 0.2, (SIZE, 2))), torch.tensor(ring)

# %%
# Three losses
# ------------
# Each flow has a constant step size. It is chosen so that in the first step the fastest point moves by 0.1.

losses = {
    "W₂": lambda x: rpw.torch.wasserstein(x, data) ** 2,
    "RPW, k = 1": lambda x: rpw.torch.distance(x, data, k=1, diameter=2.0),
    "partial W₂, mass 0.9": lambda x: rpw.torch.wasserstein(x, data, mass=0.9) ** 2,
}


def share_near(x, place, radius):
    return np.mean(np.linalg.norm(x.detach().numpy() - place, axis=1) < radius)


ends, shares = {}, {}
for name, loss in losses.items():
    x, rate, shares[name] = start.clone().requires_grad_(), None, []
    for _ in range(STEPS):
        (gradient,) = torch.autograd.grad(loss(x), x)
        rate = rate or 0.1 / gradient.norm(dim=1).max().item()
        with torch.no_grad():
            x -= rate * gradient
        shares[name].append(share_near(x, [4.0, 2.0], 0.75))
    ends[name] = x.detach()

# %%
# Points at the outliers
# ----------------------
# Under W₂ a tenth of the points soon reaches the outliers. Under RPW fewer points go there, and later. A few points
# are still at the start after the last step. Partial W₂ leaves the outliers out for good, but must be told their share,
# and a tenth of the points never moves.

shown = (100, 200, 400, 600)
print("share of the points at the outliers, and still at the start")
print(f"{'steps':22}" + "".join(f"{step:>7}" for step in shown) + "   at the start")
for name, share in shares.items():
    stayed = share_near(ends[name], start.mean(dim=0).numpy(), 0.7)
    print(
        f"{name:22}"
        + "".join(f"{share[step - 1]:7.1%}" for step in shown)
        + f"{stayed:15.1%}"
    )

fig, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
for (name, share), style in zip(shares.items(), ("-", "--", ":"), strict=True):
    ax.plot(range(1, STEPS + 1), share, style, linewidth=2, label=name)
ax.axhline(0.1, color="0.5", linewidth=1, label="outliers in the data")
ax.set(xlabel="steps", ylabel="share of the points", title="Points at the outliers")
ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
plt.show()

# %%
# The pictures show the points after all steps.

fig, axes = plt.subplots(
    1, 3, figsize=(10, 3), sharex=True, sharey=True, layout="constrained"
)
for ax, (name, x) in zip(axes, ends.items(), strict=True):
    ax.scatter(*data.T, s=14, color="0.7", marker="s", label="data")
    ax.scatter(*start.T, s=6, color="tab:blue", marker="^", alpha=0.4, label="start")
    ax.scatter(*x.T, s=8, color="tab:red", label="end")
    ax.set(title=name, xlabel="x", aspect="equal")
axes[0].set_ylabel("y")
fig.legend(
    *axes[0].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=3,
    frameon=False,
)
# sphinx_gallery_thumbnail_number = 2
plt.show()

# %%
# **Take away:** RPW slows the flow to outliers, so stop early. If you know the share of the outliers, use
# ``rpw.torch.wasserstein`` with ``mass=``.
