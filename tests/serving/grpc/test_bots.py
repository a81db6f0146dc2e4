"""What the service of bots tells whom, and who may choose what, at a real server."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.bots.bundles.packing import pack
from support.callers import (
    CALLERS,
    TRIAL,
    ServedPlatform,
    run_served,
)


def test_what_a_trial_said_is_for_the_owner_and_the_organiser(tmp_path: Path) -> None:
    """The others see whether it passed."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for caller in CALLERS:
                if caller == "robot":  # it reads nothing
                    continue
                metadata = served.metadata(caller)
                one = await stub.GetBot(bot_pb2.GetBotRequest(name="ann"), metadata=metadata)
                listed = await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=metadata)
                for bot in (one.bot, listed.bots[0]):
                    assert (bot.name, bot.owner, bot.remote) == ("ann", "alice", False)
                    trial = bot.versions[-1].trial
                    private = caller in ("alice", "organiser")
                    whole = private and bot is one.bot  # a list has not what is long
                    assert trial.log == (TRIAL.log if whole else "")
                    for told in (trial.matches[0], trial.checks[0].failures[0]):
                        named = bool(told.reason), bool(told.advice), told.seat, told.record != ""
                        assert named == (private, private, int(whole), whole)
                    assert ("Ad" in str(bot)) is private
                    assert (trial.passed, trial.matches[0].decisions) == (False, 3)
                assert listed.bots[1].remote

    run_served(tmp_path, body, public=True)


def test_only_the_organiser_chooses_the_deals_of_a_trial(tmp_path: Path) -> None:
    """Or an author could look for some that his bot plays well."""

    async def body(served: ServedPlatform) -> None:
        request = bot_pb2.PlayTrialRequest(name="ann", seed="00" * 32)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for caller, chosen in (("alice", False), ("organiser", True)):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await stub.PlayTrial(request, metadata=served.metadata(caller))
                told = caught.value.details() or ""
                # Nothing of that bot is in the folder of bundles, which is as far as it gets.
                assert ("only the organiser may choose the deals" in told) is not chosen
                assert ("put that folder back" in told) is chosen
                assert ("kept by an arena, come without files" in told) is chosen

    run_served(tmp_path, body)


def test_a_name_belongs_to_whoever_submitted_it_first(tmp_path: Path) -> None:
    """Another author's upload is refused, and leaves the bot as it was."""
    bot = tmp_path / "ann"
    bot.mkdir()
    (bot / "bot.py").write_text("")
    (bot / "bot.toml").write_text(
        'name = "ann"\ngames = ["briscola/2"]\ncommand = ["python", "bot.py"]\n'
        'author = "Bob"\nlicence = "Apache-2.0"\n'
    )
    archive = pack(bot)

    async def body(served: ServedPlatform) -> None:
        before = served.store.versions("ann")
        async with open_channel(served.port) as channel:
            upload = [bot_pb2.SubmitBotRequest(chunk=archive)]
            with pytest.raises(grpc.aio.AioRpcError, match="belongs to alice, not to bob"):
                await bot_pb2_grpc.BotServiceStub(channel).SubmitBot(
                    iter(upload), metadata=served.metadata("bob")
                )
        assert served.store.versions("ann") == before

    run_served(tmp_path, body)


def test_only_the_organiser_chooses_how_bots_are_isolated(tmp_path: Path) -> None:
    """Or an author could have his bot run with the organiser's rights."""
    upload = [bot_pb2.SubmitBotRequest(options=bot_pb2.SubmitOptions(isolation="none"))]

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError, match="only its organiser") as refused:
                await stub.SubmitBot(iter(upload), metadata=served.metadata("alice"))
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
            with pytest.raises(grpc.aio.AioRpcError, match="archive"):  # let in, but empty
                await stub.SubmitBot(iter(upload), metadata=served.metadata("organiser"))

    run_served(tmp_path, body)
