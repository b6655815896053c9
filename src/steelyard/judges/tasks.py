"""The tasks of judges: what is asked about a row, and how answers become scores.

A task is a generator: it yields lists of requests and is sent their answers, so that the calls of many rows can be made
together. A verdict that is missing, off the menu or unreadable leaves a row without a score, and has its reason.
"""

import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np

from steelyard.errors import cut
from steelyard.i18n import Message
from steelyard.judges.prompts import (
    Json,
    Request,
    list_schema,
    menu,
    numbered,
    numbered_schema,
    object_schema,
    verdict_schema,
)
from steelyard.judges.replies import Answer, unscored
from steelyard.judges.spec import RELEVANT, UNKNOWN, Judge, folded_label
from steelyard.legal.evidence.quotes import contains_quote
from steelyard.registry.kinds import is_lower_better
from steelyard.table import Missing
from steelyard.text.normalisation import DENSE
from steelyard.text.reading import is_silent
from steelyard.text.tokens import DENSE_RUN

CLAIM_METRICS: Final = ("Faithfulness", "Hallucination")
REFERENCE_METRICS: Final = ("ClaimPrecision", "ClaimRecall", "ClaimF1", "ContextRecall")
NUGGET_METRICS: Final = ("NuggetVitalStrict", "NuggetVital", "NuggetAllStrict", "NuggetAll")
UNQUOTED: Final = "unquoted"
"""The verdict on a claim that a judge supports without a quotation that the source has; it scores as the worst one."""
CLAIMS_TOGETHER: Final = 50
"""Claims of one call; the same answer may have more."""
MOST_NUGGETS: Final = 100
VITAL: Final = "vital"
_IMPORTANCE: Final = (VITAL, "okay")
_ABBREVIATIONS: Final = (
    "Mr",
    "Ms",
    "Mrs",
    "Dr",
    "No",
    "St",
    "Art",
    "v",
    "vs",
    r"i\.e",
    r"e\.g",
    "cf",
    "p",
    "pp",
    "para",
    "cl",
)
_TITLE: Final = "".join(rf"(?<!\b{each}\.)" for each in _ABBREVIATIONS)
_WORDS: Final = re.compile(rf"[^\W\d_{DENSE}]+")
_NUMBERS: Final = re.compile(r"\d+(?:[.,]\d+)*")
_FEWEST_WORDS: Final = 3
_FEWEST_CHARACTERS: Final = 4
_FEWEST_DIGITS: Final = 3
_MOST_UNKNOWN: Final = 10  # passages of a row; beyond, the range is not counted out
_RANGE: Final = ("unknown", "low", "high")
"""The parts: how many verdicts are unknown, and the score if all of these count against the answer, or for it."""
_SENTENCE: Final = re.compile(rf"(?<=[。！？；!?])\s*|(?<=\.){_TITLE}\s+(?=[^a-z\s])|\n+")

Score = float | Missing
Steps = Generator[list[Request], list[Answer], "Judged"]
Texts = Generator[list[Request], list[Answer], list[str] | Missing]


@dataclass(frozen=True, slots=True)
class JudgedRow:
    """What a judge sees of a row: texts, and contexts with their ids, best first."""

    id: str
    question: str = ""
    answer: str = ""
    references: tuple[str, ...] = ()
    contexts: tuple[tuple[str, str], ...] = ()

    def has(self, need: str) -> bool:
        """Return whether the row has a field that a judge needs; a blank answer is an answer."""
        return need == "answer" or bool(getattr(self, need))


@dataclass(frozen=True, slots=True)
class Judged:
    """The scores of a row, with their parts and notes, and what was found, for reports."""

    scores: Mapping[str, Score]
    parts: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    notes: Mapping[str, Message | str] = field(default_factory=dict)
    details: Json = field(default_factory=dict)


class Checked(NamedTuple):
    """A claim with its verdict ("" if it has none), the quotation, and whether the source has that.

    `given` is what the judge said: a claim that it supports without a quotation that the source has is UNQUOTED.
    """

    claim: str
    verdict: str
    quote: str = ""
    found: bool = False
    why: Missing | None = None
    given: str = ""
    reason: str = ""


def metrics_of(judge: Judge) -> tuple[str, ...]:
    """Return the metrics that a judge can compute, those that it computes by default first."""
    match judge.task:
        case "claims":
            return (*CLAIM_METRICS, *REFERENCE_METRICS)
        case "nuggets":
            return NUGGET_METRICS
        case "relevance":
            return ("ContextPrecision",)
    return (judge.metric,)


