"""Sayhello server: the smallest there is."""

from typing import Annotated

from steelyard.pipelines.server import Server

app = Server("sayhello", __file__)


@app.tool("name->msg")
def greet(name: Annotated[str, "whom to greet"]) -> dict[str, str]:
    """Greet somebody."""
    return {"msg": f"Hello, {name}!"}


if __name__ == "__main__":
    app.run()
