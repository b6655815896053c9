"""The gate as JUnit XML, which GitHub, GitLab and Jenkins show: one test case a rule."""

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from steelyard import __version__
from steelyard.i18n import Language, Words, words_of
from steelyard.reports.gate import cut_off, fallen, headline, reason, verdict, warnings
from steelyard.stats.gate import Finding, Gate

# XML 1.0 has no place for these, escaped or not
_FORBIDDEN: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(gate: Gate, *, when: datetime, seconds: float, language: Language = "en") -> str:
    """The suite with its properties, cases and output; what cannot be told but may pass is a skipped case."""
    words = words_of(language)
    attributes = {
        "name": f"steelyard gate: {gate.result.name}",
        "tests": str(len(gate.findings)),
        "failures": str(sum(not gate.lets_pass(finding) for finding in gate.findings)),
        "errors": "0",
        "skipped": str(sum(_is_waved_through(gate, finding) for finding in gate.findings)),
        "time": f"{seconds:.3f}",
    }
    root = Element("testsuites", {key: _legal(value) for key, value in attributes.items() if key != "skipped"})
    suite = SubElement(root, "testsuite", {key: _legal(value) for key, value in attributes.items()})
    suite.set("timestamp", when.strftime("%Y-%m-%dT%H:%M:%S"))
    suite.set("hostname", "localhost")
    properties = SubElement(suite, "properties")
    for name, value in _properties(gate):
        SubElement(properties, "property", {"name": name, "value": _legal(value)})
    for finding in gate.findings:
        _add_case(suite, gate, finding, words)
    said = (*cut_off(gate, words), headline(gate, words), *warnings(gate, words))
    SubElement(suite, "system-out").text = _legal("\n".join(said))
    SubElement(suite, "system-err")
    ElementTree.indent(root, " ")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _properties(gate: Gate) -> Iterator[tuple[str, str]]:
    yield "steelyard", __version__
    yield "kind", gate.result.kind
    yield "result", gate.result.name
    yield "signature", str(gate.result.signature)
    yield "alpha", f"{gate.settings.alpha:g}"
    if gate.baseline is not None:
        yield "baseline", gate.baseline.name
        yield "baseline signature", str(gate.baseline.signature)


def _add_case(suite: Element, gate: Gate, finding: Finding, words: Words) -> None:
    said = reason(finding, words)
    name = {"name": _legal(str(finding.rule)), "classname": f"steelyard.gate.{gate.result.kind}", "time": "0.000"}
    case = SubElement(suite, "testcase", {key: _legal(value) for key, value in name.items()})
    if not gate.lets_pass(finding):
        failure = SubElement(case, "failure", {"message": _legal(said), "type": finding.outcome})
        failure.text = _legal("\n".join((said, *fallen(finding, words))))
    elif _is_waved_through(gate, finding):
        SubElement(case, "skipped", {"message": _legal(said)})
    SubElement(case, "system-out").text = _legal(f"{verdict(finding, words)}: {said}")


def _is_waved_through(gate: Gate, finding: Finding) -> bool:
    return finding.outcome == "cannot tell" and gate.lets_pass(finding)


def _legal(text: str) -> str:
    return _FORBIDDEN.sub("", text)
