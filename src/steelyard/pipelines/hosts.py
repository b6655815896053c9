"""Which hosts are this machine: the addresses that a server may listen on without a token, and the names it goes by."""

import ipaddress
from urllib.parse import urlsplit


def is_loopback(host: str) -> bool:
    """Whether an address is that of this machine and of no other."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def is_local_host(header: str | None) -> bool:
    """Whether a Host header names this machine; a foreign name that leads here is DNS rebinding."""
    return _is_local(f"//{header or ''}")


def is_local_origin(header: str | None) -> bool:
    """Whether a request comes from no page, or from a page of this machine."""
    return header is None or (header.startswith(("http://", "https://")) and _is_local(header))


def _is_local(address: str) -> bool:
    try:
        return is_loopback(urlsplit(address).hostname or "")
    except ValueError:
        return False