def default_metrics(judge: Judge) -> tuple[str, ...]:
    """Return the metrics that are computed if the user names none."""
    return CLAIM_METRICS[:1] if judge.task == "claims" else metrics_of(judge)


def needs_of(judge: Judge, metrics: Sequence[str]) -> tuple[str, ...]:
    """Return what a row must have; rows without it are not judged."""
    if judge.task != "claims":
        return judge.needs
    with_reference = any(metric in REFERENCE_METRICS for metric in metrics)
    with_contexts = any(metric in (*CLAIM_METRICS, "ContextRecall") for metric in metrics)
    return ("answer", *(["references"] * with_reference), *(["contexts"] * with_contexts))


def steps_of(judge: Judge, row: JudgedRow, metrics: Sequence[str]) -> Steps:
    """Return the steps by which a judge judges a row."""
    match judge.task:
        case "claims":
            return _claims(judge, row, metrics)
        case "nuggets":
            return _nuggets(judge, row, metrics)
        case "relevance":
            return _relevance(judge, row)
    return _verdict(judge, row)


# --- one verdict ---


def _verdict(judge: Judge, row: JudgedRow) -> Steps:
    """One verdict about an answer; a blank one has the worst score, without a call."""
    metric = judge.metric
    if "answer" in judge.needs and is_silent(row.answer):
        return Judged({metric: _ends(judge)[0]}, notes={metric: Message("missing.blank_answer")})
    texts = {need: _text(row, need) for need in judge.needs}
    (answer,) = yield [Request("judge", texts, verdict_schema(judge))]
    label, why = label_in(answer.value, judge, answer.why)
    score, parts = _scored(judge, label, why)
    note = " – ".join(filter(None, [label, _text_in(answer.value, "reason")]))
    details = {"verdict": label, **({"reason": reason} if (reason := _text_in(answer.value, "reason")) else {})}
    return Judged({metric: score}, {metric: parts}, {metric: note} if note else {}, details if label else {})


def label_in(value: Json | None, judge: Judge, why: Missing | None = None) -> tuple[str, Missing | None]:
    """Return the verdict in an answer; "" and the reason if there is none, or one that was not offered."""
    if value is None:
        return "", why
    given = value.get("verdict")
    given = "" if given is None else given
    label = offered(given, menu(judge))
    if label is not None:
        return label, None
    if not str(given).strip():
        return "", unscored("missing.judge_no_verdict")
    return "", unscored("missing.judge_off_menu", verdict=cut(str(given), 40))


def offered(given: Any, labels: Sequence[str]) -> str | None:
    """Return the label that a verdict means, whatever its case, blanks and hyphens; None if it was not offered.

    >>> offered("Partial-support ", ["partial_support", "support"])
    'partial_support'
    """
    return {folded_label(label): label for label in labels}.get(folded_label(given))


def _scored(judge: Judge, label: str, why: Missing | None) -> tuple[Score, dict[str, float]]:
    """Return the score of a verdict, and its range where the judge cannot tell."""
    if why is not None:
        return why, {}
    if label != UNKNOWN:
        return judge.scale[label], {"unknown": 0.0, "low": judge.scale[label], "high": judge.scale[label]}
    worst, best = _ends(judge)
    score: Score = worst if judge.unknown == "against" else unscored("missing.judge_unknown")
    return score, {"unknown": 1.0, "low": min(worst, best), "high": max(worst, best)}


def _ends(judge: Judge) -> tuple[float, float]:
    """Return the worst and the best score of the scale."""
    low, high = min(judge.scale.values()), max(judge.scale.values())
    return (high, low) if is_lower_better(judge.metric) else (low, high)


def _text_in(value: Json | None, name: str) -> str:
    found = (value or {}).get(name)
    return " ".join(found.split()) if isinstance(found, str) else ""


def _text(row: JudgedRow, need: str) -> str:
    match need:
        case "contexts":
            return "\n\n".join(text for _, text in row.contexts)
        case "references":
            return "\n".join(row.references)
    return str(getattr(row, need))


# --- claims ---


def sentences(text: str) -> list[str]:
    """Return the sentences of a text that say something."""
    return [piece.strip() for piece in _SENTENCE.split(text) if piece and not is_silent(piece)]


