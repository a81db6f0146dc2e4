"""Asks for what `expert` would play, in a process of its own: other work does not wait for it."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from typing import Final

from mazzo.game import View
from mazzo_server.home.bots import HomeBotError
from mazzo_server.home.expert import NAME, has_expert, pack_question

__all__ = ["ExpertProcess", "open_expert"]

_COMMAND: Final = (sys.executable, "-P", "-m", "mazzo_server.home.expert")
_PATIENCE: Final = 10.0  # seconds for an answer, with those for the questions of others before it
_MOST_KEPT: Final = 20_000  # answers


class ExpertProcess:
    """Asks one question at a time, and keeps the answers to the last ones."""

    name = NAME

    def __init__(
        self,
        command: Sequence[str] = _COMMAND,
        *,
        patience: float = _PATIENCE,
        most_kept: int = _MOST_KEPT,
    ) -> None:
        """The process is started when it is first asked, and again if it has ended."""
        self._command = command
        self._patience = patience
        self._most_kept = most_kept
        self._asking = asyncio.Lock()
        self._process: Process | None = None
        self._kept: OrderedDict[bytes, int] = OrderedDict()  # by the hash of the question

    async def advise(self, view: View) -> int:
        """Return the number of the action that it would take.

        It follows from the view, its seed and its number alone. Raises `TimeoutError`, and
        `HomeBotError` where there is no answer.
        """
        question = pack_question(view)
        key = sha256(question).digest()
        if (known := self._kept.get(key)) is None:
            async with asyncio.timeout(self._patience), self._asking:
                known = await self._ask_twice(question)
            if not view.legal_mask >> known & 1:
                raise HomeBotError(f"{NAME} answered with action {known}, which is not legal")
            self._kept[key] = known
            if len(self._kept) > self._most_kept:
                self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return known

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.communicate()  # which also closes the pipes

    async def _ask_twice(self, question: bytes) -> int:
        """Return the answer; ask anew where the process had ended, as it does when it is idle."""
        answer = await self._ask(question) or await self._ask(question)
        if not answer.strip().isdigit():
            raise HomeBotError(answer.decode(errors="replace").strip() or f"{NAME} has ended")
        return int(answer)

    async def _ask(self, question: bytes) -> bytes:
        """Return the answer; nothing if the process ends instead."""
        if self._process is None:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=PIPE,
                stdout=PIPE,
                stderr=DEVNULL,
            )
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        answer = b""
        try:
            with suppress(ConnectionError):
                process.stdin.write(question)
                await process.stdin.drain()
                answer = await process.stdout.readline()
        finally:
            if not answer:  # it has ended, or it thinks on about what nobody waits for
                await self.close()
        return answer


@asynccontextmanager
async def open_expert() -> AsyncIterator[ExpertProcess | None]:
    """Give what can be asked; None where the sample bots are not here."""
    if not has_expert():
        yield None
        return
    expert = ExpertProcess()
    try:
        yield expert
    finally:
        await expert.close()
