"""Distances of many pairs with their gradients: what `rpw.torch` and `rpw.jax` wrap, and all of their mathematics.

functions (the door) → pairs (arrays of either kind) → by_core (NumPy) or by_kernels (torch, on a GPU) → derivatives

`asked` checks what is asked of all pairs; `given_pairs` makes one batch of what users pass. One exact solve has the
plan γ, the potentials f, g and the slope λ, and these are the gradient (docs/proofs/derivatives.md, "Gradients").
"""
