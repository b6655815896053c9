"""Sayhello server: the smallest there is."""

from steelyard.pipelines.server import Server

app = Server("sayhello", __file__)


@app.tool("name->msg")
def greet(name: str) -> dict[str, str]:
    """Greet somebody."""
    return {"msg": f"Hello, {name}!"}


if __name__ == "__main__":
    app.run()
