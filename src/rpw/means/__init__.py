"""Means of measures under RPW: points or weights are moved until the sum of distances to all inputs is least."""
