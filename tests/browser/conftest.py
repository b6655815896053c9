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
FILES = ("file:", "data:", "blob:")


@pytest.fixture(scope="module")  # not longer: while Playwright runs, this thread has an event loop
def browser():
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


class Pages:
    """Pages of the browser, used by one test after the other: a load in a new one is four times the work.

    A page keeps the settings of its context; its size and colours are those of the test, what a test stored is gone.
    """

    def __init__(self, browser):
        self._browser = browser
        self._idle = {}

    def take(self, settings):
        """A page with these settings: one that is not in use, or a new one."""
        idle = self._idle.get(repr(settings))
        return idle.pop() if idle else self._browser.new_context(**settings).new_page()

    def give_back(self, page, settings):
        """Empty a page and keep it."""
        page.context.clear_cookies()
        page.goto("about:blank")
        self._idle.setdefault(repr(settings), []).append(page)


@pytest.fixture(scope="module")
def kept_pages(browser):
    return Pages(browser)


class Opened:
    """Pages that are watched: what they complain of, ask of a network, or try against their policy, fails the test."""

    def __init__(self, pages):
        self._pages = pages
        self._taken = []
        self.complaints = []

    def __call__(self, place, *, width=1280, height=900, color_scheme="light", allowed=FILES, once=False, **settings):
        """Open a file or an address; `allowed` begins what may be asked for; `once`: the page cannot be reset."""
        page = self._pages.take(settings)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(media="screen", color_scheme=color_scheme)
        listeners = {
            "console": lambda said: said.type == "error" and self.complaints.append(said.text),
            "pageerror": lambda error: self.complaints.append(str(error)),
            "request": lambda asked: self._check(asked.url, allowed),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        self._taken.append((page, listeners, None if once else settings))
        page.goto(place.resolve().as_uri() if isinstance(place, Path) else place)
        return page

    def _check(self, url, allowed):
        if not url.startswith(tuple(allowed)):
            self.complaints.append(f"asked for {url}")

    def close(self):
        for page, listeners, settings in self._taken:
            if settings is None or len(page.context.pages) != 1:
                page.context.close()
                continue
            page.evaluate("localStorage.clear()")  # also waits for what the page still says
            for event, listener in listeners.items():
                page.remove_listener(event, listener)
            self._pages.give_back(page, settings)
        assert self.complaints == []


@pytest.fixture
def opened(kept_pages):
    pages = Opened(kept_pages)
    yield pages
    pages.close()


@pytest.fixture(scope="module")
def axe():
    """The source of axe-core."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed (npm ci --prefix tests/node)")
    return AXE.read_text(encoding="utf-8")


@pytest.fixture
def accessible(axe):
    """A function that asserts that axe-core finds nothing serious or critical in a page."""

    def check(page):
        page.evaluate(axe)
        found = page.evaluate("axe.run({resultTypes: ['violations']}).then((result) => result.violations)")
        grave = [each for each in found if each["impact"] in ("serious", "critical")]
        told = [(each["id"], each["help"], each["nodes"][0]["html"][:200]) for each in grave]
        assert grave == [], json.dumps(told, indent=1)

    return check
