"""Bundles: what a bot's author may submit, and what becomes of it."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import pytest

from mazzo_server.bots import bundles
from mazzo_server.bots.bundles import Bundle, BundleStore, limits
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.errors import BundleError, NotFoundError
from mazzo_server.model.manifest import Manifest, parse_manifest
from support.archives import FILES, KNOWN, TOML, on_disk, tarred, zipped


def read(data: bytes) -> Manifest:
    return parse_manifest(data, known_games=KNOWN)


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


def test_the_door() -> None:
    """The package's names are what its users may rely on."""
    assert bundles.__all__ == ["MAX_BUNDLE", "Bundle", "BundleStore", "check_needs", "pack"]
    assert all(hasattr(bundles, name) for name in bundles.__all__)


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
    full = read(
        TOML + b'runtime = "node"\ncapacity = 64\ndescription = "plays high"\nmemory_mib = 256\n'
        b"processes = 16\ndisk_mib = 1\n"
    )
    assert (full.runtime, full.capacity, full.description) == ("node", 64, "plays high")
    assert full.needs == {"memory_mib": 256, "processes": 16, "disk_mib": 1}
    assert manifest.needs == {}
    assert Manifest.from_json(full.to_json()) == full


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
        (b"capacity" + b".a" * 21 + b" = 1", "line 6: expected at most 20 full stops"),
        (b"runtime = 'ruby'", "line 6, key runtime: expected one of python, node, binary, got 'r"),
        (b"runtime = ['node']", "line 6, key runtime: .* got .'node'.$"),
        (b"memory_mib = 127", "line 6, key memory_mib: expected a whole .* from 128 to .* got 127"),
        (b"processes = 64.0", "line 6, key processes: expected a whole number .* got 64.0"),
        (b"disk_mib = true", "line 6, key disk_mib: expected a whole number .* got True"),
        (b"memory = 3", "line 6, key memory: .*; is it memory_mib.$"),
        (b"colour = 3", "line 6, key colour: expected one of the keys name, games, command"),
        (b"'colour' = 3", "line 6, key colour: .*; remove it$"),
        (b"license = 'MIT'", "line 6, key license: .*; is it licence.$"),
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


def test_a_packed_folder_says_nothing_but_names_contents_and_what_may_be_run(folder: Path) -> None:
    """In the order of all names; neither of whom it is, nor when or where it was packed."""
    names = ["a-b", "a/a", "a/b", "ab", "bot.py", "bot.toml", "run.sh", "é"]
    (folder / "a").mkdir()
    for name in names:
        if name not in FILES:
            (folder / name).write_text(name)
    (folder / "run.sh").chmod(0o700)
    with zipfile.ZipFile(io.BytesIO(pack(folder))) as packed:
        assert [entry.filename for entry in packed.infolist()] == names
        assert packed.read("a/b") == b"a/b"
        for entry in packed.infolist():
            mode = 0o100755 if entry.filename == "run.sh" else 0o100644
            assert (entry.date_time, entry.external_attr) == ((1980, 1, 1, 0, 0, 0), mode << 16)
            assert (entry.extra, entry.comment, entry.create_system) == (b"", b"", 3)
        assert packed.comment == b""


def test_a_zip_is_packed_as_it_is(tmp_path: Path) -> None:
    """A zip that the author made travels unchanged, whatever its name."""
    file = tmp_path / "bot.anything"
    file.write_bytes(zipped(FILES))
    assert pack(file) == zipped(FILES)


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
def test_other_archives_are_refused(tmp_path: Path, mode: str) -> None:
    """Their author reads what to do instead, before anything is sent."""
    file = tmp_path / "bot.tar"
    file.write_bytes(tarred(FILES, mode=mode))
    with pytest.raises(BundleError, match=r"bot\.tar, which is neither; make a zip"):
        pack(file)


def test_pack_says_what_is_wrong(folder: Path, tmp_path: Path) -> None:
    """An author's slips are told before anything is sent."""
    with pytest.raises(BundleError, match="no such path"):
        pack(tmp_path / "nowhere")
    with pytest.raises(BundleError, match=r"with bot\.toml in it"):
        pack(tmp_path)
    with pytest.raises(BundleError, match="which is neither; make a zip or give the folder"):
        pack(folder / "bot.py")
    (folder / "link").symlink_to("bot.py")
    with pytest.raises(BundleError, match="symbolic link"):
        pack(folder)
    (folder / "link").unlink()
    os.mkfifo(folder / "pipe")
    with pytest.raises(BundleError, match="plain files"):
        pack(folder)
    (folder / "pipe").unlink()
    with pytest.raises(BundleError, match="when unpacked"):
        pack(folder, most_unpacked=100)
    with pytest.raises(BundleError, match=r"archive of .* leave out"):
        pack(folder, most_packed=20)


