"""Text processing: normalisation, tokens, stems, numbers, dates, mentions and private data."""
