"""`make screenshots`: the pictures of the pages in docs/images, light and dark, wide and narrow."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

from PIL import Image
from playwright.sync_api import Browser, Page

from browser.chromium import open_chromium
from browser.made_store import fill_store
from browser.shown_pages import PAGES
from browser.shown_site import find_free_port, show_site
from browser.table_forms import open_table, wait_for_turn
from support.command import Home
from support.sample_bots import SAMPLE_BOTS, enter
from support.served import serving

FOLDER: Final = Path(__file__).parents[2] / "docs" / "images"
SIZES: Final = {"wide": (1000, 760), "narrow": (400, 640)}
SCHEMES: Final[tuple[Literal["light"], Literal["dark"]]] = ("light", "dark")
_COLOURS: Final = 256  # of a picture: with fewer, bands and tables turn grey


def main() -> None:
    """Write them all anew."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mazzo-") as folder, open_chromium() as browser:
        picture_store(browser, Home(Path(folder) / "home"))
        picture_people(browser, Home(Path(folder) / "people"))


def picture_store(browser: Browser, home: Home) -> None:
    """Picture what everybody may look at, of a store with all games."""
    home.path.mkdir()
    fill_store(home.path, coming="Summer cup", ladder_groups=120)
    with show_site(home) as site:
        for shown in PAGES:
            if shown.pictured:
                page = browser.new_page()
                page.goto(site + shown.pictured)
                picture_page(page, shown.name)
                page.close()


def picture_people(browser: Browser, home: Home) -> None:
    """Picture what one person sees: a seat at a table, and the log-in."""
    home.path.mkdir()
    enter(home, SAMPLE_BOTS / "random")
    with show_site(home) as site:
        page = browser.new_page()
        open_table(page, site, "briscola/3")
        wait_for_turn(page)
        picture_page(page, "seat")
        page.close()
    port = find_free_port()
    url = f"http://localhost:{port}"
    with (
        serving(home, "--listen", "localhost:0", "--isolation", "none") as (_, (address,)),
        show_site(home, "--server", address, "--url", url, listen=f"localhost:{port}") as site,
    ):
        page = browser.new_page()
        page.goto(f"{site}/login")
        picture_page(page, "login")
        page.close()


def picture_page(page: Page, name: str) -> None:
    """Write the pictures of a page that is open, from its top, each no longer than a screen."""
    for size, (width, height) in SIZES.items():
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            page.set_viewport_size({"width": width, "height": height})
            end = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
            page.set_viewport_size({"width": width, "height": min(height, int(end))})
            file = FOLDER / f"{name}-{size}-{scheme}.png"
            save_small(page.screenshot(), file)
            print(f"{file.stat().st_size:>8,}  {file.name}", flush=True)


def save_small(picture: bytes, file: Path) -> None:
    """Save a picture with few colours."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    few = image.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, optimize=True)


if __name__ == "__main__":
    main()
