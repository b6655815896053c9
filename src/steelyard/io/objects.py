"""Objects at addresses, read in blocks and written whole, through fsspec; each failure is one message.

Credentials and endpoints are those that the library of the store finds by itself.
"""

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from steelyard.errors import ConfigError, InputError, MissingExtra, SteelyardError, os_reason
from steelyard.i18n import Message
from steelyard.io.addresses import AZURE, HTTP, Address

OVERWRITE_HINT: Final = Message("formats.overwrite_hint")
TRY_AGAIN: Final = Message("formats.try_again_hint")
BLOCK: Final = 5 << 20
"""Bytes that are requested ahead of what is read."""
_CONNECT_SECONDS: Final = 30
_READ_SECONDS: Final = 60
_EXTRA: Final = "cloud"
_PACKAGES: Final = {
    "s3": "s3fs",
    **dict.fromkeys(("gs", "gcs"), "gcsfs"),
    **dict.fromkeys(AZURE, "adlfs"),
    "hdfs": "pyarrow",
    **dict.fromkeys(HTTP, "aiohttp"),
}
"""The package that fsspec needs for a scheme."""
_NO_CONTAINER: Final = re.compile(
    r"NoSuchBucket|bucket does not exist|ContainerNotFound|container does not exist", re.IGNORECASE
)
_NO_CREDENTIALS: Final = re.compile(r"Credential|ClientAuthentication|TokenRetrieval|Unauthori[sz]edSSO")
_CHANGED: Final = re.compile(r"FileExpired|PreconditionFailed|ConditionNotMet")
_FORBIDDEN: Final = (401, 403)
_MISSING: Final = (404, 410)


class ObjectFile:
    """An object that is read from start to end; a failure closes it and is an error with the bytes read so far."""

    def __init__(self, address: Address) -> None:
        """Open it; the first block is requested when it is read."""
        self._address = address
        self.taken = 0  # bytes that were read
        with _failures(address):
            self._file = _opened(address)

    def read(self, size: int) -> bytes:
        """So many bytes, fewer only at the end."""
        pieces, held = [], 0
        with _failures(self._address, self):
            while held < size and (piece := self._file.read(size - held)):
                pieces.append(piece)
                held += len(piece)
                self.taken += len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def close(self) -> None:
        """End the request."""
        with suppress(Exception):
            self._file.close()


def exists(address: Address) -> bool:
    """Whether there is such an object; a store or bucket that cannot be reached is an error."""
    with _failures(address):
        store = _store(address)
        try:
            return bool(store.info(_key(store, address)).get("type") != "directory")
        except FileNotFoundError as error:
            if _NO_CONTAINER.search(_texts(error)):
                raise
            return False


def check_writable(address: Address) -> None:
    """Refuse an address that can only be read, a missing package or bucket; rights to write are not known before."""
    if address.scheme in HTTP:
        hint = Message("formats.http_read_only_hint")
        raise ConfigError(Message("formats.http_read_only"), where=str(address), hint=hint)
    if not address.name:
        raise ConfigError(Message("formats.no_object_name"), where=str(address), hint=_name_hint(address))
    with _failures(address, error=ConfigError):
        store = _store(address)
        try:
            store.info(_key(store, address))
        except PermissionError:  # of reading
            return
        except FileNotFoundError as error:
            if _NO_CONTAINER.search(_texts(error)):
                raise


def upload(part: Path, address: Address, *, overwrite: bool) -> None:
    """Write a finished file as an object, which others see only when it is whole."""
    check_writable(address)
    mode = "xb" if address.scheme == "s3" and not overwrite else "wb"
    with _failures(address, error=ConfigError):
        store = _store(address)
        with open(part, "rb") as source, store.open(_key(store, address), mode) as target:
            shutil.copyfileobj(source, target, BLOCK)


def _opened(address: Address) -> Any:
    store = _store(address)
    if address.scheme in HTTP:  # one request, without a request for the size before it
        file = store.open(_key(store, address), "rb", block_size=0, size=1)
        if file.r.status == HTTPStatus.OK:
            return file
        file.close()  # it is no error to aiohttp, but may be 206, a part of the object
        raise InputError(Message("formats.http_status", status=file.r.status), where=str(address), hint=TRY_AGAIN)
    block = {} if address.scheme == "hdfs" else {"block_size": BLOCK}
    file = store.open(_key(store, address), "rb", **block)
    if (getattr(file, "details", None) or {}).get("type") == "directory":
        file.close()
        raise IsADirectoryError
    return file


def _key(store: Any, address: Address) -> str:
    return str(store._strip_protocol(address.url))


