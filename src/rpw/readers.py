"""Files as measures and as collections of measures; see `rpw.io.readers`, where the work is done."""

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
