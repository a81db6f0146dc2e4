"""The documentation says what the code does: names, options, examples and links."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import typer.main

from mazzo import GAMES, View
from mazzo.codec import encode_view
from mazzo.game import Game, Variant
from mazzo.games import parse_variant
from mazzo.games.briscola import TOKENS
from mazzo.match import Match, MatchFormat
from mazzo.record import DealRecord, replay, replay_line
from mazzo.shuffle import SeededShuffles, commitment, seating_salt
from mazzo.v1 import play_pb2, ranking_pb2, tournament_pb2, view_pb2
from mazzo_server.cli.app import app
from mazzo_server.model import LIMIT_KINDS, BotLimits
from mazzo_server.model.manifest import KNOWN_GAMES, Manifest, parse_manifest
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.sandbox import Limits
from mazzo_server.sandbox.runtime import make_bot_environment
from mazzo_server.serving.grpc.interceptors.access import ACCESS, Level
from mazzo_server.settings import Settings
from sdk_reference import PAGE, reference

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CHANGELOG.md", *DOCS.rglob("*.md")])
REFERENCE = DOCS / "reference"
HOME = "MAZZO_HOME"


def code_words(page: Path) -> set[str]:
    """Everything in backticks."""
    return set(re.findall(r"`([^`\n]+)`", page.read_text()))


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)


def page_id(page: Path) -> str:
    return str(page.relative_to(ROOT))


# Settings and manifest


def test_settings_names_every_environment_variable() -> None:
    """Those that any code of ours reads or sets."""
    code = [*(ROOT / "sdk").rglob("*.py"), *(ROOT / "server").rglob("*.py")]
    named = {name for file in code for name in re.findall(r"\bMAZZO_[A-Z_]+\b", file.read_text())}
    assert HOME in named
    assert named <= code_words(REFERENCE / "settings.md")


def test_settings_names_every_path_of_the_home_folder() -> None:
    """Every property of `Settings` is a path under the home."""
    home = Settings(home=Path("/home"))
    paths = [
        getattr(home, name) for name, value in vars(Settings).items() if isinstance(value, property)
    ]
    assert len(paths) >= 3
    words = {word.removesuffix("/") for word in code_words(REFERENCE / "settings.md")}
    assert {path.name for path in paths} <= words


def test_settings_has_every_limit_with_its_value() -> None:
    """As a row of the table: what may be set with its bounds, and the rest of the sandbox."""
    text = (REFERENCE / "settings.md").read_text()
    for name, kind in LIMIT_KINDS.items():
        row = f"| `{name}` | {getattr(BotLimits(), name)} | {kind.least} to {kind.most:,} |"
        assert row in text
    for name in ("open_files", "cores"):
        assert f"| `{name}` | {getattr(Limits(), name)} |" in text
    assert f"| `output_bytes` | {Limits().output_bytes >> 10} KiB |" in text


def test_settings_names_what_a_bot_finds_in_its_environment() -> None:
    """Ten variables, and the page that counts them agrees."""
    given = make_bot_environment(
        socket=Path("/s"), token="t", scratch="/tmp", path=[], python_path=[]
    )
    assert given.keys() <= code_words(REFERENCE / "settings.md")
    assert len(given) == 10
    assert "Ten variables" in (REFERENCE / "isolation.md").read_text()


def test_the_manifest_is_explained() -> None:
    """Every key has a row, and the examples are accepted."""
    rows = re.findall(r"^\| `(\w+)` \|", (REFERENCE / "bot-toml.md").read_text(), re.MULTILINE)
    assert rows == [field.name for field in fields(Manifest)]
    examples = [block for page in PAGES for block in blocks(page, "toml")]
    assert len(examples) >= 3
    for example in examples:
        parse_manifest(example.encode(), known_games=KNOWN_GAMES)


def test_access_has_the_table_that_the_server_keeps() -> None:
    """Every method with its level, in the same order, and what each level means."""
    text = (REFERENCE / "access.md").read_text()
    assert dict(re.findall(r"^\| `(/\S+)` \| `(\w+)` \|$", text, re.MULTILINE)) == ACCESS
    assert re.findall(r"^- `(\w+)`: ", text, re.MULTILINE) == [*Level]
    assert {"UNAUTHENTICATED", "PERMISSION_DENIED"} <= code_words(REFERENCE / "access.md")


# The command line


def commands() -> dict[str, set[str]]:
    """Every command by its full name, with its options; the group's own under "mazzo"."""

    def walk(command: Any, name: str) -> Iterator[tuple[str, set[str]]]:
        options = {
            option
            for parameter in command.params
            if parameter.param_type_name == "option"
            for option in (*parameter.opts, *parameter.secondary_opts)
        }
        inner = getattr(command, "commands", {})
        if options or not inner:
            yield name, options
        for word, subcommand in inner.items():
            yield from walk(subcommand, f"{name} {word}")

    return dict(walk(typer.main.get_command(app), "mazzo"))