def _store(address: Address) -> Any:
    """Return the file system of fsspec for an address, with the settings that its host or user part contains."""
    try:
        import fsspec

        kind = fsspec.get_filesystem_class(address.scheme)
    except ImportError as error:
        package = "fsspec" if (error.name or "").partition(".")[0] == "fsspec" else _PACKAGES[address.scheme]
        raise _missing(package, address.scheme) from None
    settings = kind._get_kwargs_from_urls(address.url)
    return kind(use_listings_cache=False, **settings, **(_http_settings(address) if address.scheme in HTTP else {}))


def _http_settings(address: Address) -> dict[str, Any]:
    """No limit on the whole time of a download; an address that is encoded is sent as it is, since it may be signed."""
    import aiohttp

    waiting = aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS, sock_read=_READ_SECONDS)
    is_encoded = re.fullmatch(r"[!-~]*", address.url) is not None
    return {"encoded": is_encoded, "client_kwargs": {"timeout": waiting}}


def _missing(package: str, scheme: str) -> MissingExtra:
    """Return the error about a missing package; its hint names all that a scheme needs."""
    needs = Message("core.needs_package", purpose=Message("words.addresses_of_scheme", scheme=scheme), package=package)
    return MissingExtra(needs, hint=MissingExtra.install(_EXTRA, _PACKAGES[scheme]))


@contextmanager
def _failures(
    address: Address, file: ObjectFile | None = None, *, error: type[SteelyardError] = InputError
) -> Iterator[None]:
    """Whatever a library of a store raises, as an error about the address; what it says may contain secrets."""
    try:
        yield
    except SteelyardError:
        raise
    except Exception as failure:
        if file is not None:
            file.close()
        message, hint = _meaning(failure, address, file)
        raise error(message, where=str(address), hint=hint) from None


def _meaning(failure: Exception, address: Address, file: ObjectFile | None) -> tuple[Message, Message]:
    """Return the message about a failure, and its hint."""
    known = (meaning for applies, *meaning in _meanings(failure, address, is_open=file is not None) if applies)
    if found := next(known, None):
        return found[0], found[1]
    reason = _reason(failure)
    if file is not None:
        message = Message("formats.connection_lost", count=f"{file.taken:,}", reason=reason)
        return message, TRY_AGAIN
    hint = Message("formats.hdfs_hint" if address.scheme == "hdfs" else "formats.store_hint")
    return Message("formats.store_failed", reason=reason), hint


def _meanings(failure: Exception, address: Address, *, is_open: bool) -> Iterator[tuple[bool, Message, Message]]:
    """Whether a failure has a meaning, the message and the hint, for each known meaning; the first one counts."""
    texts, status = _texts(failure), getattr(failure, "status", None)
    is_denied = isinstance(failure, PermissionError) or status in _FORBIDDEN
    is_missing = isinstance(failure, FileNotFoundError) or status in _MISSING
    is_no_object = isinstance(failure, IsADirectoryError) or (not is_open and isinstance(failure, ValueError))
    rights = Message("formats.credentials_hint")
    no_bucket = Message("formats.no_bucket", name=address.container)
    yield _NO_CONTAINER.search(texts) is not None, no_bucket, Message("formats.no_bucket_hint")
    yield isinstance(failure, FileExistsError), Message("formats.file_exists"), OVERWRITE_HINT
    yield _CHANGED.search(texts) is not None, Message("formats.object_changed"), Message("formats.object_changed_hint")
    yield is_no_object, Message("formats.no_object_name"), _name_hint(address)
    yield is_missing, Message("formats.no_object"), Message("formats.no_object_hint")
    yield _NO_CREDENTIALS.search(texts) is not None, Message("formats.no_credentials"), rights
    yield is_denied, Message("formats.no_access"), rights
    is_malformed = failure.__cause__ is not None  # aiohttp says 400 of a reply that it cannot read
    yield bool(status) and is_malformed, Message("formats.malformed_reply"), TRY_AGAIN
    yield bool(status), Message("formats.http_status", status=status), TRY_AGAIN


def _name_hint(address: Address) -> Message:
    return Message("formats.object_name_hint", example=f"{address.scheme}://{address.container}/results.jsonl")


def _chain(failure: BaseException) -> Iterator[BaseException]:
    """Yield a failure and its causes."""
    seen: BaseException | None = failure
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _texts(failure: BaseException) -> str:
    """Return the kinds and the texts of a failure and its causes, to be searched and not to be shown."""
    return "\n".join(f"{type(each).__name__} {each}" for each in _chain(failure))


def _reason(failure: Exception) -> Message | str:
    """Return the reason of the operating system, else the kind of the failure; its text may contain secrets."""
    system = next((each for each in reversed([*_chain(failure)]) if getattr(each, "errno", None)), None)
    if not isinstance(system, OSError) or not system.errno:
        return type(failure).__name__
    if system.errno < 0:  # of the name service
        return Message("formats.host_not_found")
    return os_reason(OSError(system.errno, os.strerror(system.errno)))
