"""The launcher: what a stored version says about itself reaches the sandbox that starts it."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from mazzo_server.bots.bundles import BundleStore, wheels
from mazzo_server.bots.launcher import Launcher
from mazzo_server.errors import BundleError, InvalidInputError, IsolationError, StoreError
from mazzo_server.model import BotLimits, Cpu, Entrant, InstanceLimits, TournamentRequest
from mazzo_server.model.trial_report import TrialReport
from mazzo_server.play.instances import SandboxedSpec
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.sandbox import Launch, Limits, LockTable, SandboxedProcess
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings, list_usable_processors
from mazzo_server.storage import MemoryStore, VersionRow
from support.archives import FILES, KNOWN, TOML, wheel, zipped
from support.stored_rows import DEFINITION, trial_of


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


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (
            b"",
            Limits(memory_bytes=300 << 20, processes=64, file_bytes=9 << 20, scratch_bytes=9 << 20),
        ),
        (
            b"memory_mib = 200\nprocesses = 20\ndisk_mib = 3\n",
            Limits(memory_bytes=200 << 20, processes=20, file_bytes=3 << 20, scratch_bytes=3 << 20),
        ),
    ],
)
def test_a_bot_gets_what_it_asks_for_or_else_what_the_organiser_gives(
    bundles: BundleStore, asked: bytes, given: Limits
) -> None:
    """Every instance of the bot."""
    bundles.limits = BotLimits(memory_mib=300, disk_mib=9)
    launcher, version = submitted(bundles, FILES | {"bot.toml": TOML + asked})
    spec: Any = launcher.make_spec(version, Notebook(), start_up=1.0)
    assert spec.limits == given


def test_a_ladder_has_a_share_of_the_processors(bundles: BundleStore) -> None:
    """All its bots run there, and those of a tournament on all."""
    launcher, version = submitted(bundles, FILES)
    entrant = Entrant(name="ace@1", version=1, content_hash=version.content_hash)
    for share, given in ((0.25, 0.25), (None, 1.0)):
        definition = replace(DEFINITION, entrants=(entrant,), share=share, cpu=Cpu.SHARED)
        spec: Any = launcher.make_entrant_spec(entrant, definition, Notebook())
        assert spec.limits.processor_share == given


def test_where_cpu_is_fair_a_ladder_borrows_cores_of_its_share_alone(
    bundles: BundleStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    monkeypatch.setattr(LockTable, "of_host", lambda _: LockTable(tmp_path / "table"))
    launcher, version = submitted(bundles, FILES)
    entrant = Entrant(name="ace@1", version=1, content_hash=version.content_hash)
    definition = replace(DEFINITION, entrants=(entrant,), share=0.5, cpu=Cpu.FAIR)
    fair = Notebook()
    fair.bounds_cores = True
    spec: Any = launcher.make_entrant_spec(entrant, definition, fair)
    granted = list[int]()

    class Instance:
        def on_grant(self, processor: int) -> None:
            granted.append(processor)

    async def main() -> None:
        instances = [Instance() for _ in range(4)]
        for instance in instances:
            spec.cores.ask(instance)
        assert granted == list_usable_processors(0.5)
        for instance in reversed(instances):
            spec.cores.give_back(instance)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("need", "least"), [("memory_mib = 513", 513), ("processes = 65", 65), ("disk_mib = 65", 65)]
)
def test_a_bot_that_needs_more_than_is_given_is_refused(
    bundles: BundleStore, need: str, least: int
) -> None:
    """When it is submitted, with what is given; and once the limits are lowered."""
    files = FILES | {"bot.toml": TOML + need.encode() + b"\n"}
    name = need.split()[0]
    refusal = rf"bot.toml, key {name}: expected at most {least - 1}, .* got {least}; ask for less"
    with pytest.raises(BundleError, match=f"^{refusal}"):
        submitted(bundles, files)
    assert not any(path.is_dir() for path in bundles.root.iterdir())
    bundles.limits = BotLimits.parse(f"{name}={least}")
    launcher, version = submitted(bundles, files)
    assert launcher.can_play(version)
    bundles.limits = BotLimits()
    assert not launcher.can_play(version)
    with pytest.raises(InvalidInputError, match=f"^ace version 1 cannot play: {refusal}"):
        launcher.find_bundle(version)


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


def test_a_tournament_keeps_the_limits_that_it_was_created_with(tmp_path: Path) -> None:
    """Those of the request, and for the rest those of the platform, in what it starts."""

    async def trial(*_: Any, **__: Any) -> TrialReport:
        return trial_of(qualified=("briscola/2",))

    settings = Settings(home=tmp_path / "home", limits="memory_mib=700,processes=20")
    platform = Platform(settings, MemoryStore(), play_trial=trial)
    large = ("memory_mib = 600", "processes = 20", "")

    async def main() -> None:
        for name, need in zip(("ann", "bob", "eve"), large, strict=True):
            toml = TOML.replace(b"ace", name.encode()).replace(b"tressette/4", b"frap")
            files = FILES | {"bot.toml": toml + need.encode() + b"\n"}
            await platform.bots.submit(zipped(files), isolation="none")
        tournaments, sandbox = platform.tournaments, Notebook()
        request = TournamentRequest(variant="briscola/2", isolation="none", groups=1)
        row = await tournaments.create(replace(request, limits="disk_mib=5"))
        assert row.definition.limits == InstanceLimits(memory_mib=700, processes=20, disk_mib=5)
        specs: Any = platform.bots.launcher.make_entrant_specs(row.definition, sandbox)
        assert [(spec.limits.memory_bytes >> 20, spec.limits.processes) for spec in specs] == [
            (600, 20),
            (700, 20),
            (700, 20),
        ]
        assert {spec.limits.scratch_bytes for spec in specs} == {5 << 20}
        small = replace(request, limits="memory_mib=599")
        assert await tournaments.planner.find_unqualified(small) == ["ann"]
        row = await tournaments.create(small)
        assert [entrant.name for entrant in row.definition.entrants] == ["bob", "eve"]
        with pytest.raises(
            InvalidInputError, match=r"^ann version 1 cannot play: .* at most 599, .* 600"
        ):
            await tournaments.create(replace(small, bots=("ann", "bob")))
        for wrong in ("bundle_mib=9", "memory_mib=1", "memory_mib"):
            with pytest.raises(InvalidInputError, match=r"^limits: .*expected"):
                await tournaments.create(replace(request, limits=wrong))
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


def test_copies_of_a_bot_are_told_apart(bundles: BundleStore) -> None:
    """Copies: the same files, under the name of each; what is played again tells them apart."""
    launcher, version = submitted(bundles, FILES)
    one = Entrant(name="ace", version=1, content_hash=version.content_hash)
    entrants = (one, replace(one, name="ace*2"))
    definition = replace(DEFINITION, entrants=entrants)
    specs = launcher.make_entrant_specs(definition, Notebook())
    assert [spec.name for spec in specs] == ["ace", "ace*2"]
    bundle = launcher.find_bundle(version)
    assert {spec.bundle for spec in specs if isinstance(spec, SandboxedSpec)} == {bundle.path}
