"""Files for the readers, and the one line with which they refuse one."""

import numpy as np
import pytest

import rpw
from rpw.readers import read_points

POINTS = np.array([[0.5, 1.0], [2.0, -3.25], [4.0, 1e-3]])
WEIGHTS = np.array([1.0, 2.0, 5.0])
PLAIN, WEIGHTED = rpw.Measure(POINTS), rpw.Measure(POINTS, WEIGHTS)


def write_image(path, pixels):
    pytest.importorskip("PIL.Image").fromarray(np.asarray(pixels)).save(path)


def write_parquet(path, **columns):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table(columns), path)


def complaint(path, read=read_points):
    """The text of the error, which must be one line that names the file."""
    with pytest.raises((ValueError, OSError)) as error:
        read(path)
    text = str(error.value)
    assert path.name in text
    assert "\n" not in text
    return text
