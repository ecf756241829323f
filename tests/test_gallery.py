"""The gallery: every example has a place, a title and a docstring. The site's build runs them."""

import ast
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
SCRIPTS = sorted(EXAMPLES.rglob("*.py"))


def title_of(docstring):
    """The first line, if a line of ``=`` at least as long stands below it; else None."""
    first, _, rest = docstring.strip().partition("\n")
    underline = rest.partition("\n")[0]
    return first if re.fullmatch("=+", underline) and len(underline) >= len(first) else None


@pytest.mark.parametrize("script", [pytest.param(path, id=str(path.relative_to(EXAMPLES))) for path in SCRIPTS])
def test_an_example_has_a_title_a_text_and_a_section(script):
    docstring = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")))
    assert docstring, "no docstring"
    assert title_of(docstring), "the docstring must begin with a title, underlined by ="
    assert len(docstring.strip().splitlines()) > 2, "no text below the title"
    assert (script.parent / "GALLERY_HEADER.rst").exists(), "no GALLERY_HEADER.rst in its folder"
    assert script.parent != EXAMPLES, "examples stand in a section, not beside the sections"


@pytest.mark.parametrize("header", [pytest.param(path, id=path.parent.name) for path in EXAMPLES.rglob("*.rst")])
def test_a_header_has_a_title_and_a_sentence(header):
    title, underline, blank, *text = header.read_text(encoding="utf-8").splitlines()
    assert re.fullmatch(r"=+|-+", underline)
    assert len(underline) >= len(title)
    assert blank == ""
    assert any(text)


def test_titles_differ():
    titles = [title_of(ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))) for path in SCRIPTS]
    assert len(set(titles)) == len(SCRIPTS) > 0


def test_a_title_needs_a_long_enough_line_below_it():
    assert title_of("Title\n=====\n\nText") == "Title"
    assert title_of("Title\n====\n\nText") is None
    assert title_of("Title\n\nText") is None
