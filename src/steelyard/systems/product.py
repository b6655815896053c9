"""Products by name: `ragflow:CHAT@URL`, `dify:@URL` …, and `product:FILE.yaml[#APP]@URL`, described by a file.

The question is sent alone: a product retrieves by itself.
"""

import re
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit
from uuid import uuid4

from steelyard.errors import ConfigError, SystemFailure
from steelyard.i18n import Message, as_message
from steelyard.net.http import JsonClient, status_of
from steelyard.net.openai import model_client
from steelyard.net.retry import RetryableFailure
from steelyard.net.secrets import masked_command, public_address
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings, path_lost
from steelyard.systems.product_replies import ERROR, check, events_of, reply_in
from steelyard.systems.products import LOST, Fields, Product, load_product, shipped
from steelyard.systems.templates import filled, first_at, listed, template_of

_SPEC: Final = re.compile(r"(?P<name>[^#@]+)(?:#(?P<app>.*?))?@(?P<url>https?://.+)")
_REFUSED: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)


class ProductSystem(NothingOpen):
    """Asks a product over HTTP; of several forms of requests, the one that has answered is used from then on."""

    def __init__(self, name: str, product: Product, app: str, url: str, settings: SystemSettings) -> None:
        self.name = name
        self._product = product
        self._app = app
        self._url = url
        self._key = settings.environment.get(product.key, "")
        self._more = _parameters(settings.request)
        self._clients = {path: self._client(path, settings) for path in product.paths}
        self._form = 0
        self._has_answered = False
        self._has_contexts = False

    def ask(self, ask: Ask) -> Reply:
        """Ask once, in the next form of request where a product does not know the one before."""
        number = self._form
        reply = None
        while reply is None:
            try:
                reply = self._ask(self._product.requests[number], ask)
            except RetryableFailure:
                raise
            except SystemFailure as failure:
                number += 1
                following = self._product.requests[number:]
                if not following or _status(failure) not in following[0].get("after", LOST):
                    raise self._explained(failure) from None
        self._form = number
        self._has_answered = True
        self._has_contexts = self._has_contexts or "contexts" in reply.record
        return reply

    def notices(self) -> list[Message]:
        """Return that an older path has answered, and that no reply had contexts."""
        product, found = self._product, []
        first, used = product.requests[0]["path"], product.requests[self._form]["path"]
        if used != first:
            found.append(Message("systems.product_old_path", product=product.name, path=used, first=first))
        if self._has_answered and not self._has_contexts:
            found.append(path_lost("contexts", listed(product.contexts)[0]))
        return found

    def _ask(self, form: Fields, ask: Ask) -> Reply:
        values: Fields = {"question": ask.question, "id": ask.id, "app": self._app}
        values["apps"] = self._app.split(",")
        values["unique"] = f"steelyard-{uuid4().hex}"
        session = form.get("session")
        if session:
            made = self._post(session["path"], filled(session["body"], values))[0]
            check(self._product, made)
            values["session"] = first_at(made, session["id"])
        body = filled(form["body"], values)
        return reply_in(self._product, self._post(form["path"], {**body, **self._more}))

    def _post(self, path: str, body: Fields) -> list[Any]:
        events: list[Any] = self._clients[path].post(body, read=events_of)
        return events

    def _client(self, path: str, settings: SystemSettings) -> JsonClient:
        return model_client(
            self._address(path),
            "",
            key=self._key,
            timeout=settings.timeout,
            party=as_message(self._product.name),
            headers=settings.headers,
            proxy=settings.proxy,
        )

    def _address(self, path: str) -> str:
        """Return the address of a path; steps that the address of the system ends with are not repeated."""
        base = self._url.rstrip("/")
        path = filled(path, {"app": quote(self._app, safe="")})
        steps = path.split("/")
        for end in range(len(steps), 1, -1):
            start = "/".join(steps[:end])
            if urlsplit(base).path.endswith(start):
                return base + path.removeprefix(start)
        return base + path

    def _explained(self, failure: SystemFailure) -> SystemFailure:
        """Return a failure that asking again does not mend, with what to do."""
        product, message = self._product, failure.message
        status = _status(failure)
        if status in (*_REFUSED, *product.errors.get("key", ())):
            code = "systems.product_key" if self._key else "systems.product_no_key"
            return SystemFailure(Message(code, message=message, key=product.key))
        if message.code == "net.html" or status in LOST:
            tried = dict.fromkeys(public_address(self._address(each["path"])) for each in product.requests)
            paths = ", ".join(tried)
            return SystemFailure(Message("systems.product_lost", message=message, product=product.name, paths=paths))
        return failure


def _status(failure: SystemFailure) -> Any:
    """Return the status of a failure, or the code that the product gave in a reply with status 200."""
    message = failure.message
    return message.args["code"] if message.code == ERROR else status_of(failure)


def _parameters(text: str | None) -> Fields:
    """Return what --request adds to every request, such as {"top_k": 20}."""
    value = template_of(text or "{}")
    if not isinstance(value, dict):
        raise ConfigError(Message("systems.product_parameters"), where="--request")
    return value


def open_product(rest: str, settings: SystemSettings) -> ProductSystem:
    """Open the product of `NAME#APP@URL` or `FILE.yaml#APP@URL`; the app may be left out where no request names it."""
    parts = _SPEC.fullmatch(rest)
    if not parts:
        raise _malformed(rest)
    name, app, url = parts.groups("")
    product = shipped().get(name) or load_product(name)
    if product.wants_app and not app:
        raise _malformed(rest)
    label = app or urlsplit(url).hostname
    return ProductSystem(f"{Path(name).stem}:{label}", product, app, url, settings)


def _malformed(rest: str) -> ConfigError:
    name = rest.partition("#")[0]
    form = f"{name}:APP@URL" if name in shipped() else "product:FILE.yaml#APP@URL"
    return ConfigError(Message("systems.product_spec", form=form, value=masked_command(rest.replace("#", ":"))))
