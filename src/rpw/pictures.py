"""Labelled pictures for experiments: known data sets, or your own files."""

from rpw.io.pictures import DATASETS, Pictures, load_pictures, read_pictures

__all__ = ["DATASETS", "Pictures", "load_pictures", "read_pictures"]
