"""The shape of the code base: names in plain words, and no module so small that it belongs into its only user."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src"
SMALL = 40
# words of an older vocabulary; docs/en/reference/glossary.md has the terms that are used instead
FORBIDDEN = frozenset(
    (
        *("told", "said", "homes", "offers", "hearing", "mended", "settled", "settle", "weigh", "weighed", "fleet"),
        *("crew", "anyway"),
    )
)
TESTED = [f"tests/{name}" for name in ("documents", "engines", "net", "rag", "search", "systems")]
"""Folders of tests whose names and docstrings have the terms of the glossary.

Another folder is added when no word of the older vocabulary is left in it."""


def words_of(name: str) -> set[str]:
    """The words of a name in snake_case or CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file, parsed once."""
    return ast.parse(path.read_text("utf-8"))


def names_in(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Every name that a module gives to something, with its line."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg() | ast.keyword(arg=str()):
                yield str(node.arg), node.lineno
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name, node.lineno
            case ast.alias():
                yield node.asname or node.name, node.lineno
            case (
                ast.ExceptHandler(name=str() as name)
                | ast.MatchAs(name=str() as name)
                | ast.MatchStar(name=str() as name)
            ):
                yield name, node.lineno


@pytest.mark.parametrize("folder", ["src", "servers", "benchmark", *TESTED])
def test_identifiers_have_no_word_of_the_older_vocabulary(folder):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in [(path.stem, 1), *names_in(tree_of(path))]
        if words_of(name) & FORBIDDEN
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", TESTED)
def test_docstrings_of_tests_have_no_word_of_the_older_vocabulary(folder):
    documented = ast.Module | ast.ClassDef | ast.FunctionDef
    found = [
        f"{path.relative_to(ROOT)}: {text}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(tree_of(path))
        if isinstance(node, documented) and words_of(text := ast.get_docstring(node) or "") & FORBIDDEN
    ]
    assert not found, "\n".join(found)


def modules() -> dict[str, Path]:
    """The modules of the package by their dotted names."""
    found = {}
    for path in SOURCES.rglob("*.py"):
        parts = path.relative_to(SOURCES).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(tree: ast.Module, known: dict[str, Path]) -> Iterator[str]:
    """The modules of the package that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for each in node.names:
                full = f"{node.module}.{each.name}"
                yield full if full in known else node.module
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def named(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that may be names of modules, which are then loaded by name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w.]+", node.value):
            yield node.value


def test_no_module_under_forty_lines_has_a_single_importer():
    known = modules()
    trees = {name: tree_of(path) for name, path in known.items()}
    importers: defaultdict[str, set[str]] = defaultdict(set)
    for name, tree in trees.items():
        for each in imported(tree, known):
            importers[each].add(name)
    by_name = {text for tree in trees.values() for text in named(tree)}
    found = [
        f"{name} ({lines} lines) is imported by {next(iter(importers[name]))} alone"
        for name, path in sorted(known.items())
        if path.stem not in ("__init__", "__main__") and name not in by_name
        if (lines := len(path.read_text("utf-8").splitlines())) < SMALL and len(importers[name]) == 1
    ]
    assert not found, "\n".join(found)
