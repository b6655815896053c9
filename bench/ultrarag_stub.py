"""A chat model, embeddings, a reranker and a retriever on this machine: the same answer to the same request, always.

The model knows which of UltraRAG's templates a prompt was made from and answers in the form that it asks for. An answer
is right only if the passage that holds it is in the prompt, or the prompt has no passages. Loops end after one round
more; with `mixed`, half of the questions need no such round, so that rows of a branch part.
"""

import hashlib
import html
import json
import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from bench.ultrarag_data import FACTS, PASSAGES, Fact

SIZE: Final = 96
_STATIC: Final = 15  # characters of a line by which a template is known
_ESCAPED: Final = 4  # prompts are escaped again in every round

Vector = list[float]


@dataclass(frozen=True, slots=True)
class Known:
    """A template: its name, its text, and the lines of it that do not change."""

    name: str
    text: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt with its template and the fact that it is about; `early` if it needs no further round."""

    prompt: str
    template: Known
    fact: Fact
    early: bool

    def has_more(self, mark: str) -> bool:
        """Return whether a mark stands in the prompt more often than in its template."""
        return self.prompt.count(mark) > self.template.text.count(mark)

    @property
    def answer(self) -> str:
        """What the fact says, if the prompt has its passage or has no passages at all."""
        silent = any(passage in self.prompt for passage in PASSAGES) and self.fact.passage not in self.prompt
        return "unknown" if silent else self.fact.answer


@dataclass(slots=True)
class Model:
    """What answers: the templates that it knows, and whether questions differ in how many rounds they need."""

    templates: Sequence[Known] = field(default_factory=list)
    mixed: bool = False

    def reply(self, prompt: str) -> str:
        """Return the answer to a prompt."""
        for _ in range(_ESCAPED):
            prompt = html.unescape(prompt)
        found = [known for known in self.templates if known.lines and all(line in prompt for line in known.lines)]
        known = max(found, key=lambda each: sum(map(len, each.lines)), default=Known("", "", ()))
        fact = max(FACTS, key=lambda each: max(prompt.rfind(each.question), prompt.rfind(each.query)))
        asked = Asked(prompt, known, fact, early=self.mixed and FACTS.index(fact) % 2 == 1)
        return _writer(known.name)(asked)


def read_templates(folder: Path) -> list[Known]:
    """Return the templates of a checkout."""
    return [_known(path) for path in sorted(folder.glob("*.jinja"))]


def embed(text: str) -> Vector:
    """Return a text as a vector of length 1: its words, each at a place of its own."""
    counts = [0.0] * SIZE
    for word in re.findall(r"\w+", text.lower()):
        digest = hashlib.sha256(word.encode()).digest()
        counts[digest[0] % SIZE] += 1.0 + digest[1] / 512
    length = math.sqrt(sum(count * count for count in counts)) or 1.0
    return [count / length for count in counts]


def ranked(query: str, documents: Sequence[str], most: int) -> list[str]:
    """Return the documents nearest to a query, the best first."""
    vector = embed(query)
    nearest = sorted(documents, key=lambda text: -sum(a * b for a, b in zip(vector, embed(text), strict=True)))
    return nearest[:most]


@contextmanager
def serving(model: Model, port: int = 0) -> Iterator[str]:
    """Run the stub and yield its address, without a path; port 0 takes a free one."""
    server = _Stub(model, port)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Stub(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, model: Model, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.model = model


class _Handler(BaseHTTPRequestHandler):
    server: _Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        content = json.dumps(self._answer(body)).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args: Any) -> None:
        """Nothing is logged."""

    def _answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        match self.path.rsplit("/", 1)[-1]:
            case "embeddings":
                texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
                vectors = [{"object": "embedding", "index": n, "embedding": embed(t)} for n, t in enumerate(texts)]
                return {
                    "object": "list",
                    "model": "stub",
                    "data": vectors,
                    "usage": {"prompt_tokens": 1, "total_tokens": 1},
                }
            case "rerank":
                kept = ranked(body["query"], body["documents"], body.get("top_n") or len(body["documents"]))
                places = [(body["documents"].index(text), text) for text in kept]
                return {
                    "results": [
                        {"index": n, "document": {"text": t}, "relevance_score": 1 / (1 + r)}
                        for r, (n, t) in enumerate(places)
                    ]
                }
            case "search":
                queries = [body.get("query_instruction", "") + query for query in body["query_list"]]
                return {"ret_psg": [ranked(query, PASSAGES, body["top_k"]) for query in queries]}
        return _completion(self.server.model.reply(body["messages"][-1]["content"]))


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": "stub",
        "choices": [choice],
        "usage": usage,
    }


def _known(path: Path) -> Known:
    text = path.read_text(encoding="utf-8")
    pieces = re.split(r"\{[{%].*?[%}]\}", text, flags=re.DOTALL)
    lines = (line.strip() for piece in pieces for line in piece.splitlines())
    return Known(path.stem, text, tuple(dict.fromkeys(line for line in lines if len(line) >= _STATIC)))


def _writer(template: str) -> Callable[[Asked], str]:
    known = (writer for start, writer in _WRITERS.items() if template.startswith(start))
    return next(known, _plain)


def _plain(asked: Asked) -> str:
    return f"You said {len(asked.prompt.split())} words."


def _boxed(asked: Asked) -> str:
    return rf"It follows from what is known. \boxed{{{asked.answer}}}"


def _letter(asked: Asked) -> str:
    found = re.findall(r"^(?:Choices: ?)?([A-Z]): (.*)$", asked.prompt, re.MULTILINE)
    letters = {text.strip(): letter for letter, text in found}
    return rf"It is this one. \boxed{{{letters.get(asked.answer, 'A')}}}"


def _thought(asked: Asked) -> str:
    again = asked.early or asked.prompt.count(asked.fact.thought) > 0
    return f"So the answer is: {asked.answer}." if again else f"{asked.fact.thought} More must be read."


def _search_r1(asked: Asked) -> str:
    if asked.early or asked.has_more("<information>"):
        return f"<answer>{asked.answer}</answer><|im_end|>"
    return f"<think>More must be read.</think>\n<search>{asked.fact.query}"


def _r1_searcher(asked: Asked) -> str:
    if asked.early or asked.has_more("<|begin_of_documents|>"):
        return f"<answer>{asked.answer}</answer><|im_end|>"
    return f"<think>More must be read.</think>\n<|begin_of_query|>{asked.fact.query}"


def _search_o1(asked: Asked) -> str:
    if asked.early or asked.has_more("<|begin_search_result|>"):
        return rf"It is known now. \boxed{{{asked.answer}}}<|im_end|>"
    return f"More must be read.\n<|begin_search_query|>{asked.fact.query}<|end_search_query|>"


def _refined(asked: Asked) -> str:
    return (
        f"Read.\n\n**Final Information**\n\n{asked.fact.passage if asked.fact.passage in asked.prompt else 'Nothing.'}"
    )


def _page(asked: Asked) -> str:
    if asked.early:
        return f"# Notes\n{asked.fact.passage}"
    return f"# Notes\n{asked.fact.thought}\nto be filled"


def _filled(asked: Asked) -> str:
    return f"# Notes\n{asked.fact.passage if asked.fact.passage in asked.prompt else 'nothing was found'}"


def _checked(asked: Asked) -> str:
    found = sum(passage in asked.prompt for passage in PASSAGES)
    return "They are enough." if asked.early or found > 2 else f"<search> {asked.fact.query}"


def _action(**entries: Any) -> str:
    return f"<thought>It is time.</thought>\n<action>{json.dumps(entries)}</action>"


def _keywords(asked: Asked) -> str:
    return _action(name="search", keywords=[asked.fact.query, asked.fact.thought])


def _planned(asked: Asked) -> str:
    plans = [{"title": f"{n}. Part {n}", "plan": f"What is known, part {n}."} for n in (1, 2)]
    return _action(name="init-plan", title=f"On {asked.fact.topic}", sections=plans[: 1 if asked.early else 2])


def _written(asked: Asked) -> str:
    where = re.findall(r"You need to update (\S+)", asked.prompt)[-1]
    return f"<thought>Now.</thought>\n<action>On {where}: {asked.fact.thought} \\cite{{textid1}}</action>"


def _extended(asked: Asked) -> str:
    if asked.early or "Section-1.1" in asked.prompt:
        return _action(name="nop")
    return _action(name="extend-plan", position="section-1", subsections=[{"title": "More", "plan": "What else."}] * 2)


_WRITERS: Final[Mapping[str, Callable[[Asked], str]]] = {
    "qa_boxed_multiple_choice": _letter,
    "qa_rag_boxed_multiple_choice": _letter,
    "qa_": _boxed,
    "IterRetGen": _boxed,
    "webnote_gen_answer": _boxed,
    "webnote_gen_report": _boxed,
    "IRCoT": _thought,
    "RankCoT_knowledge": lambda asked: (
        f"What helps: {asked.fact.passage if asked.fact.passage in asked.prompt else ''}"
    ),
    "RankCoT_question": lambda asked: asked.answer,
    "search_r1": _search_r1,
    "r1_searcher": _r1_searcher,
    "search_o1_reasoning": _search_o1,
    "search_o1_refinement": _refined,
    "webnote_gen_plan": lambda asked: f'["{asked.fact.topic}"]',
    "webnote_init_page": _page,
    "webnote_fill_page": _filled,
    "webnote_gen_subq": lambda asked: asked.fact.query,
    "gen_subq": lambda asked: asked.fact.query,
    "check_passages": _checked,
    "surveycpm_search": _keywords,
    "surveycpm_init_plan": _planned,
    "surveycpm_write": _written,
    "surveycpm_extend_plan": _extended,
}
