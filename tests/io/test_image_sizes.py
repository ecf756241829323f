"""The size that an image file declares is that of its data: a flipped bit in it is found, whatever the format."""

import io
import struct

import numpy as np
import pytest

import rpw
from rpw.base import memory as _memory
from rpw.images import read_pixels
from rpw.readers import read_points

pillow = pytest.importorskip("PIL.Image")

HEIGHT, WIDTH = 32, 48  # whole blocks of 16: nothing is hidden in padding
NOISE = np.random.default_rng(0).integers(0, 256, (HEIGHT, WIDTH), dtype=np.uint8)
COLOURS = np.random.default_rng(1).integers(0, 256, (HEIGHT, WIDTH, 3), dtype=np.uint8)
WAVES = np.add.outer(np.arange(HEIGHT) * 3, np.arange(WIDTH) * 2).astype(np.uint8)

WAYS = {
    "png": {},
    "bmp": {},
    "gif": {},
    "ppm": {},
    "jpeg": {},
    "jpeg, progressive": {"progressive": True},
    "jpeg, optimized": {"optimize": True},
    "jpeg, marks": {"restart_marker_blocks": 2},
    "tiff": {},
    "tiff, strips": {"strip_size": 700},
    "tiff, lzw": {"compression": "tiff_lzw"},
    "tiff, lzw in strips": {"compression": "tiff_lzw", "strip_size": 700},
    "tiff, deflate": {"compression": "tiff_adobe_deflate"},
    "tiff, packbits": {"compression": "packbits"},
    "tiff, lzma": {"compression": "lzma"},
    "tiff, jpeg": {"compression": "jpeg"},
}


def encoded(pixels, way, **more):
    stream = io.BytesIO()
    pillow.fromarray(pixels).save(stream, way.partition(",")[0], **WAYS[way], **more)
    return stream.getvalue()


def places_of_the_size(content, way):
    """Where the height and the width are, and how they are written."""
    if way.startswith("png"):
        return 20, 16, ">I"
    if way.startswith("bmp"):
        return 22, 18, "<i"
    if way.startswith("jpeg"):
        frame = next(at for mark in b"\xc0\xc2" if (at := content.find(bytes([0xFF, mark, 0]))) > 0)
        return frame + 5, frame + 7, ">H"
    (table,) = struct.unpack_from("<I", content, 4)
    entries = {struct.unpack_from("<H", content, table + 2 + 12 * i)[0]: table + 10 + 12 * i for i in range(4)}
    return entries[257], entries[256], "<H"


def sizes_with_one_flipped_bit(content, way):
    """All files that differ from this one in one bit of the height or the width."""
    for place in places_of_the_size(content, way)[:2]:
        form = places_of_the_size(content, way)[2]
        (size,) = struct.unpack_from(form, content, place)
        for bit in range(8 * struct.calcsize(form)):
            changed = bytearray(content)
            struct.pack_into(form.upper() if form[1] == "i" else form, changed, place, (size ^ 1 << bit) & 0xFFFFFFFF)
            yield size, size ^ 1 << bit, bytes(changed)


def declared(content):
    with pillow.open(io.BytesIO(content)) as image:
        return image.height, image.width


@pytest.mark.sample(20)
@pytest.mark.parametrize(
    "pixels", [NOISE, COLOURS, WAVES, np.full_like(NOISE, 7)], ids=["noise", "rgb", "waves", "one"]
)
@pytest.mark.parametrize("way", WAYS)
def test_sound_files_are_read(way, pixels):
    for part in (pixels, pixels[:17, :23], pixels[:1], pixels[:5, :1]):
        if way == "tiff, jpeg" and part.shape[0] % 8:
            continue
        with pillow.open(io.BytesIO(content := encoded(np.ascontiguousarray(part), way))) as image:
            expected = np.asarray(image if image.mode == "L" else image.convert("RGB"))
        np.testing.assert_array_equal(read_pixels(io.BytesIO(content)), expected)


