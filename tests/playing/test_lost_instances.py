"""Players: who pays for an instance that is lost, with instances that a test moves by hand."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.v1 import play_pb2
from mazzo_server.clock import run_arrival_clock
from mazzo_server.metrics import Metrics
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.instances.instance import InstanceLink, Loss
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.player import Player
from mazzo_server.play.table import Table
from support.in_process_bots import Wordless
from support.scripted_tournaments import PATIENT

pytestmark = pytest.mark.alone


class PuppetInstance(Wordless):
    """An instance that ends as the test says."""

    def __init__(self, link: InstanceLink) -> None:
        self.is_over = False
        self.offered: list[play_pb2.Decision] = []
        self._link = link
        self._loss: asyncio.Future[Loss | None] = asyncio.get_running_loop().create_future()

    def end(self) -> None:
        self.settle(None)

    def fail(self, termination: Termination, reason: str) -> None:
        self.settle(
            Loss(termination=termination, owner=Owner.BOT, reason=reason, joined=True),
        )

    def settle(self, loss: Loss | None) -> None:
        self.is_over = True
        if not self._loss.done():
            self._loss.set_result(loss)

    async def run(self) -> Loss | None:
        self._link.listener.on_join(8)
        while (frame := self._link.frames.take_frame()) is not None:
            self.offered.extend(play_pb2.PlayResponse.FromString(frame).frame.decisions)
        return await self._loss

    def answer(self, decision: play_pb2.Decision) -> None:
        mask = int.from_bytes(decision.view.legal, "little")
        self._link.listener.on_answer(
            play_pb2.Answer(
                actions=[
                    play_pb2.ChosenAction(
                        match=decision.match,
                        number=decision.number,
                        action=(mask & -mask).bit_length() - 1,
                    )
                ]
            )
        )


class PuppetSpec:
    """A bot whose instances are puppets."""

    name = "puppet"
    remote = False

    def __init__(self) -> None:
        self.made: list[PuppetInstance] = []

    def make_instance(self, link: InstanceLink) -> PuppetInstance:
        self.made.append(PuppetInstance(link))
        return self.made[-1]


class Silent:
    """An owner that expects to be told nothing."""

    def on_no_start(self, player: Player, reason: str) -> None:
        raise AssertionError(reason)

    def on_spoilt(self, matches: Sequence[LiveMatch], reason: str) -> None:
        raise AssertionError(reason)

    def on_error(self, error: Exception) -> None:
        raise error


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_bot_that_comes_back_has_not_started_again() -> None:
    """How long each instance took to start is counted once, whatever becomes of its connection."""

    def counted(metrics: Metrics) -> float | None:
        return metrics.registry.get_sample_value("mazzo_instance_start_up_seconds_count")

    async def main() -> None:
        spec, metrics = PuppetSpec(), Metrics()
        with run_arrival_clock() as clock:
            player = Player(spec, clock=clock, owner=Silent(), metrics=metrics)
            player.start()
            await settled()
            start_up = player.runner.starts.seconds
            assert start_up > 0
            assert player.on_disconnect()
            player.on_join(8)
            assert (player.runner.starts.seconds, counted(metrics)) == (start_up, 1)
            spec.made[0].fail(Termination.OUT_OF_TIME, "gone")
            await settled()
            assert len(spec.made) == 2
            assert (player.runner.starts.seconds, counted(metrics)) == (start_up, 2)
            await player.close()

    asyncio.run(main())


def test_a_bot_that_ends_after_every_answer_is_withdrawn_at_last() -> None:
    """Time and faults: each end costs a start, and answers in between do not make it cheaper."""
    reasons: list[str] = []

    class Owner(Silent):
        def on_no_start(self, player: Player, reason: str) -> None:
            reasons.append(reason)

    async def main() -> None:
        spec = PuppetSpec()
        with run_arrival_clock() as clock:
            player = Player(spec, clock=clock, owner=Owner(), idle_losses_in_all=7)
            player.start()
            for _ in range(7):
                await settled()
                assert not reasons
                player.queue.idle_losses = 0  # as an answer does
                spec.made[-1].fail(Termination.CRASHED, "gone")
            await settled()
            await player.close()
        assert len(spec.made) == 7

    asyncio.run(main())
    assert reasons == ["ended 7 times in all without a decision open: gone"]


@pytest.mark.parametrize("termination", [Termination.CRASHED, Termination.OUT_OF_TIME])
def test_nobody_pays_for_a_match_that_was_abandoned(
    termination: Termination,
) -> None:
    """Promise 6: what the instance died of may have been the abandoned match."""
    ended: list[LiveMatch] = []

    async def main() -> None:
        spec = PuppetSpec()
        with run_arrival_clock() as clock:
            player = Player(spec, clock=clock, owner=Silent())
            lives = []
            for number in range(2):
                match = Match(
                    parse_variant("briscola/2"), bytes([number]) * 32, MatchFormat.parse("deals:1")
                )
                first = match.deal.seat
                table = Table(match, PATIENT, substituted=[1 - (first or 0)])
                lives.append(
                    LiveMatch(
                        table,
                        key=(number, 0),
                        holders=[player if seat == first else None for seat in range(2)],
                        on_end=ended.append,
                    )
                )
                lives[-1].start()
            player.start()
            await settled()
            (instance,) = spec.made
            assert len(instance.offered) == 2
            lives[0].abandon()
            instance.fail(termination, "gone")
            await settled()
            assert len(spec.made) == 2
            fresh = spec.made[1]
            assert lives[1].table.faults == []
            assert len(fresh.offered) == 1
            fresh.answer(fresh.offered[0])
            assert lives[1].table.faults == []
            await player.close()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    asyncio.run(main())
    assert ended == []
