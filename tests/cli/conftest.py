"""What most commands are tried on."""

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")


@pytest.fixture
def diracs(tmp_path):
    """Two points at distance 1: (1,1)-RPW is 1/2, (2,1)-RPW is the golden ratio's 0.618..., (inf,1) is 1."""
    (tmp_path / "a.csv").write_text("x,y\n0,0\n")
    (tmp_path / "b.csv").write_text("x,y\n0.6,0.8\n")
    return tmp_path / "a.csv", tmp_path / "b.csv"


@pytest.fixture
def clouds(tmp_path):
    """Five clouds in a folder, each a shifted copy of the first, and the points themselves."""
    folder = tmp_path / "clouds"
    folder.mkdir()
    base = np.random.default_rng(0).random((12, 2)) / 4
    points = [base + np.array([shift, 0]) for shift in (0, 0.1, 0.25, 0.5, 0.75)]
    for number, cloud in enumerate(points):
        np.save(folder / f"cloud{number}.npy", cloud)
    return folder, points
