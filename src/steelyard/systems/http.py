"""`http://host/path`: a system that is asked by POST, JSON in, JSON out."""

from typing import Any

from steelyard.systems.posting import Poster
from steelyard.systems.records import Ask, Reply, reply_of
from steelyard.systems.secrets import address
from steelyard.systems.settings import SystemSettings
from steelyard.systems.templates import RequestTemplate, ResponseTemplate


class HttpSystem:
    """Posts {"id", "question", "document"}, or what a template makes of them, and reads the record that comes back."""

    def __init__(self, url: str, settings: SystemSettings) -> None:
        self._poster = Poster(url, headers=settings.headers, timeout=settings.timeout, proxy=settings.proxy)
        self.name = address(url)
        self._request = RequestTemplate.parse(settings.request) if settings.request else None
        self._response = ResponseTemplate.parse(settings.response) if settings.response else None

    def ask(self, ask: Ask) -> Reply:
        """Ask once."""
        value = self._poster.post(self._body(ask))
        return reply_of(self._response.take(value) if self._response else value)

    def close(self) -> None:
        """Nothing is kept open."""

    def _body(self, ask: Ask) -> Any:
        if self._request:
            return self._request.fill(ask)
        return {"id": ask.id, "question": ask.question, "document": ask.document}
