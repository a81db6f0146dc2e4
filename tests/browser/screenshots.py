"""`make screenshots`: the pictures of the pages in docs/images, light and dark, wide and narrow."""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser

from browser.chromium import open_chromium
from browser.made_store import fill_store
from browser.shown_pages import PAGES
from browser.shown_site import show_site
from support.command import Home

FOLDER: Final = Path(__file__).parents[2] / "docs" / "images"
SIZES: Final = {"wide": (1000, 760), "narrow": (400, 640)}
_COLOURS: Final = 96  # of a picture: enough for text with soft edges


def main() -> None:
    """Write them all anew."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="mazzo-") as folder:
        home = Home(Path(folder) / "home")
        home.path.mkdir()
        fill_store(home.path, coming="Summer cup", ladder_groups=120)
        with show_site(home) as site, open_chromium() as browser:
            for shown in PAGES:
                if not shown.pictured:
                    continue
                for size in SIZES:
                    for scheme in ("light", "dark"):
                        picture = take_picture(browser, site + shown.pictured, size, scheme)
                        file = FOLDER / f"{shown.name}-{size}-{scheme}.png"
                        save_small(picture, file)
                        print(f"{file.stat().st_size:>8,}  {file.name}", flush=True)


def take_picture(browser: Browser, address: str, size: str, scheme: str) -> bytes:
    """Return a page from its top, but no longer than a screen or so."""
    width, height = SIZES[size]
    page = browser.new_page(
        viewport={"width": width, "height": height},
        color_scheme="dark" if scheme == "dark" else "light",
    )
    page.goto(address)
    end = page.evaluate("document.querySelector('main').getBoundingClientRect().bottom")
    page.set_viewport_size({"width": width, "height": min(height, int(end))})
    picture = page.screenshot()
    page.close()
    return picture


def save_small(picture: bytes, file: Path) -> None:
    """Save a picture with few colours."""
    image = Image.open(BytesIO(picture)).convert("RGB")
    few = image.quantize(_COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, optimize=True)


if __name__ == "__main__":
    main()
