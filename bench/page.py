"""`python -m bench.page`: the page of two results with ten thousand items in a browser.

Seconds to write the page, to its first list, for a filter, a search and a sorting until the list is drawn again, and
milliseconds of a frame while the list is scrolled from its first item to its last. Needs Chromium and Playwright.
"""

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from steelyard.reports.content import Report
from steelyard.reports.render.html.report_html import render_html
from steelyard.table import Column, Table

ROUNDS: Final = 5
LETTERS: Final = [chr(0x4E00 + number) for number in range(3000)]
DRAWN: Final = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
SCROLL: Final = """async () => {
  const grid = document.querySelector(".list-grid");
  const times = [];
  for (let step = 0; step <= 120; step += 1) {
    const start = performance.now();
    grid.scrollTop = (grid.scrollHeight * step) / 120;
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    times.push(performance.now() - start);
  }
  return times;
}"""


def table(items: int, name: str, shift: float) -> Table:
    """Return a result with questions, answers, notes and two tags."""
    scores = (np.arange(items) * 7 % 101 / 100 + shift).clip(0, 1)
    texts = ["".join(LETTERS[(row * 31 + place * place) % 3000] for place in range(200)) for row in range(items)]
    notes = {row: f"第 {row % 40 + 1} 页没有这句话" for row in range(items)}
    return Table(
        [f"item-{row}" for row in range(items)],
        {"F1": Column(scores, notes=notes, bounds=(0.0, 1.0))},
        name=name,
        tags={
            "type": [f"type {row % 5}" for row in range(items)],
            "document": [f"doc {row % 40}" for row in range(items)],
        },
        outputs=[{"question": f"第{row}题：{text[:40]}", "answer": text} for row, text in enumerate(texts)],
    )


def timed(action: Callable[[], Any]) -> float:
    """Return the median seconds of an action."""
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


def measure(page: Any, address: str) -> dict[str, float]:
    """Return seconds of each step, and the milliseconds of frames while scrolling."""

    def load() -> None:
        page.goto("about:blank")
        page.goto(address)
        page.wait_for_selector("html[data-ready]")

    def after(action: Callable[[], Any]) -> Callable[[], None]:
        def act() -> None:
            action()
            page.evaluate(DRAWN)

        return act

    types = page.locator("#filters select:has(option:text-is('type 1'))")
    found = {"first list s": timed(load)}
    page.wait_for_timeout(1500)  # texts to search in are prepared while nobody waits
    steps = {
        "filter s": lambda: (types.select_option(label="type 1"), types.select_option(index=0)),
        "search s": lambda: (page.fill("#search", "item-9999"), page.fill("#search", "")),
        "sort s": lambda: page.click("[data-key=id] .sort"),
    }
    found |= {name: timed(after(action)) for name, action in steps.items()}
    frames = sorted(page.evaluate(SCROLL))
    return {
        **found,
        "scroll ms (median)": statistics.median(frames),
        "scroll ms (95 %)": frames[len(frames) * 95 // 100],
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Write the page, open it, and print the figures."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    arguments = parser.parse_args(argv)
    report = Report([table(arguments.items, "old", 0.0), table(arguments.items, "new", 0.05)])
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "page.html"
        start, cpu = time.perf_counter(), time.process_time()
        path.write_text(render_html(report), encoding="utf-8")
        print(f"{'written s':20} {time.perf_counter() - start:8.2f}")
        print(f"{'written CPU s':20} {time.process_time() - cpu:8.2f}")
        print(f"{'MB':20} {path.stat().st_size / 1e6:8.2f}")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        for name, value in measure(page, path.as_uri()).items():
            print(f"{name:20} {value:8.3f}")


if __name__ == "__main__":
    main()
