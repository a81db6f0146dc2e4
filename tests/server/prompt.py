"""Bots that answer at once, in this process."""

from __future__ import annotations

from mazzo.v1 import play_pb2
from mazzo_server.master.instance import InstanceListener, Loss
from mazzo_server.outcome import Termination
from server.hall import lowest

__all__ = ["PromptInstance", "PromptSpec"]


class PromptInstance:
    """Takes the lowest legal action at once, in this process."""

    log = ""

    def __init__(self, listener: InstanceListener) -> None:
        self.over = False
        self._listener = listener

    def end(self) -> None:
        self.over = True
        self._listener.news.set()

    def fail(self, termination: Termination, reason: str) -> None:
        raise AssertionError(reason)

    async def run(self) -> Loss | None:
        self._listener.joined(64)
        while not self.over:
            frame = self._listener.next_frame()
            if frame is None:
                self._listener.news.clear()
                await self._listener.news.wait()
                continue
            decisions = play_pb2.PlayResponse.FromString(frame).frame.decisions
            actions = [lowest(decision) for decision in decisions]
            self._listener.received(play_pb2.Answer(actions=actions))
        return None


class PromptSpec:
    """A bot whose instances are prompt."""

    name = "prompt"
    remote = False

    def instance(self, listener: InstanceListener) -> PromptInstance:
        return PromptInstance(listener)
