"""Delivers what waits for hooks: in order for each hook, at least once, and never in a hurry.

What waits stands in the store, so neither a restart nor a kill loses it. An event that arrived just
before a kill arrives once more, under the same id. Each hook has one delivery at a time, so its
order holds, and a hook that hangs holds up no other. All of it waits for sockets alone.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from secrets import SystemRandom
from typing import Final

from mazzo.version import VERSION
from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.errors import PlatformError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import HookMetrics
from mazzo_server.serving.hooks.addresses import read_place
from mazzo_server.serving.hooks.faults import FaultFinder
from mazzo_server.serving.hooks.formats import make_body
from mazzo_server.serving.hooks.posting import DeliveryError, Poster
from mazzo_server.serving.hooks.signing import sign_body
from mazzo_server.storage import Announcement, Claim, DeliveryRow, HookHealth, Store

__all__ = ["Deliverer", "Patience", "deliver_events", "post_event"]

_LOG = logging.getLogger(__name__)

_INTERVAL: Final = 1.0  # seconds between two looks into the store
_LAST_SECONDS: Final = 2.0  # for the current deliveries when the server stops
_DAY: Final = 86_400.0  # seconds
_GONE: Final = 410  # the status by which a receiver says that it wants no more


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long an event is tried; all in seconds."""

    first_wait: float = 5.0  # after the first failure
    growth: float = 3.0  # of each wait over the one before
    longest_wait: float = 7200.0
    spread: float = 0.2  # share by which waits differ, so that not all hooks try at once
    drop_after: float = _DAY  # from the first attempt at an event until it is dropped
    disable_after: float = 3 * _DAY  # of failures without a success, until the hook is disabled
    least_attempts: int = 10  # at an event before it, or the hook, is given up; a day has some 18
    store_wait: float = 60.0  # after the store failed to keep the result of a delivery

    def choose_wait(self, attempts: int) -> float:
        """Return the wait after so many failed attempts, one at least."""
        steps = min(attempts - 1, 20)
        wait = min(self.first_wait * self.growth**steps, self.longest_wait)
        return wait * SystemRandom().uniform(1 - self.spread, 1 + self.spread)

    def has_tried(self, delivery: DeliveryRow, now: float) -> bool:
        """Tell whether an event that fails now was tried all the time, and not only long ago.

        Nobody tries while no server runs, or while nothing waits.
        """
        late = now - delivery.due_time if delivery.due_time else 0.0
        return delivery.attempts + 1 >= self.least_attempts and late <= self.longest_wait


async def post_event(poster: Poster, delivery: DeliveryRow, *, time: float) -> int:
    """Post an event, signed now, and return the status; raises `DeliveryError` unless it is 2xx."""
    body = make_body(delivery)
    hook = delivery.hook
    try:
        signature = sign_body(hook.secret, body, event_id=delivery.announcement.id, time=int(time))
    except ValueError:
        raise DeliveryError("the store has a damaged secret: remove it, and add it again") from None
    headers = [
        ("content-type", "application/json"),
        ("user-agent", f"mazzo/{VERSION}"),
        *signature,
    ]
    answer = await poster.post(hook.url, body, headers)
    if 200 <= answer.status < 300:
        return answer.status
    meaning = ", and redirects are not followed" if 300 <= answer.status < 400 else ""
    raise DeliveryError(
        f"it answered {answer.status}{meaning}",
        wait=answer.retry_after,
        disables=answer.status == _GONE,
    )


