"""Does an image file hold as many pixels as its header says? Decoders fill up what is missing, or pass over the rest.

PNG has checksums, and the decoder of WebP sees for itself where data end much too early. The other formats are looked
at here. What nobody can see stays unseen: a size that is wrong by less than the padding at the end of a row or a block.
TIFF compressed as fax or by Zstandard is believed.
"""

from __future__ import annotations

import lzma
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from rpw.io.jpeg_sizes import doubt_jpeg, doubt_jpeg_piece

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["WrongSizeError", "check_size"]


class WrongSizeError(ValueError):
    """The header of an image and its data do not agree."""


def check_size(image: Image, content: bytes) -> None:
    """Raise `WrongSizeError` where the declared size of an opened image is not that of the data in its file."""
    doubts: dict[str, Callable[[Any, bytes], str | None]] = {
        "BMP": _doubt_bmp,
        "GIF": _doubt_gif,
        "JPEG": lambda _, content: doubt_jpeg(content),
        "MPO": lambda _, content: doubt_jpeg(content),
        "PPM": _doubt_ppm,
        "TIFF": _doubt_tiff,
    }
    doubt = doubts.get(image.format or "")
    reason = None if doubt is None else doubt(image, content)
    if reason is not None:
        width, height = image.size
        raise WrongSizeError(f"damaged: its header says {width:,} x {height:,} pixels, {reason}")


def _doubt_length(needed: int, found: int, slack: int = 0) -> str | None:
    """The data must have the length that the size needs, or be longer by the few bytes that some programs add."""
    return None if needed <= found <= needed + slack else f"which need {needed:,} bytes, and there are {found:,}"


# ---------------------------------------------------------------- BMP, PPM

_BMP_PADDING = 3  # some programs round the data up to a whole number of words


def _doubt_bmp(image: Any, content: bytes) -> str | None:
    decoder, _, offset, args = image.tile[0]
    if decoder != "raw":
        return None  # run lengths: its decoder raises where pixels are missing
    (size_of_header,) = struct.unpack_from("<I", content, 14)
    declared = struct.unpack_from("<I", content, 34)[0] if size_of_header >= 40 else 0  # 0: not said
    needed, there = args[1] * image.height, len(content) - offset
    if declared and there >= needed:  # after the data there may be a colour profile
        return _doubt_length(needed, declared, _BMP_PADDING)
    return _doubt_length(needed, there, _BMP_PADDING)


_NETPBM_BANDS = {b"P1": 1, b"P2": 1, b"P3": 3, b"P4": 1, b"P5": 1, b"P6": 3}


def _doubt_ppm(image: Any, content: bytes) -> str | None:
    """The data of a picture reach to the end of the file, or to the header of another picture."""
    decoder, _, offset, args = image.tile[0]
    magic = content[:2]
    if magic not in _NETPBM_BANDS:
        return None
    values = image.width * image.height * _NETPBM_BANDS[magic]
    if decoder == "ppm_plain":
        text = re.sub(rb"#[^\r\n]*", b"", content[offset:])
        found = len(re.findall(rb"[01]" if magic == b"P1" else rb"\S+", text))
        return None if found == values else f"which need {values:,} values, and there are {found:,}"
    if magic == b"P4":
        needed = (image.width + 7) // 8 * image.height
    else:
        needed = values * (2 if args == "I;16B" or (decoder == "ppm" and args[1] > 255) else 1)
    is_ended = re.match(rb"(\r?\n)?($|P[1-6]\s)", content[offset + needed :])
    return _doubt_length(needed, len(content) - offset, slack=len(content) if is_ended else 0)


# ---------------------------------------------------------------- GIF, and LZW in TIFF


class _Lzw(NamedTuple):
    """How one format writes LZW codes."""

    bits: int  # of a pixel
    is_big_endian: bool
    early: int  # 1: codes become longer one code earlier, as in TIFF

    def count(self, data: bytes) -> int:
        """The number of values that the data expand to."""
        clear = 1 << self.bits
        lengths = [1] * clear + [0, 0]
        total = previous = 0
        for code in self._codes(data, lengths):
            if code == clear:
                del lengths[clear + 2 :]
                previous = 0
            elif code == clear + 1:
                break
            else:
                length = lengths[code] if code < len(lengths) else previous + 1
                if previous and len(lengths) < 4096:
                    lengths.append(previous + 1)
                total += length
                previous = length
        return total

    def _codes(self, data: bytes, lengths: list[int]) -> Iterator[int]:
        """One code after the other; each is as long as the table, which grows with them, asks for."""
        held = count = 0
        for byte in data:
            held = held << 8 | byte if self.is_big_endian else held | byte << count
            count += 8
            while count >= (width := min(12, (len(lengths) + self.early).bit_length())):
                count -= width
                if self.is_big_endian:
                    yield held >> count
                    held &= (1 << count) - 1
                else:
                    yield held & ((1 << width) - 1)
                    held >>= width


