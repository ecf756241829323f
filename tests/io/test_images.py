"""Images as measures: where the pixels lie, what they weigh, and that the space is the one that is promised."""

import io
import math
import struct

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import rpw
from rpw.base import memory as _memory
from rpw.images import read_pixels
from rpw.readers import read_points

from_image = rpw.Measure.from_image


def squared_distances(img, weight=0.5):
    """The authors' squared costs, pixel by pixel, divided so that the space has diameter 1."""
    height, width = img.shape[:2]
    places = [(i, j) for i in range(height) for j in range(width)]
    farthest = max((i - r) ** 2 + (j - c) ** 2 for i, j in places for r, c in places)
    return np.array(
        [
            [
                (np.sum((img[a] - img[b]) ** 2) / 3 + weight * ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) / farthest)
                / (1 + weight)
                for b in places
            ]
            for a in places
        ]
    )


# ---------------------------------------------------------------- grey


def test_grey_pixels_are_masses_at_their_positions():
    measure = from_image([[0, 0, 0, 2], [0, 0, 0, 0], [0, 0, 0, 0], [6, 0, 0, 0]])
    np.testing.assert_array_equal(measure.weights, [0.25, 0.75])
    np.testing.assert_allclose(measure.points, np.array([[0, 3], [3, 0]]) / math.sqrt(18), rtol=1e-15)


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (1, 7), (6, 1), (28, 28)])
def test_grey_space_has_diameter_one(shape):
    measure = from_image(np.ones(shape))
    assert len(measure) == shape[0] * shape[1]
    assert cdist(measure.points, measure.points).max() == pytest.approx(1, abs=1e-12)


def test_the_space_depends_on_the_size_only():
    """A pixel at the same place has the same coordinates whatever else is lit."""
    alone, full = np.zeros((4, 6)), np.ones((4, 6))
    alone[1, 2] = 5
    np.testing.assert_array_equal(from_image(alone).points[0], from_image(full).points[1 * 6 + 2])


def test_a_shift_by_one_pixel_has_the_planted_distance():
    """All mass moves by 1/9 of a row of ten pixels: ε (k = 1, p = 1) solves (1 - ε)/9 = ε."""
    one, other = np.zeros((1, 10)), np.zeros((1, 10))
    one[0, 3], other[0, 4] = 1, 1
    assert rpw.distance(from_image(one), from_image(other), p=1, k=1) == pytest.approx(1 / 10, abs=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.float32, np.float64, bool, object])
def test_grey_of_any_type_gives_the_same_measure(dtype):
    pixels = np.array([[0, 1, 1], [1, 0, 1]])
    assert from_image(pixels.astype(dtype)) == from_image(pixels)
    assert from_image(pixels.astype(dtype)[:, :, None]) == from_image(pixels)


def test_layout_and_scale_of_the_array_do_not_matter():
    pixels = np.arange(12.0).reshape(3, 4)
    assert from_image(np.asfortranarray(pixels)) == from_image(pixels) == from_image(pixels.tolist())
    np.testing.assert_allclose(from_image(pixels * 1e300).weights, from_image(pixels).weights, rtol=1e-15)


def test_one_pixel_is_a_point():
    np.testing.assert_array_equal(from_image([[3]]).points, [[0, 0]])


# ---------------------------------------------------------------- colour


@pytest.mark.parametrize("shape", [(2, 2), (3, 5), (1, 4), (5, 1)])
@pytest.mark.parametrize("weight", [0.5, 0.0, 2.0])
def test_colour_pixels_have_the_authors_distances(shape, weight):
    img = np.random.default_rng(0).random((*shape, 3))
    measure = from_image(img, position_weight=weight)
    assert measure.dimension == 5
    np.testing.assert_array_equal(measure.weights, np.full(len(measure), 1 / len(measure)))
    expected = squared_distances(img, weight)
    np.testing.assert_allclose(cdist(measure.points, measure.points) ** 2, expected, rtol=0, atol=1e-14)


