"""The limits of bots, as `MAZZO_LIMITS` sets them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import LIMIT_KINDS, BotLimits, read_bot_limits

LIMITS = st.builds(
    BotLimits,
    **{name: st.integers(kind.least, kind.most) for name, kind in LIMIT_KINDS.items()},
).filter(lambda limits: limits.bundle_mib <= limits.unpacked_mib)


@given(LIMITS)
def test_the_text_of_limits_is_read_again(limits: BotLimits) -> None:
    """All of them, so what `mazzo doctor` shows can be set as it stands."""
    assert read_bot_limits(str(limits)) == limits


@pytest.mark.parametrize("text", ["", " ", ",", "memory_mib=512", "processes = 64 , disk_mib=64,"])
def test_what_is_not_named_keeps_its_default(text: str) -> None:
    """With spaces and commas as people set them."""
    assert read_bot_limits(text) == BotLimits()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("memory=1", r"^MAZZO_LIMITS: expected limits such as .* got 'memory=1'$"),
        ("64", r"^MAZZO_LIMITS: expected limits such as .* got '64'$"),
        ("disk_mib=1,disk_mib=2", r"each of memory_mib, .* at most once, got 'disk_mib=2'$"),
        ("memory_mib=", r"^MAZZO_LIMITS: memory_mib: expected a whole number from 128 to"),
        ("memory_mib=127", r"^MAZZO_LIMITS: memory_mib: expected .* got '?127"),
        ("processes=32769", r"^MAZZO_LIMITS: processes: expected .* to 32768, got '?32769"),
        ("bundle_mib=200", r"^MAZZO_LIMITS: unpacked_mib: expected at least the 200 of .* got 160"),
        ("bundle_mib=1e3", r"^MAZZO_LIMITS: bundle_mib: expected .* got '1e3'"),
    ],
)
def test_a_text_that_is_no_limits_is_refused(text: str, complaint: str) -> None:
    """With the variable, the limit, and what was expected."""
    with pytest.raises(InvalidInputError, match=complaint):
        read_bot_limits(text)
