"""How a server is reached: which addresses there are, and which of them need TLS."""

from __future__ import annotations

import ipaddress
import os
import re
import ssl
from collections.abc import Sequence
from pathlib import Path

import grpc

from mazzo.errors import AddressError

__all__ = [
    "CA_VARIABLE",
    "explain_handshake_failure",
    "is_this_machine",
    "open_channel",
    "parse_address",
    "pings",
]

CA_VARIABLE = "MAZZO_CA"

_UNIX = re.compile(r"unix:\S.*")
_TCP = re.compile(r"([A-Za-z0-9_.-]+|\[[0-9a-fA-F:.]+\]):([0-9]{1,5})")
_LAST_PORT = 65_535


def pings(*, every: int, patience: int) -> tuple[tuple[str, int], ...]:
    """Return gRPC's options to ask a silent peer whether it is there; both are in milliseconds.

    With the keepalive's own time-out alone, gRPC 1.78 does not give up before a minute: it
    never starts that timer, and only the one of all pings runs.
    """
    return (
        ("grpc.keepalive_time_ms", every),
        ("grpc.keepalive_timeout_ms", patience),
        ("grpc.http2.ping_timeout_ms", patience),
    )


_OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # After some failures gRPC would wait two minutes before it tries again.
    ("grpc.max_reconnect_backoff_ms", 5_000),
    # A router between here and there may forget a connection on which nothing was sent for
    # some minutes.
    *pings(every=60_000, patience=20_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
)
# What gRPC's account of a failed connection holds, and what it means.
_PROBLEMS = (
    (
        "certificate has expired",
        "its certificate has expired: its organiser must renew it",
    ),
    (
        "CERTIFICATE_VERIFY_FAILED",
        "its certificate is not signed by anyone known here: get the organiser's CA file, and "
        f"give it with --ca FILE or {CA_VARIABLE}",
    ),
    (
        "Hostname Verification Check failed",
        "its certificate is for another name: connect by the name that it was made for",
    ),
    (
        "not in peer certificate",
        "its certificate is for another name: connect by the name that it was made for",
    ),
    (
        "WRONG_VERSION_NUMBER",
        "it does not speak TLS, and nothing is sent unprotected to another machine: start it "
        "with --tls-cert and --tls-key",
    ),
)


def parse_address(address: str) -> tuple[str, int] | None:
    """Return host and port of HOST:PORT, None of unix:PATH; raise `AddressError` for any other."""
    if _UNIX.fullmatch(address):
        return None
    found = _TCP.fullmatch(address)
    if found is None:
        raise AddressError(f"expected HOST:PORT or unix:PATH, got {address[:200]!r}")
    if int(found[2]) > _LAST_PORT:
        raise AddressError(f"expected a port of {_LAST_PORT} at most, got {address[:200]!r}")
    return found[1], int(found[2])


def is_this_machine(host: str) -> bool:
    """Return whether the host is this machine by its address, whatever a name server says."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def open_channel(
    address: str,
    ca: str | os.PathLike[str] | None = None,
    *,
    options: Sequence[tuple[str, int]] = (),
) -> grpc.aio.Channel:
    """Return a channel to a server, to be closed by the caller.

    `unix:PATH` and this machine (`localhost`, 127.0.0.1, [::1]) are reached without TLS, every
    other host with TLS only, so that a token sent on the channel is never readable on a
    network. `ca` is a PEM file of the certificates to trust in place of those that are known
    here; with it this machine is reached with TLS as well. `options` are gRPC's own, in place
    of the usual ones.

    Raises `AddressError` for another form of address and for a `ca` that cannot be used.
    """
    given = tuple((dict(_OPTIONS) | dict(options)).items())
    place = parse_address(address)
    if place is None or (ca is None and is_this_machine(place[0])):
        return grpc.aio.insecure_channel(address, options=given)
    credentials = grpc.ssl_channel_credentials(root_certificates=_roots(ca))
    return grpc.aio.secure_channel(address, credentials, options=given)


def _roots(ca: str | os.PathLike[str] | None) -> bytes | None:
    """Return PEM certificates: those given, or the system's; None: those that come with gRPC."""
    if ca is None:
        system = ssl.get_default_verify_paths().cafile
        return Path(system).read_bytes() if system is not None else None
    try:
        pem = Path(ca).read_bytes()
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise AddressError(f"cannot read the CA file {os.fspath(ca)!r}: {why}") from error
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=pem.decode())
    except (ssl.SSLError, ValueError) as error:
        raise AddressError(
            f"expected PEM certificates in the CA file {os.fspath(ca)!r}, got something else"
        ) from error
    return pem


def explain_handshake_failure(details: str) -> str | None:
    """Explain a failed TLS handshake from gRPC's details; None if it failed for another reason."""
    return next((said for sign, said in _PROBLEMS if sign in details), None)
