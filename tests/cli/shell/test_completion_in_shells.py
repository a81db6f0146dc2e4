"""Completion in real shells: what stands on the line after a person has pressed TAB.

bash is everywhere. zsh and fish come by no registry of Python or of Node: where one of them is not
installed, only `make prove` asks for it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

from support.club import fill
from support.command import Home
from support.sample_bots import write_bot
from support.shells import SHELLS, Shell, open_shell

pytestmark = pytest.mark.slow

TRIES = 10
MORE = [
    ("bots show --js", "--json"),
    ("matches --bot ann --opponent b", "bob"),
    ("bots activate ann n", "newest"),
    ("bots trial bob --version 2", "2"),
    ("tournament show 1", "1"),
    ("tournament rerun 1 --match 11", "11/0"),
    ("games tressette-p", "tressette-pizzichino"),
    ("tournament run fru", "frusta/2"),
    ("play briscola/4?talk=of", "briscola/4?talk=off"),
    ("play briscola/4 --option talk=of", "talk=off"),
    ("play briscola/4 --option=talk=of", "--option=talk=off"),
    ("play frusta/2 --match ", "deals:2"),
    ("play frusta/2 --match deals:", "deals:2"),
    ("tournament run frusta/2 --mirror rot", "rotations"),
    ("tournament run frusta/2 --pairing=sw", "--pairing=swiss"),
    ("tournament run frusta/2 --bots ann,b", "ann,bob"),
    ("play briscola/4 --bots 'greedy*2,ran", "greedy*2,random"),
    ("arena greedy ran", "random"),
    ("deal run rec", "records.jsonl"),
    ("bots list --ca some", "some certificates.pem"),
]  # a word and what is completed, like those beside them


def make_param(name: str) -> object:
    missing = shutil.which(name) is None
    return pytest.param(name, marks=[pytest.mark.prove] if missing else [])


@pytest.fixture(scope="module", params=[make_param(name) for name in SHELLS])
def shell(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shell]:
    """A shell in a folder with bots and files, where completion is installed."""
    folder = tmp_path_factory.mktemp("person")
    home = Home(folder / "home")
    fill(home)
    write_bot(folder, "mine").rename(folder / "my bot")
    (folder / "records.jsonl").touch()
    (folder / "some certificates.pem").touch()
    with open_shell(request.param, home, folder) as opened:
        yield opened
    assert not (folder / "pwned").exists()


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("tourn", "tournament"),
        ("bots show a", "ann"),
        ("replay show 1/11", "1/11/0"),
        ("play 'briscola/4?talk=off&leak", "briscola/4?talk=off&leak=0.25"),
        ("tournament run frusta/2 --bots=ann,b", "--bots=ann,bob"),
        ("check my", "my bot"),
        ("bots list --ca=some", "--ca=some certificates.pem"),
        *(pytest.param(*words, marks=pytest.mark.prove) for words in MORE),
    ],
)
def test_the_word_at_the_cursor_is_completed(shell: Shell, line: str, last: str) -> None:
    """As a command would get it: with its quotes read.

    On a busy machine the store may have no time to answer, and whoever waits for it tries again.
    """
    for _ in range(TRIES):
        found = shell.press_tab(f"mazzo {line}")[-1]
        if found == last:
            break
    assert found == last


def test_hostile_names_are_listed_and_do_nothing(shell: Shell) -> None:
    """They stand beside the numbers, but for bash, which shows no descriptions."""
    until = "1  2" if shell.name == "bash" else "touch pwned"
    listed = shell.show_offers("mazzo tournament show ", until=until)
    assert ("touch pwned" in listed) is (shell.name != "bash")