def sections() -> dict[str, str]:
    """The sections of the reference by the command in their heading."""
    text = (REFERENCE / "command-line.md").read_text()
    parts = re.split(r"^### `(.+)`$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_and_option_is_in_the_reference_and_no_other() -> None:
    """Each command has a section, with exactly its own options, or says whose it takes."""
    found: dict[str, set[str]] = {}
    for name, section in sections().items():
        found[name] = set(re.findall(r"`(--[a-z-]+)[^`]*`", section))
        for other, left_out in re.findall(r"all that `(mazzo [a-z ]+)` takes, but (.*)", section):
            found[name] |= found[other]
            found[name] -= set(re.findall(r"`(--[a-z-]+)`", left_out))
    assert found == commands()


def test_every_exit_status_is_in_the_reference() -> None:
    """0, 1, 2 and 130."""
    text = (REFERENCE / "command-line.md").read_text()
    assert re.findall(r"^\| (\d+) \|", text, re.MULTILINE) == ["0", "1", "2", "130"]


def shown_commands(page: Path) -> Iterator[list[str]]:
    """Every call of `mazzo` in the page's console and shell blocks, as words."""
    console = "".join(blocks(page, "console"))
    lines = [line[2:] for line in console.splitlines() if line.startswith("$ ")]
    lines += "".join(blocks(page, "sh")).splitlines()
    for line in lines:
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            del words[0]
        if words and words[0] == "mazzo":
            yield words[: words.index(">")] if ">" in words else words


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_commands_of_the_examples_exist(page: Path) -> None:
    """With the options that they use."""
    known = commands()
    for words in shown_commands(page):
        names = [" ".join(words[:count]) for count in (3, 2, 1)]
        name = next(name for name in names if name in known)
        assert name != "mazzo" or words[1].startswith("--"), words
        used = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert used <= known[name], words


def test_the_make_targets_of_the_examples_exist() -> None:
    """Wherever a page says `make something`."""
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = {
        target
        for page in PAGES
        for target in re.findall(r"(?:`|^)make ([a-z]+)", page.read_text(), re.MULTILINE)
    }
    assert {"demo", "test"} <= named <= targets


# Messages


def messages_of(message: Any) -> list[Any]:
    """A message, and those that are in its fields, whatever is added to it."""
    found = [message]
    for holder in found:
        inner = (field.message_type for field in holder.DESCRIPTOR.fields)
        names = [kind.name for kind in inner if kind is not None]
        found += [kind for name in names if (kind := getattr(tournament_pb2, name)) not in found]
    return found


@pytest.mark.parametrize(
    ("page", "message"),
    [
        *(("standings.md", message) for message in messages_of(tournament_pb2.Standings)),
        ("standings.md", tournament_pb2.Tournament),
        ("standings.md", tournament_pb2.TournamentClock),
        ("standings.md", tournament_pb2.TournamentEntrant),
        ("standings.md", ranking_pb2.Ranking),
        ("standings.md", ranking_pb2.RankingRow),
        ("standings.md", ranking_pb2.RatingPassage),
        ("standings.md", ranking_pb2.RatingInheritance),
        ("standings.md", ranking_pb2.RatingMove),
        ("standings.md", ranking_pb2.RatingOpponent),
        ("standings.md", ranking_pb2.SkillRating),
        ("protocol.md", play_pb2.PlayRequest),
        ("protocol.md", play_pb2.PlayResponse),
        ("protocol.md", play_pb2.Join),
        ("protocol.md", play_pb2.Frame),
        ("protocol.md", play_pb2.MatchStarted),
        ("protocol.md", play_pb2.TimeControl),
        ("protocol.md", play_pb2.Decision),
        ("protocol.md", play_pb2.Answer),
        ("protocol.md", play_pb2.ChosenAction),
        ("protocol.md", play_pb2.MatchEnded),
        ("protocol.md", view_pb2.View),
        ("protocol.md", view_pb2.MatchProgress),
        ("protocol.md", view_pb2.BriscolaView),
        ("protocol.md", view_pb2.ChiamataView),
        ("protocol.md", view_pb2.FrustaView),
        ("protocol.md", view_pb2.Declaration),
        ("protocol.md", view_pb2.MetaMazzoView),
        ("protocol.md", view_pb2.PizzichinoView),
        ("protocol.md", view_pb2.FrapView),
    ],
    ids=lambda value: value if isinstance(value, str) else value.DESCRIPTOR.name,
)
def test_every_field_of_a_message_is_named(page: str, message: Any) -> None:
    """By its name in the contract."""
    assert set(message.DESCRIPTOR.fields_by_name) <= code_words(REFERENCE / page)


def test_standings_names_every_way_to_forfeit() -> None:
    """Terminations and owners."""
    words = code_words(REFERENCE / "standings.md")
    assert {*Termination, *Owner} <= words


def test_the_bytes_of_the_protocol_s_example() -> None:
    """The hand of the worked example is this mask on the wire; so came it and the next card."""
    record = json.loads(blocks(REFERENCE / "records.md", "json")[0])
    dealt, later = [
        encode_view(replay(DealRecord.from_json(record | {"actions": actions})).view(0))
        for actions in ([], ["2s", "7b"])
    ]
    examples = [dealt.hand.hex(" ") + "\n", later.received.hex(" ") + "\n"]
    assert blocks(REFERENCE / "protocol.md", "text") == examples


# The SDK


def test_the_reference_of_the_sdk_is_what_the_docstrings_say() -> None:
    """`make generate` writes the page anew."""
    assert PAGE.read_text() == reference()


def test_the_reference_of_the_sdk_has_every_view() -> None:
    """Each game's view, and every helper of all views."""
    text = PAGE.read_text()
    for game in GAMES.values():
        variant = Variant.of(game, game.players[0])
        view = game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
        assert f"\n### `{type(view).__name__}`\n" in text
    for name, member in vars(View).items():
        assert name.startswith("_") or f"- `{name}" in text, f"{name}: {member}"


# Records and programs


def examples(page: Path) -> list[tuple[dict[str, Any], dict[str, Any] | None]]:
    """The deal records of a page, each with the output that follows it, if one does."""
    found: list[tuple[dict[str, Any], dict[str, Any] | None]] = []
    for text in blocks(page, "json"):
        value = json.loads(text)
        if value.get("format") == "mazzo-deal/1":
            found.append((value, None))
        else:
            record, nothing = found.pop()
            assert nothing is None, f"an output without its record in {page}"
            found.append((record, value))
    return found


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_the_records_replay_as_shown(page: Path) -> None:
    """A record without output is complete and right in its scores."""
    for record, shown in examples(page):
        expected = shown or {}
        answer = replay_line(
            json.dumps(record), trace="steps" in expected, views="views" in expected
        )
        answer = json.loads(json.dumps(answer))
        if shown is None:
            assert "error" not in answer
            assert answer["over"]
            assert answer["scores"] == record["scores"]
        else:
            assert answer == shown


def test_there_are_records_to_replay() -> None:
    """Or the test above would say nothing."""
    assert len(examples(REFERENCE / "records.md")) == 2


# Rules


def rules_of(game: Game) -> Path:
    """The page with the rules of a game."""
    return DOCS / "games" / f"{game.id}.md"


def rows(page: Path, first: str) -> Iterator[list[str]]:
    """The cells of the rows of tables, where the first cell matches a pattern."""
    for line in page.read_text().splitlines():
        if line.startswith("| "):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if re.fullmatch(first, cells[0]):
                yield cells


def test_every_game_has_its_page_and_no_other() -> None:
    """Named after its id."""
    pages = {page for page in PAGES if page.parent == DOCS / "games"}
    assert pages == {rules_of(game) for game in GAMES.values()}


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_the_rules_name_every_variant_and_option(game: Game) -> None:
    """Each option has a row with all its values and its default."""
    page = rules_of(game)
    words = code_words(page)
    assert {f"{game.id}/{players}" for players in game.players} <= words
    assert {game.default_match_format(Variant.of(game, number)) for number in game.players} <= words
    for option in game.options:
        ((_, values, default, *_),) = rows(page, f"`{option.name}`")
        assert default == f"`{option.default}`"
        assert re.findall(r"`([^`]+)`", values) == list(option.values)
        if option.numbers is not None:
            numbers = re.findall(r"\d[\d,.]*", option.numbers.describe())
            assert set(numbers) <= set(re.findall(r"\d+(?:\.\d+)?", values.replace(",", "")))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_the_rules_number_every_action(game: Game) -> None:
    """The table of actions gives their numbers and codes without a gap."""
    _, _, table = rules_of(game).read_text().partition("\n## Actions\n")
    table, _, _ = table.partition("\n## ")
    following = 0
    for first, last, codes in re.findall(
        r"^\| (\d+)(?: to (\d+))? \| (.+?) \|", table, re.MULTILINE
    ):
        assert int(first) == following
        following = int(last or first) + 1
        ends = [game.actions[int(first)].code, game.actions[following - 1].code]
        assert re.findall(r"`([^`]+)`", codes) == (ends if last else ends[:1])
    assert following == len(game.actions)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_the_rules_end_with_a_deal(game: Game) -> None:
    """One of that game, complete, with its shuffles, scores and result, which are right."""
    ((record, output),) = examples(rules_of(game))
    assert output is None
    assert record["game"] == game.id
    deal = replay(DealRecord.from_json(record))
    assert DealRecord.of(deal).to_json() == record
    assert record["result"] == deal.result


def test_the_rules_of_briscola_have_the_tokens_in_order() -> None:
    """In the order of their numbers."""
    rules = re.findall(r"`([a-z-]+)`", rules_of(GAMES["briscola"]).read_text())
    assert [word for word in rules if word in TOKENS] == list(TOKENS)


def finished_tournament() -> dict[str, Any]:
    """What the programs of the how-tos read of `mazzo tournament show --json`."""
    seed = bytes(range(32))
    salt = seating_salt(seed, 0)
    return {
        "seed": seed.hex(),
        "salt": salt.hex(),
        "seed_commitment": commitment(seed, salt).hex(),
    }


def report_of_a_trial() -> dict[str, Any]:
    """What they read of `mazzo check --json`."""
    deal = Match(parse_variant("frap/3"), bytes(32), MatchFormat.parse("deals:1")).deal
    record = json.dumps(DealRecord.of(deal).to_json())
    match = {"variant": "frap/3", "record": record, "seat": deal.seat, "reason": "crashed"}
    check = {"failures": [match, match | {"record": ""}]}
    return {"trial": {"matches": [match | {"record": ""}], "checks": [check]}}


# Those that read the results of matches are run by `cli.replay.test_data_frames`.
PROGRAMS = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in sorted((DOCS / "how-to").glob("*.md"))
    for number, text in enumerate(blocks(page, "python"))
    if page.stem != "results-in-a-data-frame"
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_programs_of_the_how_tos_run(
    program: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each is complete, and prints something or writes a file of records."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    (tmp_path / "tournament.json").write_text(json.dumps(finished_tournament()))
    (tmp_path / "check.json").write_text(json.dumps(report_of_a_trial()))
    exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
    written = tmp_path / "deals.jsonl"
    if written.exists():
        for line in written.read_text().splitlines():
            assert replay_line(line)["over"]
    else:
        assert capsys.readouterr().out


# Links


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_internal_links_resolve(page: Path) -> None:
    """To files of the project, and to headings in them."""
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert linked.is_relative_to(ROOT), target
        assert not anchor or anchor in anchors(linked), target


def test_the_index_links_every_page() -> None:
    """So that nothing is written in vain."""
    index = (DOCS / "README.md").read_text()
    for page in DOCS.rglob("*.md"):
        if page != DOCS / "README.md":
            assert f"({page.relative_to(DOCS)})" in index
