"""Fields of question files from the entries of a bank: types of questions, values, passages and their pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from steelyard.errors import cut
from steelyard.i18n import Localized, Message
from steelyard.legal.banks.reading import WORDS, Entry
from steelyard.legal.cues import asked_for
from steelyard.legal.evidence.quotes import Source, quote_key
from steelyard.legal.facts.fields import judge_fact
from steelyard.legal.facts.polarity import polarity
from steelyard.legal.model import SNIPPET, FactRules
from steelyard.legal.stance import detect_abstention
from steelyard.text.mentions import Mention, mentions
from steelyard.text.normalisation import normalise

Fields = dict[str, Any]
TYPES: Final = {"fact": "fact_exact", "evidence": "evidence_set", "gap": "conflict_gap"}
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*+•]\s|[(（]?\d{1,2}(?:[、)）](?!\d)|\.(?!\d))|[①-⑳])\s*")
_PAGE: Final = re.compile(r"(?:@@|第\s*|[Pp](?:age|\.)?\s*|^\s*)(\d{1,6})(?=\t|-\d|\s*[页頁]|\s*$)", re.MULTILINE)
_CLAUSE_END: Final = re.compile(r"(?<=[\n,，。;；:：!！?？])|\.{3,}|…+")
_MOST_CLAUSES: Final = 30  # of a part: longer ones are too long to be cited
_SHORTEST_PART: Final = 6  # characters that are compared: shorter parts stand in many places
_SHOWN: Final = 40


@dataclass(slots=True)
class Drafted:
    """A question for a question file about the document at `path`; `remarks` are what its author should look at.

    Without `fields` it is left out, and the remarks say why. `is_text` says that its answer is only a text.
    """

    entry: Entry
    path: Path
    type: str
    fields: Fields = field(default_factory=dict)
    remarks: list[Localized] = field(default_factory=list)
    is_text: bool = False


def drafted(entry: Entry, path: Path, source: Source) -> Drafted:
    """Return the question of an entry about a document."""
    passages = passages_of(entry, source)
    draft = Drafted(entry, path, _type(entry, [piece for piece, parts in passages.items() if parts]))
    for piece, parts in passages.items():
        if parts != [piece]:
            message = Message("banks.passage_not_found", passage=cut(piece, _SHOWN), name=source.document.name)
            draft.remarks.append(message)
    found = list(dict.fromkeys(part for parts in passages.values() for part in parts))
    draft.fields = {"question": entry.text("question")}
    if metadata := _metadata(entry):
        draft.fields["metadata"] = metadata
    if draft.type == "conflict_gap":
        _fill_gap(draft, found, source)
    elif found:
        places = [{"page": _page(entry, passage, source), "must_include": passage} for passage in found]
        draft.fields["required_evidence"] = places
    why = ""
    if draft.type == "evidence_set":
        draft.fields["expected"] = {"key_points": list_items(entry.text("answer"))}
        why = "" if found else "banks.no_passage"
    elif not entry.text("answer"):
        why = "banks.no_answer"
    elif not draft.fields.get("should_abstain"):
        draft.fields["expected"] = _expected(draft, found)
    if why:
        draft.fields = {}
        draft.remarks.append(Message(why))
    return draft


def passages_of(entry: Entry, source: Source) -> dict[str, list[str]]:
    """Return each passage with what of it stands in the document: itself, or parts, since authors leave out words."""
    text = entry.text("evidence")
    pieces = re.findall("`([^`]+)`", text) or ([text] if _pages(text, source) else list_items(text))
    plain = (piece.strip() for piece in pieces if quote_key(piece))
    return {piece: [piece] if _pages(piece, source) else _parts(piece, source) for piece in plain}


def _pages(passage: str, source: Source) -> list[int]:
    """Return the pages where a passage stands that is short enough to be cited; without pages, the one text."""
    pages = source.pages_with(passage) if source.document.is_paged else list(source.pages)
    return [page for page in pages if 0 <= source.span_on(passage, (page,)) <= SNIPPET]


def list_items(text: str) -> list[str]:
    """Return the lines of a text without marks of a list and bold print; an indented line belongs to the one above."""
    lines = re.split(r"\n+(?=\S)", text.replace("**", "").strip())
    return [_LIST_MARK.sub("", line).strip() for line in lines if line]


def _parts(passage: str, source: Source) -> list[str]:
    """Return the longest runs of clauses of a passage that stand in the document, in order."""
    clauses = _CLAUSE_END.split(passage)
    parts = []
    start = 0
    while start < len(clauses):
        runs = ["".join(clauses[start:end]) for end in range(start + 1, start + _MOST_CLAUSES)]
        length = max((at for at, run in enumerate(runs) if _pages(run, source)), default=0)
        if len(quote_key(runs[length])) >= _SHORTEST_PART and _pages(runs[length], source):
            parts.append(runs[length].strip())
        start += length + 1
    return parts


def _page(entry: Entry, passage: str, source: Source) -> int:
    """Return the page where a passage stands, of several one that the bank names; without pages the named one."""
    stated = f"{entry.text('page')}\n{entry.text('location')}"
    named = list(map(int, _PAGE.findall(stated)))
    if named and not source.document.is_paged:
        return named[0]
    pages = _pages(passage, source)
    return next((page for page in pages if page in named), pages[0])


def _metadata(entry: Entry) -> Fields:
    """Return the notes, and a difficulty that is known."""
    notes, given = entry.text("notes"), entry.text("difficulty")
    levels = [kind for kind in ("easy", "medium", "hard") if given in WORDS.words(f"difficulty_{kind}")]
    return {name: text for name, text in (("notes", notes), ("difficulty", "".join(levels))) if text}


# ----- types


def _type(entry: Entry, passages: Sequence[str]) -> str:
    """Return the type that the bank names, else what answer and passages show; a refusal is never a fact."""
    named = _type_called(entry.text("type")) or _type_called(entry.group)
    if _is_refusal(entry) and not (named == "evidence_set" and passages):
        return "conflict_gap"
    is_set = len(passages) > 1 and len(list_items(entry.text("answer"))) > 1
    return named or ("evidence_set" if is_set else "fact_exact")


def _type_called(words: str) -> str | None:
    found = [TYPES[kind] for kind in TYPES if WORDS[f"type_{kind}"].search(words)]
    return found[0] if len(found) == 1 else None


def _is_refusal(entry: Entry) -> bool:
    answer = entry.text("answer")
    stance = detect_abstention(answer, question=entry.text("question"))
    return WORDS["gap_answer"].match(answer) is not None or (stance.kind == "refuses" and not stance.uncertain)


def _fill_gap(draft: Drafted, passages: Sequence[str], source: Source) -> None:
    """Fill in a gap, or a control where the answer is no refusal; words of the question are no quotation."""
    draft.fields["should_abstain"] = _is_refusal(draft.entry)
    if not draft.fields["should_abstain"]:
        draft.remarks.append(Message("banks.control"))
    question = quote_key(draft.entry.text("question"))
    first, *others = [passage for passage in passages if quote_key(passage) not in question] or [""]
    if first:
        draft.fields["required_quote"] = first
        draft.fields["evidence_location"] = {"page": _page(draft.entry, first, source)}
    if others:
        draft.fields["additional_quotes"] = others


# ----- values


def _expected(draft: Drafted, passages: Sequence[str]) -> Fields:
    """Return the typed field of an answer if the judge reads it from the bank's own words; else a text."""
    question = draft.entry.text("question")
    answer = "；".join(list_items(draft.entry.text("answer").strip("`")))
    rules = FactRules(source="\n".join(passages))
    why: Localized = Message("banks.no_single_value")
    for expected in _candidates(question, answer):
        verdict = judge_fact(expected, answer, question=question, rules=rules)
        if verdict.correct:
            return expected
        why = Message("banks.value_not_read", why=verdict.why)
    draft.is_text = True
    draft.remarks.append(why)
    return {"text_answer": answer}


