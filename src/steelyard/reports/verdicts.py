"""What a comparison says of two results: the outcome as a code, and in words."""

from typing import Final, Literal

from steelyard.i18n import Message, Words
from steelyard.reports import cells
from steelyard.stats.compare import Comparison

OutcomeCode = Literal["report.better", "report.worse", "report.no_evidence", "gate.cannot_tell"]

TOO_FEW: Final = {True: "report.too_few_documents", False: "report.too_few_items"}
TONES: Final[dict[OutcomeCode, Literal["good", "bad"]]] = {"report.better": "good", "report.worse": "bad"}


def outcome_of(compared: Comparison) -> OutcomeCode:
    """The code of the outcome of a comparison."""
    if compared.underpowered and not compared.test.resamples:
        return "gate.cannot_tell"
    if not compared.significant:
        return "report.no_evidence"
    return "report.better" if compared.gain > 0 else "report.worse"


def verdict(compared: Comparison) -> Message:
    """The outcome, with the number of units where these are too few."""
    outcome = outcome_of(compared)
    if outcome == "gate.cannot_tell":
        return Message(TOO_FEW[compared.by_document], n=f"{compared.units:,}")
    return Message(outcome)


def verdict_lines(compared: Comparison, words: Words) -> list[str]:
    """The outcome with the numbers that it rests on, in sentences."""
    sentence = words(
        "report.verdict_line",
        difference=cells.signed(compared.difference),
        interval=cells.interval(compared.interval),
        p=cells.p_value(compared.p_adjusted),
        verdict=verdict(compared).text(words.language),
    )
    return [sentence]
