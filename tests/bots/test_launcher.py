"""The launcher: what a stored version says about itself reaches the sandbox that starts it."""

from __future__ import annotations

import asyncio
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from mazzo_server.bots.bundles import BundleStore, wheels
from mazzo_server.bots.launcher import Launcher
from mazzo_server.errors import InvalidInputError, IsolationError, StoreError
from mazzo_server.model import TournamentRequest
from mazzo_server.model.trial_report import TrialReport
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.sandbox import Launch, Limits, SandboxedProcess
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, VersionRow
from support.archives import FILES, KNOWN, TOML, wheel, zipped
from support.stored_rows import trial_of


class Notebook:
    """A sandbox that writes down what it is asked to start, and starts nothing."""

    name = "notebook"
    has_limits = True
    bounds_cores = False

    def __init__(self) -> None:
        self.launches: list[Launch] = []

    async def forget(self) -> None: ...

    async def start(self, launch: Launch, limits: Limits) -> SandboxedProcess:
        self.launches.append(launch)
        raise IsolationError("nothing is started here")


@pytest.fixture
def bundles(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "bundles", known_games=KNOWN)


def submitted(bundles: BundleStore, files: dict[str, bytes]) -> tuple[Launcher, VersionRow]:
    """A version of these files, without its trial."""
    store, bundle = MemoryStore(), bundles.add(zipped(files))
    version = store.add_version(
        "ace",
        content_hash=bundle.content_hash,
        manifest=bundle.manifest,
        create_time=0.0,
    )

    async def valid(_: str) -> bool:
        return True

    return Launcher(store, bundles, Lobby(valid), embedded=True), version


def launched(launcher: Launcher, version: VersionRow) -> Launch:
    sandbox = Notebook()
    spec = launcher.make_spec(version, sandbox, start_up=1.0)

    async def main() -> None:
        loss = await spec.make_instance(Mock()).run()
        assert loss is not None
        assert loss.reason == "nothing is started here"

    asyncio.run(main())
    (launch,) = sandbox.launches
    return launch


def test_runtime_and_packages_reach_the_sandbox(bundles: BundleStore) -> None:
    """A Python bot with its wheels, and one of another runtime, which has none."""
    extra = wheel("extra", "1.0", {"extra.py": b""})
    files = FILES | {"wheels/extra-1.0-py3-none-any.whl": extra}
    launch = launched(*submitted(bundles, files))
    assert launch.runtime == "python"
    assert launch.packages is not None
    assert (launch.packages / "extra.py").is_file()
    assert launch.bundle != launch.packages
    other = launched(*submitted(bundles, {"bot.toml": TOML + b'runtime = "binary"\n'}))
    assert (other.runtime, other.packages) == ("binary", None)


def test_a_version_that_fits_no_longer_is_named(
    bundles: BundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a new Python of the platform, wheels may have to be others."""
    files = FILES | {"wheels/extra-1-py3-none-any.whl": wheel("extra", "1", {})}
    launcher, version = submitted(bundles, files)
    for packages in bundles.root.glob("*.*"):
        shutil.rmtree(packages)
    monkeypatch.setattr(wheels, "_find_tags", frozenset)
    with pytest.raises(StoreError, match=r"^ace version 1 must be submitted again: wheels/extra-1"):
        launcher.find_bundle(version)


def test_a_bot_that_fits_no_longer_is_left_out_of_a_tournament_for_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others play; and who names it, or needs it, hears what is wrong with it."""
    extra = {"wheels/extra-1-py3-none-any.whl": wheel("extra", "1", {})}

    async def trial(*_: Any, **__: Any) -> TrialReport:
        return trial_of(qualified=("briscola/2", "briscola/3"))

    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore(), play_trial=trial)

    async def main() -> None:
        for name in ("ann", "bob", "old"):
            files = FILES | {
                "bot.toml": TOML.replace(b"ace", name.encode()).replace(b"tressette/4", b"frap")
            }
            files |= extra if name == "old" else {}
            await platform.bots.submit(zipped(files), isolation="none")
        for packages in (tmp_path / "home" / "bundles").glob("*.*/"):
            shutil.rmtree(packages)
        monkeypatch.setattr(wheels, "_find_tags", frozenset)
        tournaments = platform.tournaments
        request = TournamentRequest(variant="briscola/2", isolation="none", groups=1)
        row = await tournaments.create(request)
        assert [entrant.name for entrant in row.definition.entrants] == ["ann", "bob"]
        assert await tournaments.planner.find_unqualified(request) == ["old"]
        planned = await tournaments.planner.plan(request)
        assert planned.unqualified == ["old"]
        assert planned.definition.entrants == row.definition.entrants
        for needing in (
            replace(request, bots=("ann", "old")),
            replace(request, variant="briscola/3"),
            replace(request, hero="old"),
        ):
            with pytest.raises(StoreError, match=r"^old version 1 must be submitted again"):
                await tournaments.create(needing)
        await platform.close(grace=0)

    asyncio.run(main())


def test_what_was_taken_stays_taken(bundles: BundleStore) -> None:
    """The manifest that is stored counts, and not what would be asked of a `bot.toml` today."""
    launcher, version = submitted(bundles, FILES)
    toml = bundles.root / version.content_hash / "bot.toml"
    toml.write_bytes(TOML + b"# " + b"." * 300 + b"\n")
    launch = launched(launcher, version)
    assert (launch.command, launch.runtime) == (("python", "bot.py"), "python")


def test_an_unknown_isolation_is_refused(bundles: BundleStore) -> None:
    """The message lists those that there are; a wire message may name anything."""
    launcher, _ = submitted(bundles, FILES)
    with pytest.raises(InvalidInputError, match="bubblewrap or docker or none, got 'chroot'"):
        asyncio.run(launcher.find_sandbox("chroot"))
