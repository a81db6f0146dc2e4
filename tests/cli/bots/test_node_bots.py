"""The sample bots in JavaScript: they qualify, and play with those in Python."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path

import grpc
import pytest

from mazzo.games import GAMES, parse_variant
from mazzo.local import play_match
from mazzo.v1 import play_pb2, play_pb2_grpc
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.bots import find_home_bot
from support.command import Home
from support.node import NODE_SAMPLES, answers_of, end_of_node, packages_of, with_node
from support.sample_bots import SAMPLE_BOTS
from support.watched_bot import Watched

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def club(sample_home: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with bots in both languages."""
    folder = tmp_path_factory.mktemp("club") / "home"
    home = with_node(Home(Path(shutil.copytree(sample_home.path, folder))))
    for name in NODE_SAMPLES:
        packages_of(name)
        home("bots", "submit", SAMPLE_BOTS / name)
    return home


def test_they_qualify_for_all_that_they_claim(club: Home) -> None:
    versions = {bot["name"]: bot["versions"][0] for bot in club("bots", "list", "--json").json}
    for name in NODE_SAMPLES:
        assert versions[name]["trial"]["passed"], versions[name]["trial"]
        assert versions[name]["runtime"] == "node"
    forms = [f"{game.id}/{players}" for game in GAMES.values() for players in game.players]
    assert versions["node-random"]["qualified"] == forms
    assert versions["node-greedy"]["qualified"] == [form for form in forms if "briscola/" in form]


@pytest.mark.prove
def test_they_play_a_tournament_with_bots_in_python(club: Home) -> None:
    """Without a fault, and each as well as its model."""
    bots = ("random", "greedy", *NODE_SAMPLES)
    run = ("tournament", "run", "briscola/2", "--bots", ",".join(bots), "--deals", "60")
    shown = club(*run, "--json").json
    assert shown["state"] == "finished"
    rows = {row["name"]: row for row in shown["standings"]["rows"]}
    assert rows.keys() == set(bots)
    assert shown["standings"]["faults"] == []
    for greedy in ("greedy", "node-greedy"):
        for random in ("random", "node-random"):
            assert rows[greedy]["rating"] > rows[random]["rating"]


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_node_greedy_is_greedy(players: int) -> None:
    """Card for card."""
    packages_of("node-greedy")
    variant = parse_variant(f"briscola/{players}")
    watched = Watched(find_home_bot("greedy", variant).seat("greedy"))
    for number in range(10):
        play_match(variant, [watched] * players, seed=bytes([number] * 32), match_format="deals:2")
    answers = answers_of(SAMPLE_BOTS / "node-greedy", [view for view, _ in watched.decisions])
    assert answers == [int(action) for _, action in watched.decisions]
    assert len(watched.decisions) > 500


class OneQuestion(play_pb2_grpc.PlayServiceServicer):
    """A game master that asks once, keeps what it is told, and says goodbye."""

    def __init__(self) -> None:
        self.told: list[play_pb2.ChosenAction] = []

    def Play(
        self, requests: Iterator[play_pb2.PlayRequest], _: grpc.ServicerContext
    ) -> Iterator[play_pb2.PlayResponse]:
        for request in requests:
            if request.HasField("join"):
                started = play_pb2.MatchStarted(match=1, bot_seed=bytes(32))
                asked = play_pb2.Decision(match=1, number=1)
                asked.view.legal = bytes([1 << 3 | 1 << 5])
                frame = play_pb2.Frame(started=[started], decisions=[asked])
                yield play_pb2.PlayResponse(frame=frame)
            else:
                self.told += request.answer.actions
                yield play_pb2.PlayResponse(goodbye=play_pb2.Goodbye())