def test_colour_space_has_diameter_one():
    img = np.zeros((3, 4, 3))
    img[2, 3] = 1
    measure = from_image(img)
    assert cdist(measure.points, measure.points).max() == pytest.approx(1, abs=1e-12)


def test_colours_of_bytes_are_divided_by_255():
    img = np.random.default_rng(1).integers(0, 256, (3, 4, 3), dtype=np.uint8)
    assert from_image(img) == from_image(img / 255)
    assert from_image(img.astype(np.uint16) * 257) == from_image(img.astype(np.uint16) * 257 / 65535)
    assert from_image(img > 127) == from_image((img > 127).astype(float))


def test_alpha_is_dropped():
    img = np.random.default_rng(2).random((3, 4, 4))
    assert from_image(img) == from_image(img[:, :, :3])


def test_black_colour_images_are_measures():
    """Colour pixels all weigh the same, whatever their colour."""
    assert len(from_image(np.zeros((2, 3, 3)))) == 6


# ---------------------------------------------------------------- what must fail


@pytest.mark.parametrize(
    ("img", "message"),
    [
        (np.zeros((2, 2)), "img is all zero"),
        ([[1.0, np.nan]], r"img has a NaN or infinite entry, the first at index \(0, 1\)"),
        ([[1.0], [np.inf]], r"img has a NaN"),
        ([[1.0, -1.0]], r"img has a negative entry, the first at index \(0, 1\)"),
        (np.ones(5), r"img must have shape.*got shape \(5,\)"),
        (np.ones((2, 2, 2)), r"img must have shape"),
        (np.ones((2, 2, 5)), r"img must have shape"),
        (np.ones((1, 2, 2, 3)), r"img must have shape"),
        (np.ones((0, 3)), "img is an empty image"),
        (np.ones((3, 0, 3)), "img is an empty image"),
        (3.0, "img must have shape"),
        (None, "img"),
        (b"bytes", "img must be numeric"),
        ([[1, 2], [3]], "img"),
        (np.full((2, 2, 3), 1.5), r"img has a colour outside \[0, 1\], the first at index \(0, 0, 0\)"),
        (np.full((2, 2, 3), -0.5), r"img has a colour outside"),
        (np.full((2, 2, 3), 200), "img holds colours as int64"),
        (np.ones((2, 2), dtype=complex), "img must be numeric"),
    ],
)
def test_wrong_images_are_refused_by_name(img, message):
    with pytest.raises(ValueError, match=message):
        from_image(img)


@pytest.mark.parametrize("weight", [-0.1, np.nan, np.inf, "much", None])
def test_wrong_position_weights_are_refused_by_name(weight):
    with pytest.raises(ValueError, match="position_weight"):
        from_image(np.zeros((2, 2, 3)), position_weight=weight)


# ---------------------------------------------------------------- Pillow


@pytest.fixture
def pillow():
    return pytest.importorskip("PIL.Image")


def test_pillow_images_by_mode(pillow):
    grey = np.array([[0, 10, 20], [30, 0, 50]], dtype=np.uint8)
    colour = np.random.default_rng(3).integers(0, 256, (2, 3, 3), dtype=np.uint8)
    image = pillow.fromarray(colour)
    assert from_image(pillow.fromarray(grey)) == from_image(grey)
    assert from_image(pillow.fromarray(grey).convert("LA")) == from_image(grey)
    assert from_image(pillow.fromarray(grey.astype(np.int32))) == from_image(grey)
    assert from_image(pillow.fromarray(grey.astype(np.uint16))) == from_image(grey)
    assert from_image(pillow.fromarray(grey > 15)) == from_image(grey > 15)
    assert from_image(image) == from_image(colour)
    assert from_image(image.convert("RGBA")) == from_image(colour)
    palette = image.quantize(4)
    assert from_image(palette) == from_image(np.asarray(palette.convert("RGB")))


