"""D.17: a server may have as many connections as its limits say."""

from __future__ import annotations

import resource

import pytest

from mazzo_server.serving.descriptors import raise_descriptor_limit


@pytest.mark.parametrize(
    ("soft", "hard", "raised"),
    [
        (100, 2_000, 2_000),
        (100, 70_000, 65_536),
        (100, resource.RLIM_INFINITY, 65_536),
        (100, 100, 100),
        (70_000, 80_000, 70_000),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    ],
)
def test_the_soft_limit_is_raised(
    soft: int, hard: int, raised: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bug: with 1,024 descriptors, strangers kept every other client out."""
    limits = [(soft, hard)]
    monkeypatch.setattr(resource, "getrlimit", lambda which: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda which, new: limits.append(new))
    raise_descriptor_limit()
    assert limits[-1] == (raised, hard)
