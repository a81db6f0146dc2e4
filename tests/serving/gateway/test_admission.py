"""Which connections stay when there are too many, and whom a stranger cannot push out."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from mazzo_server.serving.gateway.admission import Admission, ConnectionLimits, find_network

LIMITS = ConnectionLimits(
    most=3, most_anonymous=4, most_of_caller=2, idle_seconds=10.0, burst=5, per_second=1.0
)


@dataclass(eq=False)
class House:
    """An admission with a clock that stands until it is moved."""

    now: float = 0.0
    reasons: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.admission = Admission(LIMITS, clock=lambda: self.now)

    def enter(self, name: str, network: str) -> Guest:
        guest = Guest(name, self)
        self.admission.enter(guest, network)
        return guest

    def close_idle(self) -> None:
        for guest in list(self.admission.find_idle()):
            guest.close("idle")


@dataclass(eq=False)
class Guest:
    """A connection with a name."""

    name: str
    house: House
    is_trusted: bool = False

    def trust(self) -> None:
        self.is_trusted = True

    def close(self, reason: str) -> None:
        self.house.reasons[self.name] = reason
        self.house.admission.leave(self)


def test_an_address_has_so_many_and_its_longest_idle_one_goes() -> None:
    house = House()
    first = house.enter("first", "a")
    house.enter("second", "a")
    house.admission.begin_call(first, None)
    house.admission.end_call(first, is_good=True)
    house.enter("third", "a")
    assert house.reasons == {"second": "address"}


def test_a_connection_with_a_call_goes_last() -> None:
    """Bug: it was closed before silent ones that came later."""
    house = House()
    busy = house.enter("busy", "a")
    house.admission.begin_call(busy, None)
    silent = house.enter("silent", "a")
    house.enter("third", "a")
    assert house.reasons == {"silent": "address"}
    house.admission.begin_call(house.enter("fourth", "a"), None)
    assert silent.name in house.reasons
    assert "busy" not in house.reasons
    house.enter("fifth", "a")
    assert house.reasons["busy"] == "address"


def test_a_stranger_is_let_in_whoever_fills_the_room() -> None:
    """And stays, since another address has more."""
    house = House()
    for name in ("a1", "a2"):
        house.enter(name, "a")
    for name in ("b1", "c1", "d1", "e1"):
        house.enter(name, name[0])
    assert house.reasons == {"a1": "room", "a2": "room"}


def test_a_token_stays_whatever_others_do() -> None:
    """It has its own room; what is too much for the token stays among those without."""
    house = House()
    guests = [house.enter(name, "a") for name in ("one", "two")]
    for guest in guests:
        house.admission.begin_call(guest, "t")
    third = house.enter("third", "a")
    house.admission.begin_call(third, "t")
    other = house.enter("other", "b")
    house.admission.begin_call(other, "u")
    late = house.enter("late", "b")
    house.admission.begin_call(late, "u")
    assert (house.admission.authenticated, house.admission.anonymous) == (3, 2)
    house.now = 60.0
    for guest in (*guests, third):
        house.admission.end_call(guest, is_good=True)
    house.close_idle()
    assert house.reasons == {}
    house.now = 70.0
    house.close_idle()
    assert house.reasons == {"third": "idle"}
    for guest in guests:
        guest.close("")
    assert (house.admission.authenticated, house.admission.anonymous) == (1, 1)


def test_without_a_good_call_a_connection_is_soon_idle() -> None:
    """A refused call is none; one in flight keeps its connection."""
    house = House()
    guests = {name: house.enter(name, name) for name in ("none", "bad", "good", "long")}
    house.now = 9.0
    for name in ("bad", "good", "long"):
        house.admission.begin_call(guests[name], None)
    house.admission.end_call(guests["bad"], is_good=False)
    house.admission.end_call(guests["good"], is_good=True)
    house.now = 10.0
    house.close_idle()
    assert house.reasons == {"none": "idle", "bad": "idle"}
    house.now = 19.0
    house.close_idle()
    assert house.reasons == {"none": "idle", "bad": "idle", "good": "idle"}


def test_an_address_comes_only_so_fast() -> None:
    house = House()
    assert [house.admission.allow("a") for _ in range(6)] == [True] * 5 + [False]
    assert house.admission.allow("b")
    house.now = 1.0
    assert [house.admission.allow("a") for _ in range(2)] == [True, False]


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:10.0.0.7", "10.0.0.7"),
        ("", ""),
    ],
)
def test_a_network_is_what_one_customer_has(host: str, network: str) -> None:
    """Of IPv6 it is large: its addresses are for the taking."""
    assert find_network(host) == network
