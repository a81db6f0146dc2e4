"""What holds for every page, whoever reads it and on whatever."""

from __future__ import annotations

from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

__all__ = ["check_accessible", "check_gaps", "check_tab_stops", "check_width"]

_BAD: Final = ("serious", "critical")
_OPEN_ALL: Final = "all => all.forEach((details) => (details.open = true))"
# On a gradient axe-core judges no contrast: the shadows that tell of more to scroll to are ones.
_TAKE_SHADOWS: Final = "all => all.forEach((one) => (one.style.background = 'none'))"
_GAP: Final = 7.0  # pixels, half a small line
_LIST_GAPS: Final = """
all => all
  .filter((one) => one.checkVisibility() && one.nextElementSibling?.checkVisibility())
  .map((one) => ({
    text: one.outerHTML.slice(0, 200),
    gap: one.nextElementSibling.getBoundingClientRect().top - one.getBoundingClientRect().bottom,
  }))
"""
# What Tab has to reach: what one can click or scroll, and sees.
_LIST_STOPS: Final = """
() => [...document.querySelectorAll("a[href], button, input, select, summary, [tabindex]")]
  .filter((one) => one.type !== "hidden" && one.tabIndex >= 0 && one.checkVisibility())
  .map((one) => (one.stop = true)).length
"""
_LOOK_AT_STOP: Final = """
() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const box = one.getBoundingClientRect();
  const isNew = one.stop === true;
  one.stop = false;
  return {
    isNew,
    text: one.outerHTML.slice(0, 200),
    isMarked: getComputedStyle(one).outlineStyle !== "none",
    isInSight: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
  };
}
"""


def check_accessible(page: Page) -> None:
    """axe-core finds nothing serious, light and dark, and in what can be opened, too."""
    page.locator("details").evaluate_all(_OPEN_ALL)
    page.locator(".wide, .chart").evaluate_all(_TAKE_SHADOWS)
    _run_axe(page, {"resultTypes": ["violations"]})
    page.emulate_media(color_scheme="dark")
    _run_axe(page, {"resultTypes": ["violations"], "runOnly": ["color-contrast"]})


def _run_axe(page: Page, options: dict[str, list[str]]) -> None:
    found = Axe().run(page, options=options).response["violations"]
    bad = [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found
        if one["impact"] in _BAD
        for node in one["nodes"][:5]
    ]
    assert not bad, "\n".join(bad)


def check_width(page: Page) -> None:
    """The page itself does not scroll sideways, with all open that can be opened."""
    page.locator("details").evaluate_all(_OPEN_ALL)
    width = page.evaluate("document.documentElement.scrollWidth")
    assert width <= page.evaluate("innerWidth"), page.url


def check_gaps(page: Page) -> None:
    """What comes after a form or a table does not stick to it."""
    page.locator("details").evaluate_all(_OPEN_ALL)
    for shown in page.locator("main .filters, main .wide").evaluate_all(_LIST_GAPS):
        assert shown["gap"] > _GAP, (page.url, shown["text"])


def check_tab_stops(page: Page) -> None:
    """Tab reaches everything that one can click or scroll, and each is marked and in sight."""
    count, seen = page.evaluate(_LIST_STOPS), 0
    assert count
    while True:
        page.keyboard.press("Tab")
        stop = page.evaluate(_LOOK_AT_STOP)
        if stop is None or not stop["isNew"]:
            break
        assert stop["isMarked"], stop["text"]
        assert stop["isInSight"], stop["text"]
        seen += 1
    assert seen == count
