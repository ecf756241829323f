"""Labelled pictures: every format gives the same pictures back, and damaged files are refused with their name."""

import gzip
import os
import struct

import numpy as np
import pytest

from rpw_paper.pictures import load_pictures, read_pictures

Image = pytest.importorskip("PIL.Image")

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 256, size=(6, 5, 4), dtype=np.uint8)
COLOUR = RNG.integers(0, 256, size=(7, 32, 32, 3), dtype=np.uint8)
LABELS = np.array([3, 1, 2, 3, 0, 1], dtype=np.uint8)


def idx(array) -> bytes:
    return b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape) + array.tobytes()


def cifar(images, labels) -> bytes:
    return b"".join(
        bytes([label]) + image.transpose(2, 0, 1).tobytes() for image, label in zip(images, labels, strict=True)
    )


def test_npz(tmp_path):
    np.savez(tmp_path / "some.npz", images=GREY, labels=LABELS)
    for where in (tmp_path / "some.npz", tmp_path):
        pictures = read_pictures(where)
        np.testing.assert_array_equal(pictures.images, GREY)
        assert pictures.labels.tolist() == ["3", "1", "2", "3", "0", "1"]
        assert not pictures.is_colour
    assert read_pictures(tmp_path / "some.npz").name == "some"


@pytest.mark.parametrize("images_gz", [False, True])
@pytest.mark.parametrize("labels_gz", [False, True])
@pytest.mark.parametrize("separator", ["-", "."])
def test_idx(tmp_path, images_gz, labels_gz, separator):
    for name, array, packed in (("images", GREY, images_gz), ("labels", LABELS, labels_gz)):
        content = idx(array)
        file = f"train-{name}{separator}idx{array.ndim}-ubyte" + ".gz" * packed
        (tmp_path / file).write_bytes(gzip.compress(content) if packed else content)
    pictures = read_pictures(tmp_path)
    np.testing.assert_array_equal(pictures.images, GREY)
    assert pictures.labels.tolist() == [str(label) for label in LABELS]


def test_cifar_batches_are_joined_in_order_and_named(tmp_path):
    labels = [1, 0, 2, 2, 1, 0, 0]
    (tmp_path / "data_batch_1.bin").write_bytes(cifar(COLOUR[:4], labels[:4]))
    (tmp_path / "test_batch.bin").write_bytes(cifar(COLOUR[4:], labels[4:]))
    np.testing.assert_array_equal(read_pictures(tmp_path).images, COLOUR)
    assert read_pictures(tmp_path).labels.tolist() == [str(label) for label in labels]
    (tmp_path / "batches.meta.txt").write_text("cat\ndog\nowl\n\n")
    assert read_pictures(tmp_path).labels.tolist() == [["cat", "dog", "owl"][label] for label in labels]


def test_a_folder_per_class(tmp_path):
    for i, (name, picture) in enumerate(zip(["b", "a", "a"], COLOUR, strict=False)):
        (tmp_path / name).mkdir(exist_ok=True)
        Image.fromarray(picture).save(tmp_path / name / f"{i}.png")
    pictures = read_pictures(tmp_path)
    np.testing.assert_array_equal(pictures.images, COLOUR[[1, 2, 0]])
    assert pictures.labels.tolist() == ["a", "a", "b"]
    Image.fromarray(GREY[0]).save(tmp_path / "b" / "z.png")
    with pytest.raises(ValueError, match=r"z\.png: has 5 x 4 pixels.*--size"):
        read_pictures(tmp_path)
    resized = read_pictures(tmp_path, size=8)
    assert resized.images.shape == (4, 8, 8, 3)
    assert (resized.images[3] == resized.images[3][:, :, :1]).all(), "a grey picture among colours stays grey"


def test_grey_pictures_keep_their_values(tmp_path):
    (tmp_path / "a").mkdir()
    deep = np.arange(20, dtype=np.uint16).reshape(4, 5)  # as 8 bits these would all be black
    Image.fromarray(deep).save(tmp_path / "a" / "deep.png")
    np.testing.assert_array_equal(read_pictures(tmp_path).images[0], deep)
    assert read_pictures(tmp_path, size=3).images.min() >= 0


def test_packed_copies_of_plain_files_count_once(tmp_path):
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    for name, array in (("train-images-idx3-ubyte", GREY), ("train-labels-idx1-ubyte", LABELS)):
        (raw / name).write_bytes(idx(array))
        (raw / f"{name}.gz").write_bytes(gzip.compress(idx(array)))
    pictures = load_pictures("mnist", tmp_path)
    np.testing.assert_array_equal(pictures.images, GREY)


def test_labels_are_counted_file_by_file(tmp_path):
    np.savez(tmp_path / "a.npz", images=GREY[:3], labels=LABELS[:2])
    np.savez(tmp_path / "b.npz", images=GREY[3:], labels=LABELS[2:])
    with pytest.raises(ValueError, match=r"a\.npz: holds 3 images and 2 labels"):
        read_pictures(tmp_path)
    for name, array in (("images-idx3", GREY[:4]), ("labels-idx1", LABELS)):
        (tmp_path / f"train-{name}-ubyte").write_bytes(idx(array))
    for file in ("a.npz", "b.npz"):
        (tmp_path / file).unlink()
    with pytest.raises(ValueError, match="holds 4 images, and train-labels-idx1-ubyte 6 labels"):
        read_pictures(tmp_path)


