"""A server made with fastmcp, as UltraRAG's are: prompts take prompts, and it prints where it should not."""

import sys

from fastmcp import FastMCP
from fastmcp.prompts import Message
from mcp.types import PromptMessage

app = FastMCP("fast")


@app.tool(annotations={"output": "q_ls->ans_ls"})
def answer(q_ls: list[str]) -> dict[str, list[str]]:
    """Answer by repeating."""
    sys.stdout.write("loading weights …\n")
    sys.stdout.flush()
    return {"ans_ls": [f"{question}!" for question in q_ls]}


@app.prompt
def ask(q_ls: list[str]) -> list[PromptMessage]:
    """Ask."""
    return [Message(f"Q: {question}") for question in q_ls]


@app.prompt
def again(prompt_ls: list[PromptMessage], ans_ls: list[str]) -> list[PromptMessage]:
    """Ask again."""
    pairs = zip(prompt_ls, ans_ls, strict=True)
    return [Message(f"{message.content.text} A: {answer}") for message, answer in pairs]


if __name__ == "__main__":
    app.run(show_banner=False)
