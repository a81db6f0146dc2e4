"""`mazzo challenge` and `mazzo challenges`: have a bot play another one, unrated."""

from __future__ import annotations

from typing import Annotated, Final

import typer
from rich.text import Text

from mazzo.v1 import challenge_pb2
from mazzo_server.cli.shell.completion.games import complete_variant
from mazzo_server.cli.shell.completion.platform import complete_challenge, complete_entrant
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_whole_parser
from mazzo_server.cli.text.output import console, make_table, print_json, print_table
from mazzo_server.model import CHALLENGE_GROUPS, split_version
from mazzo_server.results.commentary import (
    clean,
    describe_quota,
    format_challenge_result,
    name_challenge_state,
)
from mazzo_server.results.tables import to_json

__all__ = ["app", "challenge"]

app = typer.Typer(no_args_is_help=True, help="See what became of challenges, and cancel them.")

_OVER: Final = (
    challenge_pb2.CHALLENGE_STATE_CANCELLED,
    challenge_pb2.CHALLENGE_STATE_FINISHED,
)


def challenge(
    bot: Annotated[
        str,
        typer.Argument(
            metavar="MINE",
            autocompletion=complete_entrant,
            help="Your bot, such as my-bot, or my-bot@3 for its version 3.",
        ),
    ],
    opponent: Annotated[
        str,
        typer.Argument(
            metavar="THEIRS",
            autocompletion=complete_entrant,
            help="Any bot; with @N only another version of yours.",
        ),
    ],
    variant: Annotated[
        str,
        typer.Option(
            "--variant",
            metavar="VARIANT",
            autocompletion=complete_variant,
            help="What they play, such as briscola/2.",
            show_default="the only one for which both are qualified",
        ),
    ] = "",
    groups: Annotated[
        int | None,
        typer.Option(
            "--groups",
            metavar="N",
            parser=make_whole_parser(CHALLENGE_GROUPS.least, CHALLENGE_GROUPS.most),
            help=f"Mirror groups, {CHALLENGE_GROUPS.most} at most.",
            show_default="50",
        ),
    ] = None,
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Let your bot challenge another one, for no ranking; `mazzo serve` plays it in its turn.

    At a table of more than two sides the other bot has all seats but one.

    Example: mazzo challenge my-bot@3 random --groups 50
    """

    async def work() -> challenge_pb2.Challenge:
        name, version = split_version(bot)
        other, opponent_version = split_version(opponent)
        request = challenge_pb2.CreateChallengeRequest(
            bot=name,
            version=version,
            opponent=other,
            opponent_version=opponent_version,
            variant=variant,
            groups=groups or 0,
        )
        async with connect(server) as client:
            answer = await client.challenges.CreateChallenge(request)
        made: challenge_pb2.Challenge = answer.challenge
        return made

    made = execute(work())
    if as_json:
        print_json(to_json(made))
        return
    wanted = "1 mirror group" if made.groups == 1 else f"{made.groups} mirror groups"
    console.print(
        f"Challenge {made.id}: {made.bot} version {made.version} against {made.opponent} version "
        f"{made.opponent_version}, {made.variant}, {wanted}. "
        f"{name_challenge_state(made, sentence=True)}",
        soft_wrap=True,
    )
    if not server:
        console.print("It is played while `mazzo serve` runs.")
    console.print(f"Look at it with: mazzo tournament show {made.id}")


@app.command("list")
def list_challenges(server: ServerOption = "", as_json: JsonOption = False) -> None:
    """List the challenges that wait, in their order, and those of the last 30 days.

    Example: mazzo challenges list
    """

    async def work() -> tuple[list[challenge_pb2.Challenge], challenge_pb2.ListChallengesResponse]:
        async with connect(server) as client:
            first = await client.challenges.ListChallenges(
                challenge_pb2.ListChallengesRequest(page_size=1)
            )
            request = challenge_pb2.ListChallengesRequest(results=True)
            return await fetch_all(client.challenges.ListChallenges, request, "challenges"), first

    found, quota = execute(work())
    if as_json:
        print_json([to_json(one) for one in found])
        return
    if found:
        table = make_table(
            *("id", "bot", "against", "variant", "asked by", "matches", "result", "state"),
            right="r    rr ",
        )
        for one in found:
            table.add_row(
                str(one.id),
                f"{one.bot}@{one.version}",
                f"{one.opponent}@{one.opponent_version}",
                one.variant,
                Text(clean(one.author)),
                f"{one.matches_played}/{one.matches_total}",
                format_challenge_result(one),
                name_challenge_state(one),
            )
        print_table(table)
    else:
        console.print("No challenges: ask for one with `mazzo challenge MINE THEIRS`.")
    if quota.HasField("asked_today"):
        console.print(describe_quota(quota))


@app.command("cancel")
def cancel_challenge(
    id: Annotated[
        int,
        typer.Argument(
            metavar="ID",
            parser=make_whole_parser(1),
            autocompletion=complete_challenge,
            help="The challenge's number.",
        ),
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Cancel a challenge that you asked for. It counts for today all the same.

    Example: mazzo challenges cancel 7
    """

    async def work() -> challenge_pb2.Challenge:
        async with connect(server) as client:
            answer = await client.challenges.CancelChallenge(
                challenge_pb2.CancelChallengeRequest(id=id)
            )
        cancelled: challenge_pb2.Challenge = answer.challenge
        return cancelled

    cancelled = execute(work())
    if as_json:
        print_json(to_json(cancelled))
    elif cancelled.state in _OVER:
        console.print(f"Challenge {id} is {name_challenge_state(cancelled)}.")
    else:
        console.print(f"Challenge {id} ends after its current matches are given up.")
