"""
Many pairs on a Dask cluster, in a run that resumes
===================================================

A matrix of distances has many pairs, and a long run may be cut off. How do the workers of a cluster share the pairs,
and how does the next run continue?

All data here are synthetic. The cluster consists of two processes on this machine.
"""

# %%
# There are 100 clouds of different sizes. Every 20th has outliers.

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import zarr
from dask.distributed import Client, SubprocessCluster

import rpw

rng = np.random.default_rng(0)
clouds = []
for number in range(100):
    cloud = rng.normal([number / 100, 0], 0.1, (rng.integers(30, 50), 2))
    if number % 20 == 10:
        cloud[:8] += 5
    clouds.append(cloud)
delta = rpw.diameter(clouds, quantile=0.9)
folder = tempfile.TemporaryDirectory()
store = Path(folder.name) / "distances.zarr"

# %%
# Start the cluster
# -----------------
# For a cluster that is already running, pass the address of its scheduler instead:
# ``Client("tcp://scheduler:8786")``. The scheduler and all workers need the same version of ``rpw``. In a script, the
# shorter ``Client(n_workers=2)`` must stand below ``if __name__ == "__main__":``.

cluster = SubprocessCluster(
    n_workers=2,
    threads_per_worker=1,
    worker_class="distributed.Worker",
    dashboard_address=None,
)
client = Client(cluster)
client.wait_for_workers(2)
print(f"{len(client.scheduler_info()['workers'])} workers")

# %%
# A run that is cut off
# ---------------------
# ``client=`` sends the pairs to the workers, and ``out=`` keeps every finished tile of the matrix in a Zarr store. To
# imitate a crash, the function ``progress`` raises an error after a third of the pairs.


def crash(done, pairs):
    if done > pairs / 3:
        raise RuntimeError("the power failed")


try:
    rpw.pairwise(clouds, diameter=delta, client=client, out=store, progress=crash)
except RuntimeError as error:
    print(error)

before = zarr.open_array(store, mode="r")[:]  # what is not finished is NaN
print(f"{np.isfinite(before).mean():.0%} of the matrix is in the store.")

# %%
# The same call again
# -------------------
# The second call keeps the finished tiles and computes only the others. The numbers are the same as without a
# cluster.

reports = []
matrix = rpw.pairwise(
    clouds,
    diameter=delta,
    client=client,
    out=store,
    progress=lambda done, pairs: reports.append(done),
)[:]
client.close()
cluster.close()
print(f"The second run began at {reports[0]} pairs and ended at {reports[-1]}.")
print(
    "Equal to a run without a cluster:",
    np.array_equal(matrix, rpw.pairwise(clouds, diameter=delta)),
)

# %%
# The left picture shows the tiles that the first run left in the store. The right picture shows the matrix after the
# second run: a cloud is close to its neighbours in the list, and the bright lines are the clouds with outliers.

fig, axes = plt.subplots(1, 2, figsize=(9, 4), sharey=True, layout="constrained")
for ax, shown, title in zip(
    axes, (before, matrix), ("after the crash", "after the second run"), strict=True
):
    picture = ax.imshow(np.ma.masked_invalid(shown), vmin=0, vmax=matrix.max())
    ax.set(title=title, xlabel="cloud", facecolor="0.85")
axes[0].set_ylabel("cloud")
fig.colorbar(picture, ax=axes, label="RPW (grey: not yet computed)")
plt.show()

folder.cleanup()

# %%
# **Take away:** pass ``client=`` to compute on a cluster, and ``out=`` to keep what is finished. After a crash, make
# the same call again.
