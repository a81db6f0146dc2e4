"""What bots say of their decisions: kept in bounds, and told to their owners at the very end."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo.channel import open_channel
from mazzo.match_check import verify
from mazzo.match_record import MatchRecord
from mazzo.note import NOTE_BYTES
from mazzo.v1 import replay_pb2, replay_pb2_grpc
from mazzo_server.model import Mirror, TimeControl
from mazzo_server.play import PlayEvent
from mazzo_server.play.note_budget import NoteBudget
from mazzo_server.play.table import Ask, Table
from mazzo_server.results.replays import Replays
from mazzo_server.serving.grpc.messages import encode_tournament
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.storage.encoding import encode_json
from mazzo_server.tournaments.executor import Chunk
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.rerun import play_again
from mazzo_server.tournaments.running.director import Director
from playing.test_table import asked, illegal, lowest, outcome_of, play_on, table_of
from support.callers import CALLERS, ServedPlatform, run_served
from support.in_process_bots import PromptSpec
from support.manual_tournaments import Club
from support.scripted_tournaments import Arena
from support.stored_rows import manifest_of


@pytest.fixture
def arena(tmp_path: Path) -> Arena:
    return Arena(tmp_path)


# What is taken in


@given(st.lists(st.text(max_size=300), max_size=12), st.integers(0, 1500))
def test_every_note_is_one_short_harmless_line(texts: list[str], room: int) -> None:
    budget = NoteBudget(notes_kept=room)
    kept = [budget.take_note(text) for text in texts]
    pairs = [(999, note) for note in kept if note]
    assert len(encode_json(pairs)) <= max(room, len("[]"))
    for text, note in zip(texts, kept, strict=True):
        assert len(note.encode()) <= NOTE_BYTES
        assert note.isprintable()
        if room == 1500 and text.isprintable() and len(text.encode()) <= NOTE_BYTES:
            assert note in ("", text.strip())


def test_a_note_is_cut_between_characters_and_control_characters_are_replaced() -> None:
    take = NoteBudget().take_note
    assert take("x" * 300) == "x" * 200
    assert take("\u20ac" * 100) == "\u20ac" * 66
    assert take("\x1b[2J\x07a\nb\u202e\x9b\x00") == "[2J a b"


def test_when_there_is_no_room_left_nothing_is_kept() -> None:
    budget = NoteBudget(notes_kept=280)
    assert [len(budget.take_note("x" * size)) for size in (200, 61, 60, 1)] == [200, 0, 60, 0]


def test_a_seat_of_a_match_has_4_kib_in_the_first_1000_groups_of_its_entrant() -> None:
    for before, most in ((0, 4096), (999, 4096), (1000, 0)):
        budget = NoteBudget(before)
        kept = [(10, note) for _ in range(100) if (note := budget.take_note("x" * 200))]
        assert len(encode_json(kept)) <= max(most, len("[]"))
        assert len(kept) == most // len(encode_json((10, "x" * 200)) + ",")


# What is kept of it


def test_a_note_stands_beside_its_decision() -> None:
    table = table_of()
    effect = table.start()
    for number in range(40):
        effect = table.answer(lowest(asked(effect)), 0.01, f"note {number}" if number % 3 else "")
    play_on(table, effect)
    first, second = outcome_of(table).deals
    assert first.notes == tuple((number, f"note {number}") for number in range(40) if number % 3)
    assert second.notes == ()


def test_a_late_note_is_not_kept_and_that_of_an_illegal_action_is() -> None:
    """An answer that came too late is as good as none; why a bot did nonsense is worth knowing."""
    table = table_of("briscola/3", "deals:3")
    effect = table.answer(lowest(asked(table.start())), 60.0, "too late")
    effect = table.answer(lowest(asked(effect)), 0.1, "in time")
    effect = table.answer(illegal(asked(effect)), 0.1, "nonsense")
    play_on(table, effect)
    first = outcome_of(table).deals[0]
    assert first.notes == ((1, "in time"), (2, "nonsense"))
    assert first.substituted[:2] == (0, 2)

    table = table_of()
    effect = table.answer(lowest(asked(table.start())), 0.1, "good")
    table.answer(illegal(asked(effect)), 0.1, "nonsense")
    (deal,) = outcome_of(table).deals
    assert (len(deal.actions), deal.notes) == (1, ((0, "good"), (1, "nonsense")))


def test_a_hostile_note_is_cut_and_no_other_bot_gets_any_of_it(arena: Arena) -> None:
    """The game master asks for 200 bytes and a megabyte comes; the store has a bound in all."""
    frames: list[bytes] = []
    loud = PromptSpec(note="\x1b[2Jsecret" + "\u20ac" * 100_000)
    players = [loud, PromptSpec(hears=frames.append)]
    result = arena.play(players, mirror=Mirror.ROTATIONS, groups=1)
    assert result.finished
    kept = {
        match.seating: [note for deal in match.deals for _, note in deal.notes]
        for match in result.outcomes
    }
    assert set(kept[0] + kept[1]) == {"[2Jsecret" + "\u20ac" * 63}
    most = 4096 // len(encode_json((10, kept[0][0])))
    assert {seating: len(notes) for seating, notes in kept.items()} == {0: most, 1: most}
    assert len(frames) > 10
    assert not any(b"secret" in frame or "\u20ac".encode() in frame for frame in frames)


def notes_of(store: MemoryStore) -> dict[tuple[int, int], list[tuple[int, str]]]:
    """The notes that are kept of each match, by group and seating."""
    return {
        (match.group, match.seating): [note for deal in match.deals for note in deal.notes]
        for match in store.outcomes(1, with_deals=True)
    }


class FewNotes(LocalExecutor):
    """Keeps the notes of five groups of each entrant."""

    def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        rules = replace(chunk.rules, groups_with_notes=5)
        return super().play(replace(chunk, rules=rules))


def test_what_is_kept_of_notes_depends_on_the_schedule_alone(arena: Arena) -> None:
    """Promise 5: not on concurrency, on what finished first, or on a stop and a resumption."""
    rng = random.Random(1)
    options: dict[str, Any] = {"mirror": Mirror.ROTATIONS, "groups": 4, "executor": FewNotes}
    kept = []
    for concurrency, stops in ((1, False), (64, False), (3, True)):
        store = MemoryStore()
        specs = [
            PromptSpec(number, note="x" * 150, delay=lambda: rng.random() / 500)
            for number in range(3)
        ]

        def stop(director: Director) -> None:
            if director.progress.matches_played > 6:
                director.stop()

        if stops:
            stopped = arena.play(
                specs, store=store, concurrency=concurrency, progressed=stop, **options
            )
            assert not stopped.finished
        assert arena.play(specs, store=store, concurrency=concurrency, **options).finished
        kept.append(notes_of(store))
    assert kept[0] == kept[1] == kept[2]
    # Three tables of four groups: each bot has eight, of which the first five keep notes.
    silent = [key for key, notes in kept[0].items() if not notes]
    assert 0 < len(silent) < len(kept[0])


def test_results_are_the_same_to_the_byte_with_notes_and_without(
    arena: Arena, tmp_path: Path
) -> None:
    shown = []
    for note in ("", "I hold the Ad"):
        store = MemoryStore()
        arena.play([PromptSpec(note=note), PromptSpec(1, note=note)], store=store, groups=3)
        store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
        outcomes = store.outcomes(1, with_deals=True)
        assert any(deal.notes for match in outcomes for deal in match.deals) is bool(note)
        timeless = MemoryStore()
        timeless.add_tournament(store.tournament(1).definition, concurrency=1, create_time=0.0)
        timeless.add_outcomes(
            1, [replace(match, thinking_seconds=(0.5, 0.5)) for match in outcomes]
        )
        platform = Platform(Settings(home=tmp_path), timeless)
        message = encode_tournament(asyncio.run(platform.tournaments.overview.show(1)))
        shown.append(message.SerializeToString(deterministic=True))
    assert shown[0] == shown[1]
    assert len(shown[0]) > 500


def test_a_match_that_is_played_again_is_compared_by_its_actions() -> None:
    club = Club(groups=1)

    def lowest_of(table: Table, ask: Ask, generator: random.Random) -> object:
        return table.answer(lowest(ask), 0.001, f"as I said {generator.random()}")

    for seating in range(2):
        club.play(0, seating, lowest_of)
    _, seats, match, stored = Replays(club.store).prepare_rerun(club.id, 0, 1)
    assert stored.deals[0].notes
    specs = [(PromptSpec(note="something else"), seat) for seat, _ in seats]
    rerun = asyncio.run(play_again(match, stored, specs, time=TimeControl()))
    assert rerun.is_identical
    assert rerun.played.deals[0].notes != stored.deals[0].notes


# Who may read it


def noted(store: MemoryStore | None = None) -> Club:
    """Two groups of ann, who is alice's, and bob, who is the organiser's; group 0 is over."""
    club = Club(store=store)
    known = {row.name for row in club.store.bots()}
    for name in {"ann", "bob", "cleo"} - known:
        club.store.add_version(
            name,
            content_hash="",
            manifest=manifest_of(),
            create_time=0.0,
            owner="alice" * (name == "ann"),
        )

    def say(table: Table, ask: Ask, generator: random.Random) -> object:
        choice = legal_choice(ask, generator)
        return table.answer(choice, 0.001, f"seat {ask.seat} decision {ask.number}")

    club.play(0, 0, say)
    club.play(0, 1, say)
    return club


def legal_choice(ask: Ask, generator: random.Random) -> int:
    mask = ask.deal.legal
    return generator.choice([number for number in range(mask.bit_length()) if mask >> number & 1])


def seats_heard(record: MatchRecord) -> set[str]:
    """The bots whose notes a record has; every one of them must be whole."""
    found: dict[str, int] = {}
    for deal in record.notes:
        for _, text in deal:
            seat, decision = int(text.split()[1]), int(text.split()[3])
            bot = record.seats[seat].bot
            found[bot] = found.get(bot, 0) + 1
            assert decision == found[bot]
    assert set(found.values()) <= {40}
    return set(found)


@pytest.mark.parametrize("status", TournamentStatus)
def test_notes_are_told_to_the_owner_when_the_whole_tournament_is_over(
    status: TournamentStatus,
) -> None:
    """Law of bots' logs: an instance plays other groups too, and can have spoken of them."""
    club = noted()
    club.store.set_status(1, status)
    for seating in range(2):
        heard = {
            author: seats_heard(Replays(club.store).read_record(1, 0, seating, notes_for=author))
            for author in (None, "alice", "bob", "carol", "")
        }
        table = {seat.bot for seat in Replays(club.store).read_record(1, 0, seating).seats}
        assert table == {"ann", "bob"}
        everything = table if status.is_over else set()
        assert heard == {
            None: set(),
            "alice": everything & {"ann"},
            "bob": set(),
            "carol": set(),
            "": everything,
        }


