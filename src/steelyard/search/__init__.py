"""Search in text: terms, BM25, vectors, and the words of a passage that answer a question."""
