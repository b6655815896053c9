"""Secrets in the arguments of messages: masked in every language, and the message stays one."""

import pytest

from steelyard.errors import Problem
from steelyard.i18n import Joined, Message
from steelyard.i18n.masking import masked, with_texts


def mask(text):
    return text.replace("hunter2", "***")


def test_arguments_are_masked_and_the_message_stays():
    inner = Message("systems.python_raised", name="KeyError", text="hunter2")
    found = masked(Message("core.labelled", label="x", message=inner), mask)
    assert found.text("zh") == "x：系统抛出 KeyError：***"
    assert found.args["message"].code == inner.code


def test_what_holds_no_secret_stays_itself():
    error = ValueError("nothing")
    message = Message("net.status", party=Message("words.the_system"), status=404, body=error)
    assert masked(message, mask) == message
    assert masked(message, mask).args["body"] is error


@pytest.mark.parametrize(
    "value",
    [
        ValueError("hunter2"),
        ["hunter2"],
        Problem("hunter2", Message("words.none")),
        Joined("core.or", [Message("words.none"), "hunter2"]),
    ],
)
def test_no_kind_of_argument_hides_a_secret(value):
    found = masked(Message("rag.model_failed", error=value), mask)
    assert "hunter2" not in f"{found}{found.text('zh')}{found!r}"
    assert found.code == "rag.model_failed"


@pytest.mark.parametrize(
    ("secret", "message"),
    [
        ("404: gone", Message("net.status", party=Message("words.the_system"), status=404, body="gone")),
        ("404：gone", Message("net.status", party=Message("words.the_system"), status=404, body="gone")),
        ("404", Message("net.status", party=Message("words.the_system"), status=404, body="gone")),
        ("\\'", Message("formats.not_text", key="x", value="'\"")),
    ],
)
def test_a_secret_of_words_and_arguments_makes_the_text_foreign(secret, message):
    found = masked(message, lambda text: text.replace(secret, "***"))
    assert secret not in found.text("en")
    assert secret not in found.text("zh")
    assert found.code == "core.foreign"


def test_numbers_keep_their_form():
    message = Message("core.no_answer_within", timeout=1.5)
    assert str(with_texts(message, str.upper)) == "no reply within 1.5 s"
