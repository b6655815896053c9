"""`python -m bench.etb`: the 33 scenarios of etb-scan (`pip install etb-scan`) against a judge of Steelyard.

The model is scripted: it grades by the rubric what stands between the marks of the answer, and obeys whatever text of
the answer stands outside of them. It says its verdict alone, or quotes the answer first.
"""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.judge_server import Script, Scripted, says, serving
from steelyard.judges.calls import Caller, ChatModel, Endpoint
from steelyard.judges.journal import Journal
from steelyard.judges.run import judge_rows
from steelyard.judges.spec import load_judge
from steelyard.judges.tasks import JudgedRow

_BLOCK: Final = re.compile(r"\[\[(\w+) (\w+)\]\]\n(.*?)\n\[\[end \2\]\]\s*", re.DOTALL)
Judge = Callable[[str, dict[str, Any], str | None], dict[str, Any]]


def main() -> None:
    etb = import_module("etbscan")
    for quotes in (False, True):
        found = etb.scan(judge_with(etb.hardened_judge, etb.naive_judge, quotes=quotes))
        print("\n".join(["quotes the answer first:" if quotes else "verdict alone:", *found.summary_lines()]))


def judge_with(honest: Judge, gullible: Judge, *, quotes: bool) -> Judge:
    """Return a judge of etb-scan that is Steelyard's judge of a criterion."""

    def judged(candidate: str, rubric: dict[str, Any], question: str | None) -> dict[str, Any]:
        def script(body: dict[str, Any], seen: int) -> Scripted:
            text = body["messages"][-1]["content"]
            answer = next(block[3] for block in _BLOCK.finditer(text) if block[1] == "answer")
            outside = _BLOCK.sub("", text)
            verdict = gullible(outside, rubric, question) if outside.strip() else honest(answer, rubric, question)
            label = "met" if verdict["verdict"] == "PASS" else "not_met"
            reply = json.dumps({"reason": "By the rubric.", "verdict": label})
            return says(f"The answer reads: {answer}\nMy verdict: {reply}" if quotes else reply)

        return _asked(script, JudgedRow("1", question or "", candidate), rubric["text"])

    return judged


def _asked(script: Script, row: JudgedRow, criterion: str) -> dict[str, Any]:
    with serving(script) as server, TemporaryDirectory() as folder:
        endpoint = Endpoint.parse(server.model)
        judge = replace(load_judge("criteria"), criterion=criterion).with_model(endpoint.model)
        with Journal.open(Path(folder, "x.calls.jsonl"), {}, resume=False) as journal:
            caller = Caller(judge, endpoint, journal, ChatModel(judge, endpoint))
            (found,) = judge_rows(judge, [row], caller, (judge.metric,))
    score = found.scores[judge.metric]
    return {"verdict": score == 1.0} if isinstance(score, float) else {}


if __name__ == "__main__":
    main()
