"""Tells an author why the bot failed its trial, and what to mend."""

from __future__ import annotations

from mazzo_server.model import Fault, ProgramError, Termination, TimeControl, TrialFailure
from mazzo_server.play.instances import Loss, SandboxedSpec
from mazzo_server.play.trial.causes import Program, find_cause
from mazzo_server.play.trial.program_errors import ErrorReader, read_sdk_line

__all__ = ["AT_ONCE", "BUSY", "Adviser", "advise_on"]

_TIME = TimeControl()
_MOST_LOG = 2000  # characters that are kept where no error can be read
_ADVICE = {
    Termination.CRASHED: "its program ended with that error, in none of its own files",
    Termination.ILLEGAL_ACTION: "answer one of view.legal, whatever the variant",
    Termination.MALFORMED_ANSWER: (
        "answer what is asked and nothing else, as docs/reference/protocol.md says; "
        "the SDK does this for bots in Python"
    ),
    Termination.OUT_OF_TIME: (
        f"a decision may take {_TIME.limit:g} s, and all of a deal {_TIME.bank:g} s and "
        f"{_TIME.increment:g} s for each decision (in a tournament its --limit and --time): think "
        "by view.clock, and keep `capacity` in bot.toml at 1 if you think for long"
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


def advise_on(termination: Termination) -> str:
    """Return what to mend after a match that ended in this way."""
    return _ADVICE[termination]


class Adviser:
    """Explains the failures of one bot, by how it ended and by what it wrote."""

    def __init__(self, spec: SandboxedSpec) -> None:
        self._program = Program(
            folder=spec.bundle,
            packages=spec.packages,
            command=spec.command,
            runtime=spec.runtime,
            limits=spec.limits if spec.sandbox.has_limits else None,
        )
        self._start_up = spec.start_up
        self._errors = ErrorReader(spec.bundle)

    def blame_fault(self, fault: Fault) -> TrialFailure:
        """Return what to tell the author about a fault."""
        return self._blame(
            f"{fault.termination}: {fault.reason}",
            fault.reason,
            fault.termination,
            log="" if fault.log is None else fault.log.text,
        )

    def blame_death(self, dead: str, loss: Loss) -> TrialFailure:
        """Return what to tell the author of a bot that starts no more, after its last loss."""
        return self._blame(dead, loss.reason, loss.termination, log=loss.log, joined=loss.joined)

    def _blame(
        self, reason: str, how: str, termination: Termination, *, log: str, joined: bool = True
    ) -> TrialFailure:
        error = self._read_error(how, termination, log)
        cause = ""
        if termination in (Termination.CRASHED, Termination.LEFT):
            cause = find_cause(self._program, reason=how, log=log, error=error, joined=joined)
        told = bool(log) and error is None
        return TrialFailure(
            reason=reason,
            advice=cause or self._advise(termination, error, joined=joined, told=told),
            termination=termination,
            error=error,
            log=log[-_MOST_LOG:] if told else "",
        )

    def _read_error(self, how: str, termination: Termination, log: str) -> ProgramError | None:
        """Return the error that ended it: one that it had printed before is another matter."""
        match termination:
            case Termination.CRASHED if "exited with status" in how:
                return self._errors.read_error(log)
            case Termination.ILLEGAL_ACTION | Termination.MALFORMED_ANSWER:
                return read_sdk_line(log)
            case _:
                return None

    def _advise(
        self, termination: Termination, error: ProgramError | None, *, joined: bool, told: bool
    ) -> str:
        if termination is Termination.CRASHED and error is not None and error.frames:
            place = error.frames[0]
            return f"look at {place.file}, line {place.line}"
        if termination is Termination.OUT_OF_TIME and not joined:
            return (
                f"it must join within {self._start_up:g} s (in a tournament its --start-up): "
                "connect first and load what is big afterwards, or make it smaller"
            )
        if joined and termination is not Termination.CRASHED:
            return advise_on(termination)
        what = "what it wrote says where" if told else "it wrote nothing that says where"
        if joined:
            return f"{what} it ended" if error is None else advise_on(termination)
        where = f"{what} it ended. " if error is None else ""
        return where + (
            "`command` of bot.toml runs in the bot's folder, finds there what the folder holds and "
            "nothing else of your machine, and has no network (docs/reference/isolation.md)"
        )
