"""Read files as measures and as collections of measures. Nothing is ever unpickled.

==================================== ========================== =====================================================
file                                 one measure                a collection
==================================== ========================== =====================================================
``.csv``, ``.tsv``                   a row per point
``.parquet``, ``.pq``                a row per point
``.png``, ``.jpg``, other images     `rpw.Measure.from_image`
``.npy``                             (n, d) or (n,)             (B, n, d)
``.npz``                             ``points``, ``weights``;   ``images``; ``histograms`` with ``support``; or
                                     or one array               ``points`` (B, n, d), ``weights``; all with ``labels``
folder                                                          a file per measure, or a folder per class
==================================== ========================== =====================================================

In a table, a column named ``weight`` or ``weights`` holds the weights; every other column is a coordinate. Columns of
text are separated by commas, semicolons or tabs. The file decides which decimal mark it has, and whether its first line
holds names; what it leaves open is refused, until ``decimal=`` or ``header=`` settles it. If two
tables are compared and both have names, their columns are matched by name, whatever their order. Point sets of
different sizes are a folder with one file each. All images of a folder must have one size, and be all grey or all in
colour.
"""

from rpw.io.readers import (
    IMAGE_SUFFIXES,
    Collection,
    describe_image,
    read_collection,
    read_pair,
    read_points,
    read_queries,
)

__all__ = [
    "IMAGE_SUFFIXES",
    "Collection",
    "describe_image",
    "read_collection",
    "read_pair",
    "read_points",
    "read_queries",
]
