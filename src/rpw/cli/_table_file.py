"""What is found of points, or of pairs of them, as a file: CSV, TSV, NPZ or Parquet, after the ending of its name."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rpw.base.extras import import_extra
from rpw.base.usage import UsageError
from rpw.cli._targets import check_not_read
from rpw.io.files import replacing
from rpw.io.tables import Table

__all__ = ["check_tables", "row_numbers", "sides", "write_plan", "write_table"]

Column = npt.NDArray[Any]

_SEPARATORS = {".csv": ",", ".tsv": "\t"}
_FORMATS = (*_SEPARATORS, ".npz", ".parquet")


def check_tables(targets: Mapping[str, Path | None], inputs: list[Path]) -> None:
    """Raise before the work if a table could not be written there, or would harm what is read; by its option."""
    given = {option: target for option, target in targets.items() if target is not None}
    for option, target in given.items():
        if target.suffix.lower() not in _FORMATS:
            raise UsageError(f"{option} {target}: choose a file that ends in one of {', '.join(_FORMATS)}")
        check_not_read(option, target, inputs)
        others = [name for name, other in given.items() if name != option and other.resolve() == target.resolve()]
        if others:
            raise UsageError(f"{option} {target}: {others[0]} writes to the same file")
    for option, target in given.items():
        if target.is_dir():
            raise ValueError(f"{option} {target}: is a folder, and the name of a file is needed")
        if not target.parent.is_dir():
            raise ValueError(f"{option} {target}: there is no folder {target.parent}")
        if target.suffix.lower() == ".parquet":
            import_extra("pyarrow.parquet", "Parquet files need")


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
            _write_text(stream, _SEPARATORS[suffix], columns)


def _write_text(stream: IO[bytes], separator: str, columns: Mapping[str, Column]) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column.tolist() for column in columns.values()), strict=True))
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
