"""What an arena keeps is a tournament like any other: true, and looked at in the same ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo import Action, Bot, View
from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError, StoreError
from mazzo_server.home.arena import KeptBot, Schedule, describe_kept_bots, keeping, open_keeper
from mazzo_server.home.arena.match import Outcome, play_seating
from mazzo_server.home.arena.recorder import MatchRecorder
from mazzo_server.model import TimeControl, find_bot_name, is_name
from mazzo_server.pairing import Group, list_groups, make_pairing
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.settings import Settings
from mazzo_server.storage import MatchQuery, MemoryStore, Store, TournamentStatus, open_store
from mazzo_server.tournaments.stored.importing import import_tournament
from support.play_command import VARIANTS
from support.sample_bots import write_bot
from support.stored_rows import manifest_of, trial_of
from tournaments.stored.test_files import export

SEED = bytes(range(32))
HASTY = TimeControl(limit=1e-6)  # every decision is late
NAMES = ["b", "c", "a", *(f"d-{number}" for number in range(9))]


class Talker(Bot):
    """A legal action by its own dice, and a note now and then."""

    def act(self, view: View) -> Action:
        """Say the number of the decision at every fifth one."""
        if view.number % 5 == 0:
            self.log(f"my {view.number}")
        return view.random.choice(view.legal)


def kept_bots(names: Sequence[str], *, code: str = "0") -> list[KeptBot]:
    return [
        KeptBot(
            name=name,
            manifest=manifest_of(find_bot_name(name), licence="MIT"),
            content_hash=code * 64,
        )
        for name in names
    ]


def play(
    variant: Variant, schedule: Schedule, groups: Sequence[Group]
) -> list[tuple[Outcome, ...]]:
    """Matches of these groups as a worker plays them, group by group."""
    entrants = [schedule.by_name.index(bot) for bot in range(len(schedule.by_name))]
    played = []
    for group in groups:
        outcomes = []
        for seating in range(len(group.seatings)):
            by_seat = group.by_seat(seating, variant.sides)
            recorder = MatchRecorder(group, seating, entrants=[entrants[bot] for bot in by_seat])
            bots = [Talker() for _ in by_seat]
            format_ = str(schedule.match_format)
            outcomes.append(
                play_seating(
                    variant,
                    group,
                    seating,
                    bots=bots,
                    match_format=format_,
                    control=HASTY,
                    recorder=recorder,
                )
            )
        played.append(tuple(outcomes))
    return played


def keep(
    folder: Path,
    text: str,
    names: Sequence[str],
    *,
    deals: int,
    most: int = 10**6,
    code: str = "0",
    look: Callable[[], None] = lambda: None,
) -> int | None:
    """Keep an arena, or its first groups; return the number of the tournament.

    `look` is called when all but the last group are stored, if they are stored at once.
    """
    variant = parse_variant(text)
    schedule = Schedule(variant, len(names), deals=deals, seed=SEED, names=names)
    with open_keeper(
        folder,
        schedule,
        kept_bots(names, code=code),
        variant=variant,
        control=HASTY,
        seed=SEED,
        is_seed_chosen=True,
        workers=1,
    ) as keeper:
        for outcomes in play(variant, schedule, [*schedule.groups()][:most]):
            keeper.add(outcomes)
        look()
        keeper.close(seconds=1.0)
        return keeper.tournament


def opened(folder: Path) -> closing[Store]:
    return closing(open_store(Settings(home=folder).store))


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_kept_match_is_true(tmp_path: Path, variant: str) -> None:
    """Law: another store takes the tournament, and plays every match of it again from its seed.

    So cards, seats, actions, scores and standings are those of a tournament with this definition.
    """
    names = NAMES[: len(parse_variant(variant).sides)]
    assert keep(tmp_path, variant, names, deals=1) == 1
    other = MemoryStore()
    with opened(tmp_path) as store:
        row = store.tournament(1)
        assert row.status is TournamentStatus.FINISHED
        imported = import_tournament(other, iter(export(store)))
        assert read_standings(other, imported) == read_standings(store, row)
        (first, *_) = store.outcomes(1, with_deals=True)
    assert any(deal.notes for deal in first.deals)
    said = [note for deal in first.deals for _, note in deal.notes]
    assert all(note.startswith("my ") and ";" not in note for note in said)
    assert sum(first.decisions) == sum(len(deal.micros) for deal in first.deals)


@pytest.mark.parametrize("names", [["b", "a"], ["c", "a", "b"], ["d-0", "b", "c", "a"]])
def test_the_schedule_is_that_of_the_stored_tournament(tmp_path: Path, names: list[str]) -> None:
    """Promise: with the bots' names in whatever order, groups, cards and seats are the same."""
    variant = parse_variant("briscola/2")
    schedule = Schedule(variant, len(names), deals=8, seed=SEED, names=names)
    keep(tmp_path, "briscola/2", names, deals=8)
    with opened(tmp_path) as store:
        definition = store.tournament(1).definition
    stored = [*list_groups(make_pairing(definition))]
    entrants = [entrant.name for entrant in definition.entrants]
    assert [
        (group.number, group.seed, [[names[bot] for bot in row] for row in group.seatings])
        for group in schedule.groups()
    ] == [
        (group.number, group.seed, [[entrants[bot] for bot in row] for row in group.seatings])
        for group in stored
    ]


