"""Damaged models, embeddings and indexes: each is one message, whatever was changed in them."""

import json
import random
import shutil

import numpy as np
import pytest

from bench.mutations import mutate_bytes, mutate_value
from steelyard.errors import ConfigError
from steelyard.rag.indexes import Corpus, make_lexical, open_lexical
from steelyard.search.vectors import fit_latent, load_latent, load_vectors

TEXTS = ("被告的住所地为临溪县南桥镇。", "The keys of the warehouse are returned.")
SOURCE = b"()[]{}'\",:<|fiSVO0 \n#-*"  # characters of the header of a .npy file, which is Python source
HEADER = 128


def quiet(done, total):
    pass


def damaged(content, chance):
    """The bytes with some changed, anywhere or in the header."""
    if chance.random() < 0.5:
        return mutate_bytes(content, chance)
    at = chance.randrange(min(HEADER, len(content)))
    return content[:at] + bytes([chance.choice(SOURCE)]) * chance.choice((1, 40)) + content[at + 1 :]


def is_refused(read, *arguments, **settings):
    """Whether it is refused with its message; any other exception comes through."""
    try:
        read(*arguments, **settings)
    except ConfigError as error:
        return "cannot be read: " in str(error)
    return False


@pytest.mark.filterwarnings("ignore")  # of NumPy, about a header as Python 2 wrote it
def test_damaged_embeddings_are_refused(tmp_path):
    chance, path = random.Random(1), tmp_path / "embeddings.npy"
    np.save(path, np.ones((5, 4), np.float32))
    content = path.read_bytes()
    refused = 0
    for _ in range(200):
        path.write_bytes(damaged(content, chance))
        refused += is_refused(load_vectors, path)
    assert refused > 100


@pytest.mark.filterwarnings("ignore")
def test_damaged_models_are_refused(tmp_path):
    chance, path = random.Random(2), tmp_path / "model.npz"
    terms = np.frombuffer(b"a\nb\nc", np.uint8)
    arrays = {"terms": terms, "frequencies": np.ones(3), "numbers": np.array([3, 1]), "projection": np.ones((3, 2))}
    others = (np.array(5), np.array(["x"]), np.array([]), np.array([1j]), np.zeros(3, dtype=[("a", "f4")]))
    refused = 0
    for _ in range(200):
        np.savez(path, **{**arrays, chance.choice(list(arrays)): chance.choice(others)})
        if chance.random() < 0.8:
            np.savez(path, **arrays)
            path.write_bytes(damaged(path.read_bytes(), chance))
        refused += is_refused(load_latent, path)
    assert refused > 100


def test_a_model_whose_parts_are_compressed_is_refused(tmp_path):
    model, _ = fit_latent(TEXTS, seed=7, progress=quiet)
    model.save(tmp_path / "model.npz")
    with np.load(tmp_path / "model.npz") as stored:
        np.savez_compressed(tmp_path / "small.npz", **stored)
    with pytest.raises(ConfigError, match="this model cannot be read: its parts are compressed"):
        load_latent(tmp_path / "small.npz")


@pytest.mark.filterwarnings("ignore")
def test_damaged_lexical_indexes_are_refused(tmp_path):
    chance, whole, path = random.Random(3), tmp_path / "whole", tmp_path / "index"
    corpus = Corpus("here", ("d0", "d1"), TEXTS, "digest")
    make_lexical(corpus, whole, way="all", overwrite=False, progress=quiet)
    files = [each.name for each in sorted(whole.iterdir()) if each.name != "stamp.json"]
    refused = 0
    for _ in range(100):
        shutil.copytree(whole, path, dirs_exist_ok=True)
        file = path / chance.choice(files)
        if file.suffix == ".json" and chance.random() < 0.7:
            file.write_text(json.dumps(mutate_value(json.loads(file.read_text("utf-8")), chance)), "utf-8")
        else:
            file.write_bytes(damaged(file.read_bytes(), chance))
        refused += is_refused(open_lexical, corpus, path, way="all")
    assert refused > 50
