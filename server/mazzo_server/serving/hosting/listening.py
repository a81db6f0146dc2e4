"""Where a server may listen: addresses, the sockets' files, certificates."""

from __future__ import annotations

import errno
import os
import socket
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from mazzo.channel import is_this_machine, parse_address
from mazzo.errors import AddressError
from mazzo_server.errors import ConflictError, InvalidInputError, PlatformError

__all__ = [
    "UNIX",
    "TlsFiles",
    "check_addresses",
    "lock_socket",
    "open_port",
    "restrict_to_owner",
]

UNIX = "unix:"

# What a machine without that kind of address says.
_ABSENT = {errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL}
_BACKLOG = 1_024  # connections that wait to be taken
_LONGEST_PATH = 107  # bytes: what Linux has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """A certificate, with those that lead from it to its root, and its key: PEM files."""

    certificate: Path
    key: Path

    def check(self) -> None:
        """Raise `InvalidInputError` for files that do not fit together."""
        for option, path in (("--tls-cert", self.certificate), ("--tls-key", self.key)):
            try:
                path.read_bytes()
            except OSError as error:
                raise InvalidInputError(
                    f"{option}: cannot read {path}: {error.strerror}"
                ) from error
        try:
            # An empty password, for a key that needs one would ask for it on the terminal.
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
                self.certificate, self.key, password=""
            )
        except ssl.SSLError as error:
            if error.reason == "KEY_VALUES_MISMATCH":
                problem = "expected a key and its certificate, got a key of another certificate"
            else:
                problem = "expected a certificate and its key without a password, both in PEM"
            raise InvalidInputError(
                f"--tls-cert {self.certificate}, --tls-key {self.key}: {problem}"
            ) from error


def check_addresses(addresses: Sequence[str], *, with_tls: bool) -> None:
    """Raise `InvalidInputError` unless each is a Unix socket, of this machine, or has TLS."""
    for address in addresses:
        try:
            place = parse_address(address)
        except AddressError as error:
            raise InvalidInputError(f"listen: {error}") from error
        if place is None:
            _check_socket(address)
            if addresses.count(address) > 1:
                raise InvalidInputError(f"listen: expected each socket once, got {address} twice")
        elif not with_tls and not is_this_machine(place[0]):
            raise InvalidInputError(
                f"listen: {address} can be reached from other machines, where tokens and cards "
                "could be read on the way: give --tls-cert and --tls-key, or listen on this "
                "machine alone, such as at 127.0.0.1:7777"
            )


def _check_socket(address: str) -> None:
    path = Path(address.removeprefix(UNIX))
    if (length := len(os.fsencode(path))) > _LONGEST_PATH:
        raise InvalidInputError(
            f"listen: {address}: expected a path of at most {_LONGEST_PATH} bytes, which is all "
            f"that a Unix socket can have, got {length}: give a shorter one with --listen"
        )
    with suppress(OSError):  # what may not be looked at is refused when it is opened
        if path.exists() and not path.is_socket():
            raise InvalidInputError(f"listen: {address}: what is there is no socket")


def open_port(address: str) -> list[socket.socket]:
    """Return the sockets that listen at HOST:PORT: one for each address that the host has.

    With port 0 all have the same free one. Raises `PlatformError`.
    """
    place = parse_address(address)
    assert place is not None
    host, port = place[0].strip("[]"), place[1]
    opened: list[socket.socket] = []
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        for family, _, _, _, where in dict.fromkeys(found):
            try:
                opened.append(
                    one := socket.create_server(
                        (str(where[0]), port, *where[2:]),
                        family=family,
                        backlog=_BACKLOG,
                        dualstack_ipv6=host == "::",
                    )
                )
            except OSError as error:
                if not opened or error.errno not in _ABSENT:
                    raise
            port = one.getsockname()[1]
    except OSError as error:
        for one in opened:
            one.close()
        # Of an address that is taken Python tells the number as well, of a name only the text.
        number = error.errno or 0
        why = os.strerror(number) if number > 0 else error.strerror
        raise PlatformError(f"cannot listen at {address}: {why}") from error
    return opened


def lock_socket(address: str) -> FileLock:
    """Return a lock on a Unix socket, for gRPC takes away one that another server listens at."""
    path = Path(address.removeprefix(UNIX))
    if not path.parent.is_dir():  # a lock would make it
        raise PlatformError(f"cannot listen at {address}: there is no folder {path.parent}")
    lock = FileLock(f"{path}.lock", mode=0o600)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise ConflictError(f"cannot listen at {address}: another server does") from error
    except OSError as error:
        raise PlatformError(f"cannot listen at {address}: {error}") from error
    return lock


@contextmanager
def restrict_to_owner() -> Iterator[None]:
    """Let files made meanwhile, a Unix socket above all, be opened by their owner alone."""
    before = os.umask(0o177)
    try:
        yield
    finally:
        os.umask(before)
