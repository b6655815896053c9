"""Take the pictures of reports that the pages show, in both languages: `python docs/screenshots.py`.

Needs Chromium, playwright (dependency group `dev`) and a font with Chinese characters.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
REPORTS = {
    "legal": ("bench", "--system", "builtin:baseline"),
    "leaderboard": ("retrieval", "data/qrels.txt", "data/run_a.txt", "data/run_b.txt", "data/run_c.txt"),
}
"""The commands that write the reports."""
PICTURES = {
    "report-legal": ("legal", 1280, 860),
    "report-item": ("legal", 1280, 860),
    "report-leaderboard": ("leaderboard", 1280, 760),
}
"""The report of each picture, and the size of the window."""
ITEM = "contract_fact_003"


def main() -> None:
    """Write all pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for language in ("en", "zh"):
            target = FOLDER / language / "screenshots"
            target.mkdir(exist_ok=True)
            for name, words in REPORTS.items():
                page = Path(folder, f"{name}-{language}.html")
                command = [sys.executable, "-m", "steelyard", *words, "-o", str(page), "--lang", language, "--quiet"]
                subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            for name, (report, width, height) in PICTURES.items():
                page = Path(folder, f"{report}-{language}.html")
                _take(browser, page, target / f"{name}.png", (width, height))


def _take(browser: Browser, page: Path, target: Path, size: tuple[int, int]) -> None:
    tab = browser.new_page(viewport={"width": size[0], "height": size[1]})
    tab.goto(page.as_uri())
    if target.stem == "report-item":
        tab.locator("li", has_text=ITEM).locator("a").first.click()
    tab.wait_for_timeout(500)
    tab.screenshot(path=target)
    tab.close()


if __name__ == "__main__":
    main()
