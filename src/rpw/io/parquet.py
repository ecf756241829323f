"""Parquet files, whose sizes are judged before anything is expanded.

A page of a few bytes may stand for billions of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from rpw.base.extras import import_extra
from rpw.io.files import check_room

__all__ = ["open_parquet", "read_columns"]

# While a table is read there are three copies of it: Arrow's, its columns as float64, and all of them together.
_BYTES_OF_VALUE = 3 * 8
_REASON = "nearly all rows are equal; write each of them once, with a column of weights"


def open_parquet(stream: IO[bytes], dictionaries: Sequence[str] = ()) -> Any:
    """The file; of the columns ``dictionaries``, texts are read once each, however many rows have them."""
    parquet = import_extra("pyarrow.parquet", "Parquet files need")
    # A thread that reads ahead may hold a buffer of ours when Python ends, and would abort the process.
    return parquet.ParquetFile(stream, pre_buffer=False, read_dictionary=list(dictionaries))


def read_columns(file: Any, stream: IO[bytes], names: Sequence[str] | None) -> Any:
    """These columns, or all; raises where the whole does not fit into memory, or its sizes are not believable."""
    declared = file.metadata
    groups = [declared.row_group(i) for i in range(declared.num_row_groups)]
    if sum(group.num_rows for group in groups) != declared.num_rows:
        raise ValueError(f"damaged: {declared.num_rows:,} rows are declared, and its parts have another number of them")
    needed = _BYTES_OF_VALUE * declared.num_rows * declared.num_columns
    needed = max(needed, sum(group.total_byte_size for group in groups))
    check_room(needed, stream, f"its {declared.num_rows:,} rows of {declared.num_columns:,} columns need", _REASON)
    try:
        return file.read(use_threads=False, columns=names)
    except MemoryError as error:  # more often a damaged size than a large table
        raise ValueError(f"damaged, or too large for the memory: {error}") from error
