"""Where attacks are played out."""

from __future__ import annotations

import pytest

from server.arena import Arena
from server.attacks.battle import Battlefield


@pytest.fixture
def field(arena: Arena) -> Battlefield:
    """Everybody may enter its folder, so that it is not its rights alone that hide it."""
    arena.folder.chmod(0o755)
    return Battlefield(arena)
