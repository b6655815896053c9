"""Files of vectors, as numpy writes them."""

from pathlib import Path

import numpy as np

from steelyard.errors import ConfigError
from steelyard.i18n import Message
from steelyard.rag.artifacts import DAMAGE, VECTORS
from steelyard.rag.latent import Vectors


def load_vectors(path: Path) -> Vectors:
    """The rows of a .npy file, as numbers that can be searched by; one that is damaged is an error."""
    try:
        found = np.load(path, allow_pickle=False)
        vectors: Vectors = np.asarray(found, dtype=np.float32)
    except DAMAGE as error:
        said = str(error) or type(error).__name__
        raise ConfigError(
            Message("rag.these_embeddings_cannot_read", said=said), where=str(path), hint=VECTORS.anew_hint
        ) from None
    if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all():
        message = Message("rag.these_embeddings_cannot_read", said=Message("rag.finite_numbers_needed"))
        raise ConfigError(message, where=str(path), hint=VECTORS.anew_hint)
    return vectors
