"""Metrics of answers about law: statutes and charges as sets, terms of imprisonment and fines as numbers."""

from steelyard.answers.batch import AnswerBatch
from steelyard.answers.profiles import Profile
from steelyard.i18n import Message
from steelyard.registry.metrics import Scored, metric
from steelyard.table import FloatArray

NO_STATUTES = Message("missing.no_statutes")
NO_CHARGES = Message("missing.no_charges")
NO_TERM = Message("missing.no_term")
NO_FINE = Message("missing.no_fine")
NO_KNOWN_STATUTES = Message("missing.no_known_statutes")
_COUNTS = ("given", "wanted", "found")


@metric("StatuteP", kind="answers", needs=("references",), unscored=NO_STATUTES)
def statute_precision(pairs: AnswerBatch, profile: Profile, *, depth: int | None = None) -> FloatArray:
    """Statute precision: the share of the statutes that the answer names which the reference names.

    Formula: |statutes in both| / |statutes of the answer|
    Convention: statutes are values: 《中华人民共和国刑法》第二百六十四条 is 刑法264条; ranges and lists are all their
        articles; one without a title has that of the one before. A paragraph or an item counts as far as the reference
        has it. An article without any title is that of the reference. Of several references of a group the best one
        counts. An answer that names none scores 0; a reference that names none is unscored, whatever the answer.
        StatuteP(depth=0) compares articles alone, depth=1 paragraphs too, without a depth items too.
    Source: LawBench 3-1, whose script takes one number of each piece between 、, also of a sum, without 之一; JuDGE,
        whose script scores an empty set 0 also where nothing is wanted, and reads no Arabic numerals
    """
    from steelyard.contexts.law import statute_scores

    return statute_scores(pairs, profile, depth).of(lambda counts: counts.precision)


@metric("StatuteR", kind="answers", needs=("references",), unscored=NO_STATUTES)
def statute_recall(pairs: AnswerBatch, profile: Profile, *, depth: int | None = None) -> FloatArray:
    """Statute recall: the share of the statutes of the reference that the answer names.

    Formula: |statutes in both| / |statutes of the reference|
    Convention: as StatuteP.
    Source: LawBench 3-1; JuDGE
    """
    from steelyard.contexts.law import statute_scores

    return statute_scores(pairs, profile, depth).of(lambda counts: counts.recall)


@metric("StatuteF", kind="answers", needs=("references",), unscored=NO_STATUTES, counts=_COUNTS)
def statute_f(pairs: AnswerBatch, profile: Profile, *, beta: float = 1.0, depth: int | None = None) -> Scored:
    """Statute F: precision and recall of the statutes that the answer names.

    Formula: (1 + β²) · P · R / (β² · P + R)
    Convention: as StatuteP; the mean over items is the macro average. The parts given, wanted and found are counts, of
        which the report makes micro averages. COLIEE has β = 2. JuDGE makes F of the means of P and of R instead.
    Source: LawBench 3-1; JuDGE; COLIEE tasks 3 and 4
    """
    from steelyard.contexts.law import statute_scores

    return statute_scores(pairs, profile, depth).scored(beta)


@metric("StatuteCAIL", kind="answers", needs=("references",), unscored=NO_STATUTES)
def statute_cail(pairs: AnswerBatch, profile: Profile, *, depth: int | None = None) -> FloatArray:
    """Statutes as CAIL scores them: 1 if all are right, 0.3 for a part of them without a wrong one, else 0.

    Formula: 1 if P = R = 1; 0.3 if P = 1 and 0 < R < 1; else 0
    Convention: as StatuteP; an answer that names none scores 0.
    Source: CAIL 2025, numerical computation in law: article_answer
    """
    from steelyard.contexts.law import statute_scores

    return statute_scores(pairs, profile, depth).of(lambda counts: counts.cail)


@metric("StatuteKnown", kind="answers", needs=("prediction",), unscored=NO_KNOWN_STATUTES)
def statute_known(pairs: AnswerBatch, profile: Profile) -> Scored:
    """Known statutes: the share of the articles that the answer names which the given corpus of statutes has.

    Formula: |articles of the answer in the corpus| / |articles of the answer of statutes that the corpus has|
    Convention: needs --statutes. Articles of statutes that are not in the corpus do not count, nor do paragraphs and
        items. An answer that names no article of a statute of the corpus is unscored, a missing one scores 0; notes
        name what does not exist.
    Source: misgrounded citations, Magesh and others, JELS 2025
    """
    from steelyard.contexts.law import known_statutes

    return known_statutes(pairs)


