"""Pages as files: links lead to files, nothing needs a server, and what was there stays whole."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from posixpath import dirname, normpath

import pytest

from mazzo.cards import bits
from mazzo.channel import open_channel
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.play.table import Ask, Table
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.publishing import export_pages, exporting
from mazzo_server.serving.publishing.rewriting import replace_links
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import TournamentStatus, open_store
from support.manual_tournaments import Club, entrants_of, list_ladder_options
from support.stored_rows import add_version

pytestmark = pytest.mark.slow

VARIANTS = (
    *("briscola/2", "briscola/3", "briscola/4", "briscola-chiamata/5", "frusta/2", "frap/3"),
    *("tressette-pizzichino/2", "tressette-meta-mazzo/2"),
)
SECRET = "a note of a bot"


def noting(table: Table, ask: Ask, generator: random.Random) -> object:
    legal = list(bits(ask.view.legal_mask))
    return table.answer(generator.choice(legal), 0.001, SECRET)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of each game, with notes of bots; one that has not begun; a ladder."""
    folder = tmp_path_factory.mktemp("store")
    store = open_store(Settings(home=folder).store)
    names = ("ann", "bob", "cleo", "dan", "eve")
    for name in (*names, *names):
        add_version(store, name)
    for variant in VARIANTS:
        bots = names if variant.endswith("/5") else names[:3]
        club = Club(variant, store=store, groups=1, entrants=entrants_of(*bots))
        for group in club.groups:
            for seating in range(len(group.seatings)):
                club.play(group.number, seating, noting)
        store.set_status(club.id, TournamentStatus.FINISHED, end_time=1.0)
    Club(store=store)
    Club(store=store, entrants=entrants_of(*names[:3]), **list_ladder_options())
    store.close()
    return folder


def export(home: Path, folder: Path, replays: int = 200) -> int:
    async def work() -> int:
        async with (
            open_embedded(Settings(home=home), isolation=Isolation.NONE) as address,
            open_channel(address) as channel,
        ):
            services = Services.from_channel(channel, notes=False)
            app = make_app(services, Site(has_forms=False))
            return await export_pages(app, folder, replays=replays)

    return asyncio.run(work())


class Links(HTMLParser):
    """The elements of a page, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("href", "src") and value]


@pytest.fixture(scope="module")
def pages(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("export") / "pages"
    assert export(home, folder) == len(list(folder.rglob("*.html")))
    return folder


def test_every_link_leads_to_a_file(pages: Path) -> None:
    """Each file is reached from the first page, and nothing in it needs a server."""
    reached, waiting = set[str](), ["index.html"]
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        assert (pages / name).is_file(), name
        if not name.endswith(".html"):
            continue
        text = (pages / name).read_text()
        assert "Content-Security-Policy" in text
        assert not {"form", "input"} & set(Links(text).tags)
        assert "live.js" not in text
        assert "data-events" not in text
        for link in Links(text).links:
            if not link.startswith("#"):
                assert "?" not in link
                waiting.append(normpath(f"{dirname(name)}/{link}".lstrip("/")))
    written = {str(file.relative_to(pages)) for file in pages.rglob("*.html")}
    assert written <= reached
    assert {"tournaments/1.html", "rankings/briscola_2.html", "bots/ann.html"} <= written
    assert "tournaments/1_head-to-head_ann_bob.html" in written
    downloads = {"tournaments/1-standings.csv", "tournaments/1-standings.json"}
    assert {*downloads, "replays/1-0-0.jsonl"} <= reached
    assert '"nodes": []' in (pages / "tournaments" / "1-standings.json").read_text()
    assert not [name for name in reached if "results" in name]
    assert {"ladders.html", f"ladders/{len(VARIANTS) + 2}.html"} <= written
    assert {"rules.html", "rules/frap.html", "bots/ann_versions_1.html"} <= written


def test_a_replay_has_the_whole_match_in_itself(pages: Path) -> None:
    """Its positions are put together of lines, and the words and the cards of all are there."""
    replays = sorted((pages / "replays").glob("*-*-*.html"))
    assert len(replays) >= 2 * len(VARIANTS)
    for file in replays:
        text = file.read_text()
        found = re.search(r'<script type="application/json" id="match">(.*?)</script>', text)
        assert found
        data = json.loads(found[1])
        assert sum(data["deals"]) == len(data["steps"]) > 20
        drawn = set(re.findall(r'href=\\"#(card-\w+)\\"', found[1]))
        symbols = set(re.findall(r'<symbol id="(card-\w+)"', text))
        assert len(drawn) > 10
        assert drawn <= symbols
        last = "\n".join(data["lines"][line] for line in data["steps"][-1])
        assert "Scores" in last
        assert SECRET not in text
        assert SECRET not in file.with_suffix(".jsonl").read_text()
        assert "whole.js" in text


def test_only_so_many_replays_are_written(home: Path, tmp_path: Path) -> None:
    export(home, tmp_path / "few", replays=3)
    assert len(list((tmp_path / "few" / "replays").glob("*-*-*.html"))) == 3
    export(home, tmp_path / "none", replays=0)
    assert list((tmp_path / "none" / "replays").iterdir()) == []


def test_every_bot_has_a_file_of_its_own(tmp_path: Path) -> None:
    """Whatever its name is: that of a list, or one like another's."""
    names = ("index", "a-b", "a--b", "a-", "bots")
    store = open_store(Settings(home=tmp_path / "home").store)
    for name in names:
        add_version(store, name)
    store.close()
    export(tmp_path / "home", tmp_path / "pages")
    for name in names:
        assert f"<h1>{name}</h1>" in (tmp_path / "pages" / "bots" / f"{name}.html").read_text()
    assert "<h1>Bots</h1>" in (tmp_path / "pages" / "bots.html").read_text()


