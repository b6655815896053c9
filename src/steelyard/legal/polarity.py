"""Yes or no: the polarity of the first clause that answers."""

import re
from typing import Final

from steelyard.legal.abstention import detect_abstention
from steelyard.legal.amounts import Judged
from steelyard.legal.clauses import clauses, doubt, without_quotes

# 不, 没, 非, 否, 无 that negate nothing
_NOT_NEGATORS: Final = re.compile(
    r"\b(?:no|without) (?:doubt|question)\b|\bnot only\b|没错|没问题|不得不|不能不|不会不|不可不|不可否认|不仅|不但|"
    r"不只|不光|不止|不料|不过|不久|不断|不少|不同意见|不管|不论|无论|不得已|差不多|要不|不错|不妨|不愧|不免|未免|不禁|"
    r"不由得|对不起|了不起|非法|非常|除非|无非|莫非|是非|非得|否则|是否|能否|可否|会否|有无|有没有|是不是|能不能|会不会|"
    r"要不要|愿不愿意|知不知道|没有疑问|毫无疑问|无疑|不容置疑|不在话下|无论如何|未来|未婚|未成年|未遂|不动产|不法|"
    r"毫无保留|毫无|毫不犹豫|无条件|非但|不假思索|不约而同|无一例外|不言而喻|无可否认|无可争辩|无不|无保留|不止一次|"
    r"不单|不惜|无意中|无故|没多久|不日|不时|不慎|不小心|无异议|没有异议|义不容辞|不加掩饰|不加隐瞒|不加辩解|毫无隐瞒|不讳|"
    r"不当得利|无期|无偿|没收|没落|不幸|不满(?=\d)",
    re.IGNORECASE,
)
_QUESTION_FORMS: Final = re.compile(
    r"(?:是否|能否|(?<!不)可否|有无|有没有|是不是|会不会|能不能)[^,。;!?]*(?=[,。;!?]|$)"
)
_DOUBLE: Final = re.compile(r"(?:并非|不是|并不是|没有不|不会不|not that .{0,20} not)(?:不|没有|未|否认|拒绝)")
_NEGATOR: Final = re.compile(
    r"并非|并不是|不是|并未|并没有|没有|从未|未曾|尚未|不曾|不|没|未|无(?!锡|忌)|非|否认|拒绝|否(?!认)|\bnot\b|n't\b|\bnever\b|\bno\b|\bdenie[sd]\b|\bdeny\b|\brefuse[sd]?\b",
    re.IGNORECASE,
)
_ASKS_REFUSAL: Final = re.compile(r"拒绝|否认|\brefus|\bden(?:y|ied)", re.IGNORECASE)
_YES: Final = re.compile(
    r"\s*(?:是的|是(?!否|不是|谁|什么|哪)|对(?!于|方|此|不)|有(?!无|没有|人|关)|没错|属实|正确|确实|的确|当然|可以|能(?!否)|会(?!不会)|真|true\b|yes\b|correct\b|indeed\b|affirmative\b)",
    re.IGNORECASE,
)
_NO: Final = re.compile(
    r"\s*(?:否(?!认)|不是|不对|不(?!得不|仅|但|可否认|能不|会不)|没有|没(?!错|问题|收)|未(?!来|成年|婚)|无(?!疑|论)|并非(?!不|没)|false\b|no\b|negative\b|incorrect\b)",
    re.IGNORECASE,
)
_MARK: Final = re.compile(
    r"是否|有没有|有无|能否|可否|是不是|会不会|能不能|有否|^\s*(?:did|does|do|was|were|is|are|has|have|had|can|could|will|would)\b",
    re.IGNORECASE,
)
_SHORT_FORM: Final = re.compile(
    r"(?:(?:he|she|they|it|that|this|i|we|there)|mr\.? \w+|ms\.? \w+)? ?(?:certainly |indeed )?"
    r"(?:did|does|do|was|were|is|are|has|have|had|will|would|can|could)(?:n't| not)?"
    r"(?: (?:so|correct|right|true|the case|indeed))?",
    re.IGNORECASE,
)
_VERDICT: Final = re.compile(
    r"承认|否认|认可|同意|拒绝|属实|确有|确实|并无此事|无此事|没有这回事|有这回事|默认|予以否定|予以肯定|\b(?:admit|den(?:y|ie)|agree|refus|confirm|acknowledg)\w*",
    re.IGNORECASE,
)
_COMMON: Final = frozenset(
    (
        "the",
        "that",
        "this",
        "with",
        "from",
        "have",
        "been",
        "was",
        "were",
        "any",
        "and",
        "for",
        "his",
        "her",
        "not",
        "did",
        "does",
        "has",
        "had",
    )
)
_FUNCTION: Final = frozenset("的了在上下中是有没不未无过着地得和与向对把被给到从为以于个这那他她它其人，。,.?？ ")
_BOTH: Final = re.compile(
    r"也许|或许|可能|既.*又|一会儿|时而|说法不一|前后矛盾|\bmaybe\b|\bperhaps\b|\bsometimes\b", re.IGNORECASE
)


