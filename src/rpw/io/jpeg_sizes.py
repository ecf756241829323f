"""Does a JPEG file hold as many pixels as its header says? Its decoder does not tell."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

__all__ = ["doubt_jpeg", "doubt_jpeg_piece"]

_Codes = dict[str, int]  # from bits, as text, to what they stand for


class _Jpeg(NamedTuple):
    """What the headers of a JPEG stream say, and where its first scan lies."""

    coding: int  # 0xC0 to 0xCF
    size_at: int  # where the height is, which the width follows
    height: int
    width: int
    sampling: dict[int, tuple[int, int]]  # of each component: how finely it is sampled, across and down
    codes: dict[int, _Codes]  # 0 and up: for averages of blocks; 16 and up: for what else is in them
    restart: int  # groups of blocks between two restarts, or 0
    scan: dict[int, tuple[int, int]]  # the components of the scan and their codes
    start: int
    end: int

    @property
    def is_progressive(self) -> bool:
        return self.coding == 0xC2

    @property
    def group(self) -> tuple[int, int]:
        """Width and height of what is coded at once, in pixels."""
        if len(self.sampling) == 1:
            return 8, 8
        return 8 * max(h for h, _ in self.sampling.values()), 8 * max(v for _, v in self.sampling.values())

    @property
    def groups(self) -> tuple[int, int]:
        """How many groups there are across and down."""
        across, down = self.group
        return -(-self.width // across), -(-self.height // down)


def _jpeg_header(data: bytes) -> _Jpeg | None:
    """The headers; None where the first scan is of a kind that is not looked into."""
    at, restart, frame = 2, 0, None
    codes: dict[int, _Codes] = {}
    while at + 4 <= len(data):
        if data[at] != 0xFF or data[at + 1] == 0xFF:
            at += 1
            continue
        marker, (length,) = data[at + 1], struct.unpack_from(">H", data, at + 2)
        segment = data[at + 4 : at + 2 + length]
        if marker in (0xC0, 0xC1, 0xC2):
            height, width, count = struct.unpack_from(">HHB", segment, 1)
            parts = [segment[6 + 3 * i : 8 + 3 * i] for i in range(count)]
            frame = (marker, at + 5, height, width, {name: (size >> 4, size & 15) for name, size in parts})
        elif marker == 0xC4:
            codes.update(_jpeg_codes(segment))
        elif marker == 0xDD:
            (restart,) = struct.unpack(">H", segment)
        elif marker == 0xDA:
            scan = {segment[1 + 2 * i]: (segment[2 + 2 * i] >> 4, segment[2 + 2 * i] & 15) for i in range(segment[0])}
            found = _END_OF_SCAN.search(data, at + 2 + length)
            if frame is None or found is None or not scan or len(scan) != len(frame[4]):
                return None
            return _Jpeg(*frame, codes, restart, scan, at + 2 + length, found.start())
        at += 2 + length
    return None


_END_OF_SCAN = re.compile(rb"\xff+[^\x00\xd0-\xd7\xff]", re.DOTALL)


def _jpeg_codes(segment: bytes) -> Iterator[tuple[int, _Codes]]:
    """The tables of one segment: codes of each length in ascending order."""
    at = 0
    while at + 17 <= len(segment):
        name, counts, symbols = segment[at], segment[at + 1 : at + 17], iter(segment[at + 17 :])
        codes, code = {}, 0
        for length, count in enumerate(counts, start=1):
            for symbol in islice(symbols, count):
                codes[f"{code:0{length}b}"] = symbol
                code += 1
            code <<= 1
        yield name, codes
        at += 17 + sum(counts)


# What is put behind the data in two copies of the file: where a decoder reads it, the pictures differ.
_AFTER = (bytes(64), b"\xaa" * 64)


def doubt_jpeg(content: bytes) -> str | None:
    """What speaks against the size in the header, if anything does.

    The decoder makes up what is missing, and leaves out what is too much, without a word. So other data are
    put behind the true ones, in a copy that is one row of groups taller: in a sound file they change that row, and
    nothing above it. Where they change nothing at all, the groups are counted, which takes longer.
    """
    head = _jpeg_header(content)
    if head is None:
        return None
    across, down = head.groups
    if head.restart:  # there are marks between the groups, and their number is known
        needed, found = -(-across * down // head.restart) - 1, _restarts(content, head)
        if needed != found:
            return f"which need {needed:,} marks in the data, and there are {found:,}"
        return None
    above, height = down * head.group[1], (down + 1) * head.group[1]
    if height > 65_500:  # the most that the decoder takes
        return None
    taller = content[: head.size_at] + struct.pack(">H", height) + content[head.size_at + 2 :]
    one, other = (_jpeg_pixels(taller[: head.end] + after + taller[head.end :]) for after in _AFTER)
    if one is None or other is None:
        return None
    kept = min(head.height, above - 2) * (len(one) // height)  # two rows: colours are smoothed across groups
    if one[:kept] != other[:kept]:
        return "and its data end before the last of them"
    if one == other and _count_groups(content, head) >= across * (down + 1):
        return "and its data hold more"
    return None


def _jpeg_pixels(content: bytes) -> bytes | None:
    """The pixels, or None where the decoder gives up."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content), formats=("JPEG",)) as image:
            return image.tobytes()
    except Exception:  # a decoder can raise nearly anything
        return None


def _restarts(content: bytes, head: _Jpeg) -> int:
    return len(re.findall(rb"\xff[\xd0-\xd7]", content[head.start : head.end]))


def _count_groups(content: bytes, head: _Jpeg) -> int:
    """How many groups of blocks the scan holds, by reading it code by code."""
    data = content[head.start : head.end].replace(b"\xff\0", b"\xff")
    bits = f"{int.from_bytes(data):0{8 * len(data)}b}"
    blocks = [
        (head.codes[average], head.codes[16 + rest] if not head.is_progressive else {})
        for name, (average, rest) in head.scan.items()
        for _ in range(1 if len(head.scan) == 1 else head.sampling[name][0] * head.sampling[name][1])
    ]
    at = count = 0
    while True:
        for average, rest in blocks:
            at = _after_block(bits, at, average, rest)
        if at > len(bits):
            return count
        count += 1


def _after_block(bits: str, at: int, average: _Codes, rest: _Codes) -> int:
    """Where the next block begins; behind the end where this one is not whole."""
    symbol, at = _next_code(bits, at, average)
    at += symbol
    number = 1 if rest else 64
    while number < 64:
        symbol, at = _next_code(bits, at, rest)
        at += symbol & 15
        number += 64 if symbol == 0 else (symbol >> 4) + 1  # 0: all others are zero
    return at


def _next_code(bits: str, at: int, codes: _Codes) -> tuple[int, int]:
    for end in range(at + 1, at + 17):
        if bits[at:end] in codes:
            return codes[bits[at:end]], end
    return 0, len(bits) + 1


def doubt_jpeg_piece(data: bytes, width: int, height: int) -> str | None:
    """What speaks against a piece of a TIFF file that is a JPEG stream with a size of its own."""
    head = _jpeg_header(data)
    if head is None or (head.width, head.height) == (width, height):
        return None
    return f"and a piece of {width:,} x {height:,} holds {head.width:,} x {head.height:,}"
