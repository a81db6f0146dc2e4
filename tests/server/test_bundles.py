"""Bundles: what a bot's author may submit, and what is refused without a trace."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import stat
import tarfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mazzo_server import bundles
from mazzo_server.bundles import Bundle, BundleStore, Manifest, pack, parse_manifest
from mazzo_server.errors import BundleError, NotFoundError

KNOWN = {"briscola": (2, 3, 4), "tressette": (2, 4)}
TOML = b"""name = "ace"
games = ["briscola", "tressette/4"]
command = ["python", "bot.py"]
author = "Ada"
licence = "Apache-2.0"
"""
FILES = {"bot.toml": TOML, "bot.py": b"print('hello')\n"}


def read(data: bytes) -> Manifest:
    return parse_manifest(data, known_games=KNOWN)


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def tarred(
    files: dict[str, bytes], *more: tarfile.TarInfo, mode: str = "w:gz", encoding: str = "utf-8"
) -> bytes:
    made = io.BytesIO()
    with tarfile.open(
        fileobj=made,
        mode=mode,
        encoding=encoding,
        format=tarfile.PAX_FORMAT if encoding == "utf-8" else tarfile.GNU_FORMAT,
    ) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for entry in more:
            archive.addfile(entry)
    return made.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type = kind
    entry.linkname = target
    return entry


def on_disk(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir()) if root.exists() else []


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def store(root: Path) -> BundleStore:
    return BundleStore(root, known_games=KNOWN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "bot"
    made.mkdir()
    for name, content in FILES.items():
        (made / name).write_bytes(content)
    return made


# bot.toml


def test_a_manifest_is_read_whole() -> None:
    """Every key arrives, with its default where it has one, and survives JSON."""
    manifest = read(TOML)
    assert manifest == Manifest(
        name="ace",
        games=("briscola", "tressette/4"),
        command=("python", "bot.py"),
        runtime="python",
        capacity=1,
        author="Ada",
        licence="Apache-2.0",
        description=None,
    )
    full = read(TOML + b'runtime = "node"\ncapacity = 64\ndescription = "plays high"\n')
    assert (full.runtime, full.capacity, full.description) == ("node", 64, "plays high")
    assert Manifest.from_json(full.to_json()) == full


def test_a_manifest_from_before_runtimes_is_of_python() -> None:
    """Versions that are stored already are started as they were."""
    stored = read(TOML).to_json()
    del stored["runtime"]
    assert Manifest.from_json(stored) == read(TOML)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (b"capacity = '64'", "line 6, key capacity: expected a whole number from 1 to 1024, got '"),
        (b"capacity = true", "line 6, key capacity: .* got True"),
        (b"capacity = 0", "line 6, key capacity: .* got 0"),
        (b"capacity = 1025", "line 6, key capacity: .* got 1025"),
        (b"description = 3", "line 6, key description: expected a text"),
        (b"capacity = " + b"9" * 5000, "?.*: expected TOML, got .*5000 digits"),
        (b"capacity = 0x" + b"f" * 60_000, "line 6, key capacity: .* got too large a number"),
        (b"capacity" + b".a" * 30_000 + b" = 1", "line 6: expected at most 200 full stops"),
        (b"runtime = 'ruby'", "line 6, key runtime: expected one of python, node, binary, got 'r"),
        (b"runtime = ['node']", "line 6, key runtime: .* got .'node'.$"),
        (b"memory = 3", "line 6, key memory: expected one of the keys name, games, command"),
        (b"'memory' = 3", "line 6, key memory"),
        (b"[table]", "line 6, key table"),
        (b"capacity = = 1", "line 6: expected TOML"),
        (b"description = '\xff'", "line 6: expected UTF-8 text, got the byte 0xff"),
    ],
)
def test_a_bad_line_is_named(line: bytes, complaint: str) -> None:
    """A refusal of bot.toml names the file, the line, the key, and what was expected."""
    with pytest.raises(BundleError, match=f"^bot.toml,? ?{complaint}"):
        read(TOML + line + b"\n")


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (b'"ace"', b'"Ace"', "line 1, key name"),
        (b'"ace"', b'"-ace"', "line 1, key name"),
        (b'"ace"', b'"ace\\n"', "line 1, key name"),
        (b'"ace"', b'"' + b"a" * 33 + b'"', "line 1, key name"),
        (b'"briscola"', b'"poker"', "line 2, key games: .* briscola, tressette, got 'poker'"),
        (b"tressette/4", b"tressette/3", "line 2, key games: .* tressette with players among 2, 4"),
        (b"tressette/4", b"briscola", "line 2, key games: expected each game once"),
        (b'["briscola", "tressette/4"]', b"[]", "line 2, key games: expected a list"),
        (b'["python", "bot.py"]', b'"python bot.py"', "line 3, key command: expected a list"),
        (b'["python", "bot.py"]', b'["python", ""]', "line 3, key command"),
        (b'"Ada"', b'""', "line 4, key author"),
        (b'"Ada"', b'"A\\u0007da"', "line 4, key author"),
        (b'"Ada"', b'"' + b"a" * 201 + b'"', "line 4, key author"),
        (b'"Apache-2.0"', b"2.0", "line 5, key licence"),
    ],
)
def test_a_bad_value_is_named(old: bytes, new: bytes, complaint: str) -> None:
    """Each key has its own law, and breaking it names the line."""
    with pytest.raises(BundleError, match=f"^bot.toml, {complaint}"):
        read(TOML.replace(old, new))


@pytest.mark.parametrize("key", ["name", "games", "command", "author", "licence"])
def test_a_missing_key_is_named(key: str) -> None:
    """What must be there and is not is named too."""
    lines = [line for line in TOML.splitlines(True) if not line.startswith(key.encode())]
    with pytest.raises(BundleError, match=rf"^bot.toml: expected the key {key}, "):
        read(b"".join(lines))


# pack


def test_packing_is_deterministic_and_leaves_the_workshop_out(
    folder: Path, store: BundleStore
) -> None:
    """The same files give the same bytes; the executable bit stays, caches do not travel."""
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o700)
    for name in ("__pycache__", ".git", ".venv"):
        (folder / name).mkdir()
        (folder / name / "junk").write_text("junk")
    first = pack(folder)
    os.utime(folder / "bot.py", (1, 1))
    assert pack(folder) == first
    path = store.add(first).path
    assert on_disk(path) == ["bot.py", "bot.toml", "run.sh"]
    modes = [stat.S_IMODE((path / name).stat().st_mode) for name in ("", "bot.py", "run.sh")]
    assert modes == [0o755, 0o644, 0o755]


def test_an_archive_is_packed_as_it_is(tmp_path: Path) -> None:
    """An archive that the author made travels unchanged, whatever its name."""
    file = tmp_path / "bot.anything"
    for archive in (zipped(FILES), tarred(FILES), tarred(FILES, mode="w")):
        file.write_bytes(archive)
        assert pack(file) == archive


def test_pack_says_what_is_wrong(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An author's slips are told before anything is sent."""
    with pytest.raises(BundleError, match="no such path"):
        pack(tmp_path / "nowhere")
    with pytest.raises(BundleError, match=r"with bot\.toml in it"):
        pack(tmp_path)
    with pytest.raises(BundleError, match=r"zip, tar or tar\.gz"):
        pack(folder / "bot.py")
    (folder / "link").symlink_to("bot.py")
    with pytest.raises(BundleError, match="symbolic link"):
        pack(folder)
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BundleError, match="plain files"):
        pack(folder)
    (folder / "pipe").unlink()
    monkeypatch.setattr(bundles, "MAX_UNPACKED_BYTES", 100)
    with pytest.raises(BundleError, match="when unpacked"):
        pack(folder)
    monkeypatch.setattr(bundles, "MAX_UNPACKED_BYTES", 10**6)
    monkeypatch.setattr(bundles, "MAX_ARCHIVE_BYTES", 20)
    with pytest.raises(BundleError, match="leave out"):
        pack(folder)


