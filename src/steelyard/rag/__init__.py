"""The parts of a RAG pipeline: corpus, retriever, reranker, prompts, generation, and extraction from answers."""
