"""Kinds of results: what is particular to each, and where the code for it is.

An evaluator registers its kind here, so that results files and reports need not know any kind by name. Locations are
modules, imported only when a result of that kind is checked or shown. A distribution adds a kind by an entry point in
the group `steelyard.kinds`: its name is the kind, and it points to a `Kind`. A kind, or the user, declares whether
more or less is better of a metric or of a part of one.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final, Protocol, cast

from steelyard.i18n import Message
from steelyard.registry.entry_points import EntryPointGroup
from steelyard.registry.judged import judge_called
from steelyard.registry.metrics import REGISTRY

Scores = Mapping[str, float | None]
COSTS: Final = ("Seconds", "Tokens", "Cost")
"""The metrics of what a reply costs, which say nothing of its quality."""


class Checks(Protocol):
    """The checks of items that a kind adds to those of all results files."""

    def check_item(self, item: Mapping[str, Any], where: str) -> None:
        """Refuse an item that no result of this kind can have; fields that only this kind has are checked here."""

    def is_consistent(self, scores: Scores, parts: Mapping[str, Scores], *, failed: bool) -> bool:
        """Return whether the score of an item is what its parts come to."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of result; `metric` is the metric that every result of the kind has, if there is one.

    `title` is the code of the text that says what was evaluated. `metrics` are modules that register its metrics;
    `checks` is one that checks items of a results file of this kind (`Checks`); `report` is a class, as `module:Class`,
    with what only this kind has in reports (`reports.kinds.KindReport`). None is for nothing to add. `lower_is_better`
    names the columns of which less is better, as rules and `compare -m` name them; `undirected` those of which neither
    is; of all others more is better. A result has the metrics `of_contexts` if the system returned contexts with some
    item; they need not be in the header of its file.
    """

    name: str
    title: str = ""
    metric: str | None = None
    metrics: tuple[str, ...] = ()
    checks: str | None = None
    report: str | None = None
    lower_is_better: frozenset[str] = frozenset()
    undirected: frozenset[str] = frozenset()
    of_contexts: tuple[str, ...] = ()

    def load_metrics(self) -> None:
        """Import the modules that register the metrics."""
        for module in self.metrics:
            import_module(module)

    def load_checks(self) -> Checks | None:
        """Return the module `checks`, imported."""
        return cast(Checks, import_module(self.checks)) if self.checks else None

    def load_report(self) -> Callable[[], Any] | None:
        """Import the class `report`."""
        module, _, name = (self.report or "").partition(":")
        return getattr(import_module(module), name) if module else None


CUTOFFS: Final = (1, 5, 10)
"""The cut-offs of metrics of evidence, if none are given."""
_EVIDENCE: Final = ("EvidenceRecall@1", "EvidenceRecall@5", "EvidenceRecall@10", "EvidenceHit@1", "EvidenceHit@5")
BUILT_IN: Final = (
    Kind(
        "retrieval",
        "report.rankings",
        metrics=("steelyard.retrieval.metrics", "steelyard.retrieval.trec_metrics"),
        report="steelyard.retrieval.report:RankingReport",
        lower_is_better=frozenset(("RBPresid", "Unjudged", "NumNonrelRet")),
    ),
    Kind(
        "answers",
        "report.answers",
        metrics=(
            "steelyard.answers.metrics",
            "steelyard.contexts.metrics",
            "steelyard.contexts.law_metrics",
            "steelyard.contexts.judge",
            "steelyard.contexts.cail2025",
        ),
        report="steelyard.contexts.report:ContextReport",
        lower_is_better=frozenset(
            (
                *COSTS,
                *("Ungrounded", "Invented"),  # its earlier name
                *("Refusal.over_refusal", "Refusal.missed_refusal", "Correct.uncertain", "ValuesGrounded.uncertain"),
                *("Accurate.hallucinated", "Accurate.wrong", "Accurate.uncertain"),
                *(
                    "Hallucination",
                    "Faithfulness.contradicted",
                    "Faithfulness.not_found",
                    "Faithfulness.unknown",
                    "Faithfulness.unquoted",
                ),
            )
        ),
        undirected=frozenset(
            (
                *("Refusal", "Refusal.uncertain", "Refused"),
                *("Accurate.incomplete", "Accurate.invented", "Accurate.not_retrieved", "Accurate.not_used"),
                *("Accurate.misread", "Accurate.retrieval_unknown"),
            )
        ),
    ),
    Kind(
        "scores",
        "report.scores",
        report="steelyard.contexts.report:ContextReport",
        # of RAGAS and of lm-evaluation-harness
        lower_is_better=frozenset(
            (
                *("noise_sensitivity", "noise_sensitivity(mode=relevant)", "noise_sensitivity(mode=irrelevant)"),
                *("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "brier_score", "ter"),
            )
        ),
    ),
    Kind(
        "legal",
        "report.legal_questions",
        metric="legal",
        checks="steelyard.legal.recorded",
        report="steelyard.legal.report.sections:LegalReport",
        lower_is_better=frozenset(
            ("legal.uncertain", "legal.invented", "legal.wrong_refusal", "legal.wrong_answer"),
        ),
        of_contexts=(*_EVIDENCE, "EvidenceHit@10", "RR", "nDCG@1", "nDCG@5", "nDCG@10"),
    ),
)
INSTALLED: Final = EntryPointGroup[Kind](
    "steelyard.kinds", Message("plugins.kind"), lambda value: isinstance(value, Kind)
)
_BY_NAME: Final = {kind.name: kind for kind in BUILT_IN}
# kinds that were asked for: listing the installed packages takes milliseconds
_OTHERS: Final[dict[str, Kind]] = {}


def register_all() -> None:
    """Register the metrics of every built-in kind."""
    for kind in BUILT_IN:
        kind.load_metrics()


def family_of(kind: str, metric: str) -> str:
    """Return with which metrics of a result a metric is tested: of replies, of contexts, or costs."""
    if metric in COSTS:
        return "costs"
    return "contexts" if metric in kind_of(kind).of_contexts else "replies"


def kind_of(name: str) -> Kind:
    """Return the kind of this name; a kind that is not registered has no hooks."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    _OTHERS[name] = INSTALLED.load(name) or Kind(name)
    return _OTHERS[name]


