"""Router server: the state of each answer, by which a branch sends it on."""

from collections.abc import Sequence

from steelyard.pipelines.server import Server

app = Server("router", __file__)


@app.tool("ans_ls->ans_ls")
def ircot_check_end(ans_ls: list[str]) -> dict[str, list[dict[str, str]]]:
    """Call an answer complete once it says "so the answer is", in any case."""
    return _routed(ans_ls, ["complete" if "so the answer is" in answer.lower() else "incomplete" for answer in ans_ls])


@app.tool("ans_ls->ans_ls")
def check_model_state(ans_ls: list[str]) -> dict[str, list[dict[str, str]]]:
    """Continue where the model asks for a <search>, stop where it does not."""
    return _routed(ans_ls, ["continue" if "<search>" in answer else "stop" for answer in ans_ls])


def _routed(answers: Sequence[str], states: Sequence[str]) -> dict[str, list[dict[str, str]]]:
    return {"ans_ls": [{"data": answer, "state": state} for answer, state in zip(answers, states, strict=True)]}
