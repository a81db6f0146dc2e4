"""Numbers about the running platform, in the form that Prometheus reads.

They count what happened since the process began, over all tournaments and trials. No label
names a bot, a tournament or a match, so their number stays small and nothing is given away. Only
machines of a cluster are named: each that has played adds five of them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.metadata import version

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    start_http_server,
)
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.model import MatchOutcome, Owner, Termination

__all__ = ["HookMetrics", "InstanceMetrics", "MatchMetrics", "Metrics", "serve_metrics"]

_ROUND_TRIP_BUCKETS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0)
_START_UP_BUCKETS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
_DELAY_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
_READING_PATIENCE = 2.0  # seconds that the event loop gets to tell how long its queues are

_METRICS_ADDRESS = re.compile(r"(?:([\w.-]+|\[[0-9a-fA-F:]+\]):)?([0-9]{1,5})")
_LOOPBACK = "127.0.0.1"
_LAST_PORT = 65_535


class Metrics:
    """Every metric of one platform, in a registry of its own.

    The methods are called on the event loop, once a match, frame, instance or request and
    never once a decision; each takes a few microseconds.
    """

    def __init__(self) -> None:
        """Begin with all counters at zero."""
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        Info("mazzo_build", "The version of Mazzo that runs.", registry=registry).info(
            {"version": version("mazzo")}
        )

        def counter(name: str, text: str, *labels: str) -> Counter:
            return Counter(f"mazzo_{name}", text, labels, registry=registry)

        def histogram(name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"mazzo_{name}", text, buckets=buckets, registry=registry)

        self.matches = MatchMetrics(counter)
        self.nodes = NodeMetrics(counter)
        self.instances = InstanceMetrics(counter, histogram, registry)
        self._delay = histogram(
            "loop_delay_seconds", "How late the event loop's heartbeat was.", _DELAY_BUCKETS
        )
        self._requests = counter("requests", "Requests answered.", "method", "code")
        self._limits = counter("limits_reached", "Calls refused by a limit.", "limit")
        self.connections = ConnectionMetrics(counter, registry)
        self.hooks = HookMetrics(registry)
        self._queues = _Queues()
        registry.register(self._queues)

    def observe_loop_delay(self, seconds: float) -> None:
        """Observe the delay of a heartbeat."""
        self._delay.observe(max(0.0, seconds))

    def count_request(self, method: str, code: str) -> None:
        """Count an answered request; `method` is Service/Method, of the known ones alone."""
        self._requests.labels(method, code).inc()

    def count_limit_reached(self, limit: str) -> None:
        """Count a call that was too much for its token or address, or for all that are unread."""
        self._limits.labels(limit).inc()

    @contextmanager
    def watch_queues(
        self,
        *,
        waiting: Callable[[], int] = lambda: 0,
        in_flight: Callable[[], int] = lambda: 0,
        unstored: Callable[[], int] = lambda: 0,
    ) -> Iterator[None]:
        """Show these queues while the context lasts, summed over all that are watched.

        Decisions that wait to be sent, decisions that bots have now, finished matches that
        wait to be stored. The functions are called on the event loop that entered the context.
        """
        watch = _Watch(waiting=waiting, in_flight=in_flight, unstored=unstored)
        self._queues.add(watch)
        try:
            yield
        finally:
            self._queues.remove(watch)


class ConnectionMetrics:
    """Counts the connections at the ports."""

    def __init__(self, counter: Callable[..., Counter], registry: CollectorRegistry) -> None:
        self._open = Gauge(
            "mazzo_connections", "Connections at the ports.", ["token"], registry=registry
        )
        self._closed = counter("connections_closed", "Connections closed by a limit.", "reason")
        self._restarts = counter("gateway_restarts", "Gateways that ended and were started again.")

    def show_open(self, *, anonymous: int, authenticated: int) -> None:
        """Show how many there are now, without a token and with one."""
        self._open.labels("none").set(anonymous)
        self._open.labels("valid").set(authenticated)

    def count_closed(self, reason: str, number: int) -> None:
        """Count connections that were closed; `reason` is one of a few."""
        self._closed.labels(reason).inc(number)

    def count_restart(self) -> None:
        """Count a gateway that has ended."""
        self._restarts.inc()


class HookMetrics:
    """Shows how hooks fare."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._hooks = Gauge("mazzo_hooks", "Hooks, by how they fare.", ["state"], registry=registry)
        self._waiting = Gauge(
            "mazzo_hook_events_waiting", "Events that wait for hooks.", registry=registry
        )
        self.show(fine=0, failing=0, disabled=0, waiting=0)

    def show(self, *, fine: int, failing: int, disabled: int, waiting: int) -> None:
        """Show how many there are in each state, and how many events wait for them in all."""
        self._hooks.labels("fine").set(fine)
        self._hooks.labels("failing").set(failing)
        self._hooks.labels("disabled").set(disabled)
        self._waiting.set(waiting)


