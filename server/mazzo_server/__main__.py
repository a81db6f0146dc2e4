"""The `mazzo` command."""

from __future__ import annotations

import gc
import os
import sys
from importlib.util import find_spec

__all__ = ["main"]

_NEEDED = ("typer", "rich", "sqlalchemy", "grpc_health", "trueskill")


def main() -> None:
    """Run the command line, or say how to install what it needs."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        print(
            "mazzo: only the SDK is installed; for the platform and its command line: "
            "pip install 'mazzo[server]'",
            file=sys.stderr,
        )
        sys.exit(1)
    if find_spec("fcntl") is None:
        print(
            "mazzo: the platform and its command line need Linux or macOS: on Windows use WSL",
            file=sys.stderr,
        )
        sys.exit(1)
    # gRPC writes to standard error what it thinks of a peer; we tell what a person can use.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    # What is imported stays: to look through it for what may go takes a fifth of a start.
    gc.disable()
    try:
        from mazzo_server.cli.app import run
    except KeyboardInterrupt:  # it takes a moment, in which somebody may think again
        sys.exit(130)
    finally:
        gc.enable()
    gc.freeze()
    run()


if __name__ == "__main__":
    main()
