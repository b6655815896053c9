"""The shape of the code base: names in plain words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# words of an older vocabulary; the glossary in docs/architecture.md has the terms that are used instead
FORBIDDEN = frozenset(
    [
        "told",
        "said",
        "homes",
        "offers",
        "hearing",
        "mended",
        "settled",
        "settle",
        "weigh",
        "weighed",
        "fleet",
        "crew",
        "anyway",
    ]
)


def words_of(name: str) -> set[str]:
    """The words of a name in snake_case or CamelCase."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)}


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


@pytest.mark.parametrize("folder", ["src", "servers", "benchmark"])
def test_identifiers_have_no_word_of_the_older_vocabulary(folder):
    found = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name, line in [(path.stem, 1), *names_in(ast.parse(path.read_text("utf-8")))]
        if words_of(name) & FORBIDDEN
    ]
    assert not found, "\n".join(found)