def judge_boolean(expected: bool, question: str, answer: str) -> Judged:
    """Whether the answer says so; hedged, both ways and abstaining answers match neither."""
    said = polarity(question, answer)
    if said is None:
        return Judged(False, "the answer says neither yes nor no")
    words = {True: "yes", False: "no"}
    return Judged(said is expected, f"the answer says {words[said]}")


def polarity(question: str, answer: str) -> bool | None:
    """True, False, or None where the answer does not say."""
    own = without_quotes(answer)
    told = _QUESTION_FORMS.sub("", own)
    pieces = [clause.text for clause in clauses(told) if re.search(r"\w", clause.text)]
    if not pieces or doubt(own) or _BOTH.search(own):
        return None
    first = pieces[0]
    if _DOUBLE.search(first):
        return True
    if _abstains(answer, first, question):
        return None
    if _YES.match(first) and not _NEGATOR.search(_masked(first)):
        return True
    if _NO.match(_masked(first)):
        return _is_even(first, question)
    answering = _answering(pieces, question)
    return None if answering is None else _is_even(answering, question)


def _abstains(answer: str, first: str, question: str) -> bool:
    """Whether the answer refuses; what is left open after the first clause has answered does not matter."""
    if not detect_abstention(answer, question=question).abstains:
        return False
    answers_first = _YES.match(first) or _NO.match(_masked(first)) or _repeats(first, question)
    return not answers_first or detect_abstention(first, question=question).abstains


def _repeats(clause: str, question: str) -> bool:
    """Whether a clause repeats the predicate of the question, or stands for it ("He did not.")."""
    return bool(_echo(clause, question)) or _SHORT_FORM.fullmatch(clause.strip()) is not None


def _answering(pieces: list[str], question: str) -> str | None:
    """The clause that repeats most of the question's predicate; None if none does."""
    best = max(pieces, key=lambda piece: _echo(piece, question))
    if _echo(best, question):
        return best
    return next((piece for piece in pieces if _repeats(piece, question) or _VERDICT.search(piece)), None)


def _echo(clause: str, question: str) -> int:
    """How much of the predicate a clause repeats: pairs of characters, or words of English."""
    predicate = _predicate(question)
    if predicate.isascii():
        said = {word[:5] for word in re.findall("[a-z]{3,}", clause.lower())} - _COMMON
        return len(said & {word[:5] for word in re.findall("[a-z]{3,}", predicate.lower())})
    pairs = sum(predicate[at : at + 2] in clause for at in range(len(predicate) - 1))
    return 2 * pairs + len(set(predicate) & set(clause) - _FUNCTION)


def _predicate(question: str) -> str:
    """What is asked whether it is so: after 是否 and its like, or without who is asked about."""
    marked = _MARK.search(question)
    return question[marked.end() :].rstrip("?？。吗呢 ") if marked else question.rstrip("?？。吗呢没有 ")


def _is_even(clause: str, question: str) -> bool:
    masked = _masked(clause)
    found = [word[0] for word in _NEGATOR.finditer(masked)]
    if _ASKS_REFUSAL.search(_masked(question)):
        found = [word for word in found if not _ASKS_REFUSAL.search(word)]
    return len(found) % 2 == 0


def _masked(text: str) -> str:
    return _NOT_NEGATORS.sub(lambda idiom: "〓" * len(idiom[0]), text)