class Deliverer:
    """Delivers the events of a store, while no other process does."""

    def __init__(
        self,
        store: Store,
        poster: Poster,
        *,
        faults: FaultFinder | None = None,
        metrics: HookMetrics | None = None,
        patience: Patience | None = None,
        clock: Callable[[], float] = wall_clock,
        interval: float = _INTERVAL,
    ) -> None:
        self._store = store
        self._poster = poster
        self._faults = faults or FaultFinder()
        self._metrics = metrics
        self._patience = patience or Patience()
        self._clock = clock
        self._interval = interval
        self._sending: dict[str, asyncio.Task[None]] = {}  # by hook
        self._paused: dict[str, float] = {}  # hooks by the time of `monotonic` from which to go on
        self._wake = asyncio.Event()
        self._is_stopped = False

    def stop(self) -> None:
        """Begin no new delivery; `run` returns soon."""
        self._is_stopped = True
        self._wake.set()

    async def run(self, *, last_seconds: float = _LAST_SECONDS) -> None:
        """Deliver until it is stopped; the current deliveries then have `last_seconds`.

        Whatever error stops a look into the store, there is another one later.
        """
        claim: Claim | None = None
        is_stuck = False
        try:
            while not self._is_stopped:
                self._wake.clear()
                try:
                    claim = await asyncio.to_thread(self._hold_claim, claim)
                    await self._announce_faults()
                    await self._show_hooks()
                    if claim is not None:
                        await self._begin_due()
                    is_stuck = False
                except Exception as error:
                    if not is_stuck:  # once, and not every second
                        _LOG.warning(
                            "what waits for hooks cannot be delivered, and is tried again: %s",
                            str(error) if isinstance(error, PlatformError) else repr(error),
                            extra={"action": LogAction.HOOKS_STUCK},
                        )
                    is_stuck = True
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._interval):
                        await self._wake.wait()
            if self._sending:
                await asyncio.wait(self._sending.values(), timeout=last_seconds)
        finally:
            tasks = list(self._sending.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            with suppress(Exception):
                await self._announce_faults()
            if claim is not None:
                await asyncio.to_thread(claim.release)

    def _hold_claim(self, claim: Claim | None) -> Claim | None:
        if claim is not None and claim.is_lost():
            claim.release()
            claim = None
        return claim or self._store.claim_hooks()

    async def _announce_faults(self) -> None:
        for fault in self._faults.take():
            made = Announcement.of(fault, time=self._clock())
            try:
                await asyncio.to_thread(self._store.announce, made)
            except PlatformError:
                self._faults.give_back(fault)

    async def _show_hooks(self) -> None:
        """Show how the hooks fare, whichever process delivers."""
        if self._metrics is None:
            return
        hooks = await asyncio.to_thread(self._store.hooks)
        states = Counter(hook.health for hook in hooks)
        self._metrics.show(
            fine=states[HookHealth.FINE],
            failing=states[HookHealth.FAILING],
            disabled=states[HookHealth.DISABLED],
            waiting=sum(hook.waiting for hook in hooks),
        )

    async def _begin_due(self) -> None:
        # What is sent when the store is read may have arrived before it is looked at here.
        busy = set(self._sending)
        for delivery in await asyncio.to_thread(self._store.deliveries):
            hook = delivery.hook.id
            if (
                hook not in busy
                and monotonic() >= self._paused.get(hook, 0.0)
                and self._is_due(delivery)
            ):
                self._sending[hook] = asyncio.create_task(
                    self._deliver(delivery), name=f"hook-{hook}"
                )

    def _is_due(self, delivery: DeliveryRow) -> bool:
        """A clock that was set back must not keep an event for longer than the longest wait."""
        left = delivery.due_time - self._clock()
        return left <= 0 or left > self._patience.longest_wait * (1 + self._patience.spread)

    async def _deliver(self, delivery: DeliveryRow) -> None:
        hook = delivery.hook
        try:
            try:
                await post_event(self._poster, delivery, time=self._clock())
            except DeliveryError as error:
                await self._fail(delivery, error)
            except Exception as error:  # of its own, so it must not stay first in the queue
                # The text may quote an address or a secret.
                await self._fail(delivery, DeliveryError(f"not sent: {type(error).__name__}"))
            else:
                await asyncio.to_thread(
                    self._store.finish_delivery, hook.id, delivery.number, time=self._clock()
                )
        except Exception as error:
            # The result is not stored, so it is tried again, but not at once.
            self._paused[hook.id] = monotonic() + self._patience.store_wait
            _log(LogAction.HOOK_FAILED, delivery, f"what came of it cannot be stored: {error}")
        else:
            self._wake.set()
        finally:
            del self._sending[hook.id]

    async def _fail(self, delivery: DeliveryRow, error: DeliveryError) -> None:
        hook, now, patience = delivery.hook, self._clock(), self._patience
        first = now if delivery.first_time is None else min(delivery.first_time, now)
        since = now if hook.failing_since is None else min(hook.failing_since, now)
        wait = max(
            patience.choose_wait(delivery.attempts + 1), min(error.wait, patience.longest_wait)
        )
        has_tried = patience.has_tried(delivery, now)
        is_dropped = has_tried and now + wait - first > patience.drop_after
        disables = error.disables or (has_tried and now - since > patience.disable_after)
        await asyncio.to_thread(
            self._store.fail_delivery,
            hook.id,
            delivery.number,
            time=now,
            error=str(error),
            due_time=None if is_dropped or disables else now + wait,
            disable=disables,
        )
        if disables:
            _log(
                LogAction.HOOK_DISABLED, delivery, f"{error}; it is disabled until a test succeeds"
            )
        elif is_dropped:
            _log(LogAction.HOOK_FAILED, delivery, f"{error}; the event is dropped")
        elif hook.failing_since is None:
            _log(LogAction.HOOK_FAILED, delivery, f"{error}; it is tried again")


def _log(action: LogAction, delivery: DeliveryRow, text: str) -> None:
    hook = delivery.hook
    place = read_place(hook.url)
    _LOG.warning(
        "the hook %s, to %s, failed: %s",
        *(hook.id, place, text),
        extra={
            "action": action,
            "hook": hook.id,
            "place": place,
            "event": delivery.announcement.id,
            "kind": delivery.announcement.event.kind,
        },
    )


@asynccontextmanager
async def deliver_events(
    store: Store, poster: Poster, *, metrics: HookMetrics | None = None
) -> AsyncIterator[None]:
    """Deliver the events of a store, and the faults of this process, while the context lasts."""
    faults = FaultFinder()
    deliverer = Deliverer(store, poster, faults=faults, metrics=metrics)
    logger = logging.getLogger("mazzo_server")
    logger.addHandler(faults)
    running = asyncio.create_task(deliverer.run(), name="hooks")
    try:
        yield
    finally:
        logger.removeHandler(faults)
        deliverer.stop()
        await running
