"""Keeps an instance of a bot running: when one is lost, it starts the next."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable

from mazzo_server.clock import monotonic, wall_clock
from mazzo_server.errors import IsolationError
from mazzo_server.logs import LogAction
from mazzo_server.metrics import Metrics
from mazzo_server.model import InstanceLog, Owner, Termination
from mazzo_server.play.instances.instance import (
    Instance,
    InstanceLink,
    InstanceOutput,
    InstanceSpec,
    Loss,
)

__all__ = ["InstanceRunner", "StartRecord"]

_LOG = logging.getLogger(__name__)


class StartRecord:
    """A record of the starts of one bot: how long they take, and how often they fail."""

    def __init__(self, attempts: int) -> None:
        """Count a bot as one that does not start after `attempts` failed starts in a row."""
        self.seconds = 0.0  # until the first instance had joined
        self._attempts = attempts
        self._failures: Counter[Owner] = Counter()  # in a row, by whose fault it was
        self._started_at: float | None = None  # of an instance that has not joined yet

    def mark_started(self, now: float) -> None:
        """Measure from now on: a process is about to start."""
        self._started_at = now

    def mark_joined(self, now: float) -> float | None:
        """Return the seconds that an instance took to join; None if it only came back."""
        self._failures.clear()
        if self._started_at is None:
            return None
        seconds, self._started_at = now - self._started_at, None
        self.seconds = self.seconds or seconds
        return seconds

    def count_failure(self, loss: Loss) -> str:
        """Count an instance that did not join; return why no more are started, "" until then."""
        self._failures[loss.owner] += 1
        if self._failures[loss.owner] < self._attempts:
            return ""
        attempts = f" in {self._attempts} attempts" if self._attempts > 1 else ""
        return f"did not start{attempts}: {loss.reason}"


class InstanceRunner:
    """Runs the instances of one bot, one at a time, until it is closed."""

    def __init__(
        self,
        spec: InstanceSpec,
        link: InstanceLink,
        *,
        metrics: Metrics,
        start_attempts: int,
        on_loss: Callable[[Loss], None],
        on_no_start: Callable[[str], None],
        on_error: Callable[[Exception], None],
    ) -> None:
        """Count a bot as one that does not start after `start_attempts` failed starts in a row.

        `on_loss` is called with the loss of an instance that had joined and ended too early; then
        the next one is started, unless the loss is final. After `on_no_start`, which is called with
        the reason, and after `on_error` nothing is started.
        """
        self.last_loss: Loss | None = None
        self.is_closing = False
        self.starts = StartRecord(start_attempts)
        self._spec = spec
        self._on_loss = on_loss
        self._on_no_start = on_no_start
        self._on_error = on_error
        self._link = link
        self._metrics = metrics
        self._instance: Instance | None = None
        self._output: InstanceOutput | None = None  # of the instance that was started last
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether there is an instance whose end is not settled."""
        return self._instance is not None and not self._instance.is_over

    @property
    def log_size(self) -> int:
        """The bytes that the running instance wrote so far."""
        return 0 if self._instance is None else self._instance.output.size

    def read_log(self, since: int = 0) -> InstanceLog:
        """Return the end of what the instance that was started last wrote after `since` bytes.

        It may have ended: what an instance wrote is never shown as another one's.
        """
        if self._output is None:
            now = wall_clock()
            return InstanceLog(text="", begin_time=now, end_time=now)
        return self._output.read(since)

    def start(self) -> None:
        """Start an instance, and keep one running until `close`."""
        if self._task is None:
            self._task = asyncio.create_task(self._run(), name=f"player-{self._spec.name}")

    async def close(self) -> None:
        """End the instance; return when nothing of it is left."""
        self.is_closing = True
        if self._instance is not None:
            self._instance.end()
        if self._task is not None:
            await self._task

    def give_up(self, termination: Termination, reason: str) -> None:
        """Give up the running instance for a fault of the bot."""
        if self._instance is not None:
            self._instance.fail(termination, reason)

    def mark_joined(self) -> None:
        """Note that the instance has joined."""
        seconds = self.starts.mark_joined(monotonic())
        if seconds is not None:
            self._metrics.instances.count_joined(seconds)

    def fail(self, reason: str) -> None:
        """Start no more instances: the bot does not keep running."""
        self.is_closing = True
        self._on_no_start(reason)

    async def _run(self) -> None:
        try:
            while not self.is_closing:
                loss = await self._run_instance()
                if self.is_closing or loss is None:
                    return
                self._report(loss)
                if loss.is_final:
                    return
        except Exception as error:
            self._on_error(error)

    async def _run_instance(self) -> Loss | None:
        loss: Loss | None = None
        name = self._spec.name
        _LOG.debug(
            "%s: an instance begins",
            name,
            extra={"action": LogAction.INSTANCE_STARTED, "bot": name},
        )
        self.starts.mark_started(monotonic())
        self._metrics.instances.count_started()
        try:
            self._instance = self._spec.make_instance(self._link)
            self._output = self._instance.output
            loss = await self._instance.run()
        finally:
            self._instance = None
            if loss is None or self.is_closing:
                self._metrics.instances.count_ended("", "")
            else:
                self._metrics.instances.count_ended(loss.termination, loss.owner)
        return loss

    def _report(self, loss: Loss) -> None:
        name = self._spec.name
        _LOG.info(
            "%s: instance lost: %s",
            name,
            loss.reason,
            extra={"action": LogAction.INSTANCE_LOST, "bot": name},
        )
        self.last_loss = loss
        if loss.joined or loss.is_final:
            self._on_loss(loss)
        else:
            self._count_failed_start(loss)

    def _count_failed_start(self, loss: Loss) -> None:
        reason = self.starts.count_failure(loss)
        if reason and loss.owner is Owner.PLATFORM:
            raise IsolationError(f"{self._spec.name} {reason}")
        if reason:
            self.fail(reason)