@pytest.mark.parametrize("replays", [0, 1])
def test_a_platform_that_is_gone_costs_no_page(home: Path, tmp_path: Path, replays: int) -> None:
    """Bug: its error pages counted as pages that there are not, and nothing was left."""
    export(home, tmp_path / "pages", replays=1)
    before = sorted(tmp_path.rglob("*"))

    async def work() -> None:
        async with open_channel("localhost:1") as channel:
            app = make_app(Services.from_channel(channel))
            await export_pages(app, tmp_path / "pages", replays=replays)

    with pytest.raises(PlatformError, match="expected a page, got 503"):
        asyncio.run(work())
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_somebody_else_is_not_touched(home: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(InvalidInputError, match="expected a new or an empty folder"):
        export(home, tmp_path / "mine")
    (tmp_path / "file").touch()
    with pytest.raises(InvalidInputError, match="expected a new or an empty folder"):
        export(home, tmp_path / "file")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


@contextmanager
def failing(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def fail(*_: object) -> str:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(exporting, "replace_links", fail)
        yield


def test_an_export_replaces_the_last_one_as_a_whole_or_not_at_all(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pages"
    export(home, folder, replays=1)
    (folder / "tournaments" / "99.html").write_text("of last year")
    with failing(monkeypatch), pytest.raises(PlatformError, match="No space left"):
        export(home, folder, replays=2)
    assert (folder / "tournaments" / "99.html").exists()
    export(home, folder, replays=2)
    assert not (folder / "tournaments" / "99.html").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["pages"]


def test_texts_stay_as_they_were() -> None:
    """What looks like an element in a text is none afterwards, either."""
    text = "<p title=\"&lt;b&gt; &quot;\">&lt;script&gt; &amp;amp; &#34; é <a href='/x'>y</a></p>"
    assert replace_links(text, lambda _: None) == (
        '<p title="&lt;b&gt; &quot;">&lt;script&gt; &amp;amp; &#34; é <span>y</span></p>'
    )
    assert replace_links(text, lambda _: "z.html").endswith('<a href="z.html">y</a></p>')
    live = '<form><a href="/x">y</a></form><script src="/live.js"></script>z'
    assert replace_links(live, lambda link: link) == "z"
