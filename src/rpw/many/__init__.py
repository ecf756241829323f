"""Many pairs under one question.

pairwise, index (the public doors) → collection → batch (data only) → backends (compute)
                                                                       ↑ executors (schedule) → store
"""