# BundleStore


@pytest.mark.parametrize(
    "archive",
    [
        zipped(FILES),
        tarred(FILES),
        tarred(FILES, mode="w"),
        zipped({f"ace/{name}": content for name, content in FILES.items()}),
        tarred({f"./{name}": content for name, content in FILES.items()}),
        tarred(FILES, special(".", tarfile.DIRTYPE), special("empty", tarfile.DIRTYPE)),
    ],
    ids=["zip", "tar.gz", "tar", "one folder", "dot", "empty folder"],
)
def test_the_same_files_are_the_same_bundle(
    archive: bytes, folder: Path, store: BundleStore, root: Path
) -> None:
    """The content hash depends on the files alone, and adding them again changes nothing."""
    bundle = store.add(archive)
    assert store.add(pack(folder)) == bundle == store.get(bundle.content_hash)
    assert on_disk(root) == [bundle.content_hash]


def test_the_content_hash_is_what_its_docstring_says(store: BundleStore) -> None:
    """Paths in the order of their bytes, each with its bit and digest, and nothing else."""
    files = FILES | {"Z": b"1", "é": b"2", "a/b": b"3", "a-b": b"4", "a/a": b"5", "ab": b"6"}
    expected = hashlib.sha256(b"mazzo-bundle/1\n")
    for name in ("Z", "a-b", "a/a", "a/b", "ab", "bot.py", "bot.toml", "é"):
        expected.update(name.encode() + b"\0-\0" + hashlib.sha256(files[name]).digest())
    assert store.add(zipped(files)).content_hash == expected.hexdigest()


