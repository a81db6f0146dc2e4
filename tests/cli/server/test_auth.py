"""Tokens and TLS: a real server with a certificate, and what commands may do there."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
import trustme

from cli.server.test_serve import stop
from support.command import Home, Result
from support.sample_bots import write_bot
from support.served import serving

pytestmark = pytest.mark.slow

CLOUD = ("serve", "--listen", "localhost:0", "--isolation", "none")


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with `ca.pem` and `other-ca.pem`; of the first `cert.pem`, `key.pem` for
    localhost, and `away-cert.pem`, `away-key.pem` for another name."""
    folder = tmp_path_factory.mktemp("certificates")
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(folder / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(folder / "other-ca.pem"))
    for prefix, names in (("", ("localhost", "127.0.0.1")), ("away-", ("example.org",))):
        made = ca.issue_cert(*names)
        made.private_key_pem.write_to_path(str(folder / f"{prefix}key.pem"))
        for pem in made.cert_chain_pems:
            pem.write_to_path(str(folder / f"{prefix}cert.pem"), append=True)
    return folder


def refused(result: Result, status: int, *parts: str) -> None:
    """It ended with that status, and said so in one line."""
    assert result.status == status, result
    assert result.out == ""
    (line,) = result.err.splitlines()
    for part in ("mazzo:", *parts):
        assert part in line, result


def test_a_token_that_expires(home: Home) -> None:
    """It says until when; `list` says so too, and when it was used."""
    made = home.inside("auth", "create", "author", "alice", "--expires", "1.5")
    assert "The server takes it until 2" in " ".join(made.err.split())
    with serving(home, *CLOUD[1:]) as (_, (address,)):
        served = Home(home.path, {"MAZZO_SERVER": address})
        used = {"MAZZO_ACCESS_TOKEN": made.out.strip()}
        Home(home.path, served.variables | used)("bots", "list", "--json")
    (row,) = home("auth", "list", "--json").json
    assert row["expire_time"] > row["create_time"]
    assert row["last_use_time"] >= row["create_time"]
    assert row["expired"] is False
    shown = home.inside("auth", "list").out
    assert "expires" in shown
    assert "last used" in shown
    for days in ("0", "-1", "nan", "soon"):
        wrong = home.inside("auth", "create", "organiser", "--expires", days, status=2)
        assert "expected days above 0" in " ".join(wrong.err.split())


def test_a_server_with_tls_and_tokens(home: Home, certificates: Path, tmp_path: Path) -> None:
    """Authors submit and see their own, and a token that is taken back is worthless at once."""
    made = home("auth", "create", "author", "alice", "--label", "laptop", "--json").json
    assert made["token"]["subject"] == "alice"
    bob = home.inside("auth", "create", "author", "bob").out.strip()
    pem = {name: str(certificates / f"{name}.pem") for name in ("ca", "other-ca", "cert", "key")}
    away = tmp_path / "away"
    token_file = tmp_path / "token"
    token_file.write_text(made["text"] + "\n")
    with serving(home, *CLOUD[1:], "--tls-cert", pem["cert"], "--tls-key", pem["key"]) as (
        process,
        (address,),
    ):
        alice = Home(away, {"MAZZO_SERVER": address, "MAZZO_CA": pem["ca"]})
        options = ("--token-file", token_file)
        bot = write_bot(tmp_path, "ann", main="sys.exit('my secret')")
        submitted = alice("bots", "submit", bot, *options, "--json", status=1).json
        assert (submitted["owner"], submitted["remote"]) == ("alice", False)
        assert "my secret" in submitted["versions"][0]["trial"]["log"]
        logged = alice.inside("bots", "logs", "ann", *options).out
        assert "version 1: failed its trial" in logged
        assert "my secret" in logged
        own = alice.inside("bots", "show", "ann", *options).out
        assert "owner alice" in own
        assert f"mazzo check PATH --seed {submitted['versions'][0]['trial']['seed']}" in own

        other = Home(away, alice.variables | {"MAZZO_ACCESS_TOKEN": bob})
        seen = other.inside("bots", "show", "ann").out
        assert "ann" in seen
        assert "my secret" not in seen
        assert "mazzo check" not in seen  # for it could only be told to its owner what to mend
        assert "FAIL briscola/2: why, its owner and the organiser are told" in seen
        for command in (("submit", str(bot)), ("retire", "ann"), ("logs", "ann")):
            refused(other.inside("bots", *command, status=None), 2, "belongs to alice, not to bob")
        refused(other.inside("auth", "list", status=None), 2, "an organiser", "author")

        refused(alice.inside("bots", "list", status=None), 2, "access token", "MAZZO_ACCESS_TOKEN")
        wrong = alice.inside("bots", "list", "--ca", pem["other-ca"], *options, status=None)
        refused(wrong, 1, f"cannot trust {address}", "--ca FILE")
        plain = Home(away, {"MAZZO_ACCESS_TOKEN": bob}).inside(
            "bots", "list", "--server", address, status=None
        )
        refused(plain, 1, address, "--ca FILE")

        # Another process, the same store.
        assert "author alice" in home("auth", "revoke", made["token"]["id"]).out
        refused(alice.inside("bots", "list", *options, status=None), 2, "revoked")
        listed = home.inside("auth", "list", "--json")
        assert [(row["subject"], row["revoked"]) for row in listed.json] == [
            ("alice", True),
            ("bob", False),
        ]
        assert made["text"].split("_", 2)[2] not in listed.out + (said := stop(process))
        assert "Stopping" in said
    assert not away.exists()


