"""Keys in the environment of a server: they are sent only to addresses that the operator of the server has named.

These are in the server's own parameter.yaml, and in a variable beside the key: LLM_BASE_URL for LLM_API_KEY.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from steelyard.i18n import Message
from steelyard.net.http import is_address, origin
from steelyard.net.secrets import public_address
from steelyard.pipelines.manifest import read_parameters
from steelyard.pipelines.server import Server, notify
from steelyard.rag.settings import OPENAI_URL

_BACKENDS: Final = ("openai", "vllm")
_PLACEHOLDERS: Final = ("abc", "EMPTY")  # that UltraRAG and vLLM write where no key is needed


def with_key(
    server: Server, environment: Mapping[str, str], variable: str, backend: str, configs: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Add the key in this variable to the settings of a backend that have none, if the operator named their address."""
    section = configs.get(backend) or {}
    key = environment.get(variable)
    if not key or backend not in _BACKENDS or not isinstance(section, Mapping):
        return configs
    own, url = section.get("api_key"), section.get("base_url") or OPENAI_URL
    if own not in (None, "", *_PLACEHOLDERS) or not (isinstance(url, str) and is_address(url)):
        return configs
    address = variable_of_address(variable)
    if not _is_named(server, environment.get(address), url, section.get("proxy")):
        notify(Message("servers.key_not_sent", key=variable, address=public_address(url), variable=address))
        return configs
    if own:
        notify(Message("servers.key_placeholder", name=f"backend_configs.{backend}.api_key", key=own, used=variable))
    return {**configs, backend: {**section, "api_key": key}}


def variable_of_address(variable: str) -> str:
    """Return the variable with the address for the key in `variable`; the name itself if it is not that of a key."""
    return re.sub("_API_KEY$", "_BASE_URL", variable)


def _is_named(server: Server, beside: str | None, url: str, proxy: Any) -> bool:
    """Return whether the operator named this address; a proxy would read the key of a request without TLS."""
    file = server.folder / "parameter.yaml"
    sections = (read_parameters(file) if file.is_file() else {}).get("backend_configs") or {}
    named = [section.get("base_url") for section in sections.values() if isinstance(section, Mapping)]
    is_readable = proxy and not url.lower().startswith("https:")
    return not is_readable and origin(url) in {origin(address) for address in (*named, beside) if address}
