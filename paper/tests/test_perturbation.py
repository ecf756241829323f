"""The perturbations do what they say."""

import numpy as np
import pytest
from planted_pictures import COLOUR, GREY

from rpw_paper import perturbation


def test_noise_adds_up_to_a_tenth_of_the_mass_to_one_pixel():
    added = perturbation.add_noise(GREY, np.random.default_rng(0)) - GREY
    assert ((added != 0).sum(axis=(1, 2)) == 1).all()
    share = added.sum(axis=(1, 2)) / GREY.sum(axis=(1, 2))
    assert (share > 0).all()
    assert (share <= 0.1).all()


def test_white_takes_a_tenth_of_the_pixels():
    spoiled = perturbation.add_white(COLOUR, np.random.default_rng(0))
    changed = (spoiled != COLOUR).any(axis=3)
    assert changed.sum() >= 8 * 10 - 2  # a pixel may have been white before
    assert (spoiled[changed] == 255).all()
    assert (changed.sum(axis=(1, 2)) <= 10).all()


def test_shift_moves_labelled_grey_pictures_up_and_tints_all_colour_ones():
    queries, labelled = perturbation.perturbed(GREY[:2], GREY[2:], "shift", [0, 0])
    np.testing.assert_array_equal(queries, GREY[:2])
    np.testing.assert_array_equal(labelled[:, :-1], GREY[2:, 1:])  # 14 rows: one
    assert not labelled[:, -1].any()
    assert [perturbation.rows_to_move(height) for height in (8, 14, 28, 280)] == [1, 1, 2, 20]
    for before, after in zip(
        (COLOUR[:2], COLOUR[2:]), perturbation.perturbed(COLOUR[:2], COLOUR[2:], "shift", [0, 0]), strict=True
    ):
        raised = np.minimum(before.astype(int) + 20, 255)
        channels = (after == raised).all(axis=(1, 2)) & (after != before).any(axis=(1, 2))
        assert (channels.sum(axis=1) == 1).all()
        others = ~channels[:, None, None, :]
        assert (np.where(others, after, 0) == np.where(others, before, 0)).all()


def test_scenarios_are_reproducible_and_differ():
    def seen(scenario, seed):
        return np.concatenate(perturbation.perturbed(COLOUR[:2], COLOUR[2:], scenario, seed))

    np.testing.assert_array_equal(seen("both", [3, 1]), seen("both", [3, 1]))
    np.testing.assert_array_equal(seen("clean", [3, 1]), COLOUR)
    assert (seen("both", [3, 1]) != seen("both", [3, 2])).any()
    assert (seen("both", [3, 1]) != seen("noise", [3, 1])).any()
    with pytest.raises(ValueError, match="scenario must be one of noise, shift, both, clean"):
        seen("loud", [0])
