"""Documentation is checked like code: generated pages are fresh, links lead somewhere, names exist, the site builds."""

import importlib.util
import pkgutil
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import ROOT

DOCS = ROOT / "docs"
LANGUAGES = ("en", "zh")
OF_THE_SITE = sorted(DOCS.glob("*/**/*.md"))
PAGES = [*ROOT.glob("*.md"), *OF_THE_SITE, *ROOT.glob("data/*.md"), *ROOT.glob("benchmark/*.md")]
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def load(name: str) -> Any:
    """A program of docs/ as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_what_the_program_says():
    generate = load("generate")
    for path, text in generate.generated():
        assert path.read_text("utf-8") == text, f"{path.name}: run `make docs`"
        if path.name == "commands.md":
            assert not [mark for mark in ("%%", "%(", "==SUPPRESS==") if mark in text]


# --- pages ---


def pages_of(language: str) -> set[str]:
    return {page.relative_to(DOCS / language).as_posix() for page in OF_THE_SITE if DOCS / language in page.parents}


def listed(entry: Any) -> list[str]:
    """The pages in a part of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for each in (entry.values() if isinstance(entry, dict) else entry) for page in listed(each)]


@pytest.mark.parametrize("name", ["mkdocs.yml", "mkdocs.zh.yml"])
def test_every_page_is_in_the_navigation_and_in_both_languages(name):
    settings = yaml.load((ROOT / name).read_text("utf-8"), Loader=yaml.UnsafeLoader)
    pages = listed(settings["nav"])
    assert len(settings["nav"]) == 5, "the home page and four parts"
    assert set(pages) == pages_of("en") == pages_of("zh")
    assert len(pages) == len(set(pages)) == 28


@each_page
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site in both languages, built from a copy; a link or an anchor that leads nowhere ends the build."""
    if importlib.util.find_spec("zensical") is None:
        pytest.skip("zensical is not installed; it is in the dependency group dev")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(DOCS, folder / "docs")
    for name in ("mkdocs.yml", "mkdocs.zh.yml"):
        shutil.copy(ROOT / name, folder)
        command = [sys.executable, "-m", "zensical", "build", "--strict", "--config-file", name]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
    return folder / "site"


def test_the_site_has_every_page_and_a_link_to_the_same_page_in_the_other_language(site):
    for page in pages_of("en"):
        english, chinese = (folder / page.replace(".md", ".html") for folder in (site, site / "zh"))
        for one, other, language in ((english, chinese, "zh"), (chinese, english, "en")):
            text = one.read_text("utf-8")
            (link,) = re.findall(rf'class="[^"]*language" href="([^"]+)" hreflang="{language}"', text)
            assert (one.parent / link).resolve() == other.resolve()


def test_the_site_loads_nothing_from_elsewhere(site):
    for path in site.rglob("*.html"):
        assert re.findall(r'(?:src|<link[^>]*href)="?https?://[^" >]+', path.read_text("utf-8")) == [], path.name


# --- what pages name ---

PACKAGE = ROOT / "src" / "steelyard"
FOLDERS = "|".join(sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py")))
MODULE = re.compile(r"(?<![\w/.<{-])((?:[\w.-]+/)*[\w-]+\.py)\b")
IN_THE_PACKAGE = re.compile(rf"`((?:{FOLDERS})/[\w./-]*)`")
CREATED_BY_READERS = {"wordcount.py", "test_items.py", "test_rag.py"}
ENTRY_POINTS = {"steelyard.formats", "steelyard.kinds", "steelyard.metrics", "steelyard.systems"}
ABOUT_TODAY = [page for page in PAGES if page.name != "CHANGELOG.md"]
each_page_about_today = pytest.mark.parametrize("page", ABOUT_TODAY, ids=lambda page: str(page.relative_to(ROOT)))


def names_a_file(name):
    """Whether a page may call a file or folder so: by its path from one of the usual roots, or by its own name."""
    roots = (ROOT, PACKAGE, ROOT / "tests", *ROOT.glob("servers/*"))
    if "/" in name or (ROOT / name).exists():
        return any((root / name).exists() for root in roots)
    return any(next(root.rglob(name), None) for root in (ROOT / "src", ROOT / "tests", ROOT / "servers", DOCS))


@each_page_about_today
def test_modules_and_folders_that_pages_name_exist(page):
    text = page.read_text("utf-8")
    names = {name for name in MODULE.findall(text) if name.rpartition("/")[2] not in CREATED_BY_READERS}
    assert [name for name in sorted(names | set(IN_THE_PACKAGE.findall(text))) if not names_a_file(name)] == []


@each_page_about_today
def test_names_of_the_package_that_pages_use_exist(page):
    text = page.read_text("utf-8").replace("steelyard.toml", "")  # a file
    for name in sorted(set(re.findall(r"\bsteelyard(?:\.[A-Za-z_]\w*)+", text)) - ENTRY_POINTS):
        assert pkgutil.resolve_name(name) is not None, name


def test_every_folder_is_in_the_tree_of_the_architecture():
    folders = [path.parent for path in PACKAGE.glob("*/__init__.py")]
    for language in LANGUAGES:
        text = (DOCS / language / "explanation" / "architecture.md").read_text("utf-8")
        assert [folder.name for folder in folders if f"  {folder.name}/" not in text] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_ci_installs_a_fixed_version_from_the_repository(language):
    for page in ABOUT_TODAY:
        assert not re.search(r"pip install \"?steelyard\"?(?![\[\w ])", page.read_text("utf-8")), page.name
    installs = re.findall("pip install (.*)", (DOCS / language / "guides" / "ci.md").read_text("utf-8"))
    assert len(installs) >= 2
    assert all(line.startswith('"steelyard @ git+https://HOST/OWNER/steelyard@v') for line in installs)


# --- README and languages ---


@pytest.mark.parametrize(("name", "language"), [("README.md", "en"), ("README.zh.md", "zh")])
def test_the_readme_is_one_screen_with_a_picture_and_the_three_ways_on(name, language):
    text = (ROOT / name).read_text("utf-8")
    assert text.count("\n") <= 62
    assert max(map(len, text.splitlines())) <= 140
    assert text.count("![") == 1
    pages = re.findall(r"[^!]\[[^\]]*\]\(docs/(.*?)\)", text)
    assert pages == [f"{language}/{page}.md" for page in ("start/first-steps", "index", "reference/commands")]
    assert all(word in text for word in ("`make demo`", "`make test`", "Apache-2.0", "trec_eval"))


HAN = "\u4e00-\u9fff"


@pytest.mark.parametrize("page", sorted(pages_of("en")))
def test_an_english_page_has_no_chinese_heading(page):
    headings = re.findall(r"^#+ .*$", (DOCS / "en" / page).read_text("utf-8"), re.MULTILINE)
    assert not [heading for heading in headings if re.search(f"[{HAN}]", heading)]


@pytest.mark.parametrize("page", sorted(pages_of("zh")))
def test_a_chinese_page_has_a_chinese_title_and_full_width_marks(page):
    text = (DOCS / "zh" / page).read_text("utf-8")
    not_prose = r"```.*?^```|`[^`\n]*`|<!--.*?-->|^\|[^\n]*$|^    [^\n]*$|[A-Z]+\([^)]*\)"
    prose = re.sub(not_prose, "", text, flags=re.DOTALL | re.MULTILINE)
    assert re.search(f"[{HAN}]", text.partition("\n")[0]) or Path(page).stem in ("python", "ultrarag")
    assert re.findall(rf".{{0,9}}[{HAN}][,;:?!](?!\d).{{0,9}}", prose) == []
