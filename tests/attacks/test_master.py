"""Being somebody else before the game master, and asking it for what is no bot's."""

from __future__ import annotations

from ast import literal_eval

import pytest

from attacks.battle import Battlefield, denied
from mazzo_server.model import TimeControl

pytestmark = pytest.mark.alone


def test_the_game_master_knows_one_bot_by_one_token(field: Battlefield) -> None:
    """Stolen and guessed tokens, another's seats, every other service, a hundred of everything."""
    battle = field.fight("master", steals=True)
    assert battle.terminations == set()
    report = dict(battle.report)
    tokens = {name: report.pop(name) for name in list(report) if name.startswith("token: ")}
    assert len(tokens) == 6
    assert set(tokens.values()) == {"UNAUTHENTICATED"}
    assert denied(report.pop("another's socket"), "ENOENT")
    assert report.pop("its token again") in ("UNAVAILABLE", "DEADLINE_EXCEEDED")
    assert set(literal_eval(report.pop("a hundred streams"))) <= {
        "DEADLINE_EXCEEDED",
        "UNAVAILABLE",
    }
    turned_away = {"turned away", "ConnectionResetError", "BrokenPipeError"}
    assert set(literal_eval(report.pop("a hundred connections"))) <= turned_away
    assert len(report) > 30
    assert set(report.values()) == {"UNIMPLEMENTED"}


@pytest.mark.prove
def test_nobody_thinks_for_nothing_by_leaving_messages_unread(field: Battlefield) -> None:
    """Bug: while a ping stood unread no clock ran, and the next question was not asked."""
    battle = field.fight(
        "unread",
        options={"time": TimeControl(bank=600.0, increment=0.0, limit=1.0)},
        away=2.0,
    )
    assert battle.terminations == {"out-of-time"}
    # Twice late, and then once too often; a third absence in one of its matches was not begun.
    assert "absence 7" not in {name for report in battle.reports for name in report}
