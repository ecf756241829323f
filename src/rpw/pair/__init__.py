"""One pair: two measures on a ground, and one question about them.

functions (the public doors) → problem (measures, ground) + question → solvers → result, profile
"""
