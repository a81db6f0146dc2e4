"""What bots of each runtime may count on, through the command line and a whole trial."""

from __future__ import annotations

import shutil
from pathlib import Path

from support.archives import wheel
from support.command import Home
from support.node import NODE_BOT, with_node
from support.sample_bots import write_bot


def test_a_bot_plays_with_numpy_and_its_own_wheel(home: Home, tmp_path: Path) -> None:
    """Both are there when it is started, isolated as it will be in tournaments."""
    act = "import numpy, chosen; return view.legal[int(numpy.argmin([chosen.NUMBER, 1]))]"
    bot = write_bot(tmp_path, "packed", act=act)
    (bot / "wheels").mkdir()
    content = wheel("chosen", "1", {"chosen.py": b"NUMBER = 0\n"})
    (bot / "wheels" / "chosen-1-py3-none-any.whl").write_bytes(content)
    (version,) = home("bots", "submit", bot, "--json").json["versions"]
    assert version["runtime"] == "python"
    assert version["trial"]["passed"], version["trial"]["log"]
    assert "runtime python" in home.inside("bots", "show", "packed").out


def test_a_bot_in_javascript_plays(home: Home, tmp_path: Path) -> None:
    """With Node.js and what comes with it; the protocol needs no package of anybody."""
    bot = write_bot(tmp_path, "scripted", games='["briscola"]', capacity=8)
    shutil.copy(NODE_BOT, bot / "bot.js")
    manifest = (bot / "bot.toml").read_text().replace('["python", "bot.py"]', '["node", "bot.js"]')
    (bot / "bot.toml").write_text(manifest + 'runtime = "node"\n')
    (version,) = with_node(home)("bots", "submit", bot, "--json").json["versions"]
    assert version["runtime"] == "node"
    assert version["trial"]["passed"], version["trial"]["log"]
