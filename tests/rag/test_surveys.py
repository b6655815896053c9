"""Surveys written part by part: replies, parts, states, and the text at the end."""

import json
from typing import Any

import pytest

from steelyard import InputError
from steelyard.rag.surveys import (
    Progress,
    Rules,
    advanced,
    as_markdown,
    cited_keys,
    next_part,
    outline,
    read_reply,
    read_survey,
    read_text_reply,
    replaced,
    selected,
)

SURVEY: dict[str, Any] = {
    "title": "Harbours",
    "sections": [
        {"title": "1. Dover", "plan": "what it is", "content": "Old.\n\n\n\nSee Section-2 \\cite{textid2, textid1}."},
        {"title": "第二章 Calais", "plan": "the other\nside", "subsections": [{"title": "Ships", "plan": "which"}]},
    ],
}


def action(**entries):
    return f"<thought>so</thought><action>{json.dumps(entries)}</action>"


def test_parts_are_written_in_order():
    assert (next_part({}), next_part(SURVEY)) == ("outline", "section-2")
    more = replaced(SURVEY, "section-2", {"content": "Across."})
    assert next_part(more) == "section-2.1"
    assert next_part(replaced(more, "section-2.1", {"content": "Many."})) is None
    assert "content" not in SURVEY["sections"][1]


def test_the_outline_that_a_model_is_shown():
    assert outline({}) == "There is no survey."
    assert outline(SURVEY) == (
        "# Title: [OK] Harbours\n"
        "# Section-1 [1. Dover]: [OK] Old.    See Section-2 \\cite{textid2, textid1}.\n"
        "# Section-2 [第二章 Calais]: [PLAN] the other side\n"
        "    ## Section-2.1 [Ships]: [PLAN] which\n"
    )


def test_the_final_text():
    assert as_markdown({}) == "No survey generated."
    assert as_markdown(SURVEY) == (
        "# Harbours\n\n## 1 Dover\n\nOld.\n\nSee  [1][2].\n\n"
        "## 2 Calais\n\n*the other\nside*\n\n### 2.1 Ships\n\n*which*"
    )


# reply, allowed, strict, whether it is valid
REPLIES = [
    (action(name="search", keywords=["a"]), "search", False, True),
    (action(name="search", keywords=list("abcdef")), "search", True, False),
    (action(name="search", keywords=[1]), "search", False, False),
    (action(name="search", keywords=["a"], more=1), "search", False, False),
    (action(name="nop"), "search", False, False),
    ("<action>[1]</action>", "search", False, False),
    ("<action>" + "[" * 100_000 + "</action>", "search", False, False),
    ("no action", "search", False, False),
    (None, "search", False, False),
    (action(name="init-plan", title="T", sections=[{"title": "a", "plan": "b"}]), "init-plan", False, True),
    (action(name="init-plan", title="T", sections=[{"title": "a", "plan": "b"}]), "init-plan", True, False),
    (action(name="init-plan", title="题", sections=[{"title": "一", "plan": "二"}] * 3), "init-plan", True, False),
    (action(name="extend-plan", position="section-1", subsections=[{"title": "a", "plan": "b"}]), "extend-plan", 0, 1),
    (action(name="extend-plan", position="section-2", subsections=[{"title": "a", "plan": "b"}]), "extend-plan", 0, 0),
    (action(name="extend-plan", position="section-9", subsections=[{"title": "a", "plan": "b"}]), "extend-plan", 0, 0),
    (action(name="extend-plan", position="outline", subsections=[{"title": "a", "plan": "b"}]), "extend-plan", 0, 0),
]


@pytest.mark.parametrize(("reply", "allowed", "strict", "valid"), REPLIES)
def test_actions_in_replies(reply, allowed, strict, valid):
    assert read_reply(reply, [allowed], Rules(bool(strict), "write about harbours", SURVEY)).valid == bool(valid)


def test_texts_in_replies():
    rules = Rules(True, "write", known_keys=("textid1",))
    text = "Ships have come to this harbour for a thousand years and more \\cite{textid1}."
    assert read_text_reply(f"<action> {text} </action>", rules).action == {"name": "write", "content": text}
    assert read_text_reply(f"<action>{text}</action>", rules).valid
    assert not read_text_reply(f"<action>{text} \\cite{{textid9}}</action>", rules).valid
    assert not read_text_reply(f"<action># {text}</action>", rules).valid
    assert not read_text_reply("<action>short</action>", rules).valid
    assert read_text_reply("no action", Rules(False)).valid
    assert not read_text_reply(None, Rules(False)).valid


@pytest.mark.slow
def test_cited_keys():
    assert cited_keys("\\cite{a, b}\\citep{c}\\nocite{b}\\citestyle{d}\\cite{#1}") == ["a", "c"]
    assert cited_keys("\\cite{" * 20_000) == []


def test_selected_passages_are_divided_equally_between_queries():
    assert selected([["a", "b", "c"], ["a", "d"]], 4) == ["a", "b", "d", "c"]
    assert selected([["a", "b", "c"]], 2) == ["a", "b"]


# state, cursor, extended, step, parsed, extension -> state, extended
STATES = [
    (("search", "outline", 0, 0), True, "", ("analyst-init_plan", 0)),
    (("search", "section-1", 0, 0), True, "", ("write", 0)),
    (("search", "section-1", 0, 0), False, "", ("search", 0)),
    (("analyst-init_plan", "section-1", 0, 0), True, "", ("search", 0)),
    (("analyst-init_plan", "outline", 0, 0), True, "", ("analyst-init_plan", 0)),
    (("write", "section-2", 0, 0), True, "", ("search", 0)),
    (("write", None, 0, 0), True, "", ("analyst-extend_plan", 1)),
    (("write", None, 2, 0), True, "", ("done", 2)),
    (("analyst-extend_plan", None, 1, 0), True, "extended", ("search", 1)),
    (("analyst-extend_plan", None, 1, 0), True, "nop", ("done", 1)),
    (("analyst-extend_plan", None, 1, 0), False, "retry", ("analyst-extend_plan", 2)),
    (("analyst-extend_plan", None, 2, 0), False, "retry", ("done", 3)),
    (("write", "section-1", 0, 9), True, "", ("done", 0)),
    (("done", None, 0, 0), True, "", ("done", 0)),
]


@pytest.mark.parametrize(("now", "parsed", "extension", "after"), STATES)
def test_states(now, parsed, extension, after):
    found = advanced(Progress(*now), parsed=parsed, extension=extension, most_steps=9, most_extensions=2)
    assert (found.state, found.extended, found.step) == (*after, now[3] + 1)


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000])
def test_a_survey_that_cannot_be_read_is_one_message(text):
    with pytest.raises(InputError, match=r"^a survey must be a JSON object$"):
        read_survey(text)
