"""The command before any command of it runs."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from mazzo_server.__main__ import main


class Interrupted(ModuleType):
    """A module while which is imported somebody presses Ctrl-C."""

    def __getattr__(self, name: str) -> Any:
        raise KeyboardInterrupt


def test_ctrl_c_while_it_loads_ends_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("GRPC_VERBOSITY", "GRPC_ENABLE_FORK_SUPPORT"):
        monkeypatch.setenv(variable, "0")  # so that it is put back
    app = "mazzo_server.cli.app"
    monkeypatch.setitem(sys.modules, app, Interrupted(app))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


def test_a_system_for_which_it_is_not_made_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rather than which module of Python it does not have."""
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert "on Windows use WSL" in capsys.readouterr().err
