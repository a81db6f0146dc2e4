"""Where attacks are played out."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("attacks.battle")

from attacks.battle import Battlefield  # noqa: E402
from support.scripted_tournaments import Arena  # noqa: E402


@pytest.fixture
def field(arena: Arena) -> Battlefield:
    """Everybody may enter its folder, so that it is not its rights alone that hide it."""
    arena.folder.chmod(0o755)
    return Battlefield(arena)