# BundleStore


def with_comments(archive: bytes) -> bytes:
    """The same archive with everything in it that does not count."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as plain, zipfile.ZipFile(made, "w") as packed:
        for entry in plain.infolist():
            content = plain.read(entry)
            entry.date_time = (2024, 2, 29, 12, 30, 58)
            entry.comment, entry.extra = b"mine", b"\x55\x54\x05\x00\x01abcd"
            entry.external_attr = 0o100600 << 16
            packed.writestr(entry, content)
        packed.comment = b"what a bot"
    return made.getvalue()


@pytest.mark.parametrize(
    "archive",
    [
        zipped(FILES),
        zipped(FILES, level=0),
        zipped(dict(reversed(FILES.items()))),
        zipped({f"ace/{name}": content for name, content in FILES.items()}),
        zipped({"./": b""} | {f"./{name}": content for name, content in FILES.items()}),
        zipped(FILES | {"empty/": b""}),
        with_comments(zipped(FILES)),
    ],
    ids=["zip", "stored", "order", "one folder", "dot", "empty folder", "comments"],
)
def test_the_same_files_are_the_same_bundle(
    archive: bytes, folder: Path, store: BundleStore, root: Path
) -> None:
    """The content hash depends on the files alone, and adding them again changes nothing."""
    bundle = store.add(archive)
    assert store.add(pack(folder)) == bundle == store.get(bundle.content_hash, bundle.manifest)
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


def test_limits_themselves_are_allowed(store: BundleStore) -> None:
    """Just as much as the limits say is fine."""
    names = {"/".join("a" * 16): b"", "a/" + "é" * 119: b""}
    fill = {f"f{n}": b"" for n in range(limits.MAX_ENTRIES - len(FILES) - len(names))}
    assert store.add(zipped(FILES | names | fill)).manifest.name == "ace"


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


KILLED = """
import os, signal, sys
from pathlib import Path
from mazzo_server.bots.bundles import BundleStore
def die(_):
    os.kill(os.getpid(), signal.SIGKILL)
BundleStore(Path(sys.argv[2]), known_games={"briscola": (2, 3, 4), "tressette": (2, 4)}).add(
    Path(sys.argv[1]).read_bytes(), check=die
)
"""


def test_what_a_killed_submission_left_is_removed_by_the_next(
    store: BundleStore, root: Path, tmp_path: Path
) -> None:
    """However long another one takes, what that one has unpacked stays."""
    archive = tmp_path / "bot.zip"
    archive.write_bytes(zipped(FILES))
    subprocess.run([sys.executable, "-c", KILLED, archive, root], timeout=60, check=False)
    (left,) = root.iterdir()
    store.add(zipped(FILES))
    assert left.is_dir()  # it could be of one that is about to lock it

    def meanwhile(_: Manifest) -> None:
        for folder in root.glob(".adding-*"):
            os.utime(folder, (0, 0))
        store.add(zipped(FILES | {"more": b""}))

    kept = store.add(zipped(FILES), check=meanwhile)
    assert not left.exists()
    assert len(on_disk(root)) == 2
    assert kept.path.is_dir()


def test_two_archives_are_unpacked_at_a_time(store: BundleStore) -> None:
    """The others wait: each takes much memory."""
    inside, most, lock = 0, 0, threading.Lock()
    third = threading.Event()

    def check(_: Manifest) -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            if inside > 2:
                third.set()
        third.wait(0.2)
        with lock:
            inside -= 1

    adding = (lambda: store.add(zipped(FILES), check=check),) * 6
    threads = [threading.Thread(target=add) for add in adding]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, inside) == (2, 0)


@pytest.mark.parametrize("name", ["0" * 64, "", "..", "../store", "A" * 64, "0" * 64 + "\n"])
def test_an_unknown_hash_is_not_found(name: str, store: BundleStore) -> None:
    """`get` finds bundles only, and cannot be led out of the store."""
    store.add(zipped(FILES))
    with pytest.raises(NotFoundError):
        store.get(name, read(TOML))
