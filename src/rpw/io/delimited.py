"""Delimited text: bytes become names, cells, the lines in which they stand, and the decimal mark of the file.

This is the one reader of CSV and TSV. `explore/browser/delimited.js` follows the same rules.

*Separator*: the first of tab, semicolon and comma that splits the first line, and every other line into as many cells.
*Header*: the first line, if its cells are of other types than those below. *Decimal mark*: one for the whole file.
What the file does not decide is refused, until `TextRules` settle it.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import IO, Any, NamedTuple

from rpw.base.spelling import name_of, setting
from rpw.base.warn import warn_caller
from rpw.io.files import check_room

__all__ = ["ANY_TEXT", "WEIGHT_NAMES", "Delimited", "TextRules", "as_number", "is_missing", "read_delimited"]

WEIGHT_NAMES = ("weight", "weights")

_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "#n/a"))  # in whatever case
_SEPARATORS = ("\t", ";", ",")
_PACKED = b"\x1f\x8b"
_CHUNK = 1 << 24
_BYTES_OF_CELLS = 16  # for each byte of text: a short cell is an object of 50 bytes

# Each of these takes linear time: after a run of digits comes something that is no digit.
_ASCII = re.ASCII | re.IGNORECASE
_NUMBERS = {
    mark: re.compile(rf"[+-]?(\d+([{mark}]\d*)?|[{mark}]\d+)(e[+-]?\d+)?|[+-]?inf(inity)?", _ASCII) for mark in ".,"
}
_ONE_MARK = re.compile(r"[+-]?(?=[.,]?\d)\d*([.,])\d*(e[+-]?\d+)?", _ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}((\.\d{3})+(,\d*)?|(,\d{3})+(\.\d*)?)", _ASCII)
_INTEGER = re.compile(r"\d+", _ASCII)
_DATE = re.compile(r"\d{4}-\d{2}(-\d{2}.*)?", _ASCII)
# A number, or one that is written in a way that is not read here: no name of a column.
_LIKE_A_NUMBER = re.compile(r"[+-]?([.,]?\d[\d.,_:/+-]*(e[+-]?\d+)?|0[xob][\da-f]*|inf|infinity|∞)", re.IGNORECASE)
_LINE_BREAK = r"\r\n?|\n"
_MARKS = {".": "point", ",": "comma"}


@dataclass(frozen=True)
class TextRules:
    """What is known of a text before it is read; None: the text decides."""

    decimal: str | None = None
    header: bool | None = None

    def __post_init__(self) -> None:
        if self.decimal not in (None, *_MARKS):
            raise ValueError(f"{name_of('decimal')} must be '.' or ',', got {self.decimal!r}")
        if self.header not in (None, True, False):
            raise ValueError(f"header must be True, False or None, got {self.header!r}")


ANY_TEXT = TextRules()


class Delimited(NamedTuple):
    """A table of texts. Its rows have one length, and ``lines`` says where each begins in the file, from 1."""

    names: list[str] | None
    rows: list[list[str]]
    lines: list[int]
    separator: str
    rules: TextRules

    def place(self, line: int, column: int) -> str:
        """Where a cell is, for messages."""
        name = f" ({self.names[column][:40]})" if self.names and self.names[column] else ""
        return f"line {line}, column {column + 1}{name}"

    def decimal(self, columns: Iterable[int]) -> str:
        """The decimal mark of all cells of these columns; raises where they disagree, or leave it open."""
        if self.rules.decimal is not None:
            return self.rules.decimal
        chosen = list(columns)
        if self.separator != ";" and not any("," in row[column] for row in self.rows for column in chosen):
            return "."
        return self._decided(chosen)

    def _decided(self, columns: list[int]) -> str:
        seen: dict[str, tuple[int, int, str]] = {}  # the first cell with each mark
        is_certain = False
        for line, row in zip(self.lines, self.rows, strict=True):
            for column in columns:
                cell = row[column]
                mark = _mark_of(cell)
                if mark == "" and _THOUSANDS.fullmatch(cell):
                    raise ValueError(
                        f"{self.place(line, column)}: {cell[:40]!r} has marks between its thousands, which are not "
                        f"read as a number; {setting('decimal', '.')} or {setting('decimal', ',')} makes it a text"
                    )
                if mark:
                    is_certain = is_certain or not _THOUSANDS.fullmatch(cell)
                    seen.setdefault(mark, (line, column, cell))
            if len(seen) > 1:
                raise ValueError(self._words_of_both(seen))
        mark = next(iter(seen), ".")
        # Semicolons come from places that write 1.000 for a thousand; elsewhere a point is a decimal point.
        if seen and not is_certain and (mark == "," or self.separator == ";"):
            line, column, cell = seen[mark]
            raise ValueError(
                f"{self.place(line, column)}: {cell!r} has a decimal {_MARKS[mark]}, or a mark between thousands, and "
                f"nothing else in the file tells: pass {setting('decimal', ',')} or {setting('decimal', '.')}"
            )
        return mark

    def _words_of_both(self, seen: dict[str, tuple[int, int, str]]) -> str:
        (one, (first, _, cell)), (other, (line, column, misfit)) = seen.items()
        return (
            f"{self.place(line, column)}: {misfit[:40]!r} has a {_MARKS[other]}, and {cell[:40]!r} in line {first} has "
            f"a {_MARKS[one]}: a file has one decimal mark; write all numbers alike, or pass "
            f"{setting('decimal', one)} or {setting('decimal', other)}"
        )


def _mark_of(cell: str) -> str:
    """The mark of a number with one; empty for all others."""
    if "." not in cell and "," not in cell:
        return ""
    found = _ONE_MARK.fullmatch(cell)
    return "" if found is None else found[1]


def as_number(cell: str, decimal: str = ".") -> float | None:
    """The number that a cell holds, which may be infinite, or None."""
    return float(cell.replace(",", ".")) if _NUMBERS[decimal].fullmatch(cell) else None


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().casefold() in _MISSING


def read_delimited(
    stream: IO[bytes], usual: str, rules: TextRules, has_texts: bool = False, needs_names: bool = False
) -> Delimited:
    """Read a whole file. A blank line is no row; one of separators alone is a row without entries.

    ``usual``: the separator of a file whose first line has none; a decimal comma is none. ``has_texts``: columns may
    hold texts. ``needs_names``: a first line that may be names or a row is names.
    """
    rows, lines, separator = _split(_decoded(stream), ";" if rules.decimal == "," else usual)
    width = len(rows[0]) if rows else 0
    for row, line in zip(rows, lines, strict=True):
        if len(row) != width:
            hint = (
                f"; {setting('decimal', ',')} if these commas separate nothing"
                if width == 1 and separator == ","
                else ""
            )
            raise ValueError(f"line {line} has {len(row)} values instead of {width}{hint}")
    header = rules.header if rules.header is not None or not rows else _has_names(rows[0], rows[1:], has_texts)
    if header is None and rows and (not needs_names or _is_mixed(rows[0])):
        raise ValueError(_undecided(rows[0], lines[0]))
    if not rows or header is False:
        return Delimited(None, rows, lines, separator, rules)
    if rules.header is None and all(map(_is_like_a_number, filter(None, rows[0]))):
        where = getattr(stream, "name", "a table")
        shown = ", ".join(rows[0][:8]) + ("" if width <= 8 else ", …")
        warn_caller(f"{where}: the first line ({shown}) was taken for names: {setting('header', False)} makes it a row")
    return Delimited(rows[0], rows[1:], lines[1:], separator, rules)


def _decoded(stream: IO[bytes]) -> str:
    try:
        return _unpacked(stream).decode("utf-8").lstrip("\ufeff")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"not text in UTF-8 (byte {error.start} is {error.object[error.start]:#04x}): save it as UTF-8"
        ) from error


def _unpacked(stream: IO[bytes]) -> bytes:
    is_packed = stream.read(2) == _PACKED
    stream.seek(0)
    if not is_packed:
        return stream.read()
    chunks, size = [], 0
    with gzip.GzipFile(fileobj=stream) as packed:
        while chunk := packed.read(_CHUNK):
            chunks.append(chunk)
            size += len(chunk)
            check_room(_BYTES_OF_CELLS * size, stream, "its cells need", "nearly all rows are equal")
    return b"".join(chunks)


# ---------------------------------------------------------------- rows and cells

Parsed = tuple[list[list[str]], list[int], str]


def _split(text: str, usual: str) -> Parsed:
    """The rows, the line in which each begins, and the separator."""
    widths = {each: len(next(_rows(text, each), (0, []))[1]) for each in _SEPARATORS}
    splitting = [each for each in _SEPARATORS if widths[each] > 1]
    for separator in splitting:
        parsed = _parsed(text, separator)
        if len(set(map(len, parsed[0]))) == 1:
            return parsed
    parsed = _parsed(text, max(splitting, key=widths.__getitem__, default=usual))
    is_in_name = usual not in splitting and all(len(row) == 1 for row in parsed[0][1:])
    return _parsed(text, usual) if is_in_name else parsed


def _parsed(text: str, separator: str) -> Parsed:
    rows, lines = [], []
    for line, row in _rows(text, separator):
        rows.append(row)
        lines.append(line)
    return rows, lines, separator


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """All rows, each with the line in which it begins; raises for a quote that is never closed."""
    # What is in quotes, the quote that closes, what comes after it or has none, and what ends the cell.
    cell = re.compile(rf'(?: *"([^"]*(?:""[^"]*)*)("?))?([^{separator}\r\n]*)({separator}|{_LINE_BREAK}|\Z)')
    line_break = re.compile(_LINE_BREAK)
    place, line = 0, 1
    while place < len(text):
        found = line_break.search(text, place)
        end, breaks = len(text) if found is None else found.end(), 1
        has_quotes = text.find('"', place, end) >= 0
        if has_quotes:
            cells = []
            for each in cell.finditer(text, place):
                quoted, closing, rest, terminator = each.groups()
                if closing == "":
                    raise ValueError(f"line {line}: a quote is opened there and never closed")
                cells.append((rest if quoted is None else quoted.replace('""', '"') + rest).strip())
                if terminator != separator:
                    end = each.end()
                    break
            breaks = len(line_break.findall(text, place, end))
        else:
            cells = [each.strip() for each in text[place:end].split(separator)]
        if any(cells) or len(cells) > 1 or has_quotes:
            yield line, cells
        place, line = end, line + breaks


# ---------------------------------------------------------------- the first line


def _has_names(first: list[str], rest: list[list[str]], has_texts: bool) -> bool | None:
    """Whether the first line names the columns; None where nothing tells."""
    has_index = len(first) > 1 and not first[0]  # as pandas writes it: the rows have numbers, and those no name
    cells = {place: cell for place, cell in enumerate(first) if not is_missing(cell)}
    numbers = {place: cell for place, cell in cells.items() if _is_like_a_number(cell)}
    if not numbers:
        return bool(cells)
    is_text = len(numbers) < len(cells)
    if _are_names(numbers, rest, is_text):
        return True if len(numbers) > 1 or is_text or has_index else None
    if not is_text:
        return None if _may_be_years(list(numbers), list(numbers.values()), rest) else False
    is_above_numbers = has_texts and any(
        _has_only_numbers(row[place] for row in rest) for place in cells.keys() - numbers.keys()
    )
    return True if is_above_numbers or any(cell.lower() in WEIGHT_NAMES for cell in first) else None


def _are_names(numbers: dict[int, str], rest: list[list[str]], is_text: bool) -> bool:
    """Whether the numbers of the first line are names: 0, 1, 2, …, or of other types than the cells below them."""
    found = list(numbers.values())
    if rest and found == [str(number) for number in range(len(found))] and (len(found) > 1 or not is_text):
        return True
    kinds = {place: _kind(cell) for place, cell in numbers.items()}
    if "number" in kinds.values() or len(set(found)) < len(found):
        return False
    below = {place: _present(row[place] for row in rest) for place in kinds}
    return all(below[place] and kind not in map(_kind, below[place]) for place, kind in kinds.items())


def _may_be_years(places: list[int], found: list[str], rest: list[list[str]]) -> bool:
    """Whether they are successive integers, as years are, above columns that are not of integers alone."""
    if len(found) < 2 or set(map(_kind, found)) != {"integer"} or len(max(found, key=len)) > 9:
        return False
    is_successive = [int(number) for number in found] == [int(found[0]) + step for step in range(len(found))]
    return is_successive and all("number" in {_kind(row[place]) for row in rest} for place in places)


def _is_mixed(first: list[str]) -> bool:
    return len({_is_like_a_number(cell) for cell in _present(first)}) == 2


def _has_only_numbers(cells: Iterable[str]) -> bool:
    present = _present(cells)
    return bool(present) and all(map(_is_like_a_number, present))


def _present(cells: Iterable[str]) -> list[str]:
    return [cell for cell in cells if not is_missing(cell)]


def _kind(cell: str) -> str:
    if _INTEGER.fullmatch(cell):
        return "integer"
    if _DATE.fullmatch(cell):
        return "date"
    return "number" if _is_like_a_number(cell) else "text"


def _is_like_a_number(cell: Any) -> bool:
    return _LIKE_A_NUMBER.fullmatch(cell) is not None


def _undecided(first: list[str], line: int) -> str:
    present = _present(first)
    texts = [cell for cell in present if not _is_like_a_number(cell)]
    shown = (texts or present)[0]
    what = "mixes numbers and text" if texts else "may be a name or a number"
    return (
        f"line {line} {what} (column {first.index(shown) + 1} is {shown[:40]!r}): "
        f"{setting('header', True)} makes it names, and {setting('header', False)} a row"
    )
