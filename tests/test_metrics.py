"""The metrics: each is explained, counts what it says, and tells nothing about anybody."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
import urllib.request
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import grpc
import pytest

from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.metrics import Metrics, serve_metrics
from mazzo_server.model.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.serving.grpc.interceptors.counting import RequestCounter

ROOT = Path(__file__).parents[1]
DEAL = DealPlay(
    dealer=0, actions=b"\1\2", scores=(60, 60), micros=(1, 2), substituted=(), forfeited=False
)
FAULT = Fault(
    seat=1,
    termination=Termination.ILLEGAL_ACTION,
    owner=Owner.BOT,
    reason="expected Ad, got 7b",
    deal=1,
    decision=3,
)
OUTCOME = MatchOutcome(
    group=0,
    seating=0,
    entrants=(0, 1),
    match_scores=(Fraction(1), Fraction(0)),
    deals=(DEAL, DEAL),
    faults=(FAULT,),
    late=(2, 0),
    decisions=(20, 23),
    thinking_seconds=(0.5, 0.25),
)


def value(metrics: Metrics, name: str, **labels: str) -> float:
    """The sample of that name, which must be there."""
    found = metrics.registry.get_sample_value(name, labels)
    assert found is not None, name
    return found


def read(url: str) -> str:
    """The page."""
    with urllib.request.urlopen(url, timeout=30) as answer:
        return str(answer.read().decode())


def test_the_reference_has_every_metric_and_no_other() -> None:
    """docs/reference/metrics.md names each with its type and its labels."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = re.findall(r"^\| `([a-z_]+)` \| (\w+) \| (.*?) \|", page, re.MULTILINE)
    explained = {(name, kind) for name, kind, _ in rows if not name.startswith("process_")}
    registered = {
        (f"{family.name}_total" if family.type == "counter" else family.name, family.type)
        for family in Metrics().registry.collect()
        if not family.name.startswith("process_")
    }
    registered.remove(("mazzo_build", "info"))
    assert explained == registered | {("mazzo_build_info", "gauge")}


@pytest.mark.skipif(sys.platform != "linux", reason="the numbers of the process come from /proc")
def test_the_reference_has_the_numbers_of_the_process() -> None:
    """The usual ones of Prometheus, under their usual names."""
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    named = set(re.findall(r"^\| `(process_[a-z_]+)` \|", page, re.MULTILINE))
    families = [item for item in Metrics().registry.collect() if item.name.startswith("process_")]
    assert named == {sample.name for family in families for sample in family.samples}


def test_a_match_is_counted_with_its_deals_decisions_and_faults() -> None:
    """Faults by who is to blame and by kind; no words, which may name cards."""
    metrics = Metrics()
    metrics.matches.count_started()
    metrics.matches.count_started()
    metrics.matches.count_finished(OUTCOME)
    metrics.matches.count_abandoned()
    for name, expected in {
        "matches_started_total": 2,
        "matches_finished_total": 1,
        "matches_abandoned_total": 1,
        "deals_total": 2,
        "decisions_total": 43,
        "decisions_late_total": 2,
        "thinking_seconds_total": 0.75,
    }.items():
        assert value(metrics, f"mazzo_{name}") == expected
    assert value(metrics, "mazzo_faults_total", owner="bot", termination="illegal-action") == 1
    assert value(metrics, "mazzo_faults_total", owner="platform", termination="crashed") == 0


def test_a_match_of_a_cluster_is_counted_by_its_node() -> None:
    """So a page shows which machine makes bots late, or loses workers."""
    metrics = Metrics()
    metrics.nodes.count_finished(replace(OUTCOME, node="a"))
    metrics.nodes.count_finished(replace(OUTCOME, node="b"))
    metrics.nodes.count_finished(replace(OUTCOME, node="b"))
    metrics.nodes.count_lost("a")
    for name, expected in {
        "node_matches_total": (1, 2),
        "node_decisions_total": (43, 86),
        "node_decisions_late_total": (2, 4),
        "node_faults_total": (1, 2),
    }.items():
        assert tuple(value(metrics, f"mazzo_{name}", node=node) for node in "ab") == expected
    assert value(metrics, "mazzo_node_matches_lost_total", node="a") == 1


def test_an_instance_is_counted_from_its_start_to_its_end() -> None:
    """Planned or not, and how long it took to come."""
    metrics = Metrics()
    for termination, owner in (("", ""), ("crashed", "bot")):
        metrics.instances.count_started()
        metrics.instances.count_joined(0.3)
        metrics.instances.count_ended(termination, owner)
    metrics.instances.count_started()
    assert value(metrics, "mazzo_instances_started_total") == 3
    assert value(metrics, "mazzo_instances_running") == 1
    assert value(metrics, "mazzo_instances_lost_total", owner="bot", termination="crashed") == 1
    assert value(metrics, "mazzo_instance_start_up_seconds_sum") == pytest.approx(0.6)


