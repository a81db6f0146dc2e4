"""What a hook is sent: no name of a stranger mentions anybody or leads anywhere."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from mazzo_server.serving.hooks.formats import make_body, quote_in_chat
from mazzo_server.storage import (
    Announcement,
    ChallengeAnswered,
    DeliveryRow,
    HookFormat,
    HookRow,
    LadderOvertaking,
    PlatformFault,
    TournamentOver,
    TrialFailed,
)
from mazzo_server.storage.hooks.events import HookEvent

HOSTILE = [
    *("<!here>", "<!channel|x>", "<@U12345>", "<https://evil.example|click>", "@channel", "@all"),
    *("@everyone", "@here", "#general", "[click](https://evil.example)", "https://evil.example/"),
    *("www.evil.example", "`<!here>`", "``` <!here> ```", "a` @channel `b", "*b* _i_ ~s~", "&lt;"),
    *("\n> quoted\n<!here>", "\u202eelif", "", "   ", "\ud800", "x" * 5000, "``", "\\`<!here>"),
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_its_span(text: str) -> None:
    """One code span in one line, without what begins a mention, a link or markup."""
    quoted = quote_in_chat(text)
    assert quoted[0] == quoted[-1] == "`"
    inner = quoted[1:-1]
    assert inner.strip()
    assert not re.search(r"[`<>\n\r]|@\w|#\w|://|\]\(|www\.", inner)
    assert not re.search(r"&(?!amp;|lt;|gt;)", inner)
    assert len(inner) < 2000


def text_of(event: HookEvent, wanted: HookFormat) -> str:
    hook = HookRow(
        id="aaaa",
        url="https://club.example/",
        events=(),
        format=wanted,
        secret="",
        label="",
        create_time=0.0,
    )
    delivery = DeliveryRow(
        hook=hook,
        number=1,
        announcement=Announcement.of(event, time=0.0),
        attempts=0,
        first_time=None,
        due_time=0.0,
    )
    message = json.loads(make_body(delivery))
    if wanted is HookFormat.SLACK:
        assert message.keys() == {"text"}
    assert isinstance(message["text"], str)
    return message["text"]


def test_sentences() -> None:
    """What happened, in a line, with every name quoted."""
    over = TournamentOver(
        tournament=7,
        name="Friday <!here>",
        variant="briscola/2",
        status="finished",
        matches_played=1,
        leaders=("ann", "@channel"),
    )
    assert text_of(over, HookFormat.SLACK) == (
        "Tournament 7 `Friday &lt;!\u200bhere&gt;`, `briscola/2`, is finished after 1 match. "
        "1. `ann` 2. `@\u200bchannel`"
    )
    assert text_of(over, HookFormat.JSON).startswith("Tournament 7 Friday <!here>, briscola/2")
    failed = TrialFailed(bot="ann", version=3, qualified=("briscola/2",))
    assert text_of(failed, HookFormat.SLACK) == (
        "`ann` version 3 failed its trial. It may enter `briscola/2` all the same."
    )
    answered = ChallengeAnswered(
        tournament=8,
        variant="briscola/2",
        author="<!here>",
        bot="ann",
        version=2,
        opponent="bob",
        opponent_version=1,
        status="finished",
        groups=50,
        wins=30,
        draws=5,
        losses=15,
        score_per_deal=55.254,
    )
    assert text_of(answered, HookFormat.SLACK) == (
        "Challenge 8, `briscola/2`, `ann` version 2 against `bob` version 1, asked for by "
        "`&lt;!\u200bhere&gt;`, is finished: `ann` won 30, drew 5 and lost 15 of 50 mirror "
        "groups. It scored 55.25 a deal."
    )
    unplayed = replace(answered, author="", status="cancelled", groups=0)
    assert text_of(unplayed, HookFormat.JSON) == (
        "Challenge 8, briscola/2, ann version 2 against bob version 1 is cancelled."
    )
    overtaking = LadderOvertaking(
        season=9, variant="briscola/2", bot="ann", overtaken=("bob", "@all"), place=2
    )
    assert text_of(overtaking, HookFormat.SLACK) == (
        "Ladder of `briscola/2`: `ann` has overtaken `bob`, `@\u200ball`, and is number 2."
    )
    fault = PlatformFault(action="x", text="it `broke`\nhere", times=3)
    assert text_of(fault, HookFormat.SLACK) == (
        "Fault of the platform (3 times): `it 'broke'\ufffdhere`"
    )
