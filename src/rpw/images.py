"""Images as points with masses, in a Euclidean space of diameter 1.

`rpw.Measure.from_image` makes a measure of an image. It uses the functions of this module.
"""

from rpw.io.images import image_atoms, pixel_grid, read_pixels

__all__ = ["image_atoms", "pixel_grid", "read_pixels"]
