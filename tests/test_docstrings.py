"""Every public name has a docstring in numpydoc's form, which says what its signature says."""

import ast
import dataclasses
import importlib
import inspect
import pickle
import pydoc
import re
from functools import cached_property
from pathlib import Path
from types import FunctionType

import pytest
from children import run

import rpw
from rpw.base.shared_docs import SHARED, documented

MODULES = ["rpw", "rpw.cost", "rpw.images", "rpw.index", "rpw.measure", "rpw.plot", "rpw.readers"]
MODULES += ["rpw.explore", "rpw.sklearn", "rpw.stats", "rpw.jax", "rpw.torch"]
LARGE = ("rpw.jax", "rpw.torch")
LISTED = [pytest.param(name, marks=pytest.mark.large) if name in LARGE else name for name in MODULES]
# In this order, as numpydoc has it.
SECTIONS = ["Parameters", "Attributes", "Returns", "Raises", "Warns", "See Also", "Notes", "Examples"]
TYPES = ("CollectionLike", "Metric", "PointsLike")
OTHERS = ("numpy.", "scipy.", "sklearn.", "torch.", "jax.", "matplotlib.", "dask.", "pandas.")


# ---------------------------------------------------------------- reading a docstring


def sections_of(text):
    """The lines of each section, by its title; the summary and what follows it have the title ""."""
    lines, found, title = inspect.cleandoc(text).split("\n"), {"": []}, ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if line and below and set(below) == {"-"} and len(below) == len(line):
            title = line
            found[title] = []
        elif not (line and set(line) == {"-"} and title and not found[title]):
            found[title].append(line)
    return found


def entries_of(lines):
    """(names, type, description) of each entry of a section such as Parameters."""
    entries = []
    for line in lines:
        if line and not line[0].isspace():
            names, _, kind = line.partition(" : ")
            entries.append((tuple(names.split(", ")), kind, []))
        elif line.strip():
            assert entries, f"a description without a name: {line!r}"
            entries[-1][2].append(line.strip())
    return entries


def references_in(text):
    """The names in single backticks, and those of See Also."""
    yield from re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    yield from (names[0] for names, _, _ in entries_of(sections_of(text).get("See Also", [])))


# ---------------------------------------------------------------- what is wrong with one


def complaints_of_text(text):
    """What is wrong with the form, whatever it is about."""
    if not text:
        return ["there is none"]
    found, lines = [], inspect.cleandoc(text).split("\n")
    if not lines[0].endswith(".") or (len(lines) > 1 and lines[1]):
        found.append("the first line must be one sentence, and the next one empty")
    titles = list(sections_of(text))[1:]
    found += [f"unknown section {title}" for title in titles if title not in SECTIONS]
    if [title for title in SECTIONS if title in titles] != [title for title in titles if title in SECTIONS]:
        found.append(f"the sections are not in the order of {SECTIONS}")
    if "%(" in text:
        found.append("a shared paragraph was not filled in")
    if re.search(r"docs/[\w-]+\.md", text) and "docs/theory.md" not in text and "docs/proofs/" not in text:
        found.append("it names a file of the documentation: say the title of the page")
    for title in ("Parameters", "Attributes", "Raises", "Warns"):
        for names, _, description in entries_of(sections_of(text).get(title, [])):
            if not description:
                found.append(f"{', '.join(names)} is not described")
    return found + [f"`{name}` does not exist" for name in references_in(text) if not exists(name)]


def exists(name):
    """Whether a reference leads somewhere: other libraries are believed."""
    if name.startswith(OTHERS):
        return True
    here = rpw
    for part in name.split(".")[1:]:
        here = getattr(here, part, None)
    return name.startswith("rpw.") and here is not None


def complaints_of_callable(thing):
    """What is wrong with the docstring of a function, a method, or a class as its constructor."""
    text = thing.__doc__
    found = complaints_of_text(text)
    if not text:
        return found
    given = [each for each in parameters_of(thing) if each.name not in ("self", "cls")]
    found += [f"the signature shows {each.name}" for each in given if each.name.startswith("_")]
    entries = entries_of(sections_of(text).get("Parameters", []))
    documented = [name.lstrip("*") for names, _, _ in entries for name in names]
    if documented != [each.name for each in given]:
        found.append(f"Parameters are {documented}, and the signature has {[each.name for each in given]}")
        return found
    kinds = {name.lstrip("*"): kind for names, kind, _ in entries for name in names}
    found += [complaint for each in given for complaint in complaints_of_default(each, kinds[each.name])]
    if ">>> " not in "\n".join(sections_of(text).get("Examples", [])):
        found.append("it has no example")
    return found


