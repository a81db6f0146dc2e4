"""The pages on games and on the server: what they tell, and to whom."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo.games import GAMES
from mazzo.record import DealRecord, replay
from mazzo_server.bots import PlayTrial
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import Owner, TrialReport
from mazzo_server.play.trial import play_trial
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.storage import HookFormat
from support.callers import PATIENCE, ServedPlatform, serve_callers
from support.sample_bots import write_bot
from support.stored_rows import outcome, trial_of
from support.web_forms import log_in
from support.web_pages import ROOT, Page, check_page, open_browser

DOCS = Path(__file__).parents[3] / "docs" / "games"


def get(*addresses: str) -> list[httpx.Response]:
    """The pages of a platform that does not answer: the rules are told all the same."""

    async def work() -> list[httpx.Response]:
        async with (
            open_channel("localhost:1") as channel,
            open_browser(make_app(Services.from_channel(channel))) as client,
        ):
            return [await client.get(address) for address in addresses]

    return asyncio.run(work())


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_of_a_game_are_those_of_the_documentation(game: str) -> None:
    """Its sections, tables and links; and no style that the policy forbids."""
    (answer,) = get(f"/rules/{game}")
    assert answer.status_code == 200
    assert len(answer.content) < 100_000
    page = Page(answer.text)
    check_page(page)
    text = (DOCS / f"{game}.md").read_text(encoding="utf-8")
    for heading in re.findall("^## (.*)$", text, re.MULTILINE):
        assert f">{heading}</h2>" in answer.text
    # Each paragraph of plain words.
    for words in re.findall(r"^[A-Z][\w ,.;:]{40,}$", text, re.MULTILINE):
        assert words in page.text, words
    ids = {at["id"] for _, at in page.elements if at.get("id")}
    for link in page.list_links():
        if link.startswith("#") and not link.startswith(("#card", "#suit")):
            assert link[1:] in ids
        else:
            assert link.startswith(("/", "#")), link
        assert ".md" not in link


@pytest.mark.parametrize("game", GAMES)
def test_the_drawn_deal_is_what_the_engine_plays(game: str) -> None:
    """Every trick with its cards in order, and its winner."""
    text = (DOCS / f"{game}.md").read_text(encoding="utf-8")
    record = re.search("```json\n(.*?)```", text, re.DOTALL)
    assert record
    deal = replay(DealRecord.from_json(json.loads(record[1])))
    tricks = deal.view(0).tricks
    (answer,) = get(f"/rules/{game}")
    laid = answer.text[answer.text.index('<ol class="laid">') :]
    laid = laid[: laid.index("</figure>")]
    drawn = re.findall(r'href="#card-(\w+)".*?<span>Seat (\d+)( <b>won</b>)?', laid)
    expected = [
        (card.code, str(seat), " <b>won</b>" if seat == trick.winner else "")
        for trick in tricks
        for seat, card in trick.plays
    ]
    assert drawn == expected
    assert len(expected) > 4


def test_cards_are_drawn_in_their_order() -> None:
    """With what each is worth, as the engine has it."""
    orders = []
    for answer in get(*(f"/rules/{game}" for game in GAMES)):
        row = answer.text[answer.text.index('<ol class="row">') :].partition("</ol>")[0]
        orders.append("".join(re.findall(r'href="#card-(\w)\w"', row)))
    assert orders == [
        *("A3KHJ76542", "A3KHJ76542", "A3KHJ76542", "32AKHJ7654", "32AKHJ7654", "AKQJT987"),
    ]
    briscola, _, _, meta, *_ = get(*(f"/rules/{game}" for game in GAMES))
    assert briscola.text.count("<span>11 points</span>") == 1
    assert meta.text.count("<span>1 point</span>") == 1


def test_the_games_are_listed_and_others_not_found() -> None:
    listed, unknown, odd = get("/rules", "/rules/bridge", "/rules/..%2F..%2Fwhy")
    assert {f"/rules/{game}" for game in GAMES} <= {*Page(listed.text).list_links()}
    assert (unknown.status_code, "briscola" in unknown.text) == (404, True)
    assert odd.status_code == 404


def test_tables_of_rules_fit_a_narrow_screen() -> None:
    """Promise: a cell with sentences is no tower, and short ones take no room from it."""
    (shown,) = get("/rules/briscola")
    cells = re.findall(r'<td( class="long")?>(.*?)</td>', shown.text, re.DOTALL)
    long = {text for kind, text in cells if kind}
    assert any(text.startswith("May one say something") for text in long), long
    assert not any("best-of" in text or len(text) < 30 for text in long)


@pytest.mark.parametrize("game", GAMES)
def test_tables_of_rules_have_names_of_their_own(game: str) -> None:
    """Promise: who hears the page can tell them apart, and hears no column without a name."""
    (shown,) = get(f"/rules/{game}")
    elements = Page(shown.text).elements
    names = [at["aria-label"] for _, at in elements if at.get("role") == "region"]
    assert names
    assert len(names) == len(set(names))
    assert not re.search(r"<th[^>]*>\s*</th>", shown.text)
    assert shown.text.count("<td") == shown.text.count("</td>")


@asynccontextmanager
async def serve_club(
    folder: Path, play: PlayTrial = play_trial
) -> AsyncIterator[tuple[ServedPlatform, httpx.AsyncClient]]:
    """A platform with callers of all kinds, and a browser that can log in."""
    async with (
        asyncio.timeout(PATIENCE),
        serve_callers(folder, isolation="none", play=play) as served,
        open_channel(served.port) as channel,
    ):
        app = make_app(Services.from_channel(channel), Site.parse(ROOT))
        async with open_browser(app) as client:
            yield served, client


def test_what_the_server_does_is_for_its_organiser(tmp_path: Path) -> None:
    """Neither for strangers nor for authors, though they have logged in."""

    async def work() -> None:
        async with serve_club(tmp_path) as (served, client):
            assert (await client.get("/operation")).status_code == 303  # to log in
            await log_in(served, client, "alice")
            refused = await client.get("/operation")
            assert (refused.status_code, "Processors" in refused.text) == (403, False)
            assert "an organiser" in refused.text
            assert "Operation of this server" not in (await client.get("/")).text
            await log_in(served, client, "organiser")
            shown = await client.get("/operation")
            check_page(Page(shown.text))
            assert "It plays no tournament" in shown.text
            assert "isolation none" in shown.text
            assert "/operation" in Page((await client.get("/")).text).list_links()
            async with open_channel(served.socket) as channel:
                app = make_app(Services.from_channel(channel), Site(has_forms=False))
                async with open_browser(app) as files:
                    assert (await files.get("/operation")).status_code == 404

    asyncio.run(work())


def test_a_log_in_of_an_author_is_no_refused_access(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Promise: who reads the log for refused accesses finds none that nobody tried."""

    async def work() -> None:
        async with serve_club(tmp_path) as (served, client):
            await log_in(served, client, "alice")
            assert not list_refusals(caplog)
            await client.get("/operation")
            assert len(list_refusals(caplog)) == 1  # so they would be there

    asyncio.run(work())


