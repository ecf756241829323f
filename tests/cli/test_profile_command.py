"""``rpw profile``: the curve, the picture."""

import numpy as np
import pytest
from commands import answer, call, complaint

import rpw


def test_profile_of_planted_points(tmp_path):
    """Half of the mass stays at 0, the other half moves by 4 (p = 1): F is 0 up to 1/2, then of slope 4."""
    (tmp_path / "a.csv").write_text("0\n5\n")
    (tmp_path / "b.csv").write_text("0\n1\n")
    found = answer("profile", tmp_path / "a.csv", tmp_path / "b.csv", "--p", "1", "--k", "4", "--no-header")
    np.testing.assert_allclose(found["mass"], [0, 0.5, 1], atol=1e-12)
    np.testing.assert_allclose(found["cost_p"], [0, 0, 2], atol=1e-12)
    assert found["elbow"] == 1  # of two points none is an outlier
    assert found["distances"]["4"] == pytest.approx(0.25, abs=1e-12)  # 4 (1/2 - ε) = 4 ε
    assert set(found["distances"]) == {"0.1", "1", "4", "10"}
    shown = call("profile", tmp_path / "a.csv", tmp_path / "b.csv", "--no-header").stdout
    assert "W at 100%" in shown
    assert "1 of the mass (no gross outliers found; there may be others)" in shown
    (tmp_path / "c.csv").write_text("\n".join(["999"] + [f"{age}" for age in range(19)]))
    (tmp_path / "d.csv").write_text("\n".join(f"{age}" for age in range(20)))
    shown = call("profile", tmp_path / "c.csv", tmp_path / "d.csv", "--no-header").stdout
    assert "0.95 of the mass (a first guess of the inlier share)" in shown


def test_a_profile_with_tol_is_shown_as_what_is_proven(tmp_path):
    x, y = np.random.default_rng(0).random((2, 40, 2))
    np.save(tmp_path / "a.npy", x)
    np.save(tmp_path / "b.npy", y)
    pair = tmp_path / "a.npy", tmp_path / "b.npy"
    found, exact = answer("profile", *pair, "--tol", "0.05"), answer("profile", *pair)
    assert (found["tol"], exact["tol"]) == (0.05, 0)
    for k in ("0.1", "1", "10"):
        assert found["lower"][k] <= exact["distances"][k] <= found["upper"][k] == found["distances"][k]
        assert exact["lower"][k] == exact["upper"][k] == exact["distances"][k]
    assert found["lower"]["1"] < found["upper"]["1"]
    assert exact["lower_curve"] is None
    below, lower = found["lower_curve"], rpw.profile(x, y, tol=0.05).lower
    assert (below["mass"], below["cost_p"]) == (lower.mass.tolist(), lower.cost_p.tolist())
    shown = call("profile", *pair, "--tol", "0.05").stdout
    assert f"{found['lower']['1']:.6g} to {found['upper']['1']:.6g}" in shown
    assert f"{lower(0.9):.6g} to " in shown
    assert "tol=0.05" in shown
    assert "elbow" not in shown
    assert found["elbow"] is None
    assert exact["elbow"] is not None
    assert " to " not in call("profile", *pair).stdout
    assert "tol=" not in call("profile", *pair).stdout


def test_a_profile_that_takes_too_long_is_given_up(clouds):
    folder, _ = clouds
    pair = folder / "cloud0.npy", folder / "cloud3.npy"
    assert complaint("profile", *pair, "--time-limit", "0").startswith("rpw: --time-limit passed before the end")
    assert answer("profile", *pair, "--time-limit", "60")["mass"] == answer("profile", *pair)["mass"]


def test_profile_draws_a_picture(diracs):
    picture = diracs[0].parent / "out.png"
    assert answer("profile", *diracs, "--plot", picture)["plot"] == str(picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "out.svg" in call("profile", *diracs, "--plot", picture.with_suffix(".svg"), "--p", "inf").stdout.replace(
        "\n", ""
    ).replace(" ", "")


def test_profile_refuses_pictures_that_it_cannot_write(diracs):
    folder = diracs[0].parent
    assert "choose a file that ends in one of" in complaint("profile", *diracs, "--plot", folder / "out.xyz", code=2)
    assert "there is no folder" in complaint("profile", *diracs, "--plot", folder / "nowhere" / "out.png")


def test_a_picture_does_not_replace_what_is_read(tmp_path):
    pictures = pytest.importorskip("PIL.Image")
    for name in ("a.png", "b.png"):
        pictures.new("L", (3, 3), 200).save(tmp_path / name)
    before = (tmp_path / "a.png").read_bytes()
    pair = tmp_path / "a.png", tmp_path / "b.png"
    assert "is one of the inputs" in complaint("profile", *pair, "--plot", tmp_path / "a.png", code=2)
    assert (tmp_path / "a.png").read_bytes() == before


@pytest.mark.parametrize("given", [("0.2", "0.5"), ("0.2,0.5",), ("0.5,0.2", "3"), ("0.1234567,0.12345678",)])
def test_several_k_are_all_answered(diracs, tmp_path, given):
    words = [word for k in given for word in ("--k", k)]
    asked = [float(k) for k in ",".join(given).split(",")]
    found = {float(k): distance for k, distance in answer("profile", *diracs, *words)["distances"].items()}
    assert set(found) == {0.1, 1.0, 10.0, *asked}
    for k in asked:
        assert found[k] == pytest.approx(rpw.distance([[0, 0]], [[0.6, 0.8]], k=k), abs=1e-12)
    shown = call("profile", *diracs, *words, "--plot", tmp_path / "out.svg").stdout
    for k in asked:
        assert f"RPW k={str(k).removesuffix('.0')} " in shown
    assert (tmp_path / "out.svg").read_text().count("RPW = ") == len(asked)  # matplotlib keeps texts as comments


def test_of_very_many_k_only_some_are_shown_of_a_profile(diracs):
    shown = call("profile", *diracs, "--k", ",".join(map(str, range(11, 31)))).stdout
    assert "and 7 more: --json has them all" in shown


@pytest.mark.parametrize("arguments", [("distance", "a.csv", "b.csv"), ("index", "folder", "--out", "I")])
def test_a_second_k_is_refused_where_one_is_needed(arguments):
    text = complaint(*arguments, "--k", "0.2", "--k", "0.5", code=2)
    assert text == "rpw: --k is given 2 times, and one number is needed here; rpw profile takes several\n"
