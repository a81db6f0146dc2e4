"""What starts the bots of a store."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from mazzo_server.bots.bundles import Bundle, BundleStore, check_needs
from mazzo_server.errors import (
    BundleError,
    InvalidInputError,
    IsolationError,
    NotFoundError,
    StoreError,
)
from mazzo_server.model import ISOLATION, Cpu, Definition, Entrant, InstanceLimits, Manifest
from mazzo_server.play.instances import (
    HostCores,
    InstanceSpec,
    Lobby,
    RemoteSpec,
    SandboxedSpec,
)
from mazzo_server.sandbox import Limits, Sandbox, check_required, open_sandbox, read_required_names
from mazzo_server.settings import Isolation
from mazzo_server.storage import Store, VersionRow

__all__ = ["Launcher"]

_MIB: Final = 1024 * 1024


class Launcher:
    """Makes the specs by which instances of a version or an entrant are started.

    Methods that are not async block.
    """

    def __init__(
        self,
        store: Store,
        bundles: BundleStore,
        lobby: Lobby,
        *,
        embedded: bool,
        require: str = "",
    ) -> None:
        """Remote bots wait in `lobby`; nobody can dial in to a platform that is `embedded`.

        No uploaded bot is run without the protections that `require` names.
        """
        self._store = store
        self._bundles = bundles
        self._lobby = lobby
        self._embedded = embedded
        self._require = require
        self._sandboxes: dict[str, Sandbox] = {}
        self._cores = HostCores()  # for all that this platform plays

    async def find_sandbox(self, name: str) -> Sandbox:
        """Return the sandbox of an isolation, tried out once.

        Raises `InvalidInputError` for an unknown isolation, and `IsolationError`.
        """
        if name not in self._sandboxes:
            ISOLATION.check(name)
            await check_required(read_required_names(self._require), name)
            self._sandboxes[name] = await asyncio.to_thread(open_sandbox, Isolation(name))
        return self._sandboxes[name]

    async def has_fair_cpu(self, name: str) -> bool:
        """Tell whether the isolation of that name can do what `Cpu.FAIR` needs."""
        try:
            return (await self.find_sandbox(name)).bounds_cores
        except IsolationError:
            return False

    @property
    def limits(self) -> InstanceLimits:
        """What instances get where a tournament does not say otherwise."""
        return self._bundles.limits.of_instances

    def make_spec(
        self,
        version: VersionRow,
        sandbox: Sandbox,
        *,
        start_up: float,
        name: str = "",
        cpu: Cpu | None = None,
        limits: InstanceLimits | None = None,
        share: float = 1.0,
    ) -> SandboxedSpec:
        """Return how to start an uploaded version; without `cpu` as fairly as the sandbox can.

        Without a `name` it is called as the bot, and without `limits` it gets what the platform
        gives. It runs on a `share` of the processors. Raises what `find_bundle` raises.
        """
        fair = sandbox.bounds_cores if cpu is None else cpu is Cpu.FAIR
        manifest = version.manifest
        bundle = self.find_bundle(version, limits)
        return SandboxedSpec(
            name=name or version.bot,
            bundle=bundle.path,
            command=manifest.command,
            runtime=manifest.runtime,
            packages=bundle.packages,
            capacity=manifest.capacity,
            start_up=start_up,
            sandbox=sandbox,
            limits=_make_limits(
                manifest, limits or self.limits, cores=1.0 if fair else None, share=share
            ),
            cores=self._cores.find(share) if fair else None,
        )

    def find_bundle(self, version: VersionRow, limits: InstanceLimits | None = None) -> Bundle:
        """Return a version's files.

        Raises `StoreError` if they are gone, or fit no longer, and `InvalidInputError` if it needs
        more than `limits` give.
        """
        named = f"{version.bot} version {version.number}"
        try:
            check_needs(version.manifest, limits or self.limits)
        except BundleError as error:
            raise InvalidInputError(f"{named} cannot play: {error}") from error
        try:
            return self._bundles.get(version.content_hash, version.manifest)
        except NotFoundError as error:
            raise StoreError(
                f"the files of {named} are not in {self._bundles.root}: put that folder back, or "
                "submit the bot again; results that were imported, or kept by an arena, come "
                "without files: `mazzo replay rerun MATCH --with FOLDER` plays one with yours"
            ) from error
        except BundleError as error:
            raise StoreError(f"{named} must be submitted again: {error}") from error

    def can_play(self, version: VersionRow, limits: InstanceLimits | None = None) -> bool:
        """Tell whether a version's files still fit, and its needs; see `find_bundle`.

        Above all its wheels must fit the Python that is here. Raises `StoreError` if they are gone.
        """
        try:
            self.find_bundle(version, limits)
        except InvalidInputError:
            return False
        except StoreError as error:
            if isinstance(error.__cause__, BundleError):
                return False
            raise
        return True

    def check_reachable(self, definition: Definition) -> None:
        """Raise `InvalidInputError` for a remote bot that could not dial in."""
        remote = [
            entrant.bot
            for entrant in definition.entrants
            if entrant.remote and not entrant.is_person
        ]
        names = [*dict.fromkeys(remote)]
        if self._embedded and names:
            play = "plays" if len(names) == 1 else "play"
            raise InvalidInputError(
                f"{', '.join(names)} {play} from another machine, and nobody can dial in to "
                "this command: start a server with `mazzo serve`, and give its address with "
                "--server"
            )

    def check_cpu(self, definition: Definition, sandbox: Sandbox) -> None:
        """Raise `IsolationError` if the sandbox cannot share the processors as was asked."""
        if definition.cpu is Cpu.FAIR and not sandbox.bounds_cores:
            raise IsolationError(
                f"isolation {sandbox.name} cannot share the processors fairly on this machine: "
                "that needs control groups for cpu and the freezer that may be written (`mazzo "
                "doctor` says more); bots that you trust may share them as they like (`--cpu "
                "shared`, when the tournament is created)"
            )

    @staticmethod
    def name_seat(person: Entrant) -> str:
        """Return the name under which the sessions of a person at a table wait: no other has it."""
        return f"{person.name}/{person.content_hash}"

    def make_entrant_specs(
        self, definition: Definition, sandbox: Sandbox
    ) -> Sequence[InstanceSpec]:
        """Return how to start all entrants of a tournament, in its order."""
        return [
            self.make_entrant_spec(entrant, definition, sandbox) for entrant in definition.entrants
        ]

    def make_entrant_spec(
        self, entrant: Entrant, definition: Definition, sandbox: Sandbox
    ) -> InstanceSpec:
        """Return how to start an entrant: an uploaded version, a remote bot, or a person.

        Raises what `check_cpu` raises.
        """
        self.check_cpu(definition, sandbox)
        time = definition.time
        if entrant.is_person:
            return RemoteSpec(
                name=entrant.name,
                bot=self.name_seat(entrant),
                lobby=self._lobby,
                capacity=1,
                start_up=time.start_up,
                grace=time.grace,
                leaves_for_good=True,
            )
        version = self._store.version(entrant.bot, entrant.version)
        if not entrant.remote:
            return self.make_spec(
                version,
                sandbox,
                start_up=time.start_up,
                name=entrant.name,
                cpu=definition.cpu,
                limits=definition.limits,
                share=definition.share or 1.0,
            )
        return RemoteSpec(
            name=entrant.name,
            bot=entrant.bot,
            lobby=self._lobby,
            capacity=version.manifest.capacity,
            start_up=time.start_up,
            grace=time.grace,
        )


def _make_limits(
    manifest: Manifest, given: InstanceLimits, *, cores: float | None, share: float
) -> Limits:
    """Return what an instance gets: what it asks for, else what is given."""
    limits = replace(given, **manifest.needs)
    return Limits(
        memory_bytes=limits.memory_mib * _MIB,
        processes=limits.processes,
        file_bytes=limits.disk_mib * _MIB,
        scratch_bytes=limits.disk_mib * _MIB,
        cores=cores,
        processor_share=share,
    )
