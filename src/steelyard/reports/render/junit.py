"""Test suites of blocks as JUnit XML, which GitHub, GitLab and Jenkins show."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from steelyard.reports.blocks import Block, CheckCase, CheckSuite

# XML 1.0 has no place for these, escaped or not
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(blocks: Sequence[Block], *, when: datetime, seconds: float) -> str:
    """The test suite with its properties, cases and output; `when` it ran, and how many seconds."""
    suite = next(block for block in blocks if isinstance(block, CheckSuite))
    attributes = {
        "name": suite.name,
        "tests": str(len(suite.cases)),
        "failures": str(sum(case.status == "failed" for case in suite.cases)),
        "errors": "0",
        "skipped": str(sum(case.status == "skipped" for case in suite.cases)),
        "time": f"{seconds:.3f}",
    }
    root = Element("testsuites", _valid({key: value for key, value in attributes.items() if key != "skipped"}))
    moment = {"timestamp": when.strftime("%Y-%m-%dT%H:%M:%S"), "hostname": "localhost"}
    _fill(SubElement(root, "testsuite", _valid({**attributes, **moment})), suite)
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _fill(element: Element, suite: CheckSuite) -> None:
    properties = SubElement(element, "properties")
    for name, value in suite.properties.items():
        SubElement(properties, "property", _valid({"name": name, "value": value}))
    for case in suite.cases:
        _add_case(element, suite.classname, case)
    SubElement(element, "system-out").text = _valid_text("\n".join(suite.output))
    SubElement(element, "system-err")


def _add_case(suite: Element, classname: str, case: CheckCase) -> None:
    element = SubElement(suite, "testcase", _valid({"name": case.name, "classname": classname, "time": "0.000"}))
    if case.status == "failed":
        failure = SubElement(element, "failure", _valid({"message": case.reason, "type": case.verdict}))
        failure.text = _valid_text("\n".join((case.reason, *case.details)))
    elif case.status == "skipped":
        SubElement(element, "skipped", _valid({"message": case.reason}))
    SubElement(element, "system-out").text = _valid_text(case.output)


def _valid(attributes: dict[str, str]) -> dict[str, str]:
    return {key: _valid_text(value) for key, value in attributes.items()}


def _valid_text(text: str) -> str:
    return _FORBIDDEN.sub("", text)
