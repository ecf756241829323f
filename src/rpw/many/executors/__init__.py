"""Executors: run a backend tile by tile, on threads or on a cluster, into memory or into a store that survives.

    run: backend → tiles → values, on threads or on a cluster (Dask) → in_memory, or Zarr (rpw.many.store)

Nothing is computed here: every number comes from `Backend.values`, whoever calls it and wherever.
"""
