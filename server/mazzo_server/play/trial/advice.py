"""Tells an author what to mend when the bot fails its trial."""

from __future__ import annotations

from dataclasses import dataclass

from mazzo_server.model import Fault, Termination, TimeControl
from mazzo_server.play.instances import Loss

__all__ = ["AT_ONCE", "BUSY", "Blame", "advise_on", "advise_on_loss", "blame_fault"]

_TIME = TimeControl()
_ADVICE = {
    Termination.CRASHED: "the end of what it wrote says where it crashed",
    Termination.ILLEGAL_ACTION: "answer one of view.legal, whatever the variant",
    Termination.MALFORMED_ANSWER: (
        "answer what is asked and nothing else, as docs/reference/protocol.md says; "
        "the SDK does this for bots in Python"
    ),
    Termination.OUT_OF_TIME: (
        f"a decision may take {_TIME.limit:g} s, and all of a deal {_TIME.bank:g} s and "
        f"{_TIME.increment:g} s for each decision: think by view.clock, and keep `capacity` in "
        "bot.toml at 1 if you think for long"
    ),
    Termination.LEFT: (
        "its process ended though nobody had said goodbye: play until the stream ends, as "
        "mazzo.run does, and end the process nowhere else"
    ),
    Termination.DISCONNECTED: "keep the connection until the goodbye",
}
AT_ONCE = (
    "the clocks of all decisions of a frame run together: give a lower `capacity` in bot.toml, "
    "or answer faster; and share nothing between matches that one of them can spoil"
)
BUSY = (
    "the bot itself thought for little of that time, so the platform was busy with other matches "
    "or the bot was often started anew: play the trial again"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """The reason why a bot failed, and what to mend; both in words for a person."""

    reason: str
    advice: str


def blame_fault(fault: Fault) -> Blame:
    """Return what to tell the author about a fault."""
    return Blame(reason=f"{fault.termination}: {fault.reason}", advice=advise_on(fault.termination))


def advise_on(termination: Termination) -> str:
    """Return what to mend after a match that ended in this way."""
    return _ADVICE[termination]


def advise_on_loss(loss: Loss) -> str:
    """Return what to mend in a bot whose last instance was lost, and that starts no more."""
    if loss.joined:
        return advise_on(loss.termination)
    if loss.termination is Termination.OUT_OF_TIME:
        return (
            f"it must join within {_TIME.start_up:g} s: connect first and load what is big "
            "afterwards, or make it smaller"
        )
    return (
        "the end of what it wrote, if it wrote anything, says what went wrong. A program that only "
        "ends lacks its last line, which joins and plays: in Python `run(MyBot)`. `command` of "
        "bot.toml runs in the bot's folder, finds there what the folder holds and nothing else of "
        "your machine, and has no network (docs/reference/isolation.md)"
    )
