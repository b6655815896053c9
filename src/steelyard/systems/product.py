"""Products by name: `ragflow:CHAT@URL`, `dify:@URL` …, and `product:FILE.yaml[#APP]@URL`, described by a file.

The question is sent alone: a product retrieves by itself.
"""

import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, urlsplit
from uuid import uuid4

from steelyard.errors import ConfigError, InputError, SystemFailure
from steelyard.i18n import Message, as_message
from steelyard.io.records import parse_json
from steelyard.net.http import JsonClient, status_of
from steelyard.net.openai import model_client
from steelyard.net.retry import RetryableFailure
from steelyard.net.secrets import masked_command, public_address
from steelyard.systems.base import Ask, NothingOpen, Reply, SystemSettings, path_lost
from steelyard.systems.product_replies import ERROR, Body, body_of, check, reply_in
from steelyard.systems.products import LOST, Product, Request, Session, load_product, shipped
from steelyard.systems.templates import filled

_SPEC: Final = re.compile(r"(?P<name>[^#@]+)(?:#(?P<app>.*?))?@(?P<url>https?://.+)")


class ProductSystem(NothingOpen):
    """Asks a product over HTTP; of several forms of requests, the one that has answered is used from then on."""

    def __init__(self, name: str, product: Product, app: str, url: str, settings: SystemSettings) -> None:
        self.name = name
        self._product = product
        self._app = app
        self._url = url
        self._settings = settings
        self._key = settings.environment.get(product.key, "")
        self._more = _parameters(settings.request)
        self._clients = {path: self._client(path) for each in product.requests for path in _paths(each)}
        self._form = 0
        self._has_answered = False
        self._has_contexts = False

    def ask(self, ask: Ask) -> Reply:
        """Ask once, in the next form of request where a product does not know the one before."""
        forms = self._product.requests
        for number in range(self._form, len(forms)):
            try:
                reply = self._ask(forms[number], ask)
            except RetryableFailure:
                raise
            except SystemFailure as failure:
                if number + 1 < len(forms) and _status(failure) in map(str, forms[number + 1].after):
                    continue
                raise self._explained(failure) from None
            self._form, self._has_answered = number, True
            self._has_contexts = self._has_contexts or bool(reply.record.get("contexts"))
            return reply
        raise AssertionError("a product has a request")

    def notices(self) -> list[Message]:
        """Return that an older path has answered, and that no reply had contexts."""
        forms, found = self._product.requests, []
        if forms[self._form].path != forms[0].path:
            paths = {"path": forms[self._form].path, "first": forms[0].path}
            found.append(Message("systems.product_old_path", product=self._product.name, **paths))
        if self._has_answered and not self._has_contexts:
            found.append(path_lost("contexts", self._product.contexts.text))
        return found

    def _ask(self, form: Request, ask: Ask) -> Reply:
        values: dict[str, Any] = {"question": ask.question, "id": ask.id, "app": self._app}
        values |= {"apps": self._app.split(","), "unique": f"steelyard-{uuid4().hex}"}
        if form.session:
            values["session"] = self._session(form.session, values)
        return reply_in(self._product, self._post(form.path, {**filled(form.body, values), **self._more}))

    def _session(self, session: Session, values: Mapping[str, Any]) -> Any:
        """Return the id of a new session."""
        made = self._post(session.path, filled(session.body, values)).values[0]
        check(self._product, made)
        return session.id.first(made, (str, int)) or ""

    def _post(self, path: str, body: Any) -> Body:
        found: Body = self._clients[path].post(body, read=body_of)
        return found

    def _client(self, path: str) -> JsonClient:
        settings = self._settings
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
        path = filled(path, {"app": quote(self._app, safe="")})
        base = self._url.rstrip("/")
        steps = path.split("/")
        starts = ("/".join(steps[:end]) for end in range(len(steps), 1, -1))
        known = next((start for start in starts if urlsplit(base).path.endswith(start)), "")
        return base + path.removeprefix(known)

    def _explained(self, failure: SystemFailure) -> SystemFailure:
        """Return a failure that asking again does not mend, with what to do."""
        product, message = self._product, failure.message
        if _status(failure) in map(str, (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, *product.errors.key)):
            code = "systems.product_key" if self._key else "systems.product_no_key"
            return SystemFailure(Message(code, message=message, key=product.key))
        if message.code == "net.html" or _status(failure) in map(str, LOST):
            tried = dict.fromkeys(public_address(self._address(each.path)) for each in product.requests)
            return SystemFailure(
                Message("systems.product_lost", message=message, product=product.name, paths=", ".join(tried))
            )
        return failure


def _paths(form: Request) -> list[str]:
    return [form.path, *([form.session.path] if form.session else [])]


def _status(failure: SystemFailure) -> str:
    """Return the status of a failure, or the code that the product gave in a reply with status 200."""
    message = failure.message
    return str(message.args["code"] if message.code == ERROR else status_of(failure))


def _parameters(text: str | None) -> dict[str, Any]:
    """Return what --request adds to every request, such as {"top_k": 20}."""
    try:
        value = parse_json(text or "{}", "--request")
    except InputError as error:
        raise ConfigError(Message("systems.bad_request_template", message=error.message), where="--request") from None
    if not isinstance(value, dict):
        raise ConfigError(Message("systems.product_parameters"), where="--request")
    return value


def open_product(rest: str, settings: SystemSettings) -> ProductSystem:
    """Open the product of `NAME#APP@URL` or `FILE.yaml#APP@URL`; the app may be left out where no request names it."""
    parts = _SPEC.fullmatch(rest)
    name = parts["name"] if parts else rest.partition("#")[0]
    if parts:
        product = shipped().get(name) or load_product(name)
        label = parts["app"] or urlsplit(parts["url"]).netloc.rpartition("@")[2]
        if parts["app"] or not product.wants_app:
            return ProductSystem(f"{Path(name).stem}:{label}", product, parts["app"] or "", parts["url"], settings)
    form = f"{name}:APP@URL" if name in shipped() else "product:FILE.yaml#APP@URL"
    raise ConfigError(Message("systems.product_spec", form=form, value=masked_command(rest.replace("#", ":"))))
