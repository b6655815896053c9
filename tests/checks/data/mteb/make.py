"""MTEB on an invented retrieval task, with an encoder of word counts; see README.md."""

import sys
from pathlib import Path

import mteb
import numpy as np
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.task_metadata import TaskMetadata

DOCUMENTS = {
    "loan": "books are lent for days",
    "fee": "the late fee is ten cents a day",
    "opening": "the library opens at nine and closes at five",
    "parking": "the car park has forty places",
    "scanner": "scans are free for readers",
}
# query, relevant documents
QUERIES = {
    "q1": ("how many days are books lent", {"loan": 1}),
    "q2": ("what is the late fee", {"fee": 1, "loan": 1}),
    "q3": ("when does the library close", {"opening": 1}),
    "q4": ("is parking free", {"parking": 1}),
}
WORDS = sorted({word for text in DOCUMENTS.values() for word in text.split()})


class Counts:
    """An encoder: how often each word of the documents occurs."""

    mteb_model_meta = mteb.models.ModelMeta.create_empty({"name": "invented/counts", "revision": "1"})

    def encode(self, inputs, **_):
        texts = [text for batch in inputs for text in batch["text"]]
        return np.array([[text.lower().split().count(word) for word in WORDS] for text in texts], dtype=np.float32)

    def similarity(self, one, other):
        return np.asarray(one) @ np.asarray(other).T

    def similarity_pairwise(self, one, other):
        return (np.asarray(one) * np.asarray(other)).sum(axis=1)


class InventedLibrary(AbsTaskRetrieval):
    """Four questions about a library."""

    metadata = TaskMetadata(
        name="InventedLibrary",
        description="Invented questions about a library.",
        dataset={"path": "invented/library", "revision": "1"},
        type="Retrieval",
        category="t2t",
        eval_splits=["test"],
        eval_langs=["eng-Latn"],
        main_score="ndcg_at_10",
    )

    def load_data(self, **_):
        corpus = [{"id": name, "title": "", "text": text} for name, text in DOCUMENTS.items()]
        queries = [{"id": name, "text": text} for name, (text, _) in QUERIES.items()]
        library = {
            "corpus": Dataset.from_list(corpus),
            "queries": Dataset.from_list(queries),
            "relevant_docs": {name: relevant for name, (_, relevant) in QUERIES.items()},
            "top_ranked": None,
        }
        self.dataset = {"default": {"test": library}}
        self.data_loaded = True


if __name__ == "__main__":
    cache = mteb.ResultCache(Path(sys.argv[1]))
    mteb.evaluate(Counts(), InventedLibrary(), cache=cache, show_progress_bar=False, overwrite_strategy="always")
