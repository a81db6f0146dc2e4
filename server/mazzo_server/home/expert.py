"""What the sample bot `expert` would play: in this process, or as a program that others ask.

The program is started by `python -m`. It reads a question from each line of its standard input, and
writes each answer to its standard output. A question is the view of a decision in hexadecimal
digits, the seed of the seat's own randomness, and the number of the decision: what a bot is sent,
and nothing else. An answer is the number of an action, or a line that says why there is none.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from mazzo.codec import decode_view, view_bytes
from mazzo.errors import MazzoError
from mazzo.game import View
from mazzo.games import parse_variant
from mazzo.v1 import view_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.home.bots import HomeBot, find_home_bot, list_sample_bots
from mazzo_server.home.decision import RecordedDecision, play_decision

__all__ = ["NAME", "choose_as_expert", "has_expert", "pack_question"]

NAME: Final = "expert"
_MOST_BOTS: Final = 16  # one for each variant
_IDLE: Final = 60  # whole seconds after which the program ends when nobody asks
_MODEST: Final = 10  # of the platform's processes it comes last


def has_expert() -> bool:
    """Tell whether the sample bot is here: a package without sample bots has none."""
    return NAME in list_sample_bots()


def choose_as_expert(view: View) -> int:
    """Return the number of the action that `expert` takes, from the view of a decision alone.

    The same view with the same seed and number gives the same action. Raises `HomeBotError`, and
    `InvalidInputError` where `expert` is not here or does not play the game.
    """
    decision = RecordedDecision(view=view, then=None, by_substitute=False)
    return play_decision(decision, _load_expert(view.variant.text)).action


@lru_cache(maxsize=_MOST_BOTS)
def _load_expert(variant: str) -> HomeBot:
    folder = list_sample_bots().get(NAME)
    if folder is None:
        raise InvalidInputError(f"expected the sample bot {NAME}, got a package without it")
    # By its folder, as in the working directory there may be another bot of that name.
    return find_home_bot(str(folder), parse_variant(variant))


def pack_question(view: View) -> bytes:
    """Return the line that asks the program about a decision."""
    return f"{view_bytes(view).hex()} {view.seed.hex() or '-'} {view.number}\n".encode()


def _unpack_question(line: str) -> View:
    text, seed, number = line.split()
    message = view_pb2.View.FromString(bytes.fromhex(text))
    return decode_view(
        message, number=int(number), seed=b"" if seed == "-" else bytes.fromhex(seed)
    )


def _answer(line: str) -> str:
    try:
        return str(choose_as_expert(_unpack_question(line)))
    except MazzoError as error:
        return f"{NAME}: {' '.join(str(error).split())}"


def _main() -> None:
    limit_wait: Callable[[int], object] = getattr(signal, "alarm", lambda _: None)
    if hasattr(os, "nice"):
        os.nice(_MODEST)
    limit_wait(_IDLE)
    for line in sys.stdin:
        print(_answer(line), flush=True)
        limit_wait(_IDLE)


if __name__ == "__main__":
    _main()
