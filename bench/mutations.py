"""Changes that an adversary, a hand or a bad disk makes to JSON and to bytes."""

import copy
import random
from typing import Any, Final

VALUES: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2, 0.5, 1e308, -1e308, 5e-324, 1e100, -1e-300, float("nan"), float("inf")),
    *(10**30, 10**400, -(2**63), 2**64, "", " ", "0", "1e5", "nan", "x", "legal", "q1", "type", "\0", "\x1b[31m"),
    *("\ud800", "\u2028", "\u202e", "<script>", "甲", "𠀀", "a" * 5000, "1" * 5000, "1 " * 2000, "|:%"),
    *([], {}, [[]], [{}], {"": {}}, {"a": 1}, [1, "x", None], ["x"] * 50, {"text": 5}, [{"text": "x"}]),
)


def mutate_value(value: Any, chance: random.Random) -> Any:
    """Return the same JSON with one value, key or member changed, anywhere in it."""
    changed = copy.deepcopy(value)
    places = list(_places(changed))
    if not places:
        return chance.choice(VALUES)
    parent, key = chance.choice(places)
    match chance.randrange(8):
        case 0:
            del parent[key]
        case 1 if isinstance(parent, dict):
            parent[chance.choice((*map(str, VALUES[15:40]), "id", "scores", "footer", "kind"))] = parent.pop(key)
        case 2:
            parent[key] = nested(parent[key], chance.choice((1, 3, 90, 150)))
        case 3:
            parent[key] = parent[chance.choice(list(_keys(parent)))]
        case _:
            parent[key] = chance.choice(VALUES)
    return changed


def mutate_bytes(content: bytes, chance: random.Random) -> bytes:
    """Return the same bytes with some flipped, cut out, doubled or put in."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 3, 20))):
        at = chance.randrange(len(changed) + 1)
        match chance.randrange(4):
            case 0 if at < len(changed):
                changed[at] ^= 1 << chance.randrange(8)
            case 1:
                del changed[at : at + chance.choice((1, 2, 50))]
            case 2:
                changed[at:at] = changed[at : at + chance.choice((1, 20, 500))]
            case _:
                changed[at:at] = bytes(chance.randrange(256) for _ in range(chance.choice((1, 4))))
    return bytes(changed)


def nested(value: Any, depth: int) -> Any:
    """Return the value inside so many lists."""
    for _ in range(depth):
        value = [value]
    return value


def _places(value: Any) -> Any:
    """Yield every parent and key, inner ones too."""
    pending = [value]
    while pending:
        parent = pending.pop()
        if isinstance(parent, dict | list):
            for key in _keys(parent):
                yield parent, key
                pending.append(parent[key])


def _keys(parent: Any) -> Any:
    return list(parent) if isinstance(parent, dict) else range(len(parent))
