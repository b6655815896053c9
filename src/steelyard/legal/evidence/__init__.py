"""Evidence: citations and quotations, looked up in the document."""
