"""The parts that a RAG pipeline is made of: finding passages, asking a model, reading its answer."""
