import json

from steelyard.text.visible import printable, visible, visible_json, visible_lines


def test_controls_and_overrides_are_shown():
    assert visible("a\x1b[2J\x07\x9b\x7f\u202e\u2066\n\tb") == r"a\x1b[2J\x07\x9b\x7f\u202e\u2066\n\tb"
    assert visible("甲方 — ünïcode 😀 שלום") == "甲方 — ünïcode 😀 שלום"


def test_line_breaks_and_tabs_stay_in_texts():
    assert visible_lines("a\tb\n\x1b[1mc\r") == "a\tb\n\\x1b[1mc\\r"


def test_only_our_own_styles_stay():
    assert printable("\x1b[1mhead\x1b[0m \x1b[2mdim\x1b[0m\n") == "\x1b[1mhead\x1b[0m \x1b[2mdim\x1b[0m\n"
    assert printable("\x1b[35m \x1b]0;title\x07 \x1b[2J \x1b") == r"\x1b[35m \x1b]0;title\x07 \x1b[2J \x1b"


def test_json_stands_for_the_same_value_without_controls():
    value = {"a": "\x9b31m\u202eb\x7f\x1b", "北京": [1, "\n"]}
    text = visible_json(json.dumps(value, ensure_ascii=False, indent=1))
    assert json.loads(text) == value
    assert not set(text) & set("\x9b\u202e\x7f\x1b")