class MatchMetrics:
    """Counts matches, and what was decided in them."""

    def __init__(self, counter: Callable[..., Counter]) -> None:
        self._started = counter("matches_started", "Matches begun.")
        self._finished = counter("matches_finished", "Matches with an outcome.")
        self._abandoned = counter("matches_abandoned", "Matches given up unfinished.")
        self._deals = counter("deals", "Deals of finished matches.")
        self._decisions = counter("decisions", "Decisions asked in finished matches.")
        self._late = counter("decisions_late", "Decisions not taken in time, of those.")
        self._thinking = counter("thinking_seconds", "Time that bots took for decisions.")
        self._faults = counter("faults", "Forfeits in finished matches.", "owner", "termination")
        for owner in Owner:
            for termination in Termination:
                self._faults.labels(owner, termination)  # a rate needs the zero before the first

    def count_started(self) -> None:
        """Count a match that began."""
        self._started.inc()

    def count_finished(self, outcome: MatchOutcome) -> None:
        """Count a match that has an outcome; stored or not yet."""
        self._finished.inc()
        self._deals.inc(len(outcome.deals))
        self._decisions.inc(sum(outcome.decisions))
        self._late.inc(sum(outcome.late))
        self._thinking.inc(sum(outcome.thinking_seconds))
        for fault in outcome.faults:
            self._faults.labels(fault.owner, fault.termination).inc()

    def count_abandoned(self) -> None:
        """Count a match that was given up, and is played again later or never."""
        self._abandoned.inc()


class NodeMetrics:
    """Counts the matches of a cluster once more, by the machine that plays them."""

    def __init__(self, counter: Callable[..., Counter]) -> None:
        self._matches = counter("node_matches", "Matches finished, by machine.", "node")
        self._decisions = counter("node_decisions", "Decisions asked in them.", "node")
        self._late = counter("node_decisions_late", "Of those, not taken in time.", "node")
        self._faults = counter("node_faults", "Forfeits in them.", "node")
        self._lost = counter("node_matches_lost", "Matches lost with a worker.", "node")

    def count_finished(self, outcome: MatchOutcome) -> None:
        """Count a match that has an outcome."""
        self._matches.labels(outcome.node).inc()
        self._decisions.labels(outcome.node).inc(sum(outcome.decisions))
        self._late.labels(outcome.node).inc(sum(outcome.late))
        self._faults.labels(outcome.node).inc(len(outcome.faults))

    def count_lost(self, node: str) -> None:
        """Count a match that was in flight when a worker was lost."""
        self._lost.labels(node).inc()


class InstanceMetrics:
    """Counts instances of bots, and what they are sent."""

    def __init__(
        self,
        counter: Callable[..., Counter],
        histogram: Callable[..., Histogram],
        registry: CollectorRegistry,
    ) -> None:
        self._started = counter("instances_started", "Instances of bots begun.")
        self._lost = counter(
            "instances_lost", "Instances that ended unplanned.", "owner", "termination"
        )
        self._running = Gauge(
            "mazzo_instances_running", "Instances that live now.", registry=registry
        )
        self._start_up = histogram(
            "instance_start_up_seconds", "From start to Join.", _START_UP_BUCKETS
        )
        self._round_trip = histogram(
            "round_trip_seconds", "From ping to pong of an instance.", _ROUND_TRIP_BUCKETS
        )
        self._frames = _Frames()
        registry.register(self._frames)

    def count_started(self) -> None:
        """Count an instance that begins; `count_ended` follows, whatever happens."""
        self._started.inc()
        self._running.inc()

    def count_joined(self, start_up_seconds: float) -> None:
        """Count an instance that said Join, so long after its start."""
        self._start_up.observe(start_up_seconds)

    def count_ended(self, loss_termination: str, owner: str) -> None:
        """Count an instance that is gone; both are "" when that was planned."""
        self._running.dec()
        if loss_termination:
            self._lost.labels(owner, loss_termination).inc()

    def observe_round_trip(self, seconds: float) -> None:
        """Take in how long a ping took until it was answered."""
        self._round_trip.observe(seconds)

    def count_frame(self, decisions: int) -> None:
        """Count a frame with so many decisions that went out."""
        self.count_frames(1, decisions)

    def count_frames(self, frames: int, decisions: int) -> None:
        """Count frames with so many decisions in all that went out."""
        self._frames.sent += frames
        self._frames.decisions += decisions