def test_a_record_is_as_true_with_notes_as_without() -> None:
    club = noted()
    club.store.set_status(1, TournamentStatus.FINISHED)
    plain = Replays(club.store).read_record(1, 0, 0)
    told = Replays(club.store).read_record(1, 0, 0, notes_for="")
    assert "notes" not in "\n".join(plain.lines())
    assert replace(told, notes=()) == plain
    assert MatchRecord.parse(told.lines()) == told
    lies = tuple(tuple((index, "I never said that") for index, _ in deal) for deal in told.notes)
    assert verify(told) == verify(plain) == verify(replace(told, notes=lies))
    assert verify(told).ok


def test_over_the_wire_everybody_hears_his_own_bots_alone(tmp_path: Path) -> None:
    """And nobody anything who did not ask, for records are made to be handed on."""

    async def body(served: ServedPlatform) -> None:
        club = noted(served.store)
        served.store.set_status(club.id, TournamentStatus.CANCELLED)
        async with open_channel(served.port) as channel:
            stub = replay_pb2_grpc.ReplayServiceStub(channel)
            for caller in {*CALLERS} - {"robot"}:  # whose key reads nothing
                texts = []
                for notes in (False, True):
                    request = replay_pb2.GetMatchRequest(tournament=club.id, notes=notes)
                    pieces = stub.GetMatch(request, metadata=served.metadata(caller))
                    texts.append("".join([piece.text async for piece in pieces]))
                heard = seats_heard(MatchRecord.parse(texts[1].splitlines()))
                own = {"alice": {"ann"}, "organiser": {"ann", "bob"}}
                assert heard == own.get(caller, set()), caller
                assert "decision 1" not in texts[0]
                assert (texts[0] == texts[1]) is (caller not in own)

    run_served(tmp_path, body, public=True)
