"""Where attacks are played out, and who starts the bots there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

pytest.register_assert_rewrite("attacks.battle")

from attacks.battle import Battlefield  # noqa: E402
from attacks.grounds import GROUNDS, Ground, open_ground  # noqa: E402
from support.scripted_tournaments import Arena  # noqa: E402

PROVE = [pytest.mark.prove]
MARKS: dict[str, list[pytest.MarkDecorator]] = {"local": []}  # the others take long


@pytest.fixture(
    scope="package",
    params=[pytest.param(name, marks=MARKS.get(name, PROVE)) for name in GROUNDS],
)
def ground(request: pytest.FixtureRequest) -> Iterator[Ground]:
    """Each executor in turn."""
    with open_ground(request.param) as opened:
        yield opened


@pytest.fixture
def field(arena: Arena, ground: Ground) -> Battlefield:
    """Everybody may enter its folder, so that it is not its rights alone that hide it."""
    arena.folder.chmod(0o755)
    return Battlefield(arena, ground)
