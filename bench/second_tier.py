"""`python -m bench.second_tier JOURNAL [MODEL]`: rules alone beside rules with a judge for what they call uncertain.

Lines are the labelled real outputs of `../shared/data`; MODEL is `openai:NAME@URL`. Without it, only calls that the
journal has are answered.
"""

import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from bench.freeze import BESIDE
from bench.labels import expected_fields, labelled_lines, language_of, verdicts
from steelyard.judges.calls import Asking, Caller, ChatModel, Endpoint, Offline
from steelyard.judges.journal import Journal
from steelyard.judges.run import judge_rows
from steelyard.judges.spec import judge_of, load_judge
from steelyard.judges.tasks import JudgedRow
from steelyard.systems.ask import AskSettings

FOLDERS: Final = tuple(BESIDE / name for name in ("real_outputs", "real_outputs_b"))
NOBODY: Final = Endpoint("", "")
PATIENT: Final = AskSettings(concurrency=1, timeout=600)
"""A model on two cores takes a minute for a long question."""


class Line(NamedTuple):
    """A labelled verdict of the rules, and what a judge would see."""

    verdict: str
    label: bool
    decision: bool
    uncertain: bool
    seen: JudgedRow


def lines() -> Iterator[tuple[str, Line]]:
    """Yield the lines with the name of the judge for each."""
    for folder in FOLDERS:
        for number, line in enumerate(labelled_lines(folder)):
            known = [each for each in verdicts(line) if each.verdict not in ("grounding", "quotation")]
            for verdict, label, decision, uncertain in known:
                judge = "refusal" if verdict == "refusal" else "same"
                references = () if judge == "refusal" else tuple(_texts(line.get("expected")))
                identifier = f"{folder.name}-{number}"
                seen = JudgedRow(identifier, line.get("question", ""), str(line.get("answer", "")), references)
                yield judge, Line(f"{verdict} {language_of(line)}", label, decision, uncertain, seen)


def _texts(expected: Any) -> Iterator[str]:
    for value in expected_fields(expected).values():
        yield from (str(each) for each in (value if isinstance(value, list) else [value]))


def main(path: Path, model: str | None) -> None:
    print(
        "| verdict | lines | rules right | rules and judge right | uncertain | rules right there | judge right there |"
    )
    print("|---|---|---|---|---|---|---|")
    groups: dict[str, list[Line]] = defaultdict(list)
    for judge, line in lines():
        groups[judge].append(line)
    for name, found in groups.items():
        decided = _decided(
            name, [line for line in found if line.uncertain], path.with_stem(f"{path.stem}-{name}"), model
        )
        for verdict in sorted({line.verdict for line in found}):
            print(_row(verdict, [line for line in found if line.verdict == verdict], decided))


def _decided(name: str, found: list[Line], path: Path, model: str | None) -> dict[str, bool]:
    """Return the decisions of a judge by the id of the line; those that it could not make are missing."""
    endpoint = NOBODY if model is None else Endpoint.parse(model)
    judge = load_judge(name).with_model(endpoint.model)
    header = {
        "journal": 1,
        "judge": judge.as_dict(),
        "model": endpoint.model,
        "endpoint": endpoint.public,
        "created": "",
    }
    journal = Journal.read(path) if model is None else Journal.open(path, header, resume=True)
    if model is None:
        endpoint, judge = (
            Endpoint(journal.header["model"], journal.header["endpoint"]),
            judge_of(journal.header["judge"], str(path)),
        )
    asking: Asking = Offline() if model is None else ChatModel(judge, endpoint, settings=PATIENT)
    with journal:
        caller = Caller(judge, endpoint, journal, asking)
        judged = judge_rows(judge, (line.seen for line in found), caller, [judge.metric])
        scores = [(line.seen.id, each.scores[judge.metric]) for line, each in zip(found, judged, strict=True)]
    tokens = sum(reply.sent + reply.received for reply in caller.used.values())
    print(f"<!-- {name}: {len(caller.used)} calls, {tokens} tokens -->")
    return {identifier: score == 1 for identifier, score in scores if isinstance(score, float)}


def _row(verdict: str, found: list[Line], decided: dict[str, bool]) -> str:
    open_lines = [line for line in found if line.uncertain]
    rules = sum(line.decision == line.label for line in found)
    both = sum(_decision(line, decided) == line.label for line in found)
    there = sum(line.decision == line.label for line in open_lines)
    judge = sum(_decision(line, decided) == line.label for line in open_lines)
    size = len(found)
    return f"| {verdict} | {size} | {rules / size:.1%} | {both / size:.1%} | {len(open_lines)} | {there} | {judge} |"


def _decision(line: Line, decided: dict[str, bool]) -> bool:
    return decided.get(line.seen.id, line.decision) if line.uncertain else line.decision


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else None)
