"""What readers see of texts: all of them, or all but private numbers and addresses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from steelyard.documents.sets import DocumentSet
from steelyard.reports.masking import mask_documents, mask_tables, mask_text
from steelyard.table import Table


@dataclass(frozen=True, slots=True)
class Privacy:
    """How a text, the results of one page and its documents are shown."""

    text: Callable[[str], str]
    tables: Callable[[Sequence[Table]], list[Table]]
    documents: Callable[[DocumentSet], DocumentSet]


OPEN: Final = Privacy(text=lambda text: text, tables=list, documents=lambda documents: documents)
MASKED: Final = Privacy(text=mask_text, tables=mask_tables, documents=mask_documents)
