"""Metrics of judges over answers and their contexts; the judges are imported when one is computed."""

import numpy as np

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile
from steelyard.i18n import Message
from steelyard.registry.metrics import Scored, metric
from steelyard.table import FloatArray

NO_VALUES = Message("missing.no_values")
NO_CITATIONS = Message("missing.no_citations")
NO_CITED_VALUES = Message("missing.no_sentence_with_values")
NO_UNITS = Message("missing.no_reference_sentences")
PUBLISHED_NEEDS = ("prediction", "references", "task")


@metric("Correct", kind="answers")
def correct(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Correct: 1 if the answer gives a reference by value, whatever its words, and nothing else in its place.

    Formula: [the answer to the question is a value of the references]
    Convention: a reference that is a number, a sum, a date, a percentage, or yes or no is judged as that: six days is
        6 days and not six months, 42,000 元 is 4.2 万元. Other references are names or texts, each an alias of the
        others, complete in the answer; values in them may be in words or digits. Citation marks are no words. An answer
        that lists several values or names, doubts, denies or refuses gives none; with several groups of references it
        must give one of each. A paraphrase scores 0. Whether the rules could decide is the part uncertain.
    Source: the judge of `steelyard.legal` for facts
    """
    from steelyard.contexts.correctness import correctness

    return correctness(pairs)


@metric("Accurate", kind="answers", needs=("references", "contexts"))
def accurate(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Accurate: 1 if the answer is right and invents nothing; beside it, what others are and why they are not right.

    Formula: [the answer is right, as Correct has it, and everything in it is grounded, as ValuesGrounded has it]
    Convention: outcomes and causes are parts. Hallucinated: something is not grounded; wrong: everything is grounded,
        but the answer is wrong; incomplete: a wrong answer that states nothing, because it refuses, is blank, or copies
        most of several contexts; uncertain: undecided, because a verdict in doubt could change the outcome (Correct, a
        refusal, or, where the answer is not wrong for certain, nothing but names that are not grounded, or anything in
        more than two sentences). Where more than a fifth is undecided, there is a range and no mean. A decided answer
        that is not right has the first cause that applies: invented (something is not grounded), retrieval_unknown
        (nothing says what the evidence is), not_retrieved (the contexts lack it, as ContextR has it; where that is
        unscored or between 0 and 1, it is there if they have a reference), misread (the answer has a value or words of
        the evidence), not_used.
    Source: three outcomes of Magesh and others (Journal of Empirical Legal Studies, 2025), whose hallucinated answers
        include the wrong ones, with the judges of `steelyard.legal` in place of people; causes after Legal RAG Bench
        (2026)
    """
    from steelyard.contexts.attribution import accuracy

    return accuracy(pairs)


@metric("ValuesGrounded", kind="answers", needs=("prediction", "contexts"))
def grounded(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Values grounded: 1 if every figure, name and quotation of the answer is found in the contexts or in the question.

    Formula: [every value of the answer is in the contexts or in the question, or follows from them]
    Convention: this is not faithfulness: of 730 sentences of MEMERAG that experts call unsupported it finds 99. What
        an answer says of its values, and sentences without values, are not checked. Values are amounts, dates,
        numbers, addresses, articles, names and quotations; they are compared, not their spellings (42,000 元 is 4.2
        万元); what the answer computes from values of the contexts follows; all contexts are one text. An answer that
        states no value is grounded; a blank one scores 0, and so does one that is too long to be judged. Where
        nothing but names, places and marks is not grounded, the part uncertain is 1. An article needs its title,
        where the answer gives one: under it in the contexts, or named there beside an article without a title. An
        address of the web is in the text or the id of a context, or above one that is. Numbers of lists, labels,
        citation marks and links of Markdown are no values. Names of a single word and titles without an article are
        not checked.
    Source: the judge of `steelyard.legal`
    """
    from steelyard.contexts.grounding import judge

    return judge(pairs).grounded()


@metric("GroundedValues", kind="answers", needs=("prediction", "contexts"), unscored=NO_VALUES)
def grounded_values(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Grounded values: the share of the figures, names and quotations of the answer that are found in the contexts.

    Formula: |values of the answer in the contexts| / |values of the answer that the question does not give|
    Convention: as ValuesGrounded; a value inside a quotation is part of it. An answer without such values is
        unscored; a blank one scores 0.
    Source: the judge of `steelyard.legal`
    """
    from steelyard.contexts.grounding import judge

    return judge(pairs).shares()


@metric("Ungrounded", kind="answers", needs=("prediction", "contexts"), bounds=(0.0, np.inf))
def ungrounded(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Number of figures, names and quotations of an answer that are not grounded; less is better.

    Formula: |values of the answer that are neither in the contexts nor in the question, nor follow from them|
    Convention: as ValuesGrounded; a blank or missing answer is unscored, because it states nothing.
    Source: the judge of `steelyard.legal`
    """
    from steelyard.contexts.grounding import judge

    return judge(pairs).counts()


@metric("Refusal", kind="answers", needs=("prediction",))
def refusal(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Refusal: 1 if the answer says that what was asked is absent or unknown, and does not supply it after all.

    Formula: [the answer refuses]
    Convention: the question decides what is asked. Neither more nor less is better. With a column or tag `answerable`
        there are two parts, of which less is better and which are compared in its place: over_refusal, the share of
        answerable questions that are refused, and missed_refusal, the share of the others that are answered. A blank
        answer is no refusal, and counts in neither part. Whether the rules could decide is the part uncertain.
    Source: the judge of `steelyard.legal`; over-refusal as in RGB, AAAI 2024 (negative rejection)
    """
    from steelyard.contexts.refusals import refusals

    return refusals(pairs)


@metric("CitationP", kind="answers", needs=("prediction", "contexts"), unscored=NO_CITATIONS)
def citation_precision(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Citation precision: the share of inline citations that support the values and quotations of their sentence.

    Formula: |citations that support| / |citations of sentences with values, and citations of nothing|
    Convention: [1], [1,2], [1-3], [doc3], 【2】 and ［２］, and marks of products: [ID:0] and ##0$$ from 0,
        24 hex digits in brackets before (CITE) by id; a citation stands in its sentence or
        after it. What is in the brackets is the id of a context if it equals one, else a position from 1 on; a number
        without a context is wrong. A citation supports if the contexts cited for the sentence together have all its
        values, and this one has them all alone, or one that no other has: more citations than needed are wrong. Values
        that the question gives need no support. A citation in a sentence without values counts neither way; unscored if
        none counts.
    Source: ALCE citation precision (Gao and others, EMNLP 2023), with values in place of an entailment model
    """
    from steelyard.contexts.evidence import citation_scores

    return citation_scores(pairs).precision


@metric("CitationR", kind="answers", needs=("prediction", "contexts"), unscored=NO_CITED_VALUES)
def citation_recall(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Citation recall: the share of sentences with values or quotations whose cited contexts have them all.

    Formula: |sentences with values that the contexts they cite support| / |sentences with values|
    Convention: as CitationP; an answer that cites nothing scores 0, one without values is unscored.
    Source: ALCE citation recall (Gao and others, EMNLP 2023), with values in place of an entailment model
    """
    from steelyard.contexts.evidence import citation_scores

    return citation_scores(pairs).recall


@metric("ContextP", kind="answers", needs=("evidence",), unscored=NO_UNITS)
def context_precision(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Context precision: the share of the contexts that are wanted.

    Formula: |contexts that are reference contexts by id, or that have a sentence of the reference| / |contexts|
    Convention: by id if the row has ids of both, the rank does not matter, and a context counts once. Else a context
        has a sentence if it has its words, whatever the punctuation, or all its values; sentences are those of the
        reference contexts, else of the references, there those with values or of few words (see ContextR). Nothing
        retrieved scores 0.
    Source: RAGAS IDBasedContextPrecision; without ids, the judge of `steelyard.legal`
    """
    from steelyard.contexts.evidence import evidence_scores

    return evidence_scores(pairs).precision


@metric("ContextR", kind="answers", needs=("evidence",), unscored=NO_UNITS)
def context_recall(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Context recall: the share of what is wanted that the contexts have.

    Formula: |reference contexts retrieved, by id, or sentences of the reference that the contexts have| / |all of them|
    Convention: as ContextP, all contexts being one text; of several references of one group the best one counts, and
        groups count equally. A sentence without values that is one character or a yes or no is not looked for, nor is
        one of an answer that is longer than three words (six Chinese characters): documents may say it in other words.
    Source: RAGAS IDBasedContextRecall; without ids, the judge of `steelyard.legal`
    """
    from steelyard.contexts.evidence import evidence_scores

    return evidence_scores(pairs).recall


@metric("EvidenceRecall", kind="answers", needs=("contexts", "reference_contexts"))
def evidence_recall(pairs: AnswerBatch, profile: Profile, *, k: int | None = None) -> FloatArray:
    """Evidence recall: the share of the required passages that stand in the first k contexts.

    Formula: |required passages found in the first k contexts| / |required passages|
    Convention: required passages are the reference contexts; of a question of the legal benchmark its critical
        passages, all of them if none is critical, of a control without any the required quotation. A passage is found
        in a context that quotes it, whatever the punctuation, never inside a longer number; or in two contexts among
        the first k whose texts join to it, in either order: it is cut in two, or the contexts overlap. Beside it RR and
        nDCG are those of rankings, with gain 1 for each context that is the first to have some passage (or one of the
        first two that have it together); a context that only repeats passages gains 0, and in the ideal ranking every
        passage that is not found has a further context. Nothing retrieved scores 0.
    Source: recall over the passages that a question requires, found as quotations are by `steelyard.legal`
    """
    from steelyard.contexts.chunks import places_in
    from steelyard.legal.evidence.retrieved import recall

    return np.array([recall(places, k or np.inf) for places in places_in(pairs)], np.float64)


@metric("EvidenceHit", kind="answers", needs=("contexts", "reference_contexts"))
def evidence_hit(pairs: AnswerBatch, profile: Profile, *, k: int | None = None) -> FloatArray:
    """Evidence hit: 1 if all required passages stand in the first k contexts.

    Formula: [EvidenceRecall@k = 1]
    Convention: as EvidenceRecall.
    Source: as EvidenceRecall
    """
    from steelyard.contexts.chunks import places_in
    from steelyard.legal.evidence.retrieved import hit

    return np.array([hit(places, k or np.inf) for places in places_in(pairs)], np.float64)


@metric("SpanP", kind="answers", needs=("spans",))
def span_precision(
    pairs: AnswerBatch, profile: Profile, *, k: int | None = None, chars: int | None = None
) -> FloatArray:
    """Span precision: the share of the retrieved characters that are reference characters.

    Formula: |characters in both| / |characters of the first k contexts, or the first `chars` of them|
    Convention: spans are half-open, [start, end); overlapping spans are merged on both sides, so that no character
        counts twice, nor takes of `chars`. Of the context that exceeds `chars` the beginning counts. Nothing retrieved
        scores 0.
    Source: LegalBench-RAG precision@k (Pipitone and Alami, 2024), which counts overlaps twice
    """
    from steelyard.contexts.evidence import span_scores

    return span_scores(pairs, k, chars).precision


@metric("SpanR", kind="answers", needs=("spans",))
def span_recall(pairs: AnswerBatch, profile: Profile, *, k: int | None = None, chars: int | None = None) -> FloatArray:
    """Span recall: the share of the reference characters that were retrieved.

    Formula: |characters in both| / |characters of the reference contexts|
    Convention: as SpanP. `SpanR(chars=2000)` compares chunks of different sizes by equal characters, not by equal k.
    Source: LegalBench-RAG recall@k (Pipitone and Alami, 2024), which counts overlaps twice
    """
    from steelyard.contexts.evidence import span_scores

    return span_scores(pairs, k, chars).recall


@metric("SpanIoU", kind="answers", needs=("spans",))
def span_union(pairs: AnswerBatch, profile: Profile, *, k: int | None = None, chars: int | None = None) -> FloatArray:
    """Span intersection over union: how much the retrieved and the reference characters are the same.

    Formula: |characters in both| / |characters in either|
    Convention: as SpanP.
    Source: Smith and Troynikov, Chroma technical report, 2024, by characters; it counts overlaps twice
    """
    from steelyard.contexts.evidence import span_scores

    return span_scores(pairs, k, chars).union


@metric("Published", kind="answers", needs=PUBLISHED_NEEDS, bounds=(-np.inf, 1.0))
def published(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Published: the score of the answer as the script of a published benchmark computes it, misreadings included.

    Formula: that of the task, which is a column or tag `task`, in the script of the profile
    Convention: the whole output counts, and the first reference. A row that the script leaves out is unscored with the
        reason. The part abstained is 1 where the script finds nothing to score. Numbers that LawBench reads with cn2an
        are read with it (extra `lawbench`); a term that is far too long scores below 0.
    Source: LawBench, evaluation_functions (Fei and others, EMNLP 2024)
    """
    from steelyard.contexts.published import published

    return published(pairs, profile)


@metric("LabelEM", kind="answers", needs=PUBLISHED_NEEDS)
def label_match(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Label match: 1 if the answer names exactly the labels of the reference.

    Formula: [labels of the answer = labels of the reference]
    Convention: labels are those of the closed list of the task; one within a longer one is not named. A reference
        without a label of the list is unscored.
    Source: LawBench 2-2, 2-4
    """
    from steelyard.contexts.published import label_scores

    return label_scores(pairs, lambda found, wanted: float(found == wanted))


@metric("LabelF1", kind="answers", needs=PUBLISHED_NEEDS)
def label_f1(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Label F1: the labels that answer and reference share.

    Formula: 2 · P · R / (P + R) over sets of labels
    Convention: as LabelEM.
    Source: LawBench 2-3
    """
    from steelyard.contexts.published import label_scores
    from steelyard.legal.published.lawbench import set_f1

    return label_scores(pairs, set_f1)


@metric("EntityF1", kind="answers", needs=PUBLISHED_NEEDS)
def entity_f1(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Entity F1: entities that answer and reference share by kind, in part by their characters.

    Formula: 2 · P · R / (P + R); P = Σ CharF1 / |kinds of the answer|, R = Σ CharF1 / |kinds of the reference|
    Convention: an entity follows its kind and a colon, and ends at a line, a semicolon or the next kind; the first of
        each kind counts. One that is said to be absent (无, 未提及) is none; with none on both sides the score is 1.
    Source: LawBench 2-6
    """
    from steelyard.legal.published.lawbench import entities_in, entity_f1

    return pairs.best(pairs.compare_texts(lambda answer, wanted: entity_f1(entities_in(answer), entities_in(wanted))))


@metric("Amount", kind="answers")
def amount(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Amount: 1 if the answer has the amount of the reference, by value.

    Formula: [some amount of the answer = some amount of a reference]
    Convention: sums and plain numbers by value: 4.2万元 is 42,000元. Other amounts of the answer do not matter. A
        reference without an amount is compared as a text.
    Source: LawBench 3-7, which compares numbers in digits whatever their units
    """
    from steelyard.legal.published.lawbench import same_amount

    return pairs.best(pairs.compare_texts(same_amount))
