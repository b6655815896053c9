"""`python -m bench.cheats`: what systems that know the document, but not the key, earn; into explanation/verdicts.md.

The systems are those of `tests/legal/cheats.py`, on the bundled benchmark; `--write` puts the table into the pages.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import chain
from statistics import fmean
from typing import Any, Final

from bench.markdown import Row, render_grid
from bench.pages import pages_of, write_part
from bench.processes import PROJECT
from steelyard.documents.pages import Document
from steelyard.legal import judge
from steelyard.legal.benchmark.questions import benchmark_folder, load_benchmark
from steelyard.legal.question_types import types_by_name
from steelyard.systems import baseline

System = Callable[[str, Document], dict[str, Any]]
TYPES: Final = tuple(types_by_name())


def systems() -> dict[str, System]:
    """Return the baseline, the honest system with the retrieval of the others, piles of passages, and the cheats."""
    sys.path.insert(0, str(PROJECT / "tests"))
    from legal.cheats import CHEATS, honest_line, nearest  # type: ignore[import-not-found]

    def pile(count: int) -> System:
        def answer(question: str, document: Document) -> dict[str, Any]:
            passages = nearest(question, document, count)
            return {**honest_line(question, document), "answer": "\n".join(each.text for each in passages)}

        return answer

    def embedded(question: str, document: Document) -> dict[str, Any]:
        return dict(baseline.answer(question, baseline.Index(list(baseline.passages_of(document)))))

    return {
        "builtin:baseline": embedded,
        "honest_line": honest_line,
        "two_passages": pile(2),
        "three_passages": pile(3),
        **CHEATS,
    }


def rows() -> Iterator[Row]:
    """Yield the mean score of each system by type of question, over all questions, and the share that it passes."""
    bundled = load_benchmark(benchmark_folder())
    for name, system in systems().items():
        scores: dict[str, list[float]] = defaultdict(list)
        passed = []
        for question in bundled.questions:
            document = bundled.documents[question.about.document]
            verdict = judge(question, system(question.about.question, document), document)
            scores[question.about.type].append(verdict.score)
            passed.append(verdict.parts["passed"])
        means = [fmean(scores[each]) for each in TYPES] + [fmean(chain.from_iterable(scores.values()))]
        yield f"`{name}`", *(f"{mean:.2f}" for mean in means), f"{fmean(passed):.0%}"


def main(arguments: list[str]) -> None:
    table = render_grid(("system", *(f"`{name}`" for name in TYPES), "all", "passed"), list(rows()))
    print(table)
    for page in pages_of("explanation/verdicts.md") if arguments == ["--write"] else ():
        write_part(page, "cheats", table)


if __name__ == "__main__":
    main(sys.argv[1:])
