"""
Which rows do not belong, and how often is that wrong?
======================================================

With a reference of ordinary rows, ``rpw.stats.find_outliers`` names outliers with a false discovery rate that you
choose. Other detectors have a threshold, and no such promise.
"""

# %%
# The data are synthetic. Ordinary rows lie on a noisy ring. Of 200 new rows, 20 are planted: some are nearer to the
# centre, some farther out.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import IsolationForest
from sklearn.neighbors import LocalOutlierFactor

import rpw

N_REFERENCE, N_NEW, N_OUT, FDR = 1600, 200, 20, 0.05


def ring(rng, count):
    angle, radius = rng.uniform(0, 2 * np.pi, count), rng.normal(1, 0.1, count)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def draw(rng):
    """A reference, and new rows of which the first are planted."""
    reference, new = ring(rng, N_REFERENCE), ring(rng, N_NEW)
    new[:N_OUT] *= rng.choice([0.3, 1.9], (N_OUT, 1)) * rng.uniform(
        0.8, 1.2, (N_OUT, 1)
    )
    return reference, new


reference, new = draw(np.random.default_rng(0))
is_planted = np.arange(N_NEW) < N_OUT

# %%
# You choose the false discovery rate: the share of ordinary rows among the rows named, on average. You need not know
# how many outliers there are.

found = rpw.stats.find_outliers(new, reference, fdr=FDR, rng=0)
print(str(found).replace("; ", ";\n"))
print(
    f"{(found.mask & is_planted).sum()} of the {found.mask.sum()} rows named are planted."
)

# %%
# Here are three detectors on the same rows. LOF (local outlier factor) and IsolationForest come from
# scikit-learn, with their own thresholds.

detectors = {
    f"find_outliers, {FDR:.0%}": lambda new, reference: (
        rpw.stats.find_outliers(new, reference, fdr=FDR, rng=0).mask
    ),
    "LOF": lambda new, reference: (
        LocalOutlierFactor(novelty=True).fit(reference).predict(new) < 0
    ),
    "IsolationForest": lambda new, reference: (
        IsolationForest(random_state=0).fit(reference).predict(new) < 0
    ),
}

figure, axes = plt.subplots(
    1, 3, figsize=(9.6, 4.6), layout="constrained", sharex=True, sharey=True
)
for ax, (name, detect) in zip(axes, detectors.items(), strict=True):
    mask = detect(new, reference)
    ax.scatter(*reference[::4].T, s=4, color="0.85", label="reference (a quarter)")
    ax.scatter(
        *new[~is_planted].T,
        s=12,
        color="#0072B2",
        marker="o",
        lw=0,
        label="new, ordinary",
    )
    ax.scatter(
        *new[is_planted].T,
        s=22,
        color="#D55E00",
        marker="^",
        lw=0,
        label="new, planted",
    )
    ax.scatter(
        *new[mask].T,
        s=70,
        facecolor="none",
        edgecolor="black",
        lw=0.8,
        label="named as outlier",
    )
    ax.set_title(
        f"{name}: {mask.sum()} named,\n{(mask & ~is_planted).sum()} of them ordinary",
        fontsize=10,
    )
    ax.set_aspect("equal")
    ax.set(xlabel="first column", ylabel="second column" if ax is axes[0] else None)
figure.legend(
    *axes[0].get_legend_handles_labels(),
    loc="outside lower center",
    ncols=4,
    frameon=False,
)
plt.show()

# %%
# One draw proves nothing, so here are many. The false discovery rate is the share of ordinary rows among the rows
# named. The power is the share of the planted rows that are named. ± is one standard error.
# IsolationForest is slow and gets fewer draws.

