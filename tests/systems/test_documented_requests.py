"""The requests that the guide to legal questions shows are those that are sent, in both languages."""

import json
import re
from pathlib import Path

import commands
import pytest
from systems.server import Answer

from steelyard.documents.pages import Document, Page
from steelyard.systems.base import Ask, SystemSettings, open_system

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = {"en": "## What a system is sent", "zh": "## 发给系统的内容"}
PAGES = {
    "en": ("3. Rent. The rent is $1,850 per month.", "4. Deposit. The deposit is $5,550."),
    "zh": ("第三条　每月租金为13500元。", "第四条　押金为40500元。"),
}
COMPLETION = {"answer": "x", "choices": [{"message": {"content": "x"}}]}


def guide(language):
    return (DOCS / language / "guides" / "legal.md").read_text("utf-8")


def documented(language):
    """The two bodies of the section: of `http:`, and of `openai:`."""
    section = guide(language).partition(SECTIONS[language])[2].partition("\n## ")[0]
    return [json.loads(block) for block in re.findall(r"```json\n(.*?)```", section, re.DOTALL)]


@pytest.mark.parametrize("language", SECTIONS)
def test_the_bodies_are_those_that_are_sent(serve, language):
    plain, chat = documented(language)
    document = Document("lease.md", tuple(Page(number, text, ()) for number, text in enumerate(PAGES[language], 1)), "")
    settings, ask = SystemSettings(documents={"lease.md": document}), Ask(**plain)
    server = serve(Answer("x"))
    open_system(server.url, settings).ask(ask)
    assert server.bodies == [plain]
    server = serve(Answer(COMPLETION))
    open_system(f"openai:MODEL@{server.url}/v1", settings).ask(ask)
    ((path, _, body),) = server.requests
    assert (path, body) == ("/v1/chat/completions", chat)


@pytest.mark.parametrize("language", SECTIONS)
def test_the_key_of_the_environment(serve, tmp_path, language):
    text = guide(language)
    assert "`OPENAI_API_KEY`" in text
    assert "`Authorization: Bearer KEY`" in text
    assert commands.run("new", "case", cwd=tmp_path).returncode == 0

    def sent(spec, *words, **environment):
        server = serve(Answer(COMPLETION))
        words = ("--system", spec.replace("URL", server.url), "--limit", "1", "-o", "r.jsonl", "--overwrite", *words)
        assert commands.run("bench", "case", *words, cwd=tmp_path, **environment).returncode == 0
        ((_, headers, _),) = server.requests
        return [value for name, value in headers.items() if name.lower() == "authorization"]

    assert sent("openai:m@URL", OPENAI_API_KEY="sk-1") == ["Bearer sk-1"]
    assert sent("openai:m@URL", OPENAI_API_KEY="") == []
    assert sent("URL", OPENAI_API_KEY="sk-1") == []
    assert sent("openai:m@URL", "--header", "authorization: Bearer other", OPENAI_API_KEY="sk-1") == ["Bearer other"]