def test_any_difference_is_another_bundle(folder: Path, store: BundleStore) -> None:
    """Content, names and the executable bit all count."""
    hashes = {store.add(pack(folder)).content_hash}
    (folder / "bot.py").chmod(0o755)
    hashes.add(store.add(pack(folder)).content_hash)
    (folder / "bot.py").rename(folder / "bot2.py")
    hashes.add(store.add(pack(folder)).content_hash)
    (folder / "bot2.py").write_text("other")
    hashes.add(store.add(pack(folder)).content_hash)
    assert len(hashes) == 4


def zip_link() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(name, content)
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def zip_twice() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("bot.toml", TOML)
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("bot.toml", TOML)
    return made.getvalue()


def zip_encrypted() -> bytes:
    archive = bytearray(zipped(FILES))
    archive[archive.index(b"PK\x01\x02") + 8] |= 1
    return bytes(archive)


def zip_lzma() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("bot.toml", TOML)
    return made.getvalue()


def zip_lying() -> bytes:
    """A file of 100 kB that says it has 10 bytes."""
    archive = bytearray(zipped(FILES | {"big": bytes(100_000)}))
    at = archive.rindex(b"PK\x01\x02")
    archive[at + 24 : at + 28] = (10).to_bytes(4, "little")
    return bytes(archive)


def tar_pax_path() -> bytes:
    entry = tarfile.TarInfo("plain")
    entry.pax_headers = {"path": "../climbed"}
    return tarred(FILES, entry)


def tar_sparse() -> bytes:
    entry = tarfile.TarInfo("sparse")
    entry.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.size": "99999999999",
                         "GNU.sparse.numblocks": "0", "GNU.sparse.map": "0,0"}  # fmt: skip
    return tarred(FILES, entry)


