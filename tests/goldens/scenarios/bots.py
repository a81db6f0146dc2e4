"""Bots that are submitted, tried, shown, chosen, registered, retired; and who may do so."""

from __future__ import annotations

import zipfile

from goldens.bots import ACTS, SAMPLE_BOTS, enter_bots, write_bot
from goldens.scenarios.scenario import Scenario
from goldens.session import BOTS_SEED, Session

__all__ = ["SCENARIOS"]

_TWO = ("briscola/2",)
_NONE = ("--isolation", "none")
_TRIAL = (*_NONE, "--seed", BOTS_SEED, "--json")
# Nobody chooses the seed of a submission's trial. The one with a seed, after it, is kept whole.
_OF_SEED = ("decisions", "seat", "record", "tried", "reason", "advice", "error", "log")


def _life(session: Session) -> None:
    """From the first version to the last; no trial is left whose deals nobody chose."""
    ada = write_bot(session, "ada", games=_TWO, capacity=4)
    session("bots", "list")
    session("bots", "list", "--json")
    session("bots", "submit", ada, *_NONE, "--json", drawn=("seed",), left_out=_OF_SEED)
    session("bots", "trial", "ada", *_TRIAL)
    session("bots", "show", "ada", "--json")
    session("bots", "show", "ada")
    session("bots", "logs", "ada", "--json")
    write_bot(session, "ada", ACTS["bea"], games=_TWO, capacity=1, more='description = "è"\n')
    session("bots", "submit", ada, *_NONE, "--json", drawn=("seed",), left_out=_OF_SEED)
    session("bots", "trial", "ada", *_TRIAL)
    session("bots", "trial", "ada", "--version", "1", *_TRIAL)
    session("bots", "trial", "ada", "--version", "7", *_TRIAL, status=2)
    session("bots", "activate", "ada", "1", "--json")
    session("bots", "list", "--json")
    session("bots", "list")
    session("bots", "activate", "ada", "newest", "--json")
    cheat = write_bot(session, "cheat", "return 39", games=_TWO, capacity=1)
    submit = ("bots", "submit", cheat, *_NONE, "--json")
    session(*submit, drawn=("seed",), left_out=_OF_SEED, status=1)
    session("bots", "trial", "cheat", *_TRIAL, status=1)
    session("bots", "logs", "cheat", "--json")
    session("bots", "logs", "cheat")
    session("bots", "activate", "cheat", "1", "--json", status=1)
    session("tournament", "run", "briscola/2", "--bots", "ada,cheat", "--json", status=2)
    session("bots", "retire", "cheat", "--json")
    session("bots", "list", "--json")
    session("bots", "list", "--all", "--json")
    session("bots", "list", "--all")


def _registered(session: Session) -> None:
    """Remote bots, and tokens."""
    register = ("bots", "register", "far", "--json")
    for number, more in enumerate(
        (("--game", "briscola/2", "--author", "Ann"), ("--capacity", "4"), ("--new-key",))
    ):
        answer = session.home.inside(*register, *more)
        if key := answer.json["key"]:
            session.places[key] = f"KEY-{number}"
            session.places[key.split("_")[1]] = f"ID-{number}"
        session.keep((*register, *more), answer)
    session(*register, "--new-key", "--capacity", "2", status=2)
    session("bots", "show", "far", "--json")
    session("bots", "list")
    session("bots", "trial", "far", "--json", status=None)
    session("bots", "retire", "far", "--json")
    session("bots", "list", "--json")
    session("auth", "list")
    session("auth", "list", "--json")
    for arguments in (("author", "ann", "--label", "laptop"), ("organiser",)):
        made = session.home.inside("auth", "create", *arguments, "--json")
        name = f"TOKEN-{arguments[0]}"
        session.places[made.json["text"]] = f"SECRET-{arguments[0]}"
        session.places[made.json["token"]["id"]] = name
        session.keep(("auth", "create", *arguments, "--json"), made)
    session("auth", "create", "organiser", "ann", "--json", status=None)
    session("auth", "create", "author", "Ann", "--json", status=2)
    session("auth", "list", "--json")
    (token,) = (place for place, name in session.places.items() if name == "TOKEN-author")
    session("auth", "revoke", token, "--json")
    session("auth", "revoke", token, "--json", status=None)
    session("auth", "list", "--json")


def _refused(session: Session) -> None:
    """Bundles that are refused, each for one reason, and archives that are taken."""
    good = write_bot(session, "ada", games=_TWO)
    manifest = (good / "bot.toml").read_text()
    for old, new in (
        ('name = "ada"', 'name = "Ada"'),
        ('name = "ada"', ""),
        ('games = ["briscola/2"]', "games = []"),
        ('games = ["briscola/2"]', 'games = ["bridge"]'),
        ('games = ["briscola/2"]', 'games = ["briscola/5"]'),
        ("capacity = 64", "capacity = 0"),
        ("capacity = 64", 'capacity = "many"'),
        ('command = ["python", "bot.py"]', "command = []"),
        ('author = "the goldens"', "author = 7"),
        ('licence = "Apache-2.0"', 'licence = "Apache-2.0"\ncolour = "red"'),
        ("capacity = 64", "capacity = 64 ="),
        ("capacity = 64", 'capacity = 64\nruntime = "rust"'),
    ):
        assert old in manifest
        (good / "bot.toml").write_text(manifest.replace(old, new))
        session("bots", "submit", good, *_NONE, "--json", status=2)
    (good / "bot.toml").unlink()
    session("bots", "submit", good, *_NONE, "--json", status=2)
    (session.folder / "noise").write_bytes(bytes(range(256)) * 8)
    session("bots", "submit", session.folder / "noise", *_NONE, "--json", status=2)
    (good / "bot.toml").write_text(manifest)
    (good / "link").symlink_to("/etc/passwd")
    session("bots", "submit", good, *_NONE, "--json", status=None)
    session("bots", "list", "--json")


def _archive(session: Session) -> None:
    """A zip file is the same bot as its folder, to the content hash."""
    good = write_bot(session, "ada", games=_TWO)
    archive = session.folder / "ada.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for name in ("bot.toml", "bot.py"):
            file.writestr(name, (good / name).read_text())
    for path in (archive, good):
        session("check", path, *_TRIAL, left_out=("trial",))


def _samples(session: Session) -> None:
    """The sample bots' own trials, by a seed that is chosen; their files may change."""
    enter_bots(session, *(SAMPLE_BOTS / name for name in ("greedy", "counting")))
    for name in ("greedy", "counting"):
        session("bots", "trial", name, *_TRIAL, left_out=("content_hash",))


SCENARIOS = {
    "bots": Scenario(play=_life, long=True),
    "bots-remote": Scenario(play=_registered),
    "bots-refused": Scenario(play=_refused),
    "bots-archive": Scenario(play=_archive, long=True),
    "bots-samples": Scenario(play=_samples, long=True),
}