def _claims(judge: Judge, row: JudgedRow, metrics: Sequence[str]) -> Steps:
    """Claims of the answer against the contexts and the reference, and claims of the reference against both.

    A judge that needs the question sees it too: an answer such as "99.5 %." claims something only together with it.
    """
    contexts, reference = _text(row, "contexts"), _text(row, "references")
    wanted = {name for name, of in _CHECKED_FOR.items() if not of.isdisjoint(metrics)}
    asked = {"question": row.question} if "question" in judge.needs and row.question.strip() else {}
    own = (yield from _split(judge, asked, row.answer)) if wanted & {"contexts", "precision"} else []
    theirs = (yield from _split(judge, asked, reference)) if wanted & {"recall", "retrieved"} else []
    sources = {
        "contexts": (own, contexts),
        "precision": (own, reference),
        "recall": (theirs, row.answer),
        "retrieved": (theirs, contexts),
    }
    checked = {}
    for name in (name for name in sources if name in wanted):
        checked[name] = yield from _check(judge, asked, *sources[name])
    return _claim_scores(judge, checked, metrics)


def _split(judge: Judge, asked: Mapping[str, str], text: str) -> Texts:
    """Return the claims of a text: those that the model finds, or its sentences."""
    if is_silent(text):
        return []
    if "split" not in judge.prompts:
        return sentences(text)
    schema = list_schema("claims", {"type": "string"})
    (answer,) = yield [Request("split", {**asked, "text": text}, schema, {"claims": sentences(text)})]
    if answer.value is None:
        return answer.why or unscored("missing.judge_silent")
    return [claim for claim in answer.value["claims"] if not is_silent(claim)]


def _check(
    judge: Judge, asked: Mapping[str, str], claims: list[str] | Missing, source: str
) -> Generator[list[Request], list[Answer], list[Checked] | Missing]:
    """Return each claim with its verdict; the quotation of a verdict is looked for in the source."""
    if isinstance(claims, Missing):
        return claims
    if is_silent(source) or not claims:
        return [Checked(claim, _worst(judge)) for claim in claims]
    groups = [claims[at : at + CLAIMS_TOGETHER] for at in range(0, len(claims), CLAIMS_TOGETHER)]
    answers = yield [_check_request(judge, asked, group, source) for group in groups]
    checked: list[Checked] = []
    for group, answer in zip(groups, answers, strict=True):
        given = _by_number(answer, "claim", len(group))
        if isinstance(given, Missing):
            return given
        checked += (_checked(judge, claim, given.get(number), source) for number, claim in enumerate(group, 1))
    return checked


def _check_request(judge: Judge, asked: Mapping[str, str], claims: Sequence[str], source: str) -> Request:
    texts = {**asked, "source": source, "claims": numbered(claims)}
    return Request("check", texts, numbered_schema(judge, "claim", len(claims)))


def _by_number(answer: Answer, name: str, size: int) -> dict[int, Json] | Missing:
    """Return the verdicts of a list by the number of what they are about; the reason if they cannot be told apart."""
    if answer.value is None:
        return answer.why or unscored("missing.judge_silent")
    found: dict[int, Json] = {}
    for verdict in answer.value["verdicts"]:
        number = verdict[name]
        earlier = found.setdefault(number, verdict)
        if not 1 <= number <= size or folded_label(earlier["verdict"]) != folded_label(verdict["verdict"]):
            return unscored("missing.judge_misnumbered", number=number, size=size)
    return found


def _worst(judge: Judge) -> str:
    """Return the label with the lowest score; of several, the last."""
    return min(reversed(list(judge.scale)), key=lambda label: judge.scale[label])


def _checked(judge: Judge, claim: str, given: Json | None, source: str) -> Checked:
    """Return a claim with its verdict; one that a judge calls supported needs its quotation, if the judge says so."""
    if given is None:
        return Checked(claim, "", why=unscored("missing.judge_no_verdict"))
    label, why = label_in(given, judge)
    quote = _text_in(given, "quote")
    found = _is_evidence(quote, source) and contains_quote(source, quote)
    is_doubted = judge.quotes == "required" and judge.scale.get(label) == max(judge.scale.values()) and not found
    verdict = UNQUOTED if is_doubted else label
    return Checked(claim, verdict, quote, found, why, given=label, reason=_text_in(given, "reason"))


