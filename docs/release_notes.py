"""Print the notes of a release: the section of CHANGELOG.md whose version is that of the tag and of the package.

python docs/release_notes.py v0.2.0
"""

import re
import sys
from pathlib import Path

import steelyard

CHANGELOG = Path(__file__).parents[1] / "CHANGELOG.md"


def notes(changelog: str, tag: str, version: str = steelyard.__version__) -> str:
    """Return the section of a tag; ValueError where tag, package and changelog do not agree."""
    if tag != f"v{version}":
        raise ValueError(f"the tag is {tag}, but the version of the package is {version}")
    sections = re.split(r"^## ", changelog, flags=re.MULTILINE)[1:]
    for section in sections:
        heading, _, body = section.partition("\n")
        if heading.split()[:1] == [version]:
            if "unreleased" in heading:
                raise ValueError(f"CHANGELOG.md calls {version} unreleased: write the date in its place")
            return body.strip() + "\n"
    raise ValueError(f"CHANGELOG.md has no section {version}")


if __name__ == "__main__":
    try:
        sys.stdout.write(notes(CHANGELOG.read_text("utf-8"), *sys.argv[1:2]))
    except ValueError as error:
        sys.exit(str(error))
