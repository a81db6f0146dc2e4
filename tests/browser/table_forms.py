"""What a person does at a table in the browser."""

from __future__ import annotations

from typing import Final

from playwright.sync_api import Page, expect

from mazzo.games import parse_variant

__all__ = ["CHOICES", "OVER", "open_table", "wait_for_turn"]

CHOICES: Final = ".own button:not([disabled])"
OVER: Final = "The match is over"


def open_table(page: Page, site: str, variant: str) -> None:
    """Open a table against `random`, for a match of one deal."""
    page.goto(f"{site}/tables")
    page.get_by_label("Game").select_option(parse_variant(variant).text)
    page.get_by_label("Your name").fill("Anna")
    page.get_by_label("Bots", exact=True).fill("random")
    page.get_by_label("Match").fill("deals:1")
    page.get_by_role("button", name="Open a table").click()


def wait_for_turn(page: Page) -> str:
    """Return the number of the decision that waits; "" when the match is over."""
    turn = page.locator(CHOICES).first
    expect(turn.or_(page.get_by_text(OVER))).to_be_visible()
    return page.locator("[name=number]").input_value() if turn.is_visible() else ""
