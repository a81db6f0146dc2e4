"""Whoever has no mouse gets from the first page to a match, and through it."""

from __future__ import annotations

from playwright.sync_api import Browser, Page, expect

from browser.chromium import open_window
from browser.facts import Facts
from mazzo_server.model import MatchId

MATCH = MatchId(1, 0, 0)


def find_newest(facts: Facts) -> MatchId:
    """The match of the first tournament that stands at the top of the list."""
    found = [match for match in facts.outcomes if match.tournament == MATCH.tournament]
    return max(found, key=lambda match: (match.group, match.seating))


def press_tab_until(page: Page, text: str) -> None:
    """Go on with Tab until the link of that text has the focus."""
    for _ in range(200):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == text:
            return
    raise AssertionError(f"no way to {text!r}")


def follow_link(page: Page, text: str) -> None:
    press_tab_until(page, text)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def test_the_first_stop_leads_past_the_navigation(chromium: Browser, site: str) -> None:
    with open_window(chromium) as page:
        page.goto(site)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the contents"
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")


def test_from_the_first_page_to_a_replay_and_through_it(
    chromium: Browser, site: str, facts: Facts
) -> None:
    """By Tab and Enter there; then each key does what the documentation says."""
    match = find_newest(facts)
    deals = [len(deal.actions) for deal in facts.outcomes[match].deals]
    with open_window(chromium) as page:
        page.goto(site)
        follow_link(page, "All tournaments")
        follow_link(page, facts.tournaments[1].definition.name)
        follow_link(page, "All matches that can be shown")
        follow_link(page, str(match))
        place = page.locator(".place")
        for key, told in (
            ("ArrowRight", f"Deal 1 of 2, trick 1, decision 2 of {deals[0]}"),
            ("ArrowRight", f"Deal 1 of 2, trick 2, decision 3 of {deals[0]}"),
            ("ArrowLeft", f"Deal 1 of 2, trick 1, decision 2 of {deals[0]}"),
            ("t", f"Deal 1 of 2, trick 2, decision 3 of {deals[0]}"),
            ("T", f"Deal 1 of 2, trick 1, decision 1 of {deals[0]}"),
            ("d", f"Deal 2 of 2, trick 1, decision 1 of {deals[1]}"),
            ("D", f"Deal 1 of 2, trick 1, decision 1 of {deals[0]}"),
            ("G", "Deal 2 of 2, the end"),
            ("ArrowRight", "Deal 2 of 2, the end"),
            ("g", f"Deal 1 of 2, trick 1, decision 1 of {deals[0]}"),
        ):
            page.keyboard.press(key)
            expect(place).to_have_text(told)
        press_tab_until(page, "The result of the match")
        page.keyboard.press("Enter")
        expect(page.locator("#result table")).to_be_visible()


def test_the_focus_stays_where_it_was_while_one_steps(chromium: Browser, site: str) -> None:
    with open_window(chromium) as page:
        page.goto(f"{site}/matches/{MATCH}")
        press_tab_until(page, "step ›")
        for decision in (2, 3, 4):
            page.keyboard.press("Enter")
            expect(page.locator(".place")).to_contain_text(f"decision {decision} of")
            expect(page.locator('[data-key="ArrowRight"]')).to_be_focused()


def test_one_bot_is_watched_by_keyboard(chromium: Browser, site: str, facts: Facts) -> None:
    """The other hand is hidden then."""
    first, other = facts.name_seats(MATCH)
    with open_window(chromium) as page:
        page.goto(f"{site}/matches/{MATCH}")
        press_tab_until(page, first)
        page.keyboard.press("Enter")
        expect(page.get_by_role("link", name=first, exact=True)).to_have_attribute(
            "aria-current", "true"
        )
        hands = page.locator(".board .seat")
        expect(hands.nth(0).get_by_role("img")).to_have_count(3)
        expect(hands.nth(1).get_by_role("img")).to_have_count(0)
        expect(hands.nth(1)).to_contain_text(other)
        expect(hands.nth(1)).to_contain_text("3 hidden cards")


def test_the_whole_match_plays_by_itself_and_stops(chromium: Browser, site: str) -> None:
    with open_window(chromium) as page:
        page.clock.install()
        page.goto(f"{site}/matches/{MATCH}")
        page.get_by_role("button", name="Play").press("Enter")
        page.clock.run_for(1000)
        expect(page.locator(".place")).to_contain_text("decision 2 of")
        page.get_by_role("button", name="Pause").press("Enter")
        page.clock.run_for(5000)
        expect(page.locator(".place")).to_contain_text("decision 2 of")