def test_at_a_public_server_everybody_reads(home: Home, tmp_path: Path) -> None:
    with serving(home, *CLOUD[1:], "--public") as (process, (address,)):
        anybody = Home(tmp_path / "away", {"MAZZO_SERVER": address})
        for command in (("bots", "list"), ("tournament", "list"), ("rankings",)):
            anybody.inside(*command, "--json")
        refused(anybody.inside("auth", "list", status=None), 2, "MAZZO_ACCESS_TOKEN")
        refused(anybody.inside("bots", "retire", "ann", status=None), 2, "MAZZO_ACCESS_TOKEN")
        stop(process)


def test_a_certificate_for_another_name(home: Home, certificates: Path) -> None:
    files = (
        "--tls-cert",
        certificates / "away-cert.pem",
        "--tls-key",
        certificates / "away-key.pem",
    )
    with serving(home, *CLOUD[1:], *map(str, files)) as (process, (address,)):
        client = Home(home.path, {"MAZZO_CA": str(certificates / "ca.pem")})
        result = client.inside("bots", "list", "--server", address, status=None)
        refused(result, 1, f"cannot trust {address}", "another name")
        stop(process)


def test_the_socket_is_for_its_owner_alone(home: Home) -> None:
    """Whoever can open it is the organiser, without a token."""
    with serving(home, "--isolation", "none") as (process, (address,)):
        mode = Path(address.removeprefix("unix:")).stat().st_mode
        assert stat.S_IMODE(mode) == 0o600
        assert home.inside("auth", "list", "--server", address, "--json").json == []
        stop(process)


def test_tokens_in_words(home: Home) -> None:
    """The text alone on standard output, for a script; a table that fits."""
    assert "mazzo auth create" in home.inside("auth", "list").out
    made = home("auth", "create", "author", "a" * 32, "--label", "è [red]x" * 12)
    assert made.out.startswith("mazzo_")
    assert len(made.out.split()) == 1
    assert made.out.strip() not in made.err
    table = home.inside("auth", "list").out
    assert max(map(len, table.splitlines())) <= 80
    assert "[red]" in table


@pytest.mark.parametrize(
    ("command", "parts"),
    [
        (("auth", "create", "king"), ("king",)),
        (("auth", "create", "bot", "ann"), ("bot",)),
        (("auth", "create", "author"), ("author's name", "got none")),
        (("auth", "create", "author", "Al\x1b[31mice"), ("lower-case",)),
        (("auth", "create", "organiser", "alice"), ("expected no name",)),
        (("auth", "create", "organiser", "--label", "a\nb"), ("printable",)),
        (("auth", "revoke", "nothing"), ("mazzo auth list",)),
        (("bots", "logs", "nobody"), ("mazzo bots list",)),
        (("bots", "list", "--server", "localhost:1", "--token-file", "gone"), ("gone",)),
        (("bots", "list", "--server", "localhost:1", "--token-file", "words"), ("one access",)),
        (("bots", "list", "--server", "localhost:1", "--token-file", "empty"), ("one access",)),
        (("bots", "list", "--server", "localhost:1", "--ca", "words"), ("PEM", "words")),
        (("bots", "list", "--server", "localhost:1", "--ca", "gone"), ("cannot read", "gone")),
        ((*CLOUD, "--tls-cert", "cert.pem"), ("together",)),
        ((*CLOUD, "--tls-cert", "gone", "--tls-key", "key.pem"), ("--tls-cert", "gone")),
        ((*CLOUD, "--tls-cert", "cert.pem", "--tls-key", "gone"), ("--tls-key", "gone")),
        ((*CLOUD, "--tls-cert", "cert.pem", "--tls-key", "away-key.pem"), ("another certificate",)),
        ((*CLOUD, "--tls-cert", "words", "--tls-key", "key.pem"), ("PEM",)),
        (("serve", "--listen", "0.0.0.0:0"), ("other machines", "--tls-cert")),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else None,
)
def test_what_cannot_be_used(
    home: Home,
    certificates: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
    parts: tuple[str, ...],
) -> None:
    """Status 2, what is wrong, and no secret in it."""
    (certificates / "words").write_text("two secret-words\n")
    (certificates / "empty").write_text("\n")
    monkeypatch.chdir(certificates)
    result = home.inside(*command, status=2)
    for part in parts:
        assert part in " ".join(result.err.split()), result
    assert "secret-words" not in result.err
