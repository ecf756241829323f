"""The playground: one HTML page on which two clouds can be moved, and RPW, its plan and its profile follow.

The page holds the core itself, compiled to WebAssembly. It opens from a file, needs no server, and asks for nothing.
`rpw.Result.explore` and ``rpw explore`` write it with your own points.
"""

from rpw.explore.document import MOST_POINTS, page, write_page

__all__ = ["MOST_POINTS", "page", "write_page"]