@pytest.mark.sample(10)
@pytest.mark.parametrize("pixels", [NOISE, COLOURS, WAVES], ids=["noise", "rgb", "waves"])
@pytest.mark.parametrize("way", [way for way in WAYS if not way.startswith(("gif", "ppm"))])
def test_a_flipped_bit_in_the_size_is_found(way, pixels):
    sizes = list(sizes_with_one_flipped_bit(encoded(pixels, way), way))
    assert len(sizes) >= 32
    group = 16 if way.startswith("jpeg") else 1  # a smaller change may leave the number of blocks as it is
    for before, after, content in sizes:
        if -(-before // group) != -(-after // group):
            with pytest.raises(ValueError, match=r"damaged|cannot be decoded|not an image"):
                read_pixels(io.BytesIO(content))


def test_a_flipped_bit_in_the_size_of_a_gif_is_found():
    """It has the size of the picture and that of its first frame."""
    content = encoded(NOISE, "gif")
    frame = content.index(b",\0\0\0\0" + struct.pack("<HH", WIDTH, HEIGHT)) + 5
    for place in (6, 7, 8, 9, frame, frame + 1, frame + 2, frame + 3):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            with pytest.raises(ValueError, match=r"damaged|cannot be decoded"):
                read_pixels(io.BytesIO(bytes(changed)))


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b"P5 2 1 255\n\x07\x09", [[7, 9]]),
        (b"P5 2 1 255\n\x07\x09\n", [[7, 9]]),
        (b"P5 1 1 255\n\x07P5 1 1 255\n\x08", [[7]]),  # another picture follows
        (b"P5 2 1 65535\n\0\x07\0\x09", [[7, 9]]),
        (b"P2\n# why\n2 1\n255\n7 # because\n9\n", [[7, 9]]),
        (b"P1 3 1\n0 1\n0", [[True, False, True]]),
        (b"P4 9 1\n\x7f\x80", [[True] + [False] * 8]),
    ],
)
def test_netpbm_files(content, values):
    assert read_pixels(io.BytesIO(content)).tolist() == values


@pytest.mark.parametrize(
    "content",
    [
        b"P5 3 1 255\n\x07\x09",
        b"P5 1 1 255\n\x07\x09",
        b"P5 1 1 65535\n\0\x07\0\x09",
        b"P6 1 1 255\nabcd",
        b"P2 1 1 255\n7 9",
        b"P1 2 1\n0 1 0",
        b"P4 17 1\n\x7f\x80",
        b"P4 8 1\n\x7f\x80",
    ],
)
def test_netpbm_files_of_another_length(content):
    with pytest.raises(ValueError, match=r"damaged: its header says|cannot be decoded"):
        read_pixels(io.BytesIO(content))


def test_a_height_of_millions_costs_nothing(tmp_path):
    """One bit of 186 bytes: 8,388,620 rows instead of 12."""
    content = bytearray(encoded(NOISE[:12, :9].copy(), "tiff"))
    place = places_of_the_size(content, "tiff")[0]
    content[place - 6 : place - 4] = struct.pack("<H", 4)  # the kind of entry that has room for it
    struct.pack_into("<I", content, place, 12 + (1 << 23))
    assert declared(bytes(content)) == (12 + (1 << 23), 9)
    (tmp_path / "a.tif").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.tif: damaged: its header says 9 x 8,388,620 pixels, which"):
        read_points(tmp_path / "a.tif")


def test_turned_and_tiled_tiff_files_are_read():
    for way in ("tiff", "tiff, lzw"):
        turned = read_pixels(io.BytesIO(encoded(NOISE, way, tiffinfo={274: 6})))
        np.testing.assert_array_equal(turned, np.rot90(NOISE, -1))


def test_pictures_that_do_not_fit_are_refused_before_they_are_decoded(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    pillow.new("L", (3000, 2000), 1).save(path)
    assert path.stat().st_size < 30_000
    monkeypatch.setattr(_memory, "available_bytes", lambda: 5e7)
    for read in (read_points, rpw.Measure.from_image):
        with pytest.raises(MemoryError, match=r"a\.png: its 3,000 x 2,000 pixels need about 0\.1 GB"):
            read(path)
    monkeypatch.setattr(_memory, "available_bytes", lambda: 2e8)  # for the pixels, not for a point of each
    with pytest.raises(MemoryError, match=r"3,000 x 2,000 pixels as points need about 0\.4 GB"):
        read_points(path)


def test_bombs_and_cut_off_files_are_refused_whatever_the_process_has_set(tmp_path, monkeypatch):
    from PIL import ImageFile

    pillow.new("1", (12_000, 12_000)).save(tmp_path / "bomb.png")
    with pytest.raises(ValueError, match="decompression bomb"):
        read_points(tmp_path / "bomb.png")
    monkeypatch.setattr(ImageFile, "LOAD_TRUNCATED_IMAGES", True)
    for way in ("png", "jpeg", "bmp", "tiff, lzw", "gif"):
        content = encoded(NOISE, way)
        with pytest.raises(ValueError, match=r"damaged|cannot be decoded|not an image"):
            read_pixels(io.BytesIO(content[: len(content) * 3 // 4]))
    assert ImageFile.LOAD_TRUNCATED_IMAGES
