"""Random malformed collections: an answer or a clear error, never a crash, never a silent NaN."""

import contextlib
import warnings

import numpy as np
import pytest

import rpw

SEEDS, ROUNDS = 10, 1850  # with the 1,500 damaged files of tests/io/test_readers.py, 20,000
DTYPES = (np.float64, np.float32, np.int64, np.uint8, np.bool_, np.float16, np.complex128, object, "U3", "M8[s]")
CLEAR = (ValueError, MemoryError)


def numbers(rng, shape):
    """An array that may be hostile: special values, strange types, strides, read-only."""
    array = rng.choice([0.0, 1.0, 0.5, -0.0, 1e-300, 1e300], size=shape) if rng.random() < 0.3 else rng.random(shape)
    if array.size and rng.random() < 0.25:
        array.flat[rng.integers(array.size)] = rng.choice([np.nan, np.inf, -np.inf, -1.0])
    kind = DTYPES[rng.integers(len(DTYPES))] if rng.random() < 0.3 else np.float64
    with contextlib.suppress(TypeError, ValueError), np.errstate(all="ignore"):
        array = array.astype(kind)
    if array.ndim and rng.random() < 0.2:
        array = array[::-1]
    if rng.random() < 0.2:
        array = np.asfortranarray(array)
    if rng.random() < 0.1:
        array.flags.writeable = False
    return array


def random_shape(rng, most=4):
    return tuple(int(n) for n in rng.integers(0, 5, rng.integers(0, most)))


def item(rng, depth=0):
    """Something that may or may not be a measure."""
    choice = rng.integers(9 if depth < 2 else 6)
    if choice == 0:
        return numbers(rng, random_shape(rng))
    if choice == 1:
        return rng.choice([None, "text", b"bytes", 3, 2.5, True])
    if choice == 2:
        return numbers(rng, random_shape(rng, 3)).tolist()
    if choice <= 5:
        return numbers(rng, (int(rng.integers(1, 5)), 2))
    if choice == 6:
        try:
            return rpw.Measure(rng.random((3, 2)), numbers(rng, 3))
        except CLEAR:
            return rpw.Measure(rng.random((2, 2)))
    return [item(rng, depth + 1) for _ in range(rng.integers(0, 4))]


def collection(rng):
    choice = rng.integers(5)
    if choice == 0:
        return item(rng)
    if choice == 1:
        return numbers(rng, (int(rng.integers(0, 4)), int(rng.integers(0, 4)), 2))
    if choice == 2:
        return numbers(rng, (int(rng.integers(0, 4)), 3))
    return [item(rng, 1) for _ in range(rng.integers(0, 4))]


def options(rng):
    """Mostly sound parameters, sometimes nonsense."""
    chosen = {}
    if rng.random() < 0.3:
        chosen["p"] = rng.choice([1, 2, np.inf, 0, -1, np.nan, None, "two"])
    if rng.random() < 0.3:
        chosen["k"] = rng.choice([0, 1, 1e300, 1e-300, -1, np.nan, np.inf, None])
    if rng.random() < 0.3:
        chosen["diameter"] = rng.choice([1.0, "auto", 0, -1, np.nan, "large", None])
    if rng.random() < 0.3:
        chosen["support"] = numbers(rng, random_shape(rng, 3)) if rng.random() < 0.5 else rng.random((3, 2))
    if rng.random() < 0.2:
        chosen["cost"] = numbers(rng, random_shape(rng, 3)) if rng.random() < 0.5 else rng.random((3, 3))
    if rng.random() < 0.1:
        chosen["metric"] = rng.choice(["cityblock", "cosine", "canberra", "nonsense", 7])
    if rng.random() < 0.1:
        chosen["n_threads"] = rng.choice([1, 2, 0, -1, 1.5, "all"])
    return chosen


def error_of(rng):
    """What one random call raised, or None if it gave a sound answer."""
    a, b, chosen = collection(rng), collection(rng), options(rng)
    try:
        if rng.random() < 0.6:
            matrix = rpw.pairwise(a, b if rng.random() < 0.5 else None, **chosen)
            assert np.isfinite(matrix).all()
            assert ((matrix >= 0) & (matrix <= 1)).all()
        else:
            distances, indices = rpw.Index(a, **chosen).query(b, top=1)
            assert np.isfinite(distances).all()
            assert (indices >= 0).all()
    except CLEAR as error:
        return error
    return None


@pytest.mark.sample(1)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_malformed_collections_give_an_answer_or_a_clear_error(seed):
    rng = np.random.default_rng([7, seed])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*and diameter was left at 1", UserWarning)
        errors = [error_of(rng) for _ in range(ROUNDS)]
    unclear = [error for error in errors if error is not None and len(str(error)) < 10]
    assert not unclear
    assert errors.count(None) > ROUNDS / 100  # the generator must not produce nonsense only