def _doubt_gif(image: Any, content: bytes) -> str | None:
    """The first frame must cover the whole picture, and its data have as many pixels."""
    width, height = struct.unpack_from("<HH", content, 6)
    _, (left, top, right, bottom), offset, args = image.tile[0]
    if (left, top, right, bottom) != (0, 0, width, height):
        return f"and its first frame does not cover {width:,} x {height:,}; if it is not damaged, save it as PNG"
    found = _Lzw(bits=args[0], is_big_endian=False, early=0).count(b"".join(_gif_blocks(content, offset)))
    return None if found == width * height else f"and its data hold {found:,}"


def _gif_blocks(content: bytes, at: int) -> Iterator[bytes]:
    while at < len(content) and content[at]:
        yield content[at + 1 : at + 1 + content[at]]
        at += 1 + content[at]


# ---------------------------------------------------------------- TIFF


def _doubt_tiff(image: Any, content: bytes) -> str | None:
    """As many pieces as the size needs; and the last one, which is the one that may be shorter, has its rows."""
    tag = image.tag_v2
    width, height = tag[256], tag[257]  # not the image's size: that may be turned
    planes = tag.get(277, 1) if tag.get(284, 1) == 2 else 1
    across, down, offsets, lengths = _pieces(tag, width, height)
    rows_of_pieces = -(-height // down)
    count = -(-width // across) * rows_of_pieces * planes
    if len(offsets) != count or len(lengths) != count:
        return f"which are {count:,} pieces of data, and there are {len(offsets):,}"
    data = content[offsets[-1] : offsets[-1] + lengths[-1]]
    if len(data) != lengths[-1]:
        return f"and its data end {lengths[-1] - len(data):,} bytes after the end of the file"
    rows = down if 322 in tag else height - (rows_of_pieces - 1) * down
    if tag.get(259, 1) == 7:
        return doubt_jpeg_piece(data, across, rows)
    bytes_of_row = (across * _bits_of_pixel(tag, planes) + 7) // 8
    found = _expanded_length(tag, data, limit=down * bytes_of_row + 1)
    is_padded = rows_of_pieces > 1 and found == down * bytes_of_row  # some programs fill up the last strip
    if found is not None and not is_padded and found != rows * bytes_of_row:
        return f"which need {rows * bytes_of_row:,} bytes in the last piece of data, and it has {found:,}"
    return None


def _pieces(tag: Any, width: int, height: int) -> tuple[int, int, tuple[int, ...], tuple[int, ...]]:
    """Width and height of the tiles or strips, where in the file they lie, and how many bytes each has."""
    if 322 in tag:
        return tag[322], tag[323], _several(tag[324]), _several(tag[325])
    return width, min(tag.get(278, height), height), _several(tag[273]), _several(tag[279])


def _several(value: Any) -> tuple[int, ...]:
    return value if isinstance(value, tuple) else (value,)


def _bits_of_pixel(tag: Any, planes: int) -> int:
    bits, samples = _several(tag.get(258, 1)), tag.get(277, 1)
    return int(bits[0] if planes > 1 else sum(bits) if len(bits) == samples else bits[0] * samples)


def _expanded_length(tag: Any, data: bytes, limit: int) -> int | None:
    """How many bytes the data expand to, counted up to ``limit``; None where that cannot be told here."""
    compression = tag.get(259, 1)
    if tag.get(266, 1) != 1 or tag.get(262) == 6:  # bits in reverse; colours that are stored more coarsely
        return None
    if compression == 1:
        return len(data)
    if compression == 5:
        is_old_style = data[:1] == b"\0" and data[1] & 1
        return None if is_old_style else _Lzw(bits=8, is_big_endian=True, early=1).count(data)
    if compression in (8, 32946):
        return len(zlib.decompressobj().decompress(data, limit))
    if compression == 34925:
        return len(lzma.LZMADecompressor().decompress(data, limit))
    if compression == 32773:
        return _packbits_length(data)
    return None


def _packbits_length(data: bytes) -> int:
    at = total = 0
    while at < len(data):
        head = data[at]
        total += 1 + head if head < 128 else 257 - head if head > 128 else 0
        at += 2 + head if head < 128 else 2 if head > 128 else 1
    return total
