"""A real browser for pages: Debian's Chromium, driven by Playwright; skipped with a reason where there is none."""

import json
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
AXE = ROOT / "tests" / "node" / "node_modules" / "axe-core" / "axe.min.js"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")  # not longer: while Playwright runs, this thread has an event loop
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Opened:
    """Pages that are watched: what they complain of, ask of a network, or try against their policy, fails the test."""

    def __init__(self, browser):
        self._browser = browser
        self._contexts = []
        self.complaints = []

    def __call__(self, place, *, width=1280, height=900, allowed=("file:", "data:", "blob:"), **context):
        """Open a file or an address; `allowed` begins what may be asked for."""
        made = self._browser.new_context(viewport={"width": width, "height": height}, **context)
        self._contexts.append(made)
        page = made.new_page()
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda asked: self._check(asked.url, allowed))
        page.goto(place.resolve().as_uri() if isinstance(place, Path) else place)
        return page

    def _check(self, url, allowed):
        if not url.startswith(tuple(allowed)):
            self.complaints.append(f"asked for {url}")

    def close(self):
        for context in self._contexts:
            context.close()
        assert self.complaints == []


@pytest.fixture
def opened(browser):
    pages = Opened(browser)
    yield pages
    pages.close()


@pytest.fixture
def accessible():
    """A function that asserts that axe-core finds nothing serious or critical in a page."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci --prefix tests/node)")

    def check(page):
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run({resultTypes: ['violations']}).then((result) => result.violations)")
        grave = [each for each in found if each["impact"] in ("serious", "critical")]
        told = [(each["id"], each["help"], each["nodes"][0]["html"][:200]) for each in grave]
        assert grave == [], json.dumps(told, indent=1)

    return check
