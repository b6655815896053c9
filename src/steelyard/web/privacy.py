"""What readers see of texts: all of them, or all but private numbers and addresses."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from steelyard.formats.documents import Document
from steelyard.reports.masking import mask_document, mask_table, mask_text
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class Privacy:
    """How a text, a result and a document are shown."""

    text: Callable[[str], str]
    table: Callable[[Table], Table]
    document: Callable[[Document], Document]


OPEN: Final = Privacy(text=lambda text: text, table=lambda table: table, document=lambda document: document)
MASKED: Final = Privacy(text=mask_text, table=mask_table, document=mask_document)
