"""Leaves pings unread before as many decisions as it can, to think without a clock."""

from __future__ import annotations

import os
import time

from attacks.bots.attempt import PLAN, say
from attacks.bots.wire import Wire
from mazzo.v1 import play_pb2

AWAY: float = PLAN["away"]  # seconds
THINKING = 0.4  # seconds for a decision, on its clock, so that another ping is due soon
INTERVAL = 1.1  # seconds after a ping, at most, until the next one may come


def main() -> None:
    wire = Wire()
    wire.say(play_pb2.PlayRequest(join=play_pb2.Join(sdk="unread", capacity=1)))
    wire.open()
    pinged, absences = 0.0, 0
    while (response := wire.hear()) is not None:
        if response.HasField("goodbye"):
            os._exit(0)
        if response.HasField("ping"):
            pinged = time.monotonic()
            wire.say(play_pb2.PlayRequest(pong=play_pb2.Pong()))
        for decision in response.frame.decisions:
            time.sleep(THINKING)
            leaves = time.monotonic() - pinged > INTERVAL
            if leaves:
                wire.shut()
            answer = play_pb2.PlayRequest()
            legal = decision.view.legal
            chosen = answer.answer.actions.add(match=decision.match, number=decision.number)
            chosen.action = lowest(legal)
            wire.say(answer)
            if leaves:
                time.sleep(AWAY)
                absences += 1
                say(f"absence {absences}", f"with {decision.bank_seconds} s left before it")
                wire.open()


def lowest(legal: bytes) -> int:
    """The lowest action of a mask."""
    number = int.from_bytes(legal, "little")
    return (number & -number).bit_length() - 1


if __name__ == "__main__":
    main()