def list_refusals(caplog: pytest.LogCaptureFixture) -> list[object]:
    return [
        record for record in caplog.records if getattr(record, "action", "") == "access-refused"
    ]


def test_the_organiser_sees_which_hooks_get_nothing(tmp_path: Path) -> None:
    """Since when and why, without what may be a secret; a hook that is fine is not there."""

    async def work() -> None:
        async with serve_club(tmp_path) as (served, client):
            await log_in(served, client, "organiser")
            assert "Hooks" not in (await client.get("/operation")).text
            hooks = served.platform.hooks
            rows = [
                await hooks.add(
                    f"https://club{number}.example/secret",
                    events=(),
                    format=HookFormat.JSON,
                    label=f"<chat {number}>",
                )
                for number in range(3)
            ]
            fail = served.store.fail_delivery
            for row in rows[:2]:
                fail(row.id, 0, time=1e9, error="<it> answered 500", due_time=None)
            fail(rows[1].id, 0, time=1e9, error="it answered 410", due_time=None, disable=True)
            shown = (await client.get("/operation")).text
            check_page(Page(shown))
            words = " ".join(re.sub("<[^>]+>", " ", shown).split())
            assert f"{rows[0].id} https://club0.example &lt;chat 0&gt; 2001-09-09" in words
            assert "&lt;it&gt; answered 500" in words
            assert f"{rows[1].id} https://club1.example" in words
            assert "disabled ; it answered 410" in words
            assert rows[2].id not in words
            assert "secret" not in words

    asyncio.run(work())


@pytest.mark.parametrize(
    ("caller", "allowed"),
    [
        ("nobody", set()),
        ("alice", {"/submit"}),
        ("organiser", {"/submit", "/operation"}),
    ],
)
def test_pages_lead_to_nothing_that_their_token_may_not_do(
    tmp_path: Path, caller: str, allowed: set[str]
) -> None:
    """Whose `mazzo web` shows a public server has its own token, or none."""

    async def work() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            serve_callers(tmp_path, public=True, isolation="none") as served,
            open_channel(served.port) as channel,
        ):
            services = Services.from_channel(channel, token=served.tokens.get(caller, ""))
            site = Site.on_this_machine("127.0.0.1", (await services.get_caller()).role)
            async with open_browser(make_app(services, site)) as client:
                shown = [await client.get(address) for address in ("/", "/bots", "/bots/ann")]
                links = {link for page in shown for link in Page(page.text).list_links()}
                assert links & {"/submit", "/operation"} == allowed
                for address in ("/submit", "/operation"):
                    status = 200 if address in allowed else 403
                    assert (await client.get(address)).status_code == status

    asyncio.run(work())


def test_the_organiser_sees_what_runs_and_what_went_wrong(tmp_path: Path) -> None:
    """Trials with their progress, forfeits by owner, machines of a cluster, and the room."""
    end = asyncio.Event()

    async def play(*_: object, on_progress: Callable[[str], None], **__: object) -> TrialReport:
        on_progress("match 1 of 9: briscola/2")
        await end.wait()
        return trial_of()

    async def work() -> None:
        async with serve_club(tmp_path, play) as (served, client):
            metrics = served.platform.metrics
            metrics.matches.count_started()
            metrics.matches.count_finished(replace(outcome(0), node="tower"))
            metrics.nodes.count_finished(replace(outcome(0), node="tower"))
            metrics.nodes.count_lost("attic")
            platform_fault = replace(outcome(1).faults[0], owner=Owner.PLATFORM)
            metrics.matches.count_finished(replace(outcome(1), faults=(platform_fault,)))
            archive = pack(write_bot(tmp_path, "new-bot"))
            await served.platform.bots.submit(archive, isolation="none", detached=True)
            await log_in(served, client, "organiser")
            text = re.sub("<[^>]+>", " ", (await client.get("/operation")).text)
            words = " ".join(text.split())
            for told in (
                "new-bot, version 1 match 1 of 9: briscola/2",
                "1 begun, 2 finished, 0 given up",
                "Forfeits by bots 2",
                "Faults of the platform Kind Owner How often crashed platform 1",
                "attic 0 0 0 0 1",
                "tower 1 39 2 2 0",
                "free of",
            ):
                assert told in words, told
            end.set()

    asyncio.run(work())