def bad(name: str) -> Callable[[], bytes]:
    return lambda: tarred(FILES | {name: b""})


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", r"zip, tar or tar\.gz"),
    "no archive": (lambda: b"#!/bin/sh\n" * 100, r"zip, tar or tar\.gz"),
    "gzip of no tar": (lambda: gzip.compress(b"hello"), "tar archive inside"),
    "cut zip": (lambda: zipped(FILES)[:-30], "whole, readable"),
    "cut tar.gz": (lambda: tarred(FILES)[:-30], "whole, readable"),
    "cut tar": (lambda: tarred(FILES, mode="w")[:1025], "whole, readable"),
    "damaged zip": (
        lambda: zipped(FILES).replace(b"PK\x03\x04", b"PK\x03\x05", 2)[:4].replace(b"\x05", b"\x04")
        + zipped(FILES)[4:40] + b"\0" * 8 + zipped(FILES)[48:],
        "whole, readable",
    ),
    "encrypted zip": (zip_encrypted, "encryption"),
    "lzma zip": (zip_lzma, "stored or deflated"),
    "lying zip": (zip_lying, "whole, readable|as long as"),
    "no bot.toml": (lambda: zipped({"bot.py": b""}), r"bot\.toml at the top"),
    "bot.toml too deep": (lambda: zipped({"a/b/bot.toml": TOML}), r"bot\.toml at the top"),
    "two folders": (lambda: zipped({"a/bot.toml": TOML, "b/x": b""}), r"bot\.toml at the top"),
    "bad bot.toml": (lambda: zipped({"bot.toml": b"name = 3"}), r"bot\.toml, line 1, key name"),
    "zip link": (zip_link, "symbolic link"),
    "symbolic link": (
        lambda: tarred(FILES, special("link", tarfile.SYMTYPE, "/etc/passwd")),
        "symbolic link",
    ),
    "hard link": (lambda: tarred(FILES, special("link", tarfile.LNKTYPE, "bot.py")), "hard link"),
    "fifo": (lambda: tarred(FILES, special("pipe", tarfile.FIFOTYPE)), "device or a pipe"),
    "device": (lambda: tarred(FILES, special("null", tarfile.CHRTYPE)), "device or a pipe"),
    "block device": (lambda: tarred(FILES, special("sda", tarfile.BLKTYPE)), "device or a pipe"),
    "sparse": (tar_sparse, "another kind"),
    "unknown kind": (lambda: tarred(FILES, special("odd", b"Z")), "another kind"),
    "absolute": (bad("/etc/passwd"), "relative to the bot's folder"),
    "absolute in zip": (lambda: zipped(FILES | {"/etc/passwd": b""}), "relative"),
    "climbing": (bad("a/../../x"), "stay in the bot's folder"),
    "climbing by pax": (tar_pax_path, "stay in the bot's folder"),
    "dot inside": (bad("a/./x"), "stay in the bot's folder"),
    "empty part": (bad("a//x"), "empty parts"),
    "backslash": (bad("a\\x"), "drive letters"),
    "drive": (bad("C:x"), "drive letters"),
    "control": (bad("a\nb"), "control characters"),
    "bidi": (bad("a\u202eb"), "control characters"),
    "zero byte in zip": (
        lambda: zipped(FILES | {"aXb": b""}).replace(b"aXb", b"a\0b"),
        "control characters",
    ),
    "latin-1": (lambda: tarred(FILES | {"é": b""}, encoding="latin-1"), "whole, readable"),
    "cp437 in zip": (
        lambda: zipped(FILES | {"aXb": b""}).replace(b"aXb", b"a\x82b"),
        "names in UTF-8",
    ),
    "not NFC": (bad("e\u0301"), "NFC"),
    "twice": (zip_twice, "each path once"),
    "twice by case": (bad("BOT.py"), "more than case"),
    "folder twice by case": (
        lambda: zipped(FILES | {"a/x": b"", "A/y": b""}),
        "more than case",
    ),
    "file and folder": (lambda: zipped(FILES | {"a/x": b"", "a": b""}), "as both"),
    "too deep": (bad("/".join("a" * 17)), "16 names deep"),
    "too long": (bad("a/" + "é" * 120), "240 bytes"),
    "too many": (lambda: tarred({str(n): b"" for n in range(2001)}), "at most 2,000 files"),
    "too many in zip": (lambda: zipped({str(n): b"" for n in range(2001)}), "at most 2,000 files"),
    "zip bomb": (lambda: zipped(FILES | {"bomb": bytes(65 * 2**20)}), "64 MiB in all"),
    "tar bomb": (lambda: tarred(FILES | {"bomb": bytes(65 * 2**20)}), "64 MiB in all"),
    "gzip bomb": (lambda: gzip.compress(bytes(100 * 2**20), 1), "64 MiB in all"),
    "too large": (lambda: bytes(32 * 2**20 + 1), "at most 32 MiB"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_and_nothing_is_left(case: str, store: BundleStore, tmp_path: Path) -> None:
    """Each hostile or broken archive is refused in words, and the disk is as before."""
    make, complaint = REFUSED[case]
    with pytest.raises(BundleError, match=complaint):
        store.add(make())
    assert [path for path in tmp_path.rglob("*") if path.name != "store"] == []


def test_a_pax_header_cannot_eat_the_memory(store: BundleStore) -> None:
    """A header that declares 8 GB of itself is read no further than the archive goes."""
    header = special("x", tarfile.XHDTYPE)
    header.size = 8 * 2**30 - 1
    with pytest.raises(BundleError):
        store.add(header.tobuf(tarfile.GNU_FORMAT) + bytes(2048))


def test_limits_themselves_are_allowed(store: BundleStore) -> None:
    """Just as much as the limits say is fine."""
    names = {"/".join("a" * 16): b"", "a/" + "é" * 119: b""}
    fill = {f"f{n}": b"" for n in range(bundles.MAX_ENTRIES - len(FILES) - len(names))}
    assert store.add(tarred(FILES | names | fill)).manifest.name == "ace"


def test_adding_at_once_ends_in_one_bundle(store: BundleStore, root: Path) -> None:
    """Whoever loses the race for the same content finds it there."""
    found: list[Bundle] = []
    threads = [
        threading.Thread(target=lambda: found.append(store.add(zipped(FILES)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert {bundle.content_hash for bundle in found} == set(on_disk(root))


@pytest.mark.parametrize("name", ["0" * 64, "", "..", "../store", "A" * 64, "0" * 64 + "\n"])
def test_an_unknown_hash_is_not_found(name: str, store: BundleStore) -> None:
    """`get` finds bundles only, and cannot be led out of the store."""
    store.add(zipped(FILES))
    with pytest.raises(NotFoundError):
        store.get(name)