def test_names_that_cannot_be_shown_are_made_printable(tmp_path):
    for name in (b"a\xff", b"b\x01"):
        folder = os.fsencode(tmp_path) + b"/pictures\xfe/" + name
        os.makedirs(folder)
        Image.fromarray(GREY[0]).save(folder + b"/x.png")
    pictures = read_pictures(os.fsdecode(os.fsencode(tmp_path) + b"/pictures\xfe"))
    assert pictures.name == "pictures\ufffd"
    assert pictures.labels.tolist() == ["a\ufffd", "b\ufffd"]


def test_a_size_is_for_folders_of_pictures(tmp_path):
    np.savez(tmp_path / "some.npz", images=GREY, labels=LABELS)
    for where in (tmp_path, tmp_path / "some.npz"):
        with pytest.raises(ValueError, match=r"size \(--size\) is for folders of pictures"):
            read_pictures(where, size=9)


def test_digests_tell_pictures_and_labels_apart(tmp_path):
    digests = set()
    for images, labels in ((GREY, LABELS), (GREY[::-1], LABELS), (GREY, LABELS[::-1])):
        np.savez(tmp_path / "some.npz", images=images, labels=labels)
        digests.add(read_pictures(tmp_path).digest)
    assert len(digests) == 3


def test_digits_have_a_margin():
    pytest.importorskip("sklearn")
    digits = load_pictures("digits")
    assert digits.images.shape == (1797, 20, 20)
    assert not digits.images[:, [0, -1]].any()
    assert digits.images[:, 1].any(), "and one row of it is enough for a shift by one"
    assert sorted(set(digits.labels)) == [str(d) for d in range(10)]


def test_digits_are_enlarged_by_straight_lines():
    zoom = pytest.importorskip("scipy.ndimage").zoom
    small = pytest.importorskip("sklearn.datasets").load_digits().images[:20]
    padded = np.pad(small, ((0, 0), (1, 1), (1, 1)))
    expected = zoom(padded, (1, 2, 2), order=1, mode="grid-constant", grid_mode=True)
    found = load_pictures("digits").images[:20]
    assert np.abs(found - 15 * expected).max() <= 0.5


DAMAGED = {
    "train-images-idx3-ubyte": [b"", b"\0\0\x08", idx(GREY)[:-1], idx(GREY) + b"x", b"\0\0\x09\x03" + idx(GREY)[4:]],
    "train-images-idx3-ubyte.gz": [gzip.compress(idx(GREY))[:-9], b"\x1f\x8bjunk"],
    "data_batch_1.bin": [b"", cifar(COLOUR[:2], [0, 1])[:-1]],
    "some.npz": [b"", b"PK\x03\x04junk"],
}


@pytest.mark.parametrize(("name", "content"), [(name, part) for name, parts in DAMAGED.items() for part in parts])
def test_damaged_files_are_named(tmp_path, name, content):
    (tmp_path / "train-labels-idx1-ubyte").write_bytes(idx(LABELS))
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=name.replace(".", r"\.")):
        read_pictures(tmp_path)


def test_a_header_that_promises_too_much_is_refused(tmp_path):
    (tmp_path / "a-labels-idx1-ubyte").write_bytes(idx(LABELS))
    (tmp_path / "a-images-idx3-ubyte").write_bytes(b"\0\0\x08\x03" + struct.pack(">3I", 2**32 - 1, 2**32 - 1, 9) + b"1")
    with pytest.raises(ValueError, match="needs another number of bytes than the 1 that follow"):
        read_pictures(tmp_path)


def test_what_does_not_fit_is_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="holds no pictures"):
        read_pictures(tmp_path)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(idx(GREY))
    with pytest.raises(ValueError, match=r"labels are missing.*train-labels-idx1-ubyte"):
        read_pictures(tmp_path)
    cases = [
        ({"images": GREY}, "images and labels"),
        ({"images": GREY, "labels": LABELS[:2]}, "6 images and 2 labels"),
        ({"images": GREY.astype(float) - 9, "labels": LABELS}, "negative"),
        ({"images": np.full((6, 2, 2), np.nan), "labels": LABELS}, "NaN"),
        ({"images": COLOUR[:6] / 255, "labels": LABELS}, "uint8 if they have colours"),
        ({"images": GREY[:, :, :, None], "labels": LABELS}, "shape"),
        ({"images": GREY[:0], "labels": LABELS[:0]}, "shape"),
        ({"images": GREY, "labels": np.array([b"x"] * 6)}, r"numbers or texts, got shape \(6,\) of \|S1"),
        ({"images": GREY, "labels": LABELS[:, None]}, "labels must be 6"),
        ({"images": GREY, "labels": np.full(6, np.nan)}, "labels hold NaN"),
        ({"images": np.array([object()] * 6), "labels": LABELS}, "Object arrays"),
    ]
    for arrays, reason in cases:
        np.savez(tmp_path / "x.npz", **arrays)
        with pytest.raises(ValueError, match=reason):
            read_pictures(tmp_path / "x.npz")
    monkeypatch.delenv("RPW_DATA", raising=False)
    with pytest.raises(ValueError, match="RPW_DATA"):
        load_pictures("mnist")
    with pytest.raises(ValueError, match=r"holds none of mnist\.npz"):
        load_pictures("mnist", tmp_path)
    with pytest.raises(ValueError, match="neither one of digits, mnist, cifar10, corel nor a file"):
        load_pictures("nowhere")


@pytest.mark.parametrize(
    ("name", "shape", "classes"),
    [("mnist", (60000, 28, 28), 10), ("cifar10", (10000, 32, 32, 3), 10), ("corel", (5000, 32, 32, 3), 50)],
)
def test_the_data_sets_of_the_paper(data_folder, name, shape, classes):
    pictures = load_pictures(name, data_folder)
    assert pictures.images.shape == shape
    assert len(set(pictures.labels)) == classes
    assert pictures.name == name
