"""What commands write beside their answer: tables, plans and matrices, after the ending of the name of the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rpw.base.check import Array
from rpw.base.extras import import_extra
from rpw.base.usage import UsageError
from rpw.io.files import replacing
from rpw.io.tables import Table, as_text_cell

__all__ = [
    "MATRICES", "PAGES", "TABLES", "check_matrix", "check_target", "row_numbers", "sides", "write_matrix", "write_plan",
    "write_table",
]  # fmt: skip

Column = npt.NDArray[Any]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
TABLES = (*_SEPARATORS, ".npz", ".parquet")
MATRICES = (*_SEPARATORS, ".npy", ".npz")
PAGES = (".html", ".htm")


def check_target(option: str, target: Path | None, inputs: list[Path], endings: Sequence[str] = ()) -> None:
    """Raise before the work if a file could not be written there, or would harm what is read."""
    if target is None:
        return
    suffix = target.suffix.lower()
    if endings and suffix not in endings:
        raise UsageError(f"{option} {target}: choose a file that ends in one of {', '.join(endings)}")
    for path in inputs:
        if target.resolve() == path.resolve():
            raise UsageError(f"{option} {target}: is one of the inputs, and would be replaced")
        if path.is_dir() and target.resolve().is_relative_to(path.resolve()):
            raise UsageError(
                f"{option} {target}: lies in the folder that is read, so it would be taken for one of its files"
            )
    if target.is_dir():
        raise ValueError(f"{option} {target}: is a folder, and the name of a file is needed")
    if not target.parent.is_dir():
        raise ValueError(f"{option} {target}: there is no folder {target.parent}")
    if suffix == ".parquet":
        import_extra("pyarrow.parquet", "Parquet files need")


def check_matrix(out: Path, inputs: list[Path], is_stack: bool) -> None:
    """The same for ``--out`` of a matrix, which may be a Zarr store."""
    if is_stack and out.suffix.lower() in _SEPARATORS:
        raise UsageError(
            f"--out {out}: a table holds one matrix, and several values in --k give a stack of them: choose .npy, .npz "
            "or a Zarr store, or one value"
        )
    if out.suffix.lower() in MATRICES:
        check_target("--out", out, inputs)
    elif out.suffix.lower() not in ("", ".zarr") and not (out / "zarr.json").exists():
        raise UsageError(
            f"--out {out}: a matrix is written to a file in {', '.join(MATRICES)}, or to a Zarr store, whose name "
            "ends in .zarr or has no ending"
        )


def write_table(target: Path, columns: Mapping[str, Column]) -> None:
    """Write the file whole or not at all, with all digits."""
    suffix = target.suffix.lower()
    with replacing(target) as stream:
        if suffix == ".npz":
            arrays: dict[str, Any] = dict(columns)
            np.savez(stream, allow_pickle=False, **arrays)
        elif suffix == ".parquet":
            arrow = import_extra("pyarrow", "Parquet files need")
            import_extra("pyarrow.parquet", "Parquet files need").write_table(arrow.table(dict(columns)), stream)
        else:
            rows = zip(*(column.tolist() for column in columns.values()), strict=True)
            _write_text(stream, suffix, [columns, *rows])


def write_matrix(
    out: Path, matrix: Array, rows: list[str], columns: list[str], parameters: Mapping[str, float | str | list[float]]
) -> None:
    """Write a matrix, with its names if the format has room for them. In text, none of them is a formula."""
    suffix = out.suffix.lower()
    with replacing(out) as stream:
        if suffix == ".npy":
            np.save(stream, matrix, allow_pickle=False)
        elif suffix == ".npz":
            arrays: dict[str, Any] = {"distances": matrix, "rows": np.array(rows), "columns": np.array(columns)}
            np.savez(stream, allow_pickle=False, **arrays, **parameters)
        else:
            named = ([as_text_cell(name), *map(repr, row.tolist())] for name, row in zip(rows, matrix, strict=True))
            _write_text(stream, suffix, [["", *map(as_text_cell, columns)], *named])


def _write_text(stream: IO[bytes], suffix: str, rows: Iterable[Iterable[Any]]) -> None:
    # A file may have any bytes in its name: what is no text becomes an escape.
    text = io.TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True)
    csv.writer(text, delimiter=_SEPARATORS[suffix], lineterminator="\n").writerows(rows)
    text.detach()  # else it would close the stream, which is not ours


def write_plan(target: Path, plan: Any, one: Table, other: Table) -> None:
    """A transport plan: rows i, j, mass; as NPZ, the sparse matrix of SciPy. Rows are numbered as in the files."""
    from scipy import sparse

    entries = plan.tocoo()
    i, j = row_numbers(one)[entries.row], row_numbers(other)[entries.col]
    if target.suffix.lower() != ".npz":
        write_table(target, {"i": i, "j": j, "mass": entries.data})
        return
    n, m = (len(each.measure) if each.size is None else each.size for each in (one, other))
    with replacing(target) as stream:
        sparse.save_npz(stream, sparse.csr_array((entries.data, (i, j)), shape=(n, m)))


def sides(one: Table, other: Table, **of_both: tuple[Column, Column]) -> dict[str, Column]:
    """For each point of two files its side, its number in the file from 0, its mass, and what else is known of it."""
    tables = (one, other)
    return {
        "side": np.repeat(["a", "b"], [len(each.measure) for each in tables]),
        "index": np.concatenate([row_numbers(each) for each in tables]),
        "mass": np.concatenate([each.measure.weights for each in tables]),
        **{name: np.concatenate(pair) for name, pair in of_both.items()},
    }


def row_numbers(table: Table) -> npt.NDArray[np.int64]:
    """The number of each point in its file, from 0: rows that were left out count too."""
    return np.arange(len(table.measure)) if table.kept is None else table.kept
