"""`mazzo hooks`: tells web addresses what happens."""

from __future__ import annotations

from typing import Annotated

import typer
from google.protobuf.timestamp_pb2 import Timestamp
from rich.text import Text

from mazzo.v1 import hook_pb2
from mazzo_server.cli.shell.connection import (
    JsonOption,
    ServerOption,
    connect,
    execute,
    fetch_all,
)
from mazzo_server.cli.shell.options import make_word_option
from mazzo_server.cli.text.output import console, error_console, make_table, print_json, print_table
from mazzo_server.results.commentary import clean
from mazzo_server.results.tables import to_json
from mazzo_server.storage import list_event_kinds

__all__ = ["app"]

app = typer.Typer(
    no_args_is_help=True,
    help="Tell web addresses what happens: `mazzo serve` posts events to them.",
)

_FORMATS = {
    "json": hook_pb2.HOOK_FORMAT_JSON,
    "slack": hook_pb2.HOOK_FORMAT_SLACK,
}

_IdArgument = Annotated[
    str, typer.Argument(metavar="ID", help="The hook's id, as `mazzo hooks list` shows it.")
]


@app.command("add")
def add(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="Where events are posted to, such as https://club.example/hooks."
        ),
    ],
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            **make_word_option(list_event_kinds()),
            help="That it gets; several times.",
            show_default="every kind",
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            **make_word_option(_FORMATS),
            help="The event with its facts, or a sentence for Slack, Mattermost, Rocket.Chat and "
            "Discord (at its address with /slack).",
        ),
    ] = "json",
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="What it is for, to tell hooks apart.")
    ] = "",
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Add a hook and print the secret with which its receiver checks signatures.

    The secret cannot be shown again. Events are posted while `mazzo serve` runs.

    Example: mazzo hooks add https://club.example/hooks --event tournament-over
    """

    async def work() -> hook_pb2.AddHookResponse:
        request = hook_pb2.AddHookRequest(
            url=url, events=event or (), format=_FORMATS[format], label=label
        )
        async with connect(server) as client:
            answer: hook_pb2.AddHookResponse = await client.hooks.AddHook(request)
        return answer

    made = execute(work())
    if as_json:
        print_json(to_json(made))
        return
    error_console.print(
        f"The secret of the hook {made.hook.id}, to {clean(made.hook.place)}, shown this once: its "
        f"receiver checks signatures with it. `mazzo hooks test {made.hook.id}` sends a test, "
        f"`mazzo hooks remove {made.hook.id}` removes it."
    )
    console.print(made.secret, soft_wrap=True)


@app.command("list")
def list_hooks(server: ServerOption = "", as_json: JsonOption = False) -> None:
    """List the hooks and how they fare; of addresses the host alone, as the rest may be a secret.

    Example: mazzo hooks list
    """

    async def work() -> list[hook_pb2.Hook]:
        async with connect(server) as client:
            return await fetch_all(client.hooks.ListHooks, hook_pb2.ListHooksRequest(), "hooks")

    found = execute(work())
    if as_json:
        print_json([to_json(hook) for hook in found])
        return
    if not found:
        console.print("No hooks yet: add one with `mazzo hooks add URL`.")
        return
    table = make_table("id", "to", "events", "format", "state", "waiting", "label", right="lllllr")
    for hook in found:
        table.add_row(
            hook.id,
            Text(clean(hook.place)),
            "all" if len(hook.events) == len(list_event_kinds()) else ", ".join(hook.events),
            str(to_json(hook)["format"]),
            _name_state(hook),
            str(hook.waiting),
            Text(clean(hook.label)),
        )
    print_table(table)


@app.command("show")
def show(hook_id: _IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Show a hook: what it gets, what waits for it, and why nothing arrives.

    Example: mazzo hooks show 3f2a9c01
    """

    async def work() -> hook_pb2.Hook:
        async with connect(server) as client:
            answer = await client.hooks.GetHook(hook_pb2.GetHookRequest(id=hook_id))
        hook: hook_pb2.Hook = answer.hook
        return hook

    hook = execute(work())
    if as_json:
        print_json(to_json(hook))
        return
    lines = {
        "to": clean(hook.place),
        "label": clean(hook.label),
        "events": ", ".join(hook.events),
        "format": str(to_json(hook)["format"]),
        "added": _format_time(hook.create_time) if hook.place else "",
        "state": _name_state(hook),
        "last delivery": (
            _format_time(hook.delivery_time) if hook.HasField("delivery_time") else "never"
        ),
        "waiting": str(hook.waiting),
        "delivered": str(hook.delivered),
        "dropped": str(hook.dropped),
    }
    if hook.HasField("failing_since"):
        lines["failing since"] = _format_time(hook.failing_since)
    if hook.error:
        lines["last error"] = clean(hook.error)
    for name, value in lines.items():
        if value:
            console.print(f"{name + ':':<15}{value}", soft_wrap=True)
    if hook.disabled and hook.place:
        console.print(f"Enable it again: mazzo hooks test {hook.id}")


@app.command("test")
def send_test(hook_id: _IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Send a test to a hook now; if it arrives, a disabled hook is enabled again.

    Exits with status 1 if it does not arrive.

    Example: mazzo hooks test 3f2a9c01
    """

    async def work() -> hook_pb2.TestHookResponse:
        async with connect(server) as client:
            answer: hook_pb2.TestHookResponse = await client.hooks.TestHook(
                hook_pb2.TestHookRequest(id=hook_id)
            )
        return answer

    answer = execute(work())
    if as_json:
        print_json(to_json(answer))
    elif not answer.error:
        console.print(f"It arrived in {answer.seconds:.1f} s, and was answered {answer.status}.")
    else:
        error_console.print(
            f"mazzo: the test did not arrive: {clean(answer.error)}", soft_wrap=True
        )
    if answer.error:
        raise typer.Exit(1)


@app.command("remove")
def remove(hook_id: _IdArgument, server: ServerOption = "", as_json: JsonOption = False) -> None:
    """Remove a hook; what waits for it is never sent.

    Example: mazzo hooks remove 3f2a9c01
    """

    async def work() -> hook_pb2.Hook:
        async with connect(server) as client:
            answer = await client.hooks.RemoveHook(hook_pb2.RemoveHookRequest(id=hook_id))
        hook: hook_pb2.Hook = answer.hook
        return hook

    hook = execute(work())
    if as_json:
        print_json(to_json(hook))
    else:
        console.print(f"The hook {hook.id}, to {clean(hook.place)}, is removed.")


def _name_state(hook: hook_pb2.Hook) -> str:
    if hook.disabled:
        return "disabled"
    return "failing" if hook.HasField("failing_since") else "fine"


def _format_time(time: Timestamp) -> str:
    return time.ToDatetime().strftime("%Y-%m-%d %H:%M UTC")
