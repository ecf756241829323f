"""
How do I choose k?
==================

k says how much it costs to leave mass behind. One solve gives the OT-profile: the cost of moving a share of the mass.
The profile gives RPW for every k. So you can look before you choose.
"""

# %%
# The data are synthetic: a cloud, and a second sample that is shifted and has a tenth of its points far away. A third
# sample has neither shift nor outliers. It shows what chance does.

import matplotlib.pyplot as plt
import numpy as np

import rpw

rng = np.random.default_rng(1)
N, N_OUT = 200, 20

x = rng.normal(0, 0.15, (N, 2))
same = rng.normal(0, 0.15, (N, 2))
shifted = rng.normal([0.12, 0], 0.15, (N, 2))
y = shifted.copy()
y[:N_OUT] = rng.normal([2.0, 1.5], 0.05, (N_OUT, 2))

# %%
# Δ is the scale of the ordinary points. ``quantile=0.8`` leaves out the farthest fifth of the points, which is more
# than all outliers.

delta = rpw.diameter(x, y, quantile=0.8)
profile = rpw.profile(x, y, diameter=delta)
print(f"Δ = {delta:.3f}")
print(profile)

# %%
# The curve is the cost of moving a share α of the mass. It is flat as long as ordinary points move, and steep when
# outliers have to move. Each k is a falling line, and RPW is one minus the α at which the line meets the curve.

KS = (0.1, 0.3, 1.0)
masses = np.linspace(0, 1, 401)

figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
ax.plot(masses, profile(masses), color="#0072B2", label="OT-profile $W_{2,\\alpha}$")
for k, style in zip(KS, ("--", "-.", ":"), strict=True):
    distance = profile.distance(k)
    ax.plot(
        [0, 1],
        [k * delta, 0],
        style,
        color="#D55E00",
        label=f"line of k = {k:g}: RPW = {distance:.3f}",
    )
    ax.plot(1 - distance, k * delta * distance, "o", color="black", zorder=3)
ax.set(title="OT-profile and its crossing for three k", xlim=(0, 1), ylim=(0, 0.6))
ax.set(
    xlabel="mass moved, $\\alpha$ (share)",
    ylabel="cost of moving it, $W$ (units of the points)",
)
ax.legend(frameon=False, loc="upper center", fontsize=9)
plt.show()

# %%
# **First rule: the crossing should lie before the steep end.** If there are gross outliers, ``profile.elbow()``
# guesses the share of the other points. Lower k until ``1 - profile.distance(k)`` is at most that share.
#
# Here every k up to about 2 will do. With a larger k, the plan also moves outliers.

elbow = profile.elbow()
ks = np.geomspace(0.02, 20, 200)
moved = 1 - profile.distance(ks)
print(
    f"The elbow is at {elbow:.2f}; the share of ordinary points is {1 - N_OUT / N:.2f}."
)
print(
    f"The largest k whose crossing lies before the elbow: about {ks[moved <= elbow + 1e-9].max():.2f}"
)

# %%
# **Second rule: look at chance.** Two samples of one distribution have a distance too, and a lower k raises it. If
# k is so low that chance alone gives more than 0.5, more than half of the points stay behind, whatever you compare.

curves = {
    "shift and outliers": (y, "#0072B2", "-"),
    "shift alone": (shifted, "#D55E00", "--"),
    "neither: chance": (same, "0.4", ":"),
}
figure, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for name, (other, colour, style) in curves.items():
    distances = rpw.profile(x, other, diameter=delta).distance(ks)
    ax.plot(ks, distances, style, color=colour, label=name)
    print(
        f"{name:<20}",
        *(
            f"{d:.3f} at k = {k:g}  "
            for k, d in zip(KS, np.interp(KS, ks, distances), strict=True)
        ),
    )
ax.axhline(N_OUT / N, color="black", lw=0.8)
ax.annotate(
    "share of outliers",
    (ks[-1], N_OUT / N),
    (0, 3),
    textcoords="offset points",
    ha="right",
    fontsize=9,
)
ax.set(
    xscale="log", xlabel="k (no unit)", ylabel="RPW (share of the mass)", ylim=(0, 1)
)
ax.set_title("What each k sees")
ax.legend(frameon=False)
plt.show()

# %%
# Read the picture from the right. At a very large k, RPW falls like 1 / k, and outliers count in full. Between k = 2
# and k = 5, RPW is about the share of outliers, and the shift does not show. Below k = 2 the shift shows too. Below k
# = 0.1, chance alone gives about 0.3 or more.
#
# The elbow sees gross outliers only. If it is 1.0, there may still be outliers nearby.
#
# **Take away:** start with k = 1, which does well here. Lower a large k if outliers hide what you look for, and raise
# a small k if chance alone gives a large distance. Fix k before you compare many things. Never choose it by a p-value.
# :doc:`/choosing` has more.