DRAWS = {"IsolationForest": 6}
rates = {}
for name, detect in detectors.items():
    wrong, power = [], []
    for seed in range(1, 1 + DRAWS.get(name, 40)):
        reference_, new_ = draw(np.random.default_rng(seed))
        mask = detect(new_, reference_)
        wrong.append((mask & ~is_planted).sum() / max(1, mask.sum()))
        power.append(mask[is_planted].mean())
    rates[name] = np.array([wrong, power])
    error = np.std(wrong) / np.sqrt(len(wrong))
    print(
        f"{name:<20} false discovery rate {np.mean(wrong):.3f} ± {error:.3f}, power {np.mean(power):.3f}",
        end="",
    )
    print(f"   ({len(wrong)} draws)")

# %%
figure, axes = plt.subplots(1, 2, figsize=(8.4, 2.8), layout="constrained", sharey=True)
for ax, row, label in zip(
    axes, (0, 1), ("false discovery rate (share)", "power (share)"), strict=True
):
    for place, (name, marker) in enumerate(zip(rates, "Dos", strict=True)):
        values = rates[name][row]
        spread = np.linspace(-0.25, 0.25, len(values))
        ax.plot(values, place + spread, marker, color="0.6", ms=3, mew=0)
        ax.plot(values.mean(), place, marker, color="#0072B2", ms=9)
    ax.set(xlabel=label, xlim=(-0.03, 1.03))
    ax.set_yticks(range(len(rates)), list(rates))
axes[0].axvline(FDR, color="#D55E00", ls="--", label=f"chosen: {FDR:g}")
axes[0].invert_yaxis()
axes[0].legend(frameon=False, loc="upper right")
figure.suptitle("Small: one draw. Large: mean.", fontsize=10)
plt.show()

# %%
# The promise holds on average over draws, not for each draw. It needs ordinary rows that are exchangeable with the
# reference. Rows that depend on each other void it.
#
# The promise holds for every score. You may pass a function that returns the score of LOF as ``score=``.
#
# The promise has a cost: ``least_named`` is the smallest number of rows that can be named, if any.

print(
    f"With {N_REFERENCE} reference rows, at least {found.least_named} of {N_NEW} rows are named, or none."
)

# %%
# **Without a reference**, no share of mistakes is proven. You still have scores: what it costs to move the last bit of
# mass of each point. The elbow of the profile guesses the share of ordinary points. Only points farther away
# than twice the width of all others count as outliers.

rng = np.random.default_rng(0)
first, second = ring(rng, 400), ring(rng, 400)
is_far = np.arange(400) < 20
second[is_far] *= rng.uniform(6, 9, (20, 1))

profile = rpw.profile(first, second)
elbow, scores = profile.elbow(), profile.scores_b
highest = np.argsort(scores)[round(elbow * len(scores)) :]
print(f"The elbow guesses {elbow:.1%} ordinary points.")
print(
    f"Of the {len(highest)} points with the highest scores, {is_far[highest].sum()} are planted."
)

figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.6), layout="constrained")
left.scatter(*first.T, s=14, color="0.8", lw=0, label="first cloud")
dots = left.scatter(
    *second.T, c=scores, s=18, cmap="viridis", marker="^", lw=0, label="second cloud"
)
left.scatter(
    *second[is_far].T,
    s=80,
    facecolor="none",
    edgecolor="#D55E00",
    lw=0.8,
    label="planted",
)
figure.colorbar(dots, ax=left, label="score, in units of length", shrink=0.8)
left.set(
    title="The score of each point of the second cloud",
    aspect="equal",
    xlabel="first column",
    ylabel="second column",
)
left.legend(
    frameon=False, fontsize=9, loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=3
)
rpw.transport(first, second, mass=elbow).plot(ax=right).set_title(
    "The plan at the elbow, and what it leaves behind"
)
plt.show()

# %%
# The first cloud leaves as much behind as the second, because both have the same mass. Its rings are ordinary
# points.
#
# **Take away:** if you have rows that are known to be ordinary, use them. Then you choose the share of mistakes.
# Without them, read the highest scores, and treat them as a list to look at.