@metric("ChargeP", kind="answers", needs=("references",), unscored=NO_CHARGES)
def charge_precision(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Charge precision: the share of the charges of the answer that the reference has.

    Formula: |charges in both| / |charges of the answer|
    Convention: charges are values: 贩卖毒品罪 is 走私、贩卖、运输、制造毒品, 帮信罪 is 帮助信息网络犯罪活动, a repealed
        name is that of the crime that has taken it in. The longest name wins (职务侵占 is not 侵占), a denied charge is
        none, and an act is none (盗窃他人财物). A text of names alone is a list of charges; of a
        judgment those after 判决如下 count. Of several references of a
        group the best one counts. An answer without any scores 0; a reference without any is unscored.
    Source: LawBench 3-3, whose script finds 侵占 in 职务侵占, a denied charge, and no name beside its 189; JuDGE
    """
    from steelyard.contexts.law import charge_scores

    return charge_scores(pairs, profile).of(lambda counts: counts.precision)


@metric("ChargeR", kind="answers", needs=("references",), unscored=NO_CHARGES)
def charge_recall(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Charge recall: the share of the charges of the reference that the answer has.

    Formula: |charges in both| / |charges of the reference|
    Convention: as ChargeP.
    Source: LawBench 3-3; JuDGE
    """
    from steelyard.contexts.law import charge_scores

    return charge_scores(pairs, profile).of(lambda counts: counts.recall)


@metric("ChargeF", kind="answers", needs=("references",), unscored=NO_CHARGES, counts=_COUNTS)
def charge_f(pairs: AnswerBatch, profile: Profile, *, beta: float = 1.0) -> Scored:
    """Charge F: precision and recall of the charges of the answer.

    Formula: (1 + β²) · P · R / (β² · P + R)
    Convention: as ChargeP and StatuteF.
    Source: LawBench 3-3; JuDGE
    """
    from steelyard.contexts.law import charge_scores

    return charge_scores(pairs, profile).scored(beta)


@metric("TermLog", kind="answers", needs=("references",), unscored=NO_TERM)
def term_log(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Term of imprisonment by LawBench's logarithmic distance: 1 for the same number of months.

    Formula: max(0, (ln 216 - |ln(a + 1) - ln(b + 1)|) / ln 216), a and b in months
    Convention: terms are values: 一年六个月 is 18 months; what is executed in all (决定执行) wins over single terms; a
        range is none. An answer without a term scores 0, as do death and life. A reference without a term, or with
        death or life, is unscored; 0个月 is a term of no months.
    Source: LawBench 3-4 and 3-5, whose script reads 一年六个月 as 6 months, 12月 of a date as one, and
        goes below 0
    """
    from steelyard.contexts.law import term_logs

    return term_logs(pairs, profile)


@metric("TermRatio", kind="answers", needs=("references",), unscored=NO_TERM)
def term_ratio(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Term of imprisonment by JuDGE's ratio: 1 for the same number of months, 0.5 for half of it.

    Formula: 1 - |a - b| / max(a, b), a and b in months
    Convention: as TermLog; death, death with a reprieve and life are equal to themselves alone. After 判决如下 the
        terms of all persons are added up. A reference without a term is unscored, whatever the answer.
    Source: JuDGE, whose script has life as 240 months, adds single terms to what is executed in all, and scores items
        where only the answer has a term, so that their number depends on the answers
    """
    from steelyard.contexts.law import term_ratios

    return term_ratios(pairs, profile)


@metric("FineRatio", kind="answers", needs=("references",), unscored=NO_FINE)
def fine_ratio(pairs: AnswerBatch, profile: Profile) -> FloatArray:
    """Fine by JuDGE's ratio: 1 for the same sum, 0.5 for half of it.

    Formula: 1 - |a - b| / max(a, b)
    Convention: 罚金 and 罚款 as money, several added up; confiscation, damages and ranges are none. Sums in different
        currencies score 0. A reference without a fine is unscored, whatever the answer.
    Source: JuDGE, whose script drops equal fines, and scores items where only the answer has a fine
    """
    from steelyard.contexts.law import fine_ratios

    return fine_ratios(pairs, profile)
