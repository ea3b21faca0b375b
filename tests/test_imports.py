"""Imports go one way, and nothing heavy or foreign to a system is imported at start."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from support.source import PACKAGE, modules

ROOMS = [
    (
        "errors",
        "words",
        "units",
        "clock",
        "notices",
        "records",
        "medians",
        "safetext",
        "sweeps",
        "closest",
    ),
    ("gguf",),
    ("recipes",),
    ("library",),
    ("model",),
    ("hardware",),
    ("store",),
    ("importing",),
    ("predict",),
    ("inventory",),
    ("engines",),
    ("measure",),
    ("calibrate",),
    ("doctor",),
    ("analysis",),
    ("comparing",),
    ("report",),
    ("api",),
    ("cli",),
    ("__main__",),
]
"""From the ground to the top. A room imports itself and what lies below it."""

PREDICT = (
    {"cases", "ceiling", "records"},
    {"memory"},
    {"learnt"},
    {"question"},
    {"public"},
    {"pace"},
)
"""Within `predict`: what is asked and answered, then one basis upon another, then all the rest."""

HEIGHT = {room: height for height, rooms in enumerate(ROOMS) for room in rooms}

HEAVY = (
    "altair",
    "click",
    "httpx2",
    "jinja2",
    "llama_cpp",
    "numpy",
    "platformdirs",
    "psutil",
    "pynvml",
    "rich",
    "vl_convert",
)

NOT_EVERYWHERE = {
    "crypt",
    "fcntl",
    "grp",
    "msvcrt",
    "posix",
    "pty",
    "pwd",
    "resource",
    "syslog",
    "termios",
    "tty",
    "winreg",
    "_winapi",
}
"""Standard modules that only some systems have."""


GUARDS = ("TYPE_CHECKING", "sys.platform ")
"""Conditions under which a module may be imported that is not there everywhere."""


def imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module that is imported anywhere in a tree, and the line."""
    for node in ast.walk(tree):
        yield from imported(node)


def imported(node: ast.AST) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.name, node.lineno
    elif isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are written in full"
        if node.module == "tokenroof":
            for alias in node.names:
                yield f"tokenroof.{alias.name}", node.lineno
        else:
            yield node.module or "", node.lineno


def at_start(body: list[ast.stmt]) -> Iterator[tuple[str, int]]:
    """What is imported when a module is: not in functions, not behind a guard."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test).startswith(GUARDS):
            continue
        if isinstance(node, ast.Try):
            # An import in a `try` has an answer for where there is no such module.
            yield from at_start(node.finalbody)
            continue
        yield from imported(node)
        yield from at_start(getattr(node, "body", []))
        yield from at_start(getattr(node, "orelse", []))


def room(name: str) -> str | None:
    """The room of a dotted name; None for the package itself."""
    parts = name.split(".")
    return parts[1] if parts[0] == "tokenroof" and len(parts) > 1 else None


def test_every_module_belongs_to_a_room() -> None:
    rooms = {room(name) for name in modules()} - {None}
    assert rooms <= set(HEIGHT), "a new room needs its place in ROOMS and docs/architecture.md"


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_room_imports_only_what_lies_below_it(name: str) -> None:
    here = room(name)
    if here is None:
        return  # `tokenroof` itself only forwards to the api, when asked
    upward = [
        f"line {line}: {target}"
        for target, line in imports(modules()[name])
        if (there := room(target)) in HEIGHT
        and there != here
        and HEIGHT[there] >= HEIGHT[here]
        and not HEIGHT[there] == HEIGHT[here] == 0
    ]
    assert upward == []


def place_in_predict(name: str) -> int | None:
    """How high a module of `predict` lies in it; None for any other."""
    parts = name.split(".")
    if parts[:2] != ["tokenroof", "predict"] or len(parts) < 3:
        return None
    return next((at for at, rooms in enumerate(PREDICT) if parts[2] in rooms), len(PREDICT))


@pytest.mark.parametrize("name", sorted(each for each in modules() if place_in_predict(each)))
def test_predict_is_built_one_basis_upon_another(name: str) -> None:
    here = place_in_predict(name)
    assert here is not None
    upward = [
        f"line {line}: {target}"
        for target, line in imports(modules()[name])
        if (there := place_in_predict(target)) is not None and there > here
    ]
    assert upward == []


def test_only_the_command_line_knows_a_screen() -> None:
    guilty = {
        name
        for name, tree in modules().items()
        for target, _ in imports(tree)
        if target.split(".")[0] in {"click", "rich"} and room(name) != "cli"
    }
    assert guilty == set()


@pytest.mark.parametrize("name", sorted(modules()))
def test_nothing_that_only_some_systems_have_is_imported_at_start(name: str) -> None:
    found = {target for target, _ in at_start(modules()[name].body)}
    assert not found & NOT_EVERYWHERE


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after running some code."""
    script = f"{code}\nimport sys\nsys.stderr.write('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=300
    )
    return set(done.stderr.split("\n"))


def test_importing_tokenroof_loads_nothing_heavy() -> None:
    assert not loaded_by("import tokenroof") & {*HEAVY, "msgspec"}


def test_help_loads_nothing_heavier_than_click() -> None:
    loaded = loaded_by("from tokenroof.cli import main\nmain(['--help'])")
    assert "click" in loaded
    assert not loaded & ({*HEAVY, "msgspec"} - {"click"})


def test_the_api_needs_neither_click_nor_rich() -> None:
    loaded = loaded_by("import tokenroof\ntokenroof.inspect, tokenroof.bench")
    assert not loaded & set(HEAVY)


def test_no_subpackage_bears_the_name_of_an_api_function() -> None:
    import tokenroof

    names = {path.name for path in PACKAGE.iterdir()} | {path.stem for path in PACKAGE.iterdir()}
    assert not names & (set(tokenroof.__all__) - {"__version__"})