class Refuses(play_pb2_grpc.PlayServiceServicer):
    """A game master that takes nobody, and says why or closes the stream without a word."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def Play(
        self, _: Iterator[play_pb2.PlayRequest], context: grpc.ServicerContext
    ) -> Iterator[play_pb2.PlayResponse]:
        if self._code is not grpc.StatusCode.OK:
            context.abort(self._code, "expected this, got that: do so")
        return iter(())


@contextmanager
def served(master: play_pb2_grpc.PlayServiceServicer, socket: Path) -> Iterator[str]:
    """The address of a game master."""
    with ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool)
        play_pb2_grpc.add_PlayServiceServicer_to_server(master, server)
        server.add_insecure_port(f"unix:{socket}")
        server.start()
        try:
            yield f"unix:{socket}"
        finally:
            server.stop(0).wait()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (grpc.StatusCode.FAILED_PRECONDITION, "expected this, got that: do so"),
        (grpc.StatusCode.OK, "no goodbye"),
    ],
    ids=lambda one: getattr(one, "name", ""),
)
def test_why_a_stream_ended_is_told_to_the_author(
    tmp_path: Path, code: grpc.StatusCode, said: str
) -> None:
    """In one line, and the bot has not ended well. Bug: it ended with status 0 and no word."""
    packages_of("node-random")
    with served(Refuses(code), tmp_path / "socket") as address:
        bot = SAMPLE_BOTS / "node-random" / "bot.js"
        done = end_of_node(bot, MAZZO_ADDRESS=address, MAZZO_TOKEN="t")
    told = f"mazzo: the stream to the game master ended: {said} ({code.name})\n"
    assert (done.returncode, done.stderr) == (1, told)


def asked_once(act: str, folder: Path) -> tuple[list[tuple[int, str]], int, str]:
    """What a function in JavaScript answers, the status of its process, and what it wrote."""
    packages_of("node-random")
    program = f"require(process.argv[1]).run({act})"
    master = OneQuestion()
    with served(master, folder / "socket") as address:
        arguments = ("-e", program, SAMPLE_BOTS / "node-random" / "mazzo.js")
        done = end_of_node(*arguments, MAZZO_ADDRESS=address, MAZZO_TOKEN="t")
    return [(told.action, told.note) for told in master.told], done.returncode, done.stderr


@pytest.mark.parametrize(
    ("act", "told"),
    [
        ("() => 5", (5, "")),
        ("() => ({ action: 5 })", (5, "")),
        ("async () => ({ action: 5, note: 'sure' })", (5, "sure")),
        ("() => 4", (4, "")),  # not legal, which is for the game master to say
    ],
)
def test_an_action_is_sent(tmp_path: Path, act: str, told: tuple[int, str]) -> None:
    assert asked_once(act, tmp_path) == ([told], 0, "")


@pytest.mark.parametrize(
    ("act", "got"),
    [
        ("() => 'As'", "'As'"),
        ("() => '5'", "'5'"),
        ("() => {}", "undefined; act has to return it"),
        ("async () => null", "null"),
        ("() => NaN", "NaN"),
        ("() => 0.5", "0.5"),
        ("() => -1", "-1"),
        ("() => 2 ** 32", "4294967296"),
        ("() => 5n", "5n"),
        ("(view) => view.legal", "<Buffer 28>"),
        ("() => ({ note: 'sure' })", "{ note: 'sure' }"),
        ("() => ({ action: '5' })", "{ action: '5' }"),
        ("() => Array(40).fill('a wide line')", "[ 'a wide line',"),
    ],
)
def test_what_is_no_action_ends_the_bot_with_a_line_on_it(
    tmp_path: Path, act: str, got: str
) -> None:
    """The wire would make action 0 of it, a card that nobody named."""
    told, status, wrote = asked_once(act, tmp_path)
    assert (told, status) == ([], 1)
    assert wrote.startswith(
        "mazzo: act: expected the number of an action, one of members(view.legal), "
        f"or {{ action, note }} with such an action, got {got}"
    )
    assert wrote.index("\n") == len(wrote) - 1 < 240


@pytest.mark.parametrize("variables", [{}, {"MAZZO_ADDRESS": "unix:/s"}, {"MAZZO_TOKEN": "t"}])
@pytest.mark.parametrize(("place", "folder"), [(".", "."), ("..", "node-random")])
def test_started_by_hand_they_say_how_bots_are_tried(
    place: str, folder: str, variables: dict[str, str]
) -> None:
    """By commands that can be typed there."""
    packages_of("node-random")
    bot = SAMPLE_BOTS / "node-random" / "bot.js"
    done = end_of_node(bot, cwd=bot.parent / place, **variables)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "mazzo: expected MAZZO_ADDRESS and MAZZO_TOKEN to be set. The platform sets them when it "
        f"starts a bot: try yours with `mazzo check {folder}`, and test it with "
        f"`npm test --prefix {folder}`\n"
    )


def test_what_they_share_is_the_same() -> None:
    """Each is a folder of its own, as a bundle must be."""
    shared = ("mazzo.js", "package.json", "package-lock.json")
    for one, other in combinations(NODE_SAMPLES, 2):
        for name in shared:
            assert (SAMPLE_BOTS / one / name).read_text() == (
                SAMPLE_BOTS / other / name
            ).read_text()


@pytest.mark.parametrize("name", NODE_SAMPLES)
def test_their_contract_is_the_project_s(name: str) -> None:
    """`make generate` copies it."""
    copies = sorted((SAMPLE_BOTS / name / "proto").rglob("*.proto"))
    assert [copy.name for copy in copies] == ["play.proto", "view.proto"]
    for copy in copies:
        inside = copy.relative_to(SAMPLE_BOTS / name)
        assert copy.read_text() == (ROOT / inside).read_text(), "run `make generate`"


@pytest.mark.parametrize("name", NODE_SAMPLES)
def test_their_packages_come_from_whatever_registry_one_has(name: str) -> None:
    """The lock file names no address, and a hash of every package."""
    lock = json.loads((SAMPLE_BOTS / name / "package-lock.json").read_text())
    packages = [package for place, package in lock["packages"].items() if place]
    assert packages
    assert all(package["integrity"].startswith("sha512-") for package in packages)
    assert "resolved" not in (SAMPLE_BOTS / name / "package-lock.json").read_text()


@pytest.mark.parametrize("name", NODE_SAMPLES)
def test_they_read_as_examples(name: str) -> None:
    """In fewer than 300 lines."""
    programs = (SAMPLE_BOTS / name).glob("*.js")
    assert sum(len(program.read_text().splitlines()) for program in programs) < 300


def test_at_home_they_cannot_play() -> None:
    """And are not offered to whoever asks for a bot that is not there."""
    variant = parse_variant("briscola/2")
    with pytest.raises(InvalidInputError, match="other bots play in tournaments only"):
        find_home_bot("node-greedy", variant)
    with pytest.raises(InvalidInputError, match=r"a sample bot \([^)]*greedy") as refused:
        find_home_bot("nobody", variant)
    assert "node-" not in str(refused.value)