def complaints_of_default(parameter, kind):
    if not kind:
        return [f"{parameter.name} has no type"]
    said = re.search(r"default (.+)$", kind)
    if parameter.default in (inspect.Parameter.empty, None) or repr(parameter.default) == "<factory>":  # a new list
        return [f"{parameter.name} has no default {said[1]}"] if said and said[1] != "None" else []
    if said is None or ast.literal_eval(said[1]) != parameter.default:
        return [f"{parameter.name} has the default {parameter.default!r}, and its type says {kind!r}"]
    return []


def parameters_of(thing):
    try:
        return list(inspect.signature(thing).parameters.values())
    except ValueError:  # an error that has the constructor of RuntimeError
        return []


def complaints_of_function(function):
    found = complaints_of_callable(function)
    returns = inspect.signature(function).return_annotation
    has_section = function.__doc__ and "Returns" in sections_of(function.__doc__)
    if function.__doc__ and (returns not in (None, "None")) != bool(has_section):
        found.append(f"the signature returns {returns}, and there is {'a' if has_section else 'no'} section Returns")
    return found


def complaints_of_class(kind):
    found = complaints_of_callable(kind)
    if not kind.__doc__:
        return found
    attributes = [name for names, _, _ in entries_of(sections_of(kind.__doc__).get("Attributes", [])) for name in names]
    found += [f"{name} is a property and stands in Attributes too" for name in attributes if is_property(kind, name)]
    if dataclasses.is_dataclass(kind):
        known = {*attributes, *(each.name for each in parameters_of(kind))}
        fields = [field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")]
        found += [f"the field {name} is not described" for name in fields if name not in known]
    return found


def is_property(kind, name):
    return isinstance(inspect.getattr_static(kind, name, None), (property, cached_property))


def complaints_of_members(kind):
    """Those of the methods and properties that a class itself defines, by their names."""
    for name, member in vars(kind).items():
        if name.startswith("_") and name != "__call__":
            continue
        if isinstance(member, (property, cached_property)):
            function = member.fget if isinstance(member, property) else member.func
            yield name, complaints_of_text(function.__doc__)
        elif isinstance(member, classmethod):
            yield name, complaints_of_function(getattr(kind, name))
        elif isinstance(member, FunctionType):
            yield name, complaints_of_function(member)


def complaints_of_module(module):
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.isclass(thing):
            yield name, complaints_of_class(thing)
            yield from ((f"{name}.{member}", found) for member, found in complaints_of_members(thing))
        elif inspect.isfunction(inspect.unwrap(thing)):
            yield name, complaints_of_function(thing)
        else:
            is_known = isinstance(thing, (tuple, dict, int)) or name in TYPES
            yield name, [] if is_known else ["it is neither a function nor a class, and no known constant"]


# ---------------------------------------------------------------- the public names


@pytest.mark.parametrize("name", LISTED)
def test_docstrings_of(name):
    if name in (*LARGE, "rpw.sklearn"):
        pytest.importorskip(name.partition(".")[2])
    module = importlib.import_module(name)
    found = dict(complaints_of_module(module))
    assert len(found) >= len(module.__all__)
    assert {name: complaints for name, complaints in found.items() if complaints} == {}


def test_all_modules_for_users_are_looked_at():
    assert set(rpw._MODULES) == {name.partition(".")[2] for name in MODULES} - {""}


def test_no_class_shows_private_fields():
    shown = [rpw.Result, rpw.Profile, rpw.Sliced, rpw.Measure, rpw.Barycenter, rpw.Displacement, rpw.cost.Diameter]
    shown += [getattr(rpw.stats, name) for name in rpw.stats.__all__ if inspect.isclass(getattr(rpw.stats, name))]
    assert len(shown) > 12
    for kind in shown:
        names = list(inspect.signature(kind).parameters)
        assert [name for name in names if name.startswith("_")] == [], kind


def test_objects_whose_class_shows_no_constructor_are_as_before():
    result, profile = rpw.solve([0.0, 0.5], [0.1, 0.9]), rpw.profile([0.0, 0.5], [0.1, 0.9])
    assert list(inspect.signature(rpw.Result).parameters) == []
    assert list(inspect.signature(profile).parameters) == ["alpha"], "an object has the signature of its own call"
    for each in (result, profile):
        assert pickle.loads(pickle.dumps(each)) == each
        assert dataclasses.replace(each) == each
    assert dataclasses.replace(result, distance=0.5) != result
    assert "_problem" not in pydoc.render_doc(rpw.Result, renderer=pydoc.plaintext).partition("Methods defined")[0]


# ---------------------------------------------------------------- shared paragraphs


def test_a_shared_paragraph_keeps_the_indentation_of_its_place():
    @documented
    def deeper():
        """Summary.

        Parameters
        ----------
        %(p)s
            More of it.
        %(progress planets)s
        100 %(of) s stay
        """

    lines = inspect.cleandoc(deeper.__doc__).split("\n")
    first = SHARED["p"].strip("\n").split("\n")
    assert lines[4 : 4 + len(first)] == first
    assert lines[4 + len(first)] == "    More of it."
    assert "numbers of planets." in deeper.__doc__
    assert "100 %(of) s stay" in deeper.__doc__


def test_an_unknown_paragraph_is_an_error():
    def wrong():
        """Summary.

        %(nothing_of_that_name)s
        """

    with pytest.raises(KeyError, match="nothing_of_that_name"):
        documented(wrong)


def test_every_shared_paragraph_is_used_by_several():
    root = Path(rpw.__file__).parent
    texts = [path.read_text(encoding="utf-8") for path in root.rglob("*.py") if path.name != "shared_docs.py"]
    uses = {name: sum(len(re.findall(rf"%\({name}[ )]", text)) for text in texts) for name in SHARED}
    assert {name: count for name, count in uses.items() if count < 2} == {}


def test_help_shows_the_shared_paragraphs():
    text = pydoc.render_doc(rpw.solve, renderer=pydoc.plaintext)
    assert "    x, y : array-like of shape (n, d) and (m, d), or Measure\n        The points" in text
    assert "%(" not in text


def test_rpw_works_without_docstrings():
    code = "import rpw, rpw.stats; print(rpw.solve.__doc__, rpw.distance([0.0], [1.0], p=1))"
    answer = run("-OO", "-c", code, timeout=120)
    assert answer.stdout.strip() == "None 0.5", answer.stderr


# ---------------------------------------------------------------- the test itself


def good(x, k=1):
    """Add a number.

    Parameters
    ----------
    x : float
        A number.
    k : float, default 1
        Another one; see `rpw.solve`.

    Returns
    -------
    float
        The sum.

    Examples
    --------
    >>> good(1)
    2
    """


def changed(old, new, signature=None):
    def function(x, k=1): ...

    text = inspect.cleandoc(good.__doc__)  # Python 3.13 takes the indentation away by itself
    assert old in text
    function.__doc__ = text.replace(old, new)
    function.__signature__ = signature or inspect.signature(good)
    return function


BAD = {
    "there is none": (inspect.cleandoc(good.__doc__), ""),
    "must be one sentence": ("Add a number.\n", "Add a number\nand another\n"),
    "unknown section Return": ("Returns\n-------", "Return\n------"),
    "is not described": ("    A number.\n", ""),
    "Parameters are ['k']": ("x : float\n    A number.\n", ""),
    "Parameters are ['x', 'z']": ("k : float, default 1", "z : float, default 1"),
    "k has the default 1": ("default 1", "default 2"),
    "and its type says 'float'": (", default 1", ""),
    "has no type": ("x : float", "x"),
    "has no default 3": ("x : float", "x : float, default 3"),
    "no section Returns": ("Returns\n-------\nfloat\n    The sum.\n\n", ""),
    "no example": (">>> good(1)", "good(1)"),
    "`rpw.solved` does not exist": ("`rpw.solve`", "`rpw.solved`"),
    "`solve` does not exist": ("`rpw.solve`", "`solve`"),
    "not filled in": ("A number.", "A number %(p)s"),
    "say the title of the page": ("A number.", "A number, see docs/meaning.md"),
    "not in the order": ("Add a number.\n", "Add a number.\n\nNotes\n-----\nOf old.\n"),
}


def test_a_good_docstring_passes():
    good.__signature__ = inspect.signature(good).replace(return_annotation=float)
    assert complaints_of_function(good) == []


@pytest.mark.parametrize("complaint", BAD)
def test_a_planted_mistake_is_found(complaint):
    signature = inspect.Signature(
        [
            inspect.Parameter("x", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            inspect.Parameter("k", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=1),
        ],
        return_annotation=float,
    )
    found = complaints_of_function(changed(*BAD[complaint], signature))
    assert any(complaint in each for each in found), found


def test_a_private_field_and_a_field_without_words_are_found():
    @dataclasses.dataclass
    class Found:
        """Something.

        Parameters
        ----------
        x : float
            A number.

        Attributes
        ----------
        twice : float
            Twice of it.

        Examples
        --------
        >>> 1
        1
        """

        x: float
        y: float = dataclasses.field(init=False)
        _z: float = 0.0

        @property
        def twice(self):
            return 2 * self.x

    complaints = " ".join(complaints_of_class(Found))
    for expected in ("the signature shows _z", "the field y is not described", "twice is a property and stands in"):
        assert expected in complaints
    assert dict(complaints_of_members(Found)) == {"twice": ["there is none"]}
