"""What tests compile is kept, and what was kept is never taken for something else."""

import ctypes
import os
import shutil
import time

import pytest
from compiled import COMPILER, DAYS, compiled, forget_old, identity

SOURCE = b'#include "number.hpp"\nextern "C" int number() { return NUMBER + MORE; }\n'

pytestmark = pytest.mark.skipif(shutil.which(COMPILER[0]) is None, reason="there is no C++ compiler")


@pytest.fixture
def made(tmp_path):
    """A function that compiles the source with a number in its header and another as an option."""
    (tmp_path / "include").mkdir()

    def of(number, more, compiler=COMPILER):
        (tmp_path / "include" / "number.hpp").write_text(f"#define NUMBER {number}\n")
        options = ("-fPIC", "-shared", f"-I{tmp_path / 'include'}", f"-DMORE={more}")
        return compiled(SOURCE, *options, compiler=compiler, folder=tmp_path / "kept")

    return of


def number_of(library):
    return ctypes.CDLL(str(library)).number()


def test_the_same_is_compiled_once(made):
    first = made(1, 2)
    written = first.stat().st_ino
    again = made(1, 2)
    assert (again, again.stat().st_ino) == (first, written)
    assert number_of(again) == 3


def test_a_header_and_an_option_count(made):
    assert [number_of(made(*given)) for given in ((1, 2), (5, 2), (5, 7), (1, 2))] == [3, 7, 12, 3]


def test_another_compiler_counts(made, tmp_path):
    """One of the same name, in another place, that may do anything."""
    wrapper = tmp_path / "other"
    wrapper.write_text(f'#!/bin/sh\nexec {" ".join(COMPILER)} "$@"\n')
    wrapper.chmod(0o755)
    first = made(1, 2, (str(wrapper),))
    os.utime(wrapper, (0, 0))  # another file in the place of the first
    identity.cache_clear()
    assert len({made(1, 2), first, made(1, 2, (str(wrapper),))}) == 3


def test_what_nobody_asks_for_goes(made, tmp_path):
    old, new = made(1, 2), made(5, 2)
    before = time.time() - (DAYS + 1) * 24 * 3600
    for path in tmp_path.glob(f"kept/{old.name}*"):
        os.utime(path, (before, before))
    forget_old(tmp_path / "kept")
    assert new.exists()
    assert not old.exists()
    assert number_of(made(1, 2)) == 3
