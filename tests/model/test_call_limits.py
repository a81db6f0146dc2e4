"""The limits of callers, as the environment sets them."""

from __future__ import annotations

import pytest

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import CallLimits


def test_each_limit_has_a_variable() -> None:
    """What is not given, or empty, keeps its default."""
    names = ("MAZZO_CALLS", "MAZZO_CALLS_PER_MINUTE", "MAZZO_UPLOADS", "MAZZO_UPLOADS_OF_AUTHOR")
    given = {name: str(number) for number, name in enumerate(names, 1)}
    assert CallLimits.from_environment(given) == CallLimits(
        calls=1, calls_per_minute=2, uploads=3, uploads_of_author=4
    )
    assert CallLimits.from_environment({"MAZZO_UPLOADS": ""}) == CallLimits()


@pytest.mark.parametrize("text", ["0", "-1", "many", "1000001", "²"])
def test_a_limit_is_a_whole_number(text: str) -> None:
    """Zero would shut everybody out."""
    with pytest.raises(InvalidInputError, match=r"MAZZO_UPLOADS: expected .* got"):
        CallLimits.from_environment({"MAZZO_UPLOADS": text})