def _is_evidence(quote: str, source: str) -> bool:
    """Return whether a quotation says something: half of the source, or enough words, characters or digits.

    A short number counts as two words or characters.
    """
    numbers = _NUMBERS.findall(quote)
    if 2 * len(quote) >= len(source) or any(sum(map(str.isdigit, each)) >= _FEWEST_DIGITS for each in numbers):
        return bool(quote)
    words, characters = (len(pattern.findall(quote)) + 2 * len(numbers) for pattern in (_WORDS, DENSE_RUN))
    return words >= _FEWEST_WORDS or characters >= _FEWEST_CHARACTERS


class _Share(NamedTuple):
    """The mean of the verdicts on claims, and its parts."""

    score: Score
    parts: Mapping[str, float] = {}

    def of(self, function: Callable[[float], float]) -> "_Share":
        """Return a falling function of the share, with its range."""
        if isinstance(self.score, Missing):
            return _Share(self.score, self.parts)
        low, high = (function(self.parts[end]) for end in ("high", "low"))
        return _Share(function(self.score), {"unknown": self.parts["unknown"], "low": low, "high": high})


_CHECKED_FOR: Final[Mapping[str, frozenset[str]]] = {
    "contexts": frozenset(("Faithfulness", "Hallucination")),
    "precision": frozenset(("ClaimPrecision", "ClaimF1")),
    "recall": frozenset(("ClaimRecall", "ClaimF1")),
    "retrieved": frozenset(("ContextRecall",)),
}
"""Which claims are checked against what → the metrics for which they are."""


def _claim_scores(judge: Judge, checked: Mapping[str, list[Checked] | Missing], metrics: Sequence[str]) -> Judged:
    """Return the metrics of claims that were checked."""
    shares = {name: _share(judge, claims) for name, claims in checked.items()}
    found = {metric: _metric(metric, shares) for metric in metrics}
    details = {
        name: [_shown(judge, each) for each in claims] for name, claims in checked.items() if isinstance(claims, list)
    }
    return Judged(
        {metric: share.score for metric, share in found.items()},
        {metric: share.parts for metric, share in found.items() if share.parts},
        details={"claims": details} if details else {},
    )


def _metric(metric: str, shares: Mapping[str, _Share]) -> _Share:
    """Return a metric of claims; the shares of single verdicts are parts of Faithfulness alone."""
    match metric:
        case "Faithfulness":
            return shares["contexts"]
        case "Hallucination":
            return shares["contexts"].of(lambda share: 1 - share)
        case "ClaimF1":
            return _f1_of(shares["precision"], shares["recall"])
    (name,) = (name for name, of in _CHECKED_FOR.items() if metric in of)
    score, parts = shares[name]
    return _Share(score, {part: parts[part] for part in _RANGE if part in parts})


def _f1_of(precision: _Share, recall: _Share) -> _Share:
    one, other = precision.score, recall.score
    if isinstance(one, Missing) or isinstance(other, Missing):
        return _Share(one if isinstance(one, Missing) else other)
    ends = {end: f1(precision.parts[end], recall.parts[end]) for end in ("low", "high")}
    unknown = max(precision.parts["unknown"], recall.parts["unknown"])
    return _Share(f1(one, other), {"unknown": unknown, **ends})


def _share(judge: Judge, claims: list[Checked] | Missing) -> _Share:
    """Return the mean of the verdicts on claims, with the shares of those without support as parts."""
    if isinstance(claims, Missing):
        return _Share(claims)
    if not claims:
        return _Share(unscored("missing.no_claims"))
    lost = [each.why for each in claims if each.why is not None]
    if lost:
        return _Share(unscored("missing.judge_claims_lost", lost=len(lost), claims=len(claims), why=lost[0].reason))
    labels = [each.verdict for each in claims]
    best, lowest = max(judge.scale.values()), min(judge.scale.values())
    known = [judge.scale.get(label, lowest) for label in labels if label != UNKNOWN]
    size, unknown = len(labels), labels.count(UNKNOWN)
    parts = {
        **{label: labels.count(label) / size for label in judge.scale if judge.scale[label] < best},
        **({UNQUOTED: labels.count(UNQUOTED) / size} if judge.quotes == "required" else {}),
        "quoted": _quoted(judge, claims),
        **_range_of(known, unknown, best, lowest),
    }
    return _Share(_mean_of(judge, known, parts), parts)


