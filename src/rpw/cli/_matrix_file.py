"""A matrix of distances as one file: CSV, TSV, NPY or NPZ, after the ending of its name; a stack as NPY or NPZ."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from rpw.base.check import Array
from rpw.base.usage import UsageError
from rpw.cli._targets import check_not_read
from rpw.io.files import replacing
from rpw.io.tables import as_text_cell

__all__ = ["check_out", "is_file_format", "write_matrix"]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_FORMATS = (*_SEPARATORS, ".npy", ".npz")


def is_file_format(out: Path) -> bool:
    """Whether the name asks for one file; otherwise it is that of a Zarr store."""
    return out.suffix.lower() in _FORMATS


def check_out(out: Path, inputs: list[Path], is_stack: bool = False) -> None:
    """Raise before the work if its result could not be written there, or would harm what is read."""
    if is_stack and out.suffix.lower() in _SEPARATORS:
        raise UsageError(
            f"--out {out}: a table holds one matrix, and several values in --k give a stack of them: choose .npy, .npz "
            "or a Zarr store, or one value"
        )
    if not is_file_format(out):
        if out.suffix.lower() not in ("", ".zarr") and not (out / "zarr.json").exists():
            raise UsageError(
                f"--out {out}: a matrix is written to a file in {', '.join(_FORMATS)}, or to a Zarr store, whose name "
                "ends in .zarr or has no ending"
            )
        return
    if out.is_dir():
        raise ValueError(f"--out {out}: is a folder, and a {out.suffix.lower()} file was asked for")
    if not out.parent.is_dir():
        raise ValueError(f"--out {out}: there is no folder {out.parent}")
    check_not_read("--out", out, inputs)


def write_matrix(
    out: Path, matrix: Array, rows: list[str], columns: list[str], parameters: Mapping[str, float | str | list[float]]
) -> None:
    """Write the file whole or not at all. Tables have the names as their first column and row, and all digits.

    In tables, `as_text_cell` keeps names from being formulas; the other formats have them as they are.
    """
    suffix = out.suffix.lower()
    with replacing(out) as stream:
        if suffix == ".npy":
            np.save(stream, matrix, allow_pickle=False)
        elif suffix == ".npz":
            arrays: dict[str, Any] = {"distances": matrix, "rows": np.array(rows), "columns": np.array(columns)}
            np.savez(stream, allow_pickle=False, **arrays, **parameters)
        else:
            _write_table(stream, _SEPARATORS[suffix], matrix, rows, columns)


def _write_table(stream: IO[bytes], separator: str, matrix: Array, rows: list[str], columns: list[str]) -> None:
    # A file may have any bytes in its name: what is no text becomes an escape, and what is a formula becomes text.
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(["", *map(as_text_cell, columns)])
    for name, row in zip(rows, matrix, strict=True):
        writer.writerow([as_text_cell(name), *map(repr, row.tolist())])
    text.detach()  # else it would close the stream, which is not ours