@pytest.mark.parametrize("ending", ["png", "bmp", "tiff", "webp", "ppm"])
def test_image_files_give_the_measure_of_their_pixels(pillow, tmp_path, ending):
    colour = np.random.default_rng(4).integers(0, 256, (4, 3, 3), dtype=np.uint8)
    path = tmp_path / f"picture.{ending}"
    pillow.fromarray(colour).save(path, **({"lossless": True} if ending == "webp" else {}))
    assert from_image(path) == from_image(str(path)) == from_image(colour)


def test_files_that_are_no_images_are_refused_with_their_path(pillow, tmp_path):
    path = tmp_path / "no.png"
    path.write_text("not a picture")
    with pytest.raises(ValueError, match=r"no\.png: not an image"):
        from_image(path)
    with pytest.raises(FileNotFoundError):
        from_image(tmp_path / "missing.png")


# ---------------------------------------------------------------- files of every format

NOISE = np.random.default_rng(0).integers(0, 256, (32, 48), dtype=np.uint8)
COLOURS = np.random.default_rng(1).integers(0, 256, (32, 48, 3), dtype=np.uint8)

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
    pillow = pytest.importorskip("PIL.Image")
    stream = io.BytesIO()
    pillow.fromarray(pixels).save(stream, way.partition(",")[0], **WAYS[way], **more)
    return stream.getvalue()


@pytest.mark.sample(10)
@pytest.mark.parametrize("pixels", [NOISE, COLOURS, np.full_like(NOISE, 7)], ids=["noise", "rgb", "one"])
@pytest.mark.parametrize("way", WAYS)
def test_sound_files_are_read_and_cut_off_ones_refused(pillow, way, pixels):
    for part in (pixels, pixels[:17, :23], pixels[:1], pixels[:5, :1]):
        if way == "tiff, jpeg" and part.shape[0] % 8:
            continue
        with pillow.open(io.BytesIO(content := encoded(np.ascontiguousarray(part), way))) as image:
            expected = np.asarray(image if image.mode == "L" else image.convert("RGB"))
        np.testing.assert_array_equal(read_pixels(io.BytesIO(content)), expected)
    with pytest.raises(ValueError, match=r"cannot be decoded|not an image"):
        read_pixels(io.BytesIO(content[: len(content) // 2]))


def test_turned_tiff_files_are_read(pillow):
    for way in ("tiff", "tiff, lzw"):
        turned = read_pixels(io.BytesIO(encoded(NOISE, way, tiffinfo={274: 6})))
        np.testing.assert_array_equal(turned, np.rot90(NOISE, -1))


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
def test_netpbm_files(pillow, content, values):
    assert read_pixels(io.BytesIO(content)).tolist() == values


def test_an_image_has_so_many_pixels_at_most_whatever_the_process_has_set(pillow, tmp_path, monkeypatch):
    pillow.new("1", (12_000, 12_000)).save(tmp_path / "bomb.png")
    with pytest.raises(ValueError, match=r"bomb\.png: .* decompression bomb"):
        read_points(tmp_path / "bomb.png")
    monkeypatch.setattr(pillow, "MAX_IMAGE_PIXELS", None)
    for read in (read_points, from_image):
        with pytest.raises(ValueError, match=r"bomb\.png: .*12,000 x 12,000 pixels are more than the 67,108,864"):
            read(tmp_path / "bomb.png")


def test_a_height_of_millions_costs_nothing(pillow):
    """One bit of 186 bytes: 8,388,620 rows instead of 12."""
    content = bytearray(encoded(NOISE[:12, :9].copy(), "tiff"))
    (table,) = struct.unpack_from("<I", content, 4)
    (place,) = [at for at in range(table + 2, table + 50, 12) if struct.unpack_from("<H", content, at) == (257,)]
    struct.pack_into("<HII", content, place + 2, 4, 1, 12 + (1 << 23))
    with pytest.raises(ValueError, match="9 x 8,388,620 pixels are more"):
        read_pixels(io.BytesIO(content))


def test_pictures_that_do_not_fit_are_refused_before_they_are_decoded(pillow, tmp_path, monkeypatch):
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