def _range_of(known: Sequence[float], unknown: int, best: float, lowest: float) -> dict[str, float]:
    """Return the share of unknown verdicts, and the mean with all of these as the worst, or as the best."""
    size = len(known) + unknown
    total = sum(known)
    return {
        "unknown": unknown / size,
        "low": (total + lowest * unknown) / size,
        "high": (total + best * unknown) / size,
    }


def _mean_of(judge: Judge, known: Sequence[float], parts: Mapping[str, float]) -> Score:
    """Return the mean of the known verdicts, or of all if unknown ones count against the answer."""
    if judge.unknown == "against":
        return parts["low"]
    return sum(known) / len(known) if known else unscored("missing.judge_unknown")


def _quoted(judge: Judge, claims: Sequence[Checked]) -> float:
    """Return the share of claims that the judge supports whose quotation the source has; NaN if it supports none."""
    best = max(judge.scale.values())
    found = [each.found for each in claims if judge.scale.get(each.given) == best]
    return sum(found) / len(found) if found else np.nan


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _shown(judge: Judge, each: Checked) -> Json:
    is_open = each.why is not None or (each.verdict == UNKNOWN and judge.unknown != "against")
    score = None if is_open else judge.scale.get(each.verdict, min(judge.scale.values()))
    reason = {"reason": each.reason} if each.reason else {}
    why = {} if each.why is None else {"why": str(each.why.reason)}
    shown = {"claim": each.claim, "verdict": each.verdict, "score": score, "quote": each.quote, "found": each.found}
    return {**shown, **reason, **why}


# --- passages ---


def _relevance(judge: Judge, row: JudgedRow) -> Steps:
    """Grades of the contexts, and the precision of their order: the mean of P@k over the relevant ones."""
    schema = verdict_schema(judge)
    answers = yield [Request("judge", {"question": row.question, "passage": text}, schema) for _, text in row.contexts]
    labels = [label_in(answer.value, judge, answer.why) for answer in answers]
    grades = [None if why or label == UNKNOWN else judge.scale[label] for label, why in labels]
    lost = [why for _, why in labels if why is not None]
    share = _passages_lost(lost, len(grades)) if lost else _precision_of(judge, grades)
    parts = {"ContextPrecision": share.parts} if share.parts else {}
    return Judged({"ContextPrecision": share.score}, parts, details={"grades": grades})


def _passages_lost(lost: Sequence[Missing], passages: int) -> _Share:
    return _Share(unscored("missing.judge_passages_lost", lost=len(lost), passages=passages, why=lost[0].reason))


def _precision_of(judge: Judge, grades: Sequence[float | None]) -> _Share:
    """Return the precision of graded passages, with its range if every unknown one is relevant, or not."""
    unknown = [rank for rank, grade in enumerate(grades) if grade is None]
    with_worst = context_precision([grade or 0 for grade in grades])
    if not unknown:
        return _Share(with_worst, {"unknown": 0.0, "low": with_worst, "high": with_worst})
    low, high = _ends_of_precision(grades, unknown) if len(unknown) <= _MOST_UNKNOWN else (0.0, 1.0)
    parts = {"unknown": len(unknown) / len(grades), "low": low, "high": high}
    return _Share(with_worst if judge.unknown == "against" else unscored("missing.judge_unknown"), parts)


def _ends_of_precision(grades: Sequence[float | None], unknown: Sequence[int]) -> tuple[float, float]:
    found = []
    for choice in product((0.0, float(RELEVANT)), repeat=len(unknown)):
        chosen = dict(zip(unknown, choice, strict=True))
        found.append(context_precision([chosen.get(rank, grade or 0.0) for rank, grade in enumerate(grades)]))
    return min(found), max(found)


def context_precision(grades: Sequence[float]) -> float:
    """Return the mean of the precision at each relevant passage; 0 if none is relevant.

    >>> context_precision([3, 0, 2])
    0.8333333333333333
    """
    relevant = [rank for rank, grade in enumerate(grades, 1) if grade >= RELEVANT]
    return sum(number / rank for number, rank in enumerate(relevant, 1)) / len(relevant) if relevant else 0.0


def qrels_lines(ids: Sequence[str], outputs: Sequence[Mapping[str, Any] | None]) -> Iterator[str]:
    """Yield the grades of contexts as lines of qrels; contexts without an id have their rank."""
    for query, output in zip(ids, outputs, strict=True):
        for details in ((output or {}).get("judged") or {}).values():
            grades = details.get("grades") or []
            names = (output or {}).get("context_ids") or [str(rank) for rank in range(1, len(grades) + 1)]
            for name, grade in zip(names, grades, strict=True):
                if grade is not None:
                    yield f"{_word(query)} 0 {_word(name)} {int(grade)}\n"


