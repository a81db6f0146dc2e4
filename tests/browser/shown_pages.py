"""The pages that the tests look at, each with what it must show: a new page is a new entry here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from playwright.sync_api import Page

from browser.facts import Facts
from browser.made_store import ENTERED, LADDER, LONG_NAME, UNPLAYED, VARIANTS
from mazzo.games import GAMES, parse_variant
from mazzo_server.model import MatchId
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.results.commentary import format_number, name_card

__all__ = ["DESCRIBED", "PAGES", "ShownPage"]

DESCRIBED: Final = (1, 6)
"""The tournaments whose standings are compared."""
_READ_ROWS: Final = (
    "rows => rows.map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
)
_RULES: Final = Path(__file__).parents[2] / "docs" / "games"
_NEWEST_HERE: Final = 5  # tournaments on the first page
_LISTED: Final = 25  # rows on a page of a list
_PICTURED_POSITIONS: Final = {
    "briscola/2": "deal=1&decision=17",
    "briscola-chiamata/5": "deal=1&decision=30&seat=2",
}
_WITH_NINE: Final = "with 9 bots"  # when the open tournament starts
_BEST: Final = 3  # bots of a ranking's head


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownPage:
    """A page at its address, and whether it shows what the store holds."""

    name: str  # of its tests, and of its pictures
    address: str
    check: Callable[[Page, Facts], None]
    status: int = 200
    pictured: str = ""  # the address of which `make screenshots` takes pictures; "": of none


def read_rows(page: Page, label: str = "") -> list[list[str]]:
    """Return the text of each cell of a table, by its label or the only one."""
    region = page.locator(f'main [aria-label="{label}"]') if label else page.locator("main")
    rows: list[list[str]] = region.locator("tbody tr").evaluate_all(_READ_ROWS)
    assert rows
    return rows


def read_columns(page: Page, label: str) -> list[dict[str, str]]:
    """Return the rows of a table by the headings of their columns."""
    names = page.locator(f'main [aria-label="{label}"] thead th').all_text_contents()
    return [dict(zip(names, row, strict=True)) for row in read_rows(page, label)]


def read_title(page: Page) -> str:
    return page.locator("h1").inner_text()


def show_decimal(number: float) -> str:
    return f"{number:.2f}"


def check_home(page: Page, facts: Facts) -> None:
    newest = sorted(facts.tournaments.values(), key=lambda row: -row.id)[:_NEWEST_HERE]
    [taking] = read_rows(page, "Tournaments that bots enter")
    assert taking == [
        "Thursday cup",
        "briscola/4?talk=signal",
        "open",
        str(len(ENTERED)),
        _WITH_NINE,
    ]
    shown = [(row[0], row[1], row[2]) for row in read_rows(page)[1:]]
    assert shown == [(row.definition.name, row.definition.variant, row.status) for row in newest]
    check_heads(page, facts)


def check_entries(page: Page, facts: Facts) -> None:
    """Who has entered, in that order, and what each lacks; as the organiser, with forms for all."""
    assert read_title(page) == "Entries for Thursday cup"
    shown = read_columns(page, "Entries")
    assert [row["Bot"] for row in shown] == [*ENTERED]
    assert all(row["What it lacks"].startswith(row["Bot"]) for row in shown)
    assert "settebello is retired" in shown[2]["What it lacks"]


def check_heads(page: Page, facts: Facts) -> None:
    heads = {
        head.locator("h2, h3").inner_text(): lines
        for head in page.locator("main .card").all()
        if (lines := head.locator("li").all_inner_texts())
    }
    assert heads == {
        variant: [f"{row['name']} {show_decimal(row['rating'])}" for row in rows[:_BEST]]
        for variant, rows in facts.rankings.items()
    }


def check_tournaments(page: Page, facts: Facts) -> None:
    shown = [(row[0], row[2], row[3].split()[0]) for row in read_rows(page, "Tournaments")]
    rows = sorted(facts.tournaments.values(), key=lambda row: -row.id)
    assert shown == [(row.definition.name, row.status, str(row.matches_played)) for row in rows]


def check_tournament(number: int, page: Page, facts: Facts) -> None:
    row = facts.tournaments[number]
    assert read_title(page) == row.definition.name
    text = page.locator("main").inner_text()
    assert f"Tournament {number}, finished: {row.matches_played} of" in text
    assert row.definition.seed.hex() in text
    averages = facts.average_scores(number)
    told = {
        one["name"]: [
            str(one["rank"]),
            f"{one['name']} v{one['version']}",
            show_decimal(one["rating"]),
            show_decimal(averages[one["name"]]),
        ]
        for one in facts.standings[number]
    }
    shown = read_columns(page, "Standings")
    assert [
        [row["Rank"], row["Bot"], row["rating"], row["score/deal"].split()[0]] for row in shown
    ] == list(told.values())
    if parse_variant(row.definition.variant).players == 2:
        check_crosstable(page, facts, number)
    faults = [fault for outcome in list_outcomes(facts, number) for fault in outcome.faults]
    assert all(fault.reason in text for fault in faults)
    assert sum(int(row["faults"].split()[0]) for row in shown) == len(faults)


def check_crosstable(page: Page, facts: Facts, number: int) -> None:
    """Every cell against the scores of all deals of the pair."""
    shown = read_rows(page, "Crosstable")
    names = [row[1] for row in shown]
    for row, name in zip(shown, names, strict=True):
        for cell, other in zip(row[2:], names, strict=True):
            scores = [
                deal[facts.name_seats(match).index(name)]
                for match, outcome in facts.outcomes.items()
                if match.tournament == number and {name, other} == {*facts.name_seats(match)}
                for deal in outcome.counted_scores
            ]
            assert cell == (f"{sum(scores) / len(scores):.1f}" if scores else "·"), (name, other)


def list_outcomes(facts: Facts, number: int) -> list[MatchOutcome]:
    return [one for match, one in facts.outcomes.items() if match.tournament == number]


def check_head_to_head(names: tuple[str, str], page: Page, facts: Facts) -> None:
    """Two bots of the first tournament: scores of all their deals, a row for each mirror group."""
    assert read_title(page) == f"{names[0]} against {names[1]}"
    met = {
        match: outcome
        for match, outcome in facts.outcomes.items()
        if match.tournament == 1 and {*names} == {*facts.name_seats(match)}
    }
    for row, name in zip(read_rows(page, "Both in numbers"), names, strict=True):
        scores = [
            deal[facts.name_seats(match).index(name)]
            for match, outcome in met.items()
            for deal in outcome.counted_scores
        ]
        assert row[0] == name
        assert row[1].split()[0] == show_decimal(sum(scores) / len(scores))
    groups = {row[0] for row in read_rows(page, "Mirror groups")}
    assert groups == {f"1/{match.group}" for match in met}


def check_tables(page: Page, facts: Facts) -> None:
    """Whom one can play against: the bots that are not retired."""
    assert read_title(page) == "Play against bots"
    shown = [text.split()[0] for text in page.locator("main .in-force li").all_inner_texts()]
    assert shown == sorted(bot.name for bot in facts.bots if not bot.retired)


def check_challenges(page: Page, facts: Facts) -> None:
    """There is none; the page says how to ask for one."""
    assert read_title(page) == "Challenges"
    assert "There is no challenge of the last 30 days." in page.locator("main").inner_text()
    assert page.locator("main a").first.get_attribute("href") == "/bots"


def check_ladders(page: Page, facts: Facts) -> None:
    assert read_title(page) == "Ladders"
    assert page.locator(f'main a[href="/ladders/{LADDER}"]').is_visible()


def check_ladder(page: Page, facts: Facts) -> None:
    """All who are there, and who plays next."""
    assert read_title(page) == "Ladder of briscola/2"
    shown = {row["Bot"].split()[0] for row in read_columns(page, "Table of the ladder")}
    assert shown == {"asso", "re", "cavallo", "fante", "matta"}
    assert page.locator("main ol li").count()


def check_unplayed(page: Page, facts: Facts) -> None:
    assert read_title(page) == LONG_NAME
    text = page.locator("main").inner_text()
    row = facts.tournaments[UNPLAYED]
    assert f"created: 0 of {5 * 4 * row.definition.groups} matches" in text
    assert row.definition.seed.hex() not in text


def check_ranking(variant: str, page: Page, facts: Facts) -> None:
    assert read_title(page) == f"Ranking of {variant}"
    shown = read_rows(page, "Ranking")
    assert shown == [
        [
            str(row["rank"]),
            f"{row['name']} v{row['version']}",
            *(show_decimal(row[name]) for name in ("rating", "mu", "sigma")),
            f"{row['wins']}-{row['draws']}-{row['losses']}",
            str(row["tournaments"]),
        ]
        for row in facts.rankings[variant]
    ]
    finished = [
        number
        for number, row in facts.tournaments.items()
        if row.definition.variant == variant and row.end_time
    ]
    assert [
        row[0].partition(":")[0] for row in read_rows(page, "Ratings after each tournament")
    ] == [str(number) for number in finished]


def check_bots(page: Page, facts: Facts) -> None:
    shown = [(row[0], row[1], row[4]) for row in read_rows(page, "Bots")]
    assert shown == [
        (
            f"{bot.name} retired" if bot.retired else bot.name,
            str(facts.versions[bot.name][-1].number),
            facts.versions[bot.name][-1].manifest.author,
        )
        for bot in facts.bots
    ]


def check_bot(name: str, page: Page, facts: Facts) -> None:
    assert read_title(page) == name
    versions = [row[0] for row in read_rows(page, "Versions")]
    assert versions == [f"Version {one.number}" for one in reversed(facts.versions[name])]
    ranks = {
        variant: (f"{row['rank']} of {len(rows)}", show_decimal(row["rating"]))
        for variant, rows in facts.rankings.items()
        for row in rows
        if row["name"] == name
    }
    assert {row[0]: (row[1], row[2]) for row in read_rows(page, "Rankings")} == ranks
    check_matches(name, 10, page, facts)


def check_version(name: str, number: int, page: Page, facts: Facts) -> None:
    assert read_title(page) == f"{name}, version {number}"
    version = facts.versions[name][number - 1]
    text = page.locator("main").inner_text()
    assert f"by {version.manifest.author}; plays {', '.join(version.manifest.games)}" in text
    assert version.content_hash in text
    assert ("It passes its trial" in text) is (version.trial is not None)


def check_logs(name: str, page: Page, facts: Facts) -> None:
    """Every forfeit of the bot, with its reason and its match."""
    assert read_title(page) == f"What went wrong with {name}"
    shown = page.locator("main .log").all_inner_texts()
    faults = [
        (match, fault)
        for match, outcome in facts.outcomes.items()
        for fault in outcome.faults
        if facts.name_seats(match)[fault.seat] == name
    ]
    assert len(shown) == len(faults) > 0
    for text, (_, fault) in zip(shown, faults, strict=True):
        assert fault.reason in text


def check_rules(page: Page, facts: Facts) -> None:
    assert page.locator("main h2").all_inner_texts() == [game.title for game in GAMES.values()]


def check_game(name: str, page: Page, facts: Facts) -> None:
    """Its title, a section for each heading of the documentation, and its ranked variants."""
    assert read_title(page) == GAMES[name].title
    text = (_RULES / f"{name}.md").read_text(encoding="utf-8")
    shown = page.locator("main h2").all_inner_texts()
    assert shown == re.findall("^## (.*)$", text, re.MULTILINE)
    ranked = [variant for variant in facts.rankings if variant.partition("/")[0] == name]
    links = page.locator('main a[href^="/rankings/"]').all_inner_texts()
    assert links == ranked


def check_operation(page: Page, facts: Facts) -> None:
    """Nothing of the store runs."""
    assert read_title(page) == "Operation of this server"
    assert "It plays no tournament." in page.locator("main").inner_text()


def check_audit(page: Page, facts: Facts) -> None:
    """Nobody has asked for it yet."""
    assert read_title(page) == "Audit"
    assert page.get_by_role("button", name="Audit this tournament").is_visible()


def check_submission(page: Page, facts: Facts) -> None:
    assert read_title(page) == "Submit a bot"
    assert page.get_by_label("Archive").is_visible()


def check_matches(name: str, count: int, page: Page, facts: Facts) -> None:
    """The newest matches of a bot, or of all of them."""
    newest = sorted(
        (match for match in facts.outcomes if name in (*facts.name_seats(match), "")),
        key=lambda match: (facts.outcomes[match].end_time, match.group, match.seating),
        reverse=True,
    )
    assert [(row[0], row[-1]) for row in read_rows(page, "Matches")] == [
        (str(match), ", ".join(f"{bot} {points}" for bot, points in list_points(facts, match)))
        for match in newest[:count]
    ]


def list_points(facts: Facts, match: MatchId) -> Sequence[tuple[str, int]]:
    return list(zip(facts.name_seats(match), facts.sum_points(match), strict=True))


def check_replay(match: MatchId, page: Page, facts: Facts) -> None:
    """Its first position; its result is that of the store, and stands there when asked for."""
    outcome = facts.outcomes[match]
    assert read_title(page) == f"Match {match}"
    place = page.locator(".place").inner_text()
    count = len(outcome.deals[0].actions)
    assert re.fullmatch(rf"Deal 1 of {len(outcome.deals)}, .*decision 1 of {count}", place)
    result = {int(row[1]): (row[2].partition("#")[0], row[3]) for row in read_result(page)}
    scores = zip(facts.name_seats(match), outcome.match_scores, strict=True)
    assert result == {
        seat: (name, format_number(score)) for seat, (name, score) in enumerate(scores)
    }
    assert not page.locator("#result table").is_visible()
    check_first_decision(match, page, facts)


def read_result(page: Page) -> list[list[str]]:
    rows: list[list[str]] = page.locator("#result tbody tr").evaluate_all(_READ_ROWS)
    return rows


def check_first_decision(match: MatchId, page: Page, facts: Facts) -> None:
    """The hands are those of the seed, and what is decided is what the store has."""
    deal = facts.deal_first(match)
    names = facts.name_seats(match)
    seats = page.locator(".board .seat").all()
    assert len(seats) == len(names)
    for seat, name in enumerate(names):
        assert seats[seat].locator("h2").inner_text().startswith(name)
        cards = (
            seats[seat]
            .get_by_role("img")
            .evaluate_all("cards => cards.map((card) => card.ariaLabel)")
        )
        assert sorted(cards) == sorted(name_card(card) for card in deal.view(seat).hand)
        assert ("to move" in seats[seat].inner_text()) is (seat == deal.seat)
    assert deal.seat is not None
    action = deal.variant.game.actions[facts.outcomes[match].deals[0].actions[0]]
    decision = page.locator(".decision")
    assert decision.locator("dd").first.inner_text().startswith(names[deal.seat])
    if action.card is not None:
        card = decision.locator("dd").first.get_by_role("img").get_attribute("aria-label")
        assert card == name_card(action.card)


def check_group(match: MatchId, page: Page, facts: Facts) -> None:
    assert read_title(page) == f"Mirror group {match.tournament}/{match.group}"
    seatings = [
        one
        for one in facts.outcomes
        if (one.tournament, one.group) == (match.tournament, match.group)
    ]
    shown = page.locator(".seatings > section").all()
    assert len(shown) == len(seatings)
    for section, one in zip(shown, seatings, strict=True):
        scores = zip(facts.name_seats(one), facts.outcomes[one].match_scores, strict=True)
        told = ", ".join(f"{name} {format_number(score)}" for name, score in scores)
        assert section.locator("p").first.inner_text() == told


def check_error(page: Page, facts: Facts) -> None:
    assert read_title(page) == "Not Found"
    assert f"there is no tournament {LADDER + 1}" in page.locator("main").inner_text()


def list_replays() -> list[ShownPage]:
    """Return the first match of each form."""
    numbers = {variant: number for number, variant in reversed([*enumerate(VARIANTS, 1)])}
    found = []
    for variant, number in numbers.items():
        match = MatchId(number, 0, 0)
        query = _PICTURED_POSITIONS.get(variant)
        found.append(
            ShownPage(
                name=f"replay-{re.sub('[^a-z0-9]+', '-', variant)}",
                address=f"/matches/{match}",
                check=partial(check_replay, match),
                pictured=f"/matches/{match}?{query}" if query else "",
            )
        )
    return found


PAGES: Final = (
    ShownPage(name="home", pictured="/", address="/", check=check_home),
    ShownPage(name="entries", pictured="/entries/1", address="/entries/1", check=check_entries),
    ShownPage(
        name="tournaments", pictured="/tournaments", address="/tournaments", check=check_tournaments
    ),
    ShownPage(
        name="tournament",
        pictured="/tournaments/1",
        address="/tournaments/1",
        check=partial(check_tournament, 1),
    ),
    ShownPage(
        name="tournament-of-five-at-a-table",
        address="/tournaments/6",
        check=partial(check_tournament, 6),
    ),
    ShownPage(
        name="head-to-head",
        address="/tournaments/1/head-to-head/asso/cavallo",
        check=partial(check_head_to_head, ("asso", "cavallo")),
        pictured="/tournaments/1/head-to-head/asso/cavallo",
    ),
    ShownPage(name="tables", address="/tables", check=check_tables, pictured="/tables"),
    ShownPage(
        name="challenges", address="/challenges", check=check_challenges, pictured="/challenges"
    ),
    ShownPage(name="ladders", address="/ladders", check=check_ladders),
    ShownPage(
        name="ladder",
        address=f"/ladders/{LADDER}",
        check=check_ladder,
        pictured=f"/ladders/{LADDER}",
    ),
    ShownPage(name="tournament-to-come", address=f"/tournaments/{UNPLAYED}", check=check_unplayed),
    ShownPage(name="rankings", pictured="/rankings", address="/rankings", check=check_heads),
    ShownPage(
        name="ranking",
        pictured="/rankings/briscola/2",
        address="/rankings/briscola/2",
        check=partial(check_ranking, "briscola/2"),
    ),
    ShownPage(name="bots", pictured="/bots", address="/bots", check=check_bots),
    ShownPage(
        name="bot", pictured="/bots/asso", address="/bots/asso", check=partial(check_bot, "asso")
    ),
    ShownPage(
        name="matches",
        pictured="/matches?bot=fante&verdict=lost&sort=worst",
        address="/matches",
        check=partial(check_matches, "", _LISTED),
    ),
    ShownPage(
        name="matches-of-a-bot",
        address="/matches?bot=fante",
        check=partial(check_matches, "fante", _LISTED),
    ),
    ShownPage(
        name="version",
        address="/bots/asso/versions/2",
        check=partial(check_version, "asso", 2),
        pictured="/bots/asso/versions/2",
    ),
    ShownPage(
        name="version-untried",
        address="/bots/asso/versions/1",
        check=partial(check_version, "asso", 1),
    ),
    ShownPage(
        name="logs",
        address="/bots/matta/logs",
        check=partial(check_logs, "matta"),
        pictured="/bots/matta/logs",
    ),
    ShownPage(name="submission", address="/submit", check=check_submission, pictured="/submit"),
    ShownPage(name="rules", address="/rules", check=check_rules, pictured="/rules"),
    *(
        ShownPage(
            name=f"rules-of-{name}",
            address=f"/rules/{name}",
            check=partial(check_game, name),
            pictured=f"/rules/{name}" if name == "briscola" else "",
        )
        for name in GAMES
    ),
    ShownPage(name="operation", address="/operation", check=check_operation, pictured="/operation"),
    ShownPage(
        name="audit",
        address="/tournaments/1/audit",
        check=check_audit,
        pictured="/tournaments/1/audit",
    ),
    *list_replays(),
    ShownPage(
        name="group",
        pictured="/matches/1/0?deal=1&decision=14",
        address="/matches/1/0",
        check=partial(check_group, MatchId(1, 0, 0)),
    ),
    ShownPage(
        name="whole-match",
        pictured="/matches/8/0/0/whole",
        address="/matches/8/0/0/whole",
        check=partial(check_replay, MatchId(8, 0, 0)),
    ),
    ShownPage(
        name="error",
        address=f"/tournaments/{LADDER + 1}",
        check=check_error,
        status=404,
    ),
)
