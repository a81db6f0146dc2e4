"""Who may be connected: a few of those that have not shown a token yet, and more that have."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network, ip_address
from typing import Final, Protocol

from mazzo_server.clock import monotonic
from mazzo_server.serving.bucket import Bucket

__all__ = ["Admission", "ConnectionLimits", "Visitor", "find_network"]

_IPV6_PREFIX: Final = 64  # bits that one customer of a provider has for itself at least
_MOST_KNOWN: Final = 10_000  # addresses that are remembered
_FRAMES: Final = 8  # without a message, that a connection may send in the mean to show a token


def find_network(host: str) -> str:
    """Return what one customer of a provider has: an IPv4 address, or a network of IPv6.

    What is no address is returned as it is.
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(IPv6Network((int(address), _IPV6_PREFIX), strict=False))
    return str(address)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """How many connections there may be at a time, and how fast they may come."""

    most: int = 1_000  # of all that have shown a token
    most_anonymous: int = 128  # of all that have not
    most_of_caller: int = 64  # of a token, or of an address without one
    idle_seconds: float = 10.0  # without a token: since it began, or since its last call
    burst: int = 256  # new ones of an address
    per_second: float = 32.0  # after that


class Visitor(Protocol):
    """A connection, as far as it is counted."""

    def close(self, reason: str) -> None:
        """Break it off."""

    def trust(self) -> None:
        """Note that it has shown a token."""


@dataclass(slots=True, eq=False)
class _Account:
    """What is known of a connection."""

    network: str
    since: float  # when it came, or when its last good call ended
    calls: int = 0  # in flight
    token: str | None = None  # the id of the token that it has shown


class _Network:
    """What all connections of an address may do together until they have shown a token."""

    def __init__(self, limits: ConnectionLimits, clock: Callable[[], float]) -> None:
        burst, per_second = limits.burst, limits.per_second
        self.connections = Bucket(burst, per_second=per_second, clock=clock)
        self.frames = Bucket(burst * _FRAMES, per_second=per_second * _FRAMES, clock=clock)


class Admission:
    """Decides which connections stay.

    Whoever has shown a valid token stays. The others have little room, of which each address gets
    a fair share: when it is full, a new connection takes the place of the longest idle one of its
    own address, or else of the address that has most. So a stranger who comes with one connection
    is let in, however many another one holds.
    """

    def __init__(self, limits: ConnectionLimits, clock: Callable[[], float] = monotonic) -> None:
        self._limits = limits
        self._clock = clock
        self._accounts: dict[Visitor, _Account] = {}
        self._crowds: dict[str, OrderedDict[Visitor, None]] = {}  # without a token; by network
        self._networks: OrderedDict[str, _Network] = OrderedDict()  # the latest last
        self._by_token: Counter[str] = Counter()
        self.authenticated = 0

    @property
    def anonymous(self) -> int:
        """How many connections have not shown a token."""
        return len(self._accounts) - self.authenticated

    def allow(self, network: str) -> bool:
        """Return whether one more may come from there, which counts it."""
        return self._find_network(network).connections.take()

    def find_frames(self, network: str) -> Bucket:
        """Return what the strangers of an address may send together in frames without a message."""
        return self._find_network(network).frames

    def _find_network(self, network: str) -> _Network:
        found = self._networks.get(network)
        if found is None:
            found = self._networks[network] = _Network(self._limits, self._clock)
            if len(self._networks) > _MOST_KNOWN:
                self._networks.popitem(last=False)
        self._networks.move_to_end(network)
        return found

    def enter(self, visitor: Visitor, network: str) -> None:
        """Let a connection in; the longest idle one of a crowd may have to go for it."""
        if len(self._crowds.get(network, ())) >= self._limits.most_of_caller:
            self._close_first(network, "address")
        elif self.anonymous >= self._limits.most_anonymous:
            self._close_first(max(self._crowds, key=lambda one: len(self._crowds[one])), "room")
        self._accounts[visitor] = _Account(network, self._clock())
        self._crowds.setdefault(network, OrderedDict())[visitor] = None

    def leave(self, visitor: Visitor) -> None:
        """Forget a connection; one that is not known is forgotten already."""
        account = self._accounts.pop(visitor, None)
        if account is None:
            return
        if account.token is None:
            self._leave_crowd(visitor, account.network)
        else:
            self._drop_token(account.token)

    def begin_call(self, visitor: Visitor, token: str | None) -> None:
        """Note a call, and the valid token that it shows, if it does."""
        account = self._accounts[visitor]
        account.calls += 1
        if token is None or account.token is not None:
            return
        limits = self._limits
        if self._by_token[token] < limits.most_of_caller and self.authenticated < limits.most:
            account.token = token
            self._by_token[token] += 1
            self.authenticated += 1
            self._leave_crowd(visitor, account.network)
            visitor.trust()

    def end_call(self, visitor: Visitor, *, is_good: bool) -> None:
        """Note the end of a call, which counts if it was not refused."""
        account = self._accounts[visitor]
        account.calls -= 1
        if is_good:
            account.since = self._clock()
            if account.token is None:
                self._crowds[account.network].move_to_end(visitor)

    def find_idle(self) -> Iterator[Visitor]:
        """Yield the connections without a token, and without a good call for long enough."""
        latest = self._clock() - self._limits.idle_seconds
        for crowd in self._crowds.values():
            for visitor in crowd:
                account = self._accounts[visitor]
                if account.since > latest:
                    break
                if not account.calls:
                    yield visitor

    def _drop_token(self, token: str) -> None:
        self.authenticated -= 1
        self._by_token[token] -= 1
        if not self._by_token[token]:
            del self._by_token[token]

    def _leave_crowd(self, visitor: Visitor, network: str) -> None:
        crowd = self._crowds[network]
        del crowd[visitor]
        if not crowd:
            del self._crowds[network]

    def _close_first(self, network: str, reason: str) -> None:
        """Close the longest idle connection of a crowd; one with a call only if all have one."""
        crowd = self._crowds[network]
        idle = (visitor for visitor in crowd if not self._accounts[visitor].calls)
        next(idle, next(iter(crowd))).close(reason)
