"""The modules of the package import each other one way only, whether at the top or inside a function."""

import ast
from pathlib import Path

from rooms import place_of, rooms_of

import rpw

ROOT = Path(rpw.__file__).parent
MOST_AT_THE_TOP = 12


def name_of(path):
    parts = ("rpw", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {name_of(path): path for path in ROOT.rglob("*.py")}
COMPILED = ("rpw._core", "rpw._jax_ffi")  # import nothing


def nodes_of(tree):
    """All of them but those that only type checkers read: names of types may come from any room."""
    if isinstance(tree, ast.If) and ast.unparse(tree.test) == "TYPE_CHECKING":
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from nodes_of(child)


def named_in(tree):
    """The names in all imports of a module: those in functions and by import_module too."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import would escape this test"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module") and node.args:
            yield from (arg.value for arg in node.args if isinstance(arg, ast.Constant))


def imported(path):
    """The modules of the package that a module imports: the longest part of each name that is one."""
    found = set()
    for name in named_in(ast.parse(path.read_text())):
        while name and name not in (*MODULES, *COMPILED):
            name = name.rpartition(".")[0]
        found.add(name)
    return found - {"", *COMPILED}


def cycle_in(below):
    """The modules that are left after taking away, again and again, those that import nothing that is left."""
    while below:
        free = {name for name, others in below.items() if not others & below.keys()}
        if not free:
            return sorted(below)
        below = {name: others for name, others in below.items() if name not in free}
    return []


def test_no_module_imports_itself_in_the_end():
    below = {name: imported(path) for name, path in MODULES.items()}
    assert len(below) > 60
    assert cycle_in(below) == []


def test_a_cycle_behind_a_lazy_import_would_be_found(tmp_path):
    lazy = "def f():\n    from rpw.pair import functions\n    import_module('rpw.sklearn')\n"
    lazy += "if TYPE_CHECKING:\n    from rpw import plot\n"
    path = tmp_path / "lazy.py"
    path.write_text(lazy)
    assert imported(path) == {"rpw.pair.functions", "rpw.sklearn"}
    below = {name: imported(path) for name, path in MODULES.items()}
    assert "rpw.base.check" in cycle_in(below | {"rpw.base.check": {"rpw.pair.functions"}})


def path_of(name):
    return MODULES[name].relative_to(ROOT).as_posix()


def is_only_a_text(name):
    """Of a folder whose files stand in several rooms."""
    return all(isinstance(each, ast.Expr) for each in ast.parse(MODULES[name].read_text()).body)


def upwards(rooms):
    """The imports that point from a room to one below it in the table."""
    texts = {name for name in MODULES if is_only_a_text(name)}
    for name, path in MODULES.items():
        for other in imported(path) - texts:
            if place_of(path_of(other), rooms) > place_of(path_of(name), rooms):
                yield f"{name} imports {other}"


def test_every_module_stands_in_one_room():
    rooms = rooms_of("src/rpw")
    named = [name for names in rooms for name in names]
    assert len(named) == len(set(named))
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert [name for name in MODULES if place_of(path_of(name), rooms) is None and not is_only_a_text(name)] == []


def test_rooms_know_only_the_rooms_above_them_in_the_table():
    rooms = rooms_of("src/rpw")
    assert list(upwards(rooms)) == []
    assert len(rooms) > 10
    assert list(upwards(rooms[::-1])), "a table that stands on its head must not pass"


def test_few_modules_lie_at_the_top():
    assert len(list(ROOT.glob("*.py"))) <= MOST_AT_THE_TOP
