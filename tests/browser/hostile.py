"""Tables whose every word is an attack on the page that shows it."""

import numpy as np
from tables import table_of

from steelyard.table import Missing

SCRIPT = "<script>window.attacked = true</script>"
CLOSING = "</script></style></textarea></title><script>window.attacked = true</script>"
HANDLER = "\"'><img src=x onerror='window.attacked=true'><svg/onload=window.attacked=true>"
BIDI = "\u202e\u2066gnorw\u2069\u202c"
BROKEN = "\x00\ud800 \udfff \u2028 {{ 7 * 7 }} ${7*7} `"
LONG = "长" * 500_000 + "a" * 500_000
WORDS = (SCRIPT, CLOSING, HANDLER, BIDI, BROKEN)


def hostile_table(name, *, shift=0.0):
    """Five items that are hostile in every field, and a sixth with a very long answer."""
    count = len(WORDS) + 1
    words = [*WORDS, "long"]
    outputs = [_output(word, LONG if word == "long" else word) for word in words]
    scores = np.linspace(0, 1 - abs(shift), count) + max(shift, 0)
    return table_of(
        ids=[f"{n}{word}" for n, word in enumerate(words)],
        columns={"legal": scores, f"m{HANDLER}": np.array([np.nan, *scores[1:]])},
        kind="legal",
        name=name,
        reasons=(Missing("unscored", CLOSING),),
        status={f"m{HANDLER}": np.array([1, *[0] * (count - 1)])},
        tags={"type": ["conflict_gap"] * count, f"t{HANDLER}": words, "document": [CLOSING] * count},
        parts={"legal": {"no_hallucination": scores, f"p{HANDLER}": scores}},
        notes={"legal": dict(enumerate(words))},
        outputs=outputs,
        failures={1: CLOSING},
        counts={SCRIPT: 3},
        benchmark="/nowhere/" + SCRIPT,
    )


def _output(word, answer):
    passage = {"page": 1, "text": word, "section": word, "speaker": word}
    return {
        "question": word,
        "answer": answer,
        "citations": [passage, word, 7, {"page": word}],
        "evidence": [passage],
        "contexts": [word, {"text": word}],
        f"f{word}": word,
        "seconds": 0.5,
        "verdict": {
            "reasons": {f"r{word}": word},
            "remarks": [word],
            "invented": [{"text": word, "kind": word, "start": 0, "end": 4}],
            "abstained": False,
            "should_abstain": True,
            "expected": {"answer": {word: word}, "abstain": True, "quotes": [word], "evidence": [passage]},
        },
    }