class _Frames(Collector):
    """How many frames went out, in plain numbers: the library's counters take a lock each."""

    def __init__(self) -> None:
        self.sent = 0
        self.decisions = 0

    def collect(self) -> Iterator[CounterMetricFamily]:
        yield CounterMetricFamily("mazzo_frames_sent", "Frames sent.", value=self.sent)
        yield CounterMetricFamily(
            "mazzo_decisions_sent", "Decisions in frames sent.", value=self.decisions
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Watch:
    waiting: Callable[[], int]
    in_flight: Callable[[], int]
    unstored: Callable[[], int]


class _Queues(Collector):
    """How long the queues are at the moment of the question.

    The question comes in a thread of the page, and the queues belong to the event loop: it
    is asked there. A loop that does not answer in time gives no sample, rather than an old one.
    """

    def __init__(self) -> None:
        self._watched: list[_Watch] = []
        self._loop: asyncio.AbstractEventLoop | None = None

    def add(self, watch: _Watch) -> None:
        self._loop = asyncio.get_running_loop()
        self._watched.append(watch)

    def remove(self, watch: _Watch) -> None:
        self._watched.remove(watch)

    def describe(self) -> Iterator[GaugeMetricFamily]:
        return self._make_families((0, 0, 0))

    def collect(self) -> Iterator[GaugeMetricFamily]:
        if not self._watched or self._loop is None or _is_here(self._loop):
            return self._make_families(self._read_lengths())
        asked = asyncio.run_coroutine_threadsafe(self._ask(), self._loop)
        try:
            return self._make_families(asked.result(_READING_PATIENCE))
        except TimeoutError:
            asked.cancel()
            return iter(())

    async def _ask(self) -> tuple[int, int, int]:
        return self._read_lengths()

    def _read_lengths(self) -> tuple[int, int, int]:
        return (
            sum(watch.waiting() for watch in self._watched),
            sum(watch.in_flight() for watch in self._watched),
            sum(watch.unstored() for watch in self._watched),
        )

    def _make_families(self, lengths: tuple[int, int, int]) -> Iterator[GaugeMetricFamily]:
        names = (
            ("mazzo_decisions_waiting", "Decisions that wait to be sent."),
            ("mazzo_decisions_in_flight", "Decisions that bots have now."),
            ("mazzo_matches_unstored", "Finished matches that wait to be stored."),
        )
        for (name, text), length in zip(names, lengths, strict=True):
            yield GaugeMetricFamily(name, text, value=length)


def _is_here(loop: asyncio.AbstractEventLoop) -> bool:
    try:
        return asyncio.get_running_loop() is loop
    except RuntimeError:
        return False


@asynccontextmanager
async def serve_metrics(metrics: Metrics, address: str) -> AsyncIterator[str]:
    """Serve the metrics by HTTP while the context lasts; yields the URL of the page.

    `address` is HOST:PORT, or PORT alone for this machine only; port 0 picks a free one.
    Raises `InvalidInputError` for anything else and `PlatformError` when it cannot be had.
    """
    found = _METRICS_ADDRESS.fullmatch(address)
    if found is None or int(found[2]) > _LAST_PORT:
        raise InvalidInputError(
            f"metrics: expected HOST:PORT or PORT, such as 127.0.0.1:9464, got {address!r}"
        )
    host = (found[1] or _LOOPBACK).strip("[]")
    try:
        server, thread = await asyncio.to_thread(
            start_http_server, int(found[2]), host, metrics.registry
        )
    except OSError as error:
        raise PlatformError(f"cannot serve metrics at {address}: {error}") from error
    shown = f"[{host}]" if ":" in host else host
    try:
        yield f"http://{shown}:{server.server_port}/metrics"
    finally:
        await asyncio.to_thread(server.shutdown)
        server.server_close()
        thread.join()
