"""The page of a result, as the report command writes it, with the documents that lie in the folder."""

from pathlib import Path

from steelyard.errors import InputError
from steelyard.formats.documents import Document, read_document
from steelyard.formats.questions import find_document, read_benchmark
from steelyard.pipelines.benchmark import BUNDLED, documents_of
from steelyard.reports.content import Report
from steelyard.reports.page import render_html
from steelyard.reports.words import Language
from steelyard.web.privacy import Privacy
from steelyard.web.viewer import Render


def report_pages(folder: Path, privacy: Privacy) -> Render:
    """A function that makes the page of a report."""
    root = folder.resolve()

    def render(report: Report, language: Language) -> str:
        documents = {
            name: privacy.document(document)
            for table in report.tables
            for name, document in documents_within(root, table.benchmark).items()
        }
        return render_html(report, language, documents)

    return render


def documents_within(folder: Path, benchmark: str) -> dict[str, Document]:
    """The documents of the benchmark that a result names: of the bundled one, or of one that lies in the folder.

    A result may name any place on this machine; what lies elsewhere is not shown, nor what cannot be read.
    """
    if benchmark == BUNDLED:
        return documents_of(benchmark)
    place = Path(benchmark).resolve()
    if not benchmark or not place.is_relative_to(folder) or not place.is_dir():
        return {}
    try:
        found = {file.document: find_document(file, place) for file in read_benchmark(place)}
        inside = {name: path for name, path in found.items() if path.resolve().is_relative_to(folder)}
        return {name: read_document(path) for name, path in inside.items()}
    except InputError:
        return {}
