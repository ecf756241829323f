"""Batches of pairs on one NVIDIA GPU: CUDA source that is compiled at run time and launched through the driver.

    backend → pairs (launches, and what comes back) → driver → compile (walk.cu, by NVRTC)

Nothing is loaded, and no device touched, before the first pairs are asked for.
"""