def _word(name: str) -> str:
    """Return a name as one column of qrels."""
    return "_".join(name.split())


# --- nuggets ---


def _nuggets(judge: Judge, row: JudgedRow, metrics: Sequence[str]) -> Steps:
    """Facts that a good answer has, vital or okay, and how far the answer has them."""
    found = yield from _created(judge, row, _text(row, "references"))
    if isinstance(found, Missing) or not found:
        why = found if isinstance(found, Missing) else unscored("missing.no_nuggets")
        return Judged(dict.fromkeys(metrics, why))
    importance = yield from _labelled(row, found)
    if isinstance(importance, Missing):
        return Judged(dict.fromkeys(metrics, importance))
    assigned: list[str] | Missing = [_worst(judge)] * len(found)
    if not is_silent(row.answer):
        assigned = yield from _assigned(judge, row, found)
    if isinstance(assigned, Missing):
        return Judged(dict.fromkeys(metrics, assigned))
    shares = {metric: nugget_share(judge, metric, importance, assigned) for metric in metrics}
    shown = [
        {"nugget": nugget, "importance": label, "assignment": given}
        for nugget, label, given in zip(found, importance, assigned, strict=True)
    ]
    scores = {metric: share.score for metric, share in shares.items()}
    parts = {metric: share.parts for metric, share in shares.items() if share.parts}
    return Judged(scores, parts, details={"nuggets": shown})


def _created(judge: Judge, row: JudgedRow, source: str) -> Texts:
    texts, schema = {"question": row.question, "source": source}, list_schema("nuggets", {"type": "string"})
    (answer,) = yield [Request("create", texts, schema, assumed={"nuggets": sentences(source)})]
    if answer.value is None:
        return answer.why or unscored("missing.judge_silent")
    return [nugget for nugget in answer.value["nuggets"] if not is_silent(nugget)][:MOST_NUGGETS]


def _labelled(row: JudgedRow, nuggets: Sequence[str]) -> Texts:
    return (yield from _numbered("label", {"question": row.question}, nuggets, _IMPORTANCE))


def _assigned(judge: Judge, row: JudgedRow, nuggets: Sequence[str]) -> Texts:
    texts = {"question": row.question, "answer": row.answer}
    return (yield from _numbered("assign", texts, nuggets, menu(judge)))


def _numbered(step: str, texts: Mapping[str, str], nuggets: Sequence[str], labels: Sequence[str]) -> Texts:
    """Return a label for each nugget; a reason if one has none, or one that was not offered."""
    fields = {"nugget": {"type": "integer"}, "verdict": {"type": "string", "enum": [*labels]}}
    assumed = {"verdicts": [{"nugget": number, "verdict": labels[0]} for number in range(1, len(nuggets) + 1)]}
    schema = list_schema("verdicts", object_schema(fields), len(nuggets))
    request = Request(step, {**texts, "nuggets": numbered(nuggets)}, schema, assumed)
    (answer,) = yield [request]
    given = _by_number(answer, "nugget", len(nuggets))
    if isinstance(given, Missing):
        return given
    read = [offered(given.get(number, {}).get("verdict", ""), labels) for number in range(1, len(nuggets) + 1)]
    found = [label for label in read if label is not None]
    lost = len(read) - len(found)
    return unscored("missing.judge_nuggets_lost", lost=lost, nuggets=len(nuggets)) if lost else found


def nugget_share(judge: Judge, metric: str, importance: Sequence[str], assigned: Sequence[str]) -> _Share:
    """Return one of the four scores of TREC RAG; strict ones give nothing for partial support.

    Without a vital nugget there is no score of vital ones.
    """
    is_strict, is_vital = metric.endswith("Strict"), "Vital" in metric
    labels = [given for label, given in zip(importance, assigned, strict=True) if label == VITAL or not is_vital]
    if not labels:
        return _Share(unscored("missing.no_nuggets"))
    best, lowest = max(judge.scale.values()), min(judge.scale.values())
    credits = {label: lowest if is_strict and value < best else value for label, value in judge.scale.items()}
    known = [credits[label] for label in labels if label != UNKNOWN]
    parts = _range_of(known, len(labels) - len(known), best, lowest)
    return _Share(_mean_of(judge, known, parts), parts)