def test_times_are_distributions_and_frames_are_counted() -> None:
    """A beat that comes early is one in time."""
    metrics = Metrics()
    metrics.instances.observe_round_trip(0.003)
    metrics.instances.count_frame(32)
    metrics.observe_loop_delay(-0.001)
    metrics.observe_loop_delay(0.3)
    assert value(metrics, "mazzo_round_trip_seconds_bucket", le="0.005") == 1
    metrics.instances.count_frame(8)
    assert value(metrics, "mazzo_decisions_sent_total") == 40
    assert value(metrics, "mazzo_frames_sent_total") == 2
    assert value(metrics, "mazzo_loop_delay_seconds_count") == 2
    assert value(metrics, "mazzo_loop_delay_seconds_sum") == 0.3


def test_two_platforms_count_apart() -> None:
    """There is no global state."""
    one, other = Metrics(), Metrics()
    one.matches.count_started()
    assert value(other, "mazzo_matches_started_total") == 0


def test_queues_are_summed_and_asked_on_their_own_loop() -> None:
    """The page has a thread of its own, and the queues belong to the event loop."""
    metrics = Metrics()
    threads = set()

    def seven() -> int:
        threads.add(threading.current_thread())
        return 7

    def none() -> int:
        return 0

    async def main() -> str:
        async with serve_metrics(metrics, "0") as url:
            with (
                metrics.watch_queues(waiting=seven, in_flight=none, unstored=none),
                metrics.watch_queues(waiting=seven, in_flight=seven, unstored=none),
            ):
                page = await asyncio.to_thread(read, url)
                assert value(metrics, "mazzo_decisions_waiting") == 14  # on the loop itself
        return page

    page = asyncio.run(main())
    assert "\nmazzo_decisions_waiting 14.0\n" in page
    assert "\nmazzo_decisions_in_flight 7.0\n" in page
    assert threads == {threading.current_thread()}
    assert value(metrics, "mazzo_decisions_waiting") == 0


def test_the_page_is_of_this_machine_alone_unless_a_host_is_given() -> None:
    """And ends with its context."""

    async def main() -> str:
        async with serve_metrics(Metrics(), "0") as url:
            assert "mazzo_build_info" in await asyncio.to_thread(read, url)
            with pytest.raises(PlatformError, match="cannot serve metrics at"):
                async with serve_metrics(Metrics(), url.split("/")[2]):
                    pass
        return url

    url = asyncio.run(main())
    assert url.startswith("http://127.0.0.1:")
    with pytest.raises(OSError, match="refused"):
        read(url)


@pytest.mark.parametrize("address", ["", "here", "127.0.0.1", "1:2:3", "x:65536", "-:١"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    """With what was expected."""

    async def main() -> None:
        async with serve_metrics(Metrics(), address):
            pass

    with pytest.raises(InvalidInputError, match="expected HOST:PORT or PORT"):
        asyncio.run(main())


class _Service(grpc.GenericRpcHandler):
    """Methods that end in every way, in both manners that a handler may have."""

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        name = (handler_call_details.method or "").rpartition("/")[2]
        if name == "Stream":
            return grpc.unary_stream_rpc_method_handler(self._stream)
        if name == "Missing":
            return None
        return grpc.unary_unary_rpc_method_handler(getattr(self, f"_{name.lower()}"))

    async def _answer(self, request: bytes, context: Any) -> bytes:
        return request

    async def _abort(self, request: bytes, context: Any) -> bytes:
        await context.abort(grpc.StatusCode.NOT_FOUND, "no such bot")
        raise AssertionError

    async def _break(self, request: bytes, context: Any) -> bytes:
        raise ValueError(request)

    async def _stream(self, request: bytes, context: Any) -> Any:
        yield request
        yield request


async def _call_each(address: str) -> None:
    async with grpc.aio.insecure_channel(address) as untyped:
        channel: Any = untyped
        assert await channel.unary_unary("/a.B/Answer")(b"x") == b"x"
        assert [item async for item in channel.unary_stream("/a.B/Stream")(b"x")] == [b"x"] * 2
        for name in ("Abort", "Break", "Missing"):
            with pytest.raises(grpc.aio.AioRpcError):
                await channel.unary_unary(f"/a.B/{name}")(b"x")


def test_a_request_is_counted_by_method_and_status(tmp_path: Path) -> None:
    """A method that does not exist goes by one name, whatever the caller calls it."""
    metrics = Metrics()
    address = f"unix:{tmp_path / 's'}"

    async def main() -> None:
        server = grpc.aio.server(interceptors=(RequestCounter(metrics),))
        server.add_generic_rpc_handlers((_Service(),))
        server.add_insecure_port(address)
        await server.start()
        await _call_each(address)
        await server.stop(None)

    asyncio.run(main())
    counted = {
        (sample.labels["method"], sample.labels["code"]): sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "mazzo_requests_total"
    }
    assert counted == {
        ("a.B/Answer", "OK"): 1,
        ("a.B/Stream", "OK"): 1,
        ("a.B/Abort", "NOT_FOUND"): 1,
        ("a.B/Break", "UNKNOWN"): 1,
        ("unknown", "UNIMPLEMENTED"): 1,
    }