def test_an_arena_that_was_stopped_is_a_cancelled_tournament(tmp_path: Path) -> None:
    """And counts nowhere, while one that ran to its end beside it does."""
    assert keep(tmp_path, "briscola/2", ["a", "b"], deals=12, most=2) == 1
    assert keep(tmp_path, "briscola/2", ["a", "b"], deals=12) == 2
    with opened(tmp_path) as store:
        stopped, whole = store.tournaments()
        assert (stopped.status, stopped.matches_played) == (TournamentStatus.CANCELLED, 4)
        assert stopped.end_time is not None
        assert (whole.status, whole.matches_played) == (TournamentStatus.FINISHED, 6)


def test_other_code_is_another_version(tmp_path: Path) -> None:
    """And the same code is the same version, in whichever arena."""
    for code in ("0", "1", "0"):
        keep(tmp_path, "briscola/2", ["a", "b"], deals=4, code=code)
    with opened(tmp_path) as store:
        used = [[bot.version for bot in row.definition.entrants] for row in store.tournaments()]
        assert used == [[1, 1], [2, 2], [1, 1]]
        assert [row.content_hash[0] for row in store.versions("a")] == ["0", "1"]


def test_copies_are_entrants_of_one_bot(tmp_path: Path) -> None:
    """As in tournaments: found by the bot's name, and in no ranking."""
    keep(tmp_path, "frap/3", ["b", "a", "a*2"], deals=1)
    with opened(tmp_path) as store:
        entrants = store.tournament(1).definition.entrants
        assert [(entrant.name, entrant.bot) for entrant in entrants] == [
            ("a", "a"),
            ("a*2", "a"),
            ("b", "b"),
        ]
        assert [row.name for row in store.bots()] == ["a", "b"]
        found = store.find_matches(MatchQuery(bot="a"), limit=100)
        assert len(found) == 2 * store.tournament(1).matches_played


def test_nobody_else_changes_it_while_it_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it is over for all who look: it is neither pruned nor deleted meanwhile."""
    monkeypatch.setattr(keeping, "_BATCH", 1)
    claimed = []

    def look() -> None:
        with opened(tmp_path) as store:
            claimed.append((store.tournament(1).status, store.is_claimed(1)))

    keep(tmp_path, "briscola/2", ["a", "b"], deals=12, look=look)
    look()
    assert claimed == [(TournamentStatus.CANCELLED, True), (TournamentStatus.FINISHED, False)]


def test_an_arena_without_a_match_leaves_no_tournament(tmp_path: Path) -> None:
    assert keep(tmp_path, "briscola/2", ["a", "b"], deals=4, most=0) is None
    with opened(tmp_path) as store:
        assert (store.tournaments(), store.bots()) == ([], [])


@pytest.mark.parametrize("retired", [False, True])
@pytest.mark.parametrize("owner", ["", "ann"])
def test_arenas_do_not_mix_with_bots_that_were_submitted(
    tmp_path: Path, owner: str, retired: bool
) -> None:
    """They would count in the rankings."""
    with opened(tmp_path) as store:
        manifest = manifest_of("mine")
        store.add_version(
            "mine", content_hash="1" * 64, manifest=manifest, create_time=0, owner=owner
        )
        store.set_trial("mine", 1, trial=trial_of())
        if retired:
            store.retire("mine")
    with pytest.raises(InvalidInputError, match="where bots were submitted, such as mine"):
        keep(tmp_path, "briscola/2", ["a", "b"], deals=4)


def test_what_cannot_be_stored_is_told_and_hides_no_other_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a full disk: the error comes at the next match, or at the end at the latest."""

    def refuse(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr(MemoryStore, "add_outcomes", refuse)
    monkeypatch.setattr(keeping, "open_store", lambda _: MemoryStore())
    with pytest.raises(StoreError, match="the disk is full"):
        keep(tmp_path, "briscola/2", ["a", "b"], deals=4)


@given(st.lists(st.text(max_size=40), min_size=2, max_size=12))
def test_whatever_bots_are_called_a_store_can_name_them(given: list[str]) -> None:
    """Law: the names are names of bots, all different, and stay as they are if they can."""
    names = keeping._make_names(given)
    assert len(set(names)) == len(names) == len(given)
    assert all(map(is_name, names))
    assert [*map(str, names)] == keeping._make_names(names)


def test_bots_are_told_apart_by_their_code(tmp_path: Path) -> None:
    """A folder has the name of its `bot.toml`, a file its own; the same code makes copies.

    Other code of the same name, such as that of an older version, has the name of its folder.
    """
    first = write_bot(tmp_path / "else", "same", act="return view.legal[-1]")
    second = write_bot(tmp_path, "same").rename(tmp_path / "same-1.0")
    file = tmp_path / "My Bot.py"
    file.write_text("from mazzo import Bot\n")
    given = [str(first), str(second), str(file), str(first)]
    bots = describe_kept_bots(given, parse_variant("frap/4"), tmp_path / "kept")
    assert [bot.name for bot in bots] == ["same", "same-1-0", "my-bot", "same*2"]
    assert [bot.manifest.name for bot in bots] == ["same", "same-1-0", "my-bot", "same"]
    assert len({bot.content_hash for bot in bots}) == 3
    assert bots[0].content_hash == bots[3].content_hash
    assert bots[2].manifest.games == ("frap",)
    with pytest.raises(InvalidInputError, match="--keep: expected a folder outside of the bot"):
        describe_kept_bots(given, parse_variant("frap/4"), first / "kept")
