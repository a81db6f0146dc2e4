"""Remote bots: they play as uploaded ones do, in tournaments that ask for them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trustme

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import TournamentRequest
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.serving.hosting.listening import TlsFiles
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.remote_bots import Good, RemoteServer, run_with_server
from support.scripted_tournaments import GOOD, Arena, without_thinking_times

# Playing


def test_a_remote_bot_plays_as_an_uploaded_one_does(arena: Arena) -> None:
    """The same frames, seeds and numbers: the outcomes are the same but for the times."""
    uploaded = arena.play([arena.spec(GOOD, capacity=8)] * 2, groups=6, match_format="deals:2")

    async def body(remote_server: RemoteServer) -> None:
        async with remote_server.play_at_home(Good()):
            specs: list[InstanceSpec] = [
                remote_server.make_spec(capacity=8),
                arena.spec(GOOD, capacity=8),
            ]
            result = await arena.run(specs, groups=6, match_format="deals:2")
            assert result.finished
            assert without_thinking_times(result.outcomes) == without_thinking_times(
                uploaded.outcomes
            )
            await remote_server.wait_until_connected()
        assert remote_server.said == [
            f"connected to {remote_server.address} as far, waiting for a tournament",
            "playing",
            "waiting for the next tournament",
        ]
        assert not any(remote_server.key in line for line in remote_server.said)

    run_with_server(body)


def test_with_tls(arena: Arena, tmp_path: Path) -> None:
    """By the organiser's own certificates."""
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    chain, key, ca = tmp_path / "chain.pem", tmp_path / "key.pem", tmp_path / "ca.pem"
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(chain, append=True)
    certificate.private_key_pem.write_to_path(key)
    authority.cert_pem.write_to_path(ca)

    async def body(remote_server: RemoteServer) -> None:
        async with remote_server.play_at_home(Good(), ca=str(ca)):
            result = await arena.run([remote_server.make_spec(), arena.spec(GOOD)])
            assert result.finished
            assert not result.outcomes[0].faults

    run_with_server(body, tls=TlsFiles(certificate=chain, key=key))


# Beginning again


def test_a_match_that_is_begun_again_has_other_cards(arena: Arena) -> None:
    """Nobody can make a remote bot forget; what was finished stays, and is there once."""

    async def body(remote_server: RemoteServer) -> None:
        store = MemoryStore()
        specs: list[InstanceSpec] = [remote_server.make_spec(), arena.spec(GOOD), arena.spec(GOOD)]
        stuck = asyncio.Event()

        def thought(bot: Good) -> None:
            if len(bot.asked) == 50:
                stuck.set()

        async def play() -> list[MatchOutcome]:
            return (await arena.run(specs, store=store, groups=4, concurrency=2)).outcomes

        bot = Good(thought)
        async with remote_server.play_at_home(bot):
            run = asyncio.create_task(play())
            await stuck.wait()
            run.cancel()
            await asyncio.gather(run, return_exceptions=True)
            before = {(m.group, m.seating): m for m in store.outcomes(1, with_deals=True)}
            outcomes = await play()
        assert len(outcomes) == 12
        again = [match for match in outcomes if match.attempt]
        assert 0 < len(again) <= 2
        for match in outcomes:
            assert match == before.get((match.group, match.seating), match)
            assert not match.attempt or 0 in match.entrants
        assert len(bot.asked) == len(set(bot.asked))  # no seed of its own was there twice

    run_with_server(body)


# Tournaments


def request(**options: Any) -> TournamentRequest:
    """A tournament of the remote bot and another one."""
    return replace(
        TournamentRequest(variant="briscola/2", bots=("far", "near"), groups=1, isolation="none"),
        **options,
    )


@pytest.mark.parametrize("embedded", [False, True])
def test_a_remote_bot_in_a_tournament_is_asked_for_in_words(embedded: bool) -> None:
    """Mirrored deals, which it may remember; and a server that it can reach."""

    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore(), embedded=embedded)
        for name in ("far", "near"):
            await platform.bots.register(name, games=[], capacity=0, writer="Ann")

        async def create(**options: Any) -> None:
            row = await platform.tournaments.create(request(**options))
            assert [entrant.remote for entrant in row.definition.entrants] == [True, True]
            assert row.definition.time.grace == (options.get("grace_seconds") or 10.0)

        with pytest.raises(InvalidInputError, match="--allow-remote-mirror"):
            await create()
        if embedded:
            with pytest.raises(InvalidInputError, match="mazzo serve"):
                await create(mirror="off")
            return
        await create(mirror="off")
        await create(allow_remote_mirror=True, grace_seconds=2.5)
        with pytest.raises(InvalidInputError, match="grace: expected seconds"):
            await create(mirror="off", grace_seconds=-1.0)

    asyncio.run(main())


def test_registering_again_makes_a_version_and_keeps_the_key() -> None:
    async def main() -> None:
        platform = Platform(Settings(home=Path("/nowhere")), MemoryStore())
        first, key = await platform.bots.register(
            "far", games=[], capacity=0, writer="", author="ann"
        )
        second, none = await platform.bots.register(
            "far", games=["frap"], capacity=8, writer="", author="ann"
        )
        assert (first.number, second.number, none) == (1, 2, "")
        assert second.manifest.games == ("frap",)
        assert (second.manifest.author, second.content_hash, second.trial) == ("ann", "", None)
        caller = await platform.tokens.find_caller(key)
        assert (str(caller.role), caller.subject) == ("bot", "far")
        with pytest.raises(InvalidInputError, match="expected games among"):
            await platform.bots.register("far", games=["chess"], capacity=0, writer="")

    asyncio.run(main())


def test_copies_of_a_remote_bot_play_through_sessions_of_their_own() -> None:
    """Copies: each is another player, so its author starts the program once for each."""

    async def body(remote_server: RemoteServer) -> None:
        tournaments = remote_server.platform.tournaments
        players = [Good(), Good()]
        async with (
            remote_server.play_at_home(players[0]),
            remote_server.play_at_home(players[1]),
        ):
            asked = request(bots=("far*2",), mirror="off", groups=3, isolation="none")
            row = await tournaments.create(asked)
            assert [entrant.name for entrant in row.definition.entrants] == ["far", "far*2"]
            await tournaments.start(row.id)
            async for _ in tournaments.watch(row.id):
                pass
        outcomes = remote_server.store.outcomes(row.id, with_deals=False)
        assert len(outcomes) == 3
        assert not any(outcome.faults for outcome in outcomes)
        assert [len(set(player.started)) for player in players] == [3, 3]
        assert not set(players[0].started) & set(players[1].started)

    run_with_server(body)
