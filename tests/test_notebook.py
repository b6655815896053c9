"""The notebook of the documentation runs, and shows tables and a plot."""

import json

import pytest
from commands import ROOT

NOTEBOOK = ROOT / "examples" / "python.ipynb"
# of the sockets of the kernel, not of this package
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")


@pytest.fixture(scope="module")
def outputs():
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed; it is in the dependency group dev")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed; it is in the dependency group dev")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(ROOT)}})
    client.execute()
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


def shown(outputs, kind):
    """What each cell shows in this media type; "" where it does not."""
    return ["".join(each.get("data", {}).get(kind, "") for each in cell) for cell in outputs]


@pytest.mark.slow
def test_it_shows_tables_and_a_plot(outputs):
    frame, summary, compared, plot, gate = shown(outputs, "text/html")
    assert "<table" in frame
    assert "GroundedValues" in frame
    assert "nDCG@10" in summary
    assert "<td" in summary
    assert "run_b → run_a" in compared
    assert compared.count("<table") >= 2
    assert "AP not-worse-by 0.02" in gate
    assert plot == ""
    assert [kind.startswith("<svg") for kind in shown(outputs, "image/svg+xml")] == [False, False, False, True, False]


@pytest.mark.slow
def test_no_cell_prints_or_warns(outputs):
    assert [each for cell in outputs for each in cell if each.output_type in ("stream", "error")] == []


def test_it_is_stored_without_outputs():
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)