def _kinds() -> tuple[Kind, ...]:
    """Return the kinds of this package, and those of other results that this process has read."""
    return (*BUILT_IN, *_OTHERS.values())


_DECLARED: Final[set[str]] = set()


def lower_is_better(*names: str) -> None:
    """Declare, for this process, that less is better of columns with these names, such as "latency".

    Names of metrics of other tools say nothing about their direction; without this, more is better.
    """
    _DECLARED.update(names)


def declared() -> frozenset[str]:
    """Return the names that were declared in this process."""
    return frozenset(_DECLARED)


def is_lower_better(name: str) -> bool:
    """Return whether less is better of this column, as a kind of results or the user declares it.

    A kind declares it for every cut-off and parameter of a metric.
    """
    metric = re.split(r"[(@]", name)[0]
    return name in _DECLARED or any(metric in kind.lower_is_better for kind in _kinds())


def has_known_direction(name: str) -> bool:
    """Return whether this package says in which direction a column is better, which no file of defaults may change."""
    register_all()
    metric = re.split("[(@.]", name)[0]
    names = {*REGISTRY, *(kind.metric for kind in BUILT_IN)}
    names |= {re.split("[(@.]", column)[0] for kind in BUILT_IN for column in (*kind.lower_is_better, *kind.undirected)}
    return metric in names or judge_called(metric) not in (None, "criteria")


def is_directed(name: str) -> bool:
    """Return whether this column has a direction; a rate of refusals alone has none, unless it is declared."""
    return name in _DECLARED or not any(name in kind.undirected for kind in _kinds())


def directed_parts(name: str) -> list[str]:
    """Return the parts of a metric of which less is better."""
    return sorted(part for kind in _kinds() for part in kind.lower_is_better if part.startswith(f"{name}."))


def gain(name: str, difference: float) -> float:
    """Return the difference (newer minus older), negated if less is better."""
    return -difference if is_lower_better(name) else difference


def best(name: str) -> float:
    """Return the best value of a score between 0 and 1."""
    return 0.0 if is_lower_better(name) else 1.0
