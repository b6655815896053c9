"""Custom server: small steps between a model and what is weighed."""

import re

from steelyard.errors import InputError
from steelyard.pipelines.server import Server

app = Server("custom", __file__)

_BOX = r"\boxed{"
_TEXT = r"\text{"
# a Latin full stop ends a sentence only before a blank: 3.14 is one number
_FIRST_SENTENCE = re.compile(r".+?(?:[。！？]|[.!?](?=\s|$))", re.DOTALL)
_FINAL_ANSWER = re.compile(r"so the answer is[\s:：]*([^\n]*)", re.IGNORECASE)


@app.tool("ans_ls->pred_ls")
def output_extract_from_boxed(ans_ls: list[str]) -> dict[str, list[str]]:
    r"""Take what stands in the last closed \boxed{…} of each answer; without one, the whole answer."""
    return {"pred_ls": [_boxed(answer) for answer in ans_ls]}


@app.tool("temp_psg,ret_psg->ret_psg")
def merge_passages(temp_psg: list[list[str]], ret_psg: list[list[str]]) -> dict[str, list[list[str]]]:
    """Put the passages of `temp_psg` behind those of `ret_psg`, question by question."""
    if len(temp_psg) != len(ret_psg):
        raise InputError(f"passages of {len(temp_psg)} questions in temp_psg, of {len(ret_psg)} in ret_psg")
    return {"ret_psg": [[*found, *more] for more, found in zip(temp_psg, ret_psg, strict=True)]}


@app.tool("ans_ls->q_ls")
def ircot_get_first_sent(ans_ls: list[str]) -> dict[str, list[str]]:
    """Take the first sentence of each answer as the next question; without an end mark, the whole answer."""
    found = [_FIRST_SENTENCE.match(answer.strip()) for answer in ans_ls]
    return {"q_ls": [match[0] if match else answer.strip() for match, answer in zip(found, ans_ls, strict=True)]}


@app.tool("ans_ls->pred_ls")
def ircot_extract_ans(ans_ls: list[str]) -> dict[str, list[str]]:
    """Take what follows "so the answer is" on its line; without these words, the whole answer."""
    found = [_FINAL_ANSWER.search(answer) for answer in ans_ls]
    return {"pred_ls": [(match[1] if match else answer).strip() for match, answer in zip(found, ans_ls, strict=True)]}


def _boxed(answer: str) -> str:
    start = answer.rfind(_BOX)
    while start >= 0:
        content = _inside(answer, start + len(_BOX))
        if content is not None:
            return _unwrapped(content.strip())
        start = answer.rfind(_BOX, 0, start)
    return answer.strip()


def _inside(text: str, start: int) -> str | None:
    r"""What stands from `start` to the brace that closes it, or None; \{ and \} are characters, not braces."""
    depth = 1
    for brace in re.finditer(r"\\.|[{}]", text[start:], re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return text[start : start + brace.start()]
    return None


def _unwrapped(content: str) -> str:
    r"""The inside of \text{…} where that is all there is."""
    if not content.startswith(_TEXT):
        return content
    inside = _inside(content, len(_TEXT))
    return inside.strip() if inside is not None and len(inside) + len(_TEXT) + 1 == len(content) else content
