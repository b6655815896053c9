"""What the tests were told: with STEELYARD_RECORD=FILE every message and every output of a command is appended to it.

`python tests/outputs.py messages BEFORE AFTER` compares two such files, test by test.
"""

import json
import os
import re
from pathlib import Path
from typing import Final

_ALIKE: Final = [
    (re.compile(r"/tmp/[\w./-]*?(?=/[^/\s]*(?:\s|$|[:;,\"')]))"), "FOLDER"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?"), "TIME"),
    (re.compile(r"\b[\d.]+(?:e-\d+)? (m?s|seconds|秒)\b"), "SECONDS"),
    (re.compile(r'("seconds\w*"): ?[\d.e-]+'), r"\1: SECONDS"),
    (re.compile(r"\b(127\.0\.0\.1|localhost):\d+"), r"\1:PORT"),
    (re.compile(r"\b[0-9a-f]{16,64}\b"), "HASH"),
]


def record(*texts: str) -> None:
    """Append texts under the name of the running test, without what differs between two runs."""
    if path := os.environ.get("STEELYARD_RECORD"):
        test = os.environ.get("PYTEST_CURRENT_TEST", "").removesuffix(" (call)")
        line = json.dumps({"test": test, "texts": [_alike(text) for text in texts]}, ensure_ascii=False)
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def _alike(text: str) -> str:
    for pattern, instead in _ALIKE:
        text = pattern.sub(instead, text)
    return text


def messages(path: Path) -> dict[str, list[str]]:
    """The recorded texts of every test, sorted: threads and workers write in any order."""
    tests: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        tests.setdefault(row["test"], []).append("\n".join(row["texts"]))
    return {test: sorted(texts) for test, texts in tests.items()}