def _candidates(question: str, answer: str) -> Iterator[Fields]:
    """Yield the typed fields that an answer can mean."""
    asked, plain = asked_for(question), normalise(answer)
    sense = polarity(question, plain) if asked.whether else None
    value = _single_value(plain)
    kind = value.kind if value else ""
    if sense is not None:
        explained = len(WORDS["beside_value"].sub("", plain)) > 1
        yield {"boolean_answer": sense} | ({"text_answer": answer} if explained else {})
    elif value and kind == "date":
        yield _dates(value)
    elif value and asked.kind == "count" and kind in ("count", "number"):
        yield {"count": int(value.value)}
    elif value and (kind == "money" or (kind == "number" and asked.kind == "money")):
        number = float(value.value)
        yield {"amount_total": int(number) if number.is_integer() else number}
    elif asked.kind in ("person", "place") and not WORDS["clause"].search(plain):
        yield {"entity": WORDS["in_brackets"].sub("", answer)}


def _single_value(text: str) -> Mention | None:
    """Return the value of which a normalised text consists, apart from an addition in brackets."""
    bare = WORDS["in_brackets"].sub("", text)
    values = [value for value in mentions(bare) if value.is_exact]
    rest = bare.replace(values[0].text, "") if values else bare
    return values[0] if values and not WORDS["beside_value"].sub("", rest) else None


def _dates(value: Mention) -> Fields:
    start = value.value.isoformat()
    return {"date_range": {"start": start, "end": value.until.isoformat()}} if value.until else {"date": start}
