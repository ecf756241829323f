"""Readers: any kind of file; what is damaged gives one clear line, never a crash."""

import sys
from pathlib import Path

import numpy as np
import pytest
from sample_files import complaint, write_image, write_parquet

import rpw
from rpw.readers import read_collection, read_points, read_queries


def test_images_become_measures(tmp_path):
    grey = np.array([[0, 1], [2, 0]], dtype=np.uint8)
    colour = np.random.default_rng(0).integers(0, 256, (3, 2, 3), dtype=np.uint8)
    write_image(tmp_path / "g.png", grey)
    write_image(tmp_path / "c.png", colour)
    assert read_points(tmp_path / "g.png") == rpw.Measure.from_image(grey)
    assert read_points(tmp_path / "c.png") == rpw.Measure.from_image(colour)
    write_image(tmp_path / "black.png", 0 * grey)
    assert "all zero" in complaint(tmp_path / "black.png")


def test_what_is_not_a_file_of_a_known_kind(tmp_path):
    (tmp_path / "a.xyz").write_text("1,2")
    (tmp_path / "plain").write_text("1,2")
    (tmp_path / "folder.csv").mkdir()
    assert "unknown kind of file '.xyz'" in complaint(tmp_path / "a.xyz")
    assert "no extension" in complaint(tmp_path / "plain")
    assert "is a folder" in complaint(tmp_path)
    assert "not a regular file" in complaint(tmp_path / "folder.csv")
    with pytest.raises(FileNotFoundError):
        read_points(tmp_path / "missing.csv")
    with pytest.raises(FileNotFoundError):
        read_collection(tmp_path / "missing.npz")


@pytest.mark.parametrize(
    ("module", "ending", "package"), [("PIL.Image", "png", "Pillow"), ("pyarrow.parquet", "pq", "pyarrow")]
)
def test_a_missing_extra_is_named(tmp_path, monkeypatch, module, ending, package):
    path = tmp_path / f"a.{ending}"
    path.write_bytes(b"something")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"files need {package}: pip install {package}$"):
        read_points(path)


def test_hints_come_from_one_place_and_name_packages():
    """`pip install 'rpw[plot]'` would find nothing before we are published."""
    from rpw.base import extras

    sources = {file.name: file.read_text(encoding="utf-8") for file in Path(rpw.__file__).parent.rglob("*.py")}
    del sources["pictures.py"]  # which says where it went
    assert [name for name, text in sources.items() if "raise ImportError(" in text or "pip install 'rpw" in text] == []
    with pytest.raises(ImportError, match=r"^this needs scikit-learn: pip install scikit-learn$"):
        extras.import_extra("sklearn.there_is_no_such_part", "this needs")
    assert str(extras.missing_extra("it needs", "typer", "rich")) == "it needs typer and rich: pip install typer rich"
    broken = ImportError("no libjpeg.so", name="libjpeg")
    assert str(extras.missing_extra("it needs", "PIL", because=broken)) == (
        "it needs Pillow: pip install Pillow (no libjpeg.so)"
    )


# ---------------------------------------------------------------- damage at random


def seeds(folder):
    """One good file of every kind."""
    rng = np.random.default_rng(0)
    points, weights = rng.random((20, 2)), rng.random(20)
    lines = [",".join(map(repr, row)) for row in np.column_stack([points, weights]).tolist()]
    (folder / "a.csv").write_text("x,y,weight\n" + "\n".join(lines))
    np.save(folder / "a.npy", points)
    np.savez(folder / "a.npz", points=points, weights=weights)
    np.savez_compressed(folder / "b.npz", images=rng.integers(0, 255, (3, 4, 4), dtype=np.uint8), labels=np.arange(3))
    np.savez(folder / "c.npz", histograms=rng.random((3, 5)), support=rng.random((5, 2)))
    write_image(folder / "a.png", rng.integers(0, 255, (5, 6, 3), dtype=np.uint8))
    write_image(folder / "a.jpg", rng.integers(0, 255, (9, 9), dtype=np.uint8))
    write_image(folder / "a.gif", rng.integers(0, 255, (5, 6), dtype=np.uint8))
    write_image(folder / "a.tiff", rng.integers(0, 255, (5, 6), dtype=np.uint8))
    write_parquet(folder / "a.parquet", x=points[:, 0], y=points[:, 1], weight=weights)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def damaged(content, rng):
    """Cut off, overwritten, with bytes inserted, or doubled."""
    content = bytearray(content)
    for _ in range(rng.integers(1, 4)):
        place = int(rng.integers(0, len(content) + 1))
        match rng.integers(0, 4):
            case 0:
                del content[place:]
            case 1:
                content[place : place + 4] = rng.bytes(4)
            case 2:
                content[place:place] = rng.bytes(int(rng.integers(1, 9)))
            case _:
                del content[place : place + int(rng.integers(1, 30))]
    return bytes(content)


def complaint_if_any(path, read):
    try:
        read(path)
    except (ValueError, OSError) as error:
        return str(error)
    return None


def test_damaged_files_give_an_answer_or_a_clear_error(tmp_path):
    (tmp_path / "good").mkdir()
    good = seeds(tmp_path / "good")
    rng = np.random.default_rng(1)
    errors = 0
    for turn in range(1500):
        name = list(good)[turn % len(good)]
        path = tmp_path / name
        path.write_bytes(damaged(good[name], rng))
        for read in (read_points, read_collection, read_queries):
            text = complaint_if_any(path, read)
            errors += text is not None
            assert text is None or (name in text and "\n" not in text)
    assert errors > 1500


def test_every_kind_of_content_under_every_ending(tmp_path):
    (tmp_path / "good").mkdir()
    good = seeds(tmp_path / "good")
    images = {"png", "jpg", "gif", "tiff"}
    for name, content in good.items():
        for other in good:
            path = tmp_path / f"wrong_{other}"
            path.write_bytes(content)
            endings = {name.split(".")[1], other.split(".")[1]}
            if len(endings) > 1 and not endings <= images:  # Pillow looks at the content
                assert complaint(path, read_queries)
