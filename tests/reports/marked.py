"""Results files whose verdicts are marked as uncertain, as `legal.score` marks them."""

import json

REASON = "the answer gives both yes and no"


def mark_uncertain(source, target, is_uncertain):
    """Copy a results file; `is_uncertain` is a function of the id and the type of an item."""
    lines = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for line in lines:
        if "scores" in line:
            _mark(line, is_uncertain(line["id"], line["tags"]["type"]))
    target.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return target


def unmark(source, target):
    """Copy a results file as versions wrote it that did not have the part."""
    lines = [json.loads(line) for line in source.read_text("utf-8").splitlines()]
    for line in lines:
        line.get("parts", {}).get("legal", {}).pop("uncertain", None)
        line.get("output", {}).get("verdict", {}).get("reasons", {}).pop("uncertain", None)
    target.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return target


def _mark(line, uncertain):
    line["parts"]["legal"]["uncertain"] = float(uncertain)
    reasons = line["output"]["verdict"].setdefault("reasons", {})
    reasons.pop("uncertain", None)
    if uncertain:
        reasons["uncertain"] = REASON
