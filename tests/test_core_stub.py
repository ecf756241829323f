"""`_core.pyi` says of the compiled core what the core says of itself: the same names, arguments, defaults and types."""

import ast
import inspect
import math
import re
from pathlib import Path

import pytest

import rpw
from rpw import _core

TEXT = (Path(rpw.__file__).parent / "_core.pyi").read_text()
ARRAYS = {"_Floats": "float64", "_Ints": "int64", "_Nodes": "int32"}
UNTOLD = ("object", "tuple", "list")  # the bindings do not say what a function takes, nor what a tuple or a list holds


def functions_in(body):
    return {each.name: each for each in body if isinstance(each, ast.FunctionDef)}


class Stub:
    def __init__(self, text):
        tree = ast.parse(text)
        self.functions = functions_in(tree.body)
        every = {each.name: each for each in tree.body if isinstance(each, ast.ClassDef)}
        self.enums = {name: each for name, each in every.items() if [ast.unparse(b) for b in each.bases] == ["Enum"]}
        self.classes = {name: each for name, each in every.items() if name not in self.enums}

    def check(self):
        assert {*self.functions, *self.enums, *self.classes} == public(dir(_core))
        for name, function in self.functions.items():
            check_function(function, getattr(_core, name))
        for name, enum in self.enums.items():
            check_enum(enum, getattr(_core, name))
        for name, each in self.classes.items():
            check_class(each, getattr(_core, name))


def public(names):
    return {name for name in names if not name.startswith("__")}


def signature_of(bound):
    """What nanobind tells of a function, as Python reads it, and the values of its defaults."""
    ((text, _, defaults),) = bound.__nb_signature__
    text = re.sub(r"(?:numpy\.)?ndarray\[dtype=(\w+)[^\]]*\]", r"\1", text).replace("rpw._core.", "")
    (function,) = ast.parse(re.sub(r"\\\d+", "None", text).replace("def (", "def getter(") + ": ...").body
    return function, list(defaults or ())


def told_default(node):
    """The value of a default in the stub; `...` stands for what no literal says."""
    if isinstance(node, ast.Attribute):
        return getattr(getattr(_core, node.value.id), node.attr)
    return ast.literal_eval(node)


def is_told(told, default):
    return math.isinf(default) if told is ... else told == default and type(told) is type(default)


def type_of(annotation):
    return re.sub(r"\b(_Floats|_Ints|_Nodes)\b", lambda found: ARRAYS[found[0]], ast.unparse(annotation))


def check_types(stub, bound):
    of_stub, of_bound = ([*each.args.args, *each.args.kwonlyargs] for each in (stub, bound))
    both = [(one.annotation, other.annotation) for one, other in zip(of_stub, of_bound, strict=True)]
    for told, said in (*both, (stub.returns, bound.returns)):
        if told is not None and said is not None and ast.unparse(said).split(" | ")[0] not in UNTOLD:
            assert type_of(told) == ast.unparse(said), stub.name


def check_function(stub, bound):
    of_core, defaults = signature_of(bound)
    mine, theirs = stub.args, of_core.args
    assert [each.arg for each in mine.args] == [each.arg for each in theirs.args], stub.name
    assert [each.arg for each in mine.kwonlyargs] == [each.arg for each in theirs.kwonlyargs], stub.name
    assert [each is None for each in mine.kw_defaults] == [each is None for each in theirs.kw_defaults], stub.name
    told = [told_default(each) for each in (*mine.defaults, *mine.kw_defaults) if each is not None]
    assert len(told) == len(defaults), stub.name
    assert all(is_told(*both) for both in zip(told, defaults, strict=True)), (stub.name, told, defaults)
    check_types(stub, of_core)


def check_enum(stub, bound):
    told = {each.targets[0].id: ast.literal_eval(each.value) for each in stub.body if isinstance(each, ast.Assign)}
    assert told == {each.name: each._value_ for each in bound}  # one member is called "value"


def check_class(stub, bound):
    told = functions_in(stub.body)
    constructor = {"__init__"} if hasattr(bound.__init__, "__nb_signature__") else set()
    assert told.keys() == public(dir(bound)) | constructor
    for name, each in told.items():
        found, decorators = inspect.getattr_static(bound, name), [ast.unparse(mark) for mark in each.decorator_list]
        if isinstance(found, property):
            assert decorators == ["property"], name
            check_types(each, signature_of(found.fget)[0])
        else:
            assert decorators == ([] if type(found).__name__ == "nb_method" else ["staticmethod"]), name
            check_function(each, getattr(bound, name))


def test_the_stub_is_the_core():
    stub = Stub(TEXT)
    assert len(stub.functions) > 10
    assert stub.enums
    assert stub.classes
    stub.check()


ROOT = "def root(x: float, p: float) -> float: ...\n"
HAS_POTENTIALS = "    @property\n    def has_potentials(self) -> bool: ...\n"
CHANGES = {
    "a function more": (ROOT, ROOT + "def square_root(x: float) -> float: ...\n"),
    "a function less": (ROOT, ""),
    "another argument": (ROOT, ROOT.replace("p: float", "q: float")),
    "another type": (ROOT, ROOT.replace("x: float", "x: int")),
    "another array": ("def label_points(points: _Floats) -> _Ints", "def label_points(points: _Ints) -> _Ints"),
    "another result": ("def label_points(points: _Floats) -> _Ints", "def label_points(points: _Floats) -> _Nodes"),
    "another default": ("tol: float = 0.0", "tol: float = 1.0"),
    "a default left open": ("tol: float = 0.0", "tol: float = ..."),
    "no default": ("unmoved: float = 0.0", "unmoved: float"),
    "a default more": (ROOT, ROOT.replace("p: float", "p: float = 2.0")),
    "a member less": ("    plan = 2\n", ""),
    "another number": ("    plan = 2\n", "    plan = 3\n"),
    "an attribute less": (HAS_POTENTIALS, ""),
    "an attribute more": (HAS_POTENTIALS, HAS_POTENTIALS + HAS_POTENTIALS.replace("has_potentials", "has_plan")),
    "a method in its place": (HAS_POTENTIALS, HAS_POTENTIALS.replace("    @property\n", "")),
    "another kind of attribute": (HAS_POTENTIALS, HAS_POTENTIALS.replace("bool", "int")),
}


@pytest.mark.parametrize("change", CHANGES)
def test_each_difference_would_be_found(change):
    old, new = CHANGES[change]
    assert TEXT.count(old) == 1
    with pytest.raises(AssertionError):
        Stub(TEXT.replace(old, new)).check()
