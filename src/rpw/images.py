"""Images as measures; see `rpw.io.images`, where the work is done."""

from rpw.io.images import image_atoms, pixel_grid, read_pixels

__all__ = ["image_atoms", "pixel_grid", "read_pixels"]
