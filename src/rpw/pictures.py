"""Labelled pictures in the formats in which people have them; see `rpw.io.pictures`, where the work is done."""

from rpw.io.pictures import DATASETS, Pictures, load_pictures, read_pictures

__all__ = ["DATASETS", "Pictures", "load_pictures", "read_pictures"]
