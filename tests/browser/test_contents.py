"""Every page shows what the store holds, with scripts and without, and the browser is content."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser

from browser.chromium import open_window
from browser.facts import Facts
from browser.made_store import VARIANTS
from browser.shown_pages import PAGES, ShownPage
from mazzo.games import parse_variant
from mazzo_server.model import MatchId
from mazzo_server.results.commentary import name_card


@pytest.mark.parametrize("has_scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("shown", PAGES, ids=lambda shown: shown.name)
def test_it_shows_what_the_store_holds(
    chromium: Browser, site: str, facts: Facts, shown: ShownPage, has_scripts: bool
) -> None:
    with open_window(chromium, has_scripts=has_scripts, status=shown.status) as page:
        answer = page.goto(site + shown.address)
        assert answer is not None
        assert answer.status == shown.status
        assert page.title().endswith("Mazzo")
        shown.check(page, facts)


def test_every_kind_of_page_is_looked_at(chromium: Browser, site: str) -> None:
    """Whatever a link leads to has an entry on the list."""
    known = {find_kind(shown.address) for shown in PAGES}
    waiting, seen = {find_kind("/"): "/"}, set[tuple[str, ...]]()
    with open_window(chromium, has_scripts=False) as page:
        while waiting:
            kind, address = waiting.popitem()
            assert kind in known, f"{address}: add it to the list of shown pages"
            seen.add(kind)
            page.goto(site + address)
            links = page.locator("a[href]:not([download], [type])").evaluate_all(
                "all => all.map((a) => a.href)"
            )
            for link in map(urlsplit, links):
                kind = find_kind(link.path)
                if kind not in seen:
                    waiting[kind] = link.path
    assert len(seen) > 8


def find_kind(address: str) -> tuple[str, ...]:
    """The first part of a path, how many more there are, and what is asked of a match."""
    first, *others = urlsplit(address).path.strip("/").split("/")
    return first, str(len(others)), others[3] if first == "matches" and len(others) > 3 else ""


def test_without_scripts_links_lead_through_a_whole_match(
    chromium: Browser, site: str, facts: Facts
) -> None:
    """From its first decision to its end; every card is that of the store."""
    match = next(match for match in facts.outcomes if VARIANTS[match.tournament - 1] == "frusta/2")
    game = parse_variant(facts.tournaments[match.tournament].definition.variant).game
    played = [
        name_card(card)
        for deal in facts.outcomes[match].deals
        for action in deal.actions
        if (card := game.actions[action].card) is not None
    ]
    steps, shown = 1, list[str | None]()
    with open_window(chromium, has_scripts=False) as page:
        page.goto(f"{site}/matches/{match}")
        while True:
            cards = page.locator(".decision dd").first.get_by_role("img")
            shown += [card.get_attribute("aria-label") for card in cards.all()]
            following = page.locator('[data-key="ArrowRight"]')
            if not following.count():
                break
            page.goto(urljoin(page.url, following.get_attribute("href") or ""))
            steps += 1
        assert steps == count_positions(facts, match)
        assert shown == played
        assert page.locator(".place").inner_text().endswith(", the end")
        page.get_by_text("The result of the match").click()
        assert page.locator("#result table").is_visible()


def count_positions(facts: Facts, match: MatchId) -> int:
    return sum(len(deal.actions) + 1 for deal in facts.outcomes[match].deals)
