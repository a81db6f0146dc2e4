"""Archives that are hostile or broken: each is refused in words, and nothing of it is left."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import struct
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError, FullDiskError, StoreError
from mazzo_server.model import BotLimits
from support.archives import FILES, KNOWN, TOML, on_disk, tarred, zipped
from support.timings import measure_median

LIMITS = BotLimits(bundle_mib=32, unpacked_mib=64)
NOISE = b"".join(os.urandom(100) + bytes(900) for _ in range(23_000))
LARGE = FILES | {"a": NOISE, "b": NOISE, "c": NOISE}  # which packs to an eighth


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def store(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "store", known_games=KNOWN, limits=LIMITS)


def zip_twice(name: str, content: bytes) -> bytes:
    made = io.BytesIO(zipped(FILES | {name: content}))
    with zipfile.ZipFile(made, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr(name, content)
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


def zip_named(name: bytes) -> bytes:
    """A zip with these bytes as a name that is said to be UTF-8."""
    placeholder = "é".ljust(len(name) - 1, "x").encode()
    return zipped(FILES | {placeholder.decode(): b""}).replace(placeholder, name)


def zip_renamed_inside() -> bytes:
    """A zip whose directory has another name for a file than stands in front of the file."""
    archive = zipped(FILES | {"harmless": b""})
    at = archive.rindex(b"harmless")
    return archive[:at] + b"unharmed" + archive[at + 8 :]


def zip_in_64_bits(
    *,
    size: int | None = None,
    packed: int | None = None,
    offset: int | None = None,
    directory: int | None = None,
) -> bytes:
    """A zip with all its numbers in fields of 64 bits, some of its last file's as given."""
    files = central = b""
    for name, content in FILES.items():
        common = struct.pack("<HHHHHI", 45, 0, 0, 0, 33, zlib.crc32(content))
        length = len(content)
        numbers = [length, length, len(files)]
        if name == [*FILES][-1]:
            given = zip(numbers, (size, packed, offset), strict=True)
            numbers = [number if other is None else other for number, other in given]
        files += b"PK\x03\x04" + common + struct.pack("<IIHH", length, length, len(name), 0)
        files += name.encode() + content
        see_extra = 2**32 - 1
        central += b"PK\x01\x02" + struct.pack("<H", 45) + common
        central += struct.pack("<IIHH", see_extra, see_extra, len(name), 28)
        central += struct.pack("<HHHII", 0, 0, 0, 0, see_extra)
        central += name.encode() + struct.pack("<HHQQQ", 1, 24, *numbers)
    place = len(files) if directory is None else directory
    end_64 = struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 2, 2, len(central), place)
    locator = struct.pack("<IQI", 0, len(files) + len(central), 1)
    last = struct.pack("<HHHHIIH", 0, 0, 2**16 - 1, 2**16 - 1, 2**32 - 1, 2**32 - 1, 0)
    ends = b"PK\x06\x06" + end_64 + b"PK\x06\x07" + locator + b"PK\x05\x06" + last
    return files + central + ends


def zip_mode(mode: int, name: str = "odd") -> Callable[[], bytes]:
    def make() -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for file in FILES.items():
                archive.writestr(*file)
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, "" if name.endswith("/") else "/etc/passwd")
        return made.getvalue()

    return make


def zip_sized(size: int, content: bytes, crc: bytes) -> bytes:
    """A zip whose last file is said to have `size` bytes, with the checksum for that."""
    archive = bytearray(zipped(FILES | {"big": content}))
    at = archive.rindex(b"PK\x01\x02")
    archive[at + 16 : at + 20] = zlib.crc32(crc).to_bytes(4, "little")
    archive[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(archive)


def zip_of_many(number: int, kind: bytes = b"f") -> bytes:
    """That many empty files, or folders with "/"; zipfile would take seconds to write them."""
    common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 6, 0)
    names = [b"%05d" % name + kind for name in range(number)]
    files = b"".join(b"PK\x03\x04" + common + name for name in names)
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10)
    central = b"".join(
        entry + struct.pack("<I", place * 36) + name for place, name in enumerate(names)
    )
    # The number of entries has 16 bits; zipfile does not look at it.
    end = struct.pack("<HHHHIIH", 0, 0, 0, 0, len(central), len(files), 0)
    return files + central + b"PK\x05\x06" + end


def zip_overlapping(files: int, kernel: bytes) -> bytes:
    """D. Fifield, "A better zip bomb" (2019): each file quotes the next one's header.

    So all files end in one kernel, which is packed once.
    """
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed, content = packer.compress(kernel) + packer.flush(), kernel
    directory: list[bytes] = []
    offset_from_end = []
    for number in reversed(range(files)):
        name = b"%06d" % number
        common = struct.pack(
            "<HHHHHIIIHH", 20, 0, 8, 0, 33, zlib.crc32(content), len(packed), len(content),
            len(name), 0,
        )  # fmt: skip
        header = b"PK\x03\x04" + common + name
        directory.append(b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10))
        offset_from_end.append((len(header) + len(packed), name))
        if number:
            quote = b"\0" + struct.pack("<HH", len(header), len(header) ^ 0xFFFF) + header
            packed, content = quote + packed, header + content
        else:
            packed = header + packed
    central = b"".join(
        entry + struct.pack("<I", len(packed) - from_end) + name
        for entry, (from_end, name) in zip(directory, offset_from_end, strict=True)
    )
    end = struct.pack("<HHHHIIH", 0, 0, files, files, len(central), len(packed), 0)
    return packed + central + b"PK\x05\x06" + end


def bad(name: str) -> Callable[[], bytes]:
    return lambda: zipped(FILES | {name: b""})


NO_ZIP = "expected a zip archive, got another file: pack the bot's folder as a zip"
REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", NO_ZIP),
    "no archive": (lambda: b"#!/bin/sh\n" * 100, NO_ZIP),
    "tar": (lambda: tarred(FILES, mode="w"), NO_ZIP),
    "tar.gz": (lambda: tarred(FILES), NO_ZIP),
    "cut zip": (lambda: zipped(FILES)[:-30], "whole, readable"),
    "half a zip": (lambda: zipped(FILES)[:150], "whole, readable"),
    "damaged zip": (
        lambda: zipped(FILES).replace(b"PK\x03\x04", b"PK\x03\x05", 2)[:4].replace(b"\x05", b"\x04")
        + zipped(FILES)[4:40] + b"\0" * 8 + zipped(FILES)[48:],
        "whole, readable",
    ),
    "damaged content": (
        lambda: zipped(FILES, level=0).replace(b"'hello'", b"'jello'"), "Bad CRC-32"
    ),
    "encrypted zip": (zip_encrypted, "encryption"),
    "lzma zip": (zip_lzma, "stored or deflated"),
    "zip that says less": (lambda: zip_sized(10, bytes(100_000), bytes(100_000)), "Bad CRC"),
    "zip that says more": (lambda: zip_sized(99, b"small", b"small"), "'big' is not as long"),
    "zip of 4 GiB": (lambda: zip_sized(2**32 - 2, b"small", b"small"), "'big' is not as long"),
    "garbage after a zip": (lambda: zipped(FILES) + b"garbage", "something follows its end"),
    "zeros after a zip": (lambda: zipped(FILES) + bytes(1024), "something follows its end"),
    "a zip after a zip": (
        lambda: zipped({"other": b""}) + zipped(FILES), "something stands before its first file"
    ),
    "zip of 8 EiB": (lambda: zip_in_64_bits(size=2**63), "'bot.py' is not as long as it says"),
    "zip packed to 8 EiB": (lambda: zip_in_64_bits(packed=2**63), "its files overlap"),
    "zip with a file at 8 EiB": (lambda: zip_in_64_bits(offset=2**63), "whole, readable"),
    "zip with its directory at 8 EiB": (lambda: zip_in_64_bits(directory=2**63), "whole, readable"),
    "zip of nothing": (lambda: zipped({}), r"bot\.toml at the top .* got nothing"),
    "zip of an empty folder": (lambda: zipped({"./": b""}), r"bot\.toml at the top .* got nothing"),
    "no bot.toml": (lambda: zipped({"bot.py": b""}), r"bot\.toml at the top"),
    "bot.toml too deep": (lambda: zipped({"a/b/bot.toml": TOML}), r"bot\.toml at the top"),
    "two folders": (lambda: zipped({"a/bot.toml": TOML, "b/x": b""}), r"bot\.toml at the top"),
    "bot.toml of 0 bytes": (lambda: zipped({"bot.toml": b""}), r"^bot\.toml: .* the key name"),
    "bot.toml of 7 MB": (
        lambda: zipped({"bot.toml": TOML + b"#" * 7_000_000}), r"^bot\.toml: .* at most 65,536 by"
    ),
    "bot.toml as a folder": (lambda: zipped({"bot.toml/x": b""}), r"bot\.toml at the top"),
    "bad bot.toml": (lambda: zipped({"bot.toml": b"name = 3"}), r"bot\.toml, line 1, key name"),
    "link": (zip_mode(stat.S_IFLNK | 0o777), "'odd' as a symbolic link"),
    "device": (zip_mode(stat.S_IFCHR | 0o666), "'odd' as an entry of another kind"),
    "block device": (zip_mode(stat.S_IFBLK | 0o666), "'odd' as an entry of another kind"),
    "fifo": (zip_mode(stat.S_IFIFO | 0o666), "'odd' as an entry of another kind"),
    "socket": (zip_mode(stat.S_IFSOCK | 0o666), "'odd' as an entry of another kind"),
    "unknown kind": (zip_mode(0o170000), "'odd' as an entry of another kind"),
    "file that is a folder": (zip_mode(stat.S_IFDIR | 0o777), "'odd' as an entry of another kind"),
    "folder that is a link": (zip_mode(stat.S_IFLNK | 0o777, "odd/"), "'odd/' as a symbolic link"),
    "folder that is a file": (zip_mode(stat.S_IFREG, "odd/"), "'odd/' as an entry of another kind"),
    "folder with content": (
        lambda: zipped(FILES | {"folder/": b"content"}), "the folder 'folder/' has content"
    ),
    "absolute": (bad("/etc/passwd"), "relative to the bot's folder"),
    "climbing": (bad("a/../../x"), "stay in the bot's folder"),
    "climbing at once": (bad("../x"), "stay in the bot's folder"),
    "climbing behind a dot": (bad("./../x"), "stay in the bot's folder"),
    "folder that climbs": (bad("../"), "stay in the bot's folder"),
    "dot": (bad("."), "stay in the bot's folder"),
    "dot inside": (bad("a/./x"), "stay in the bot's folder"),
    "empty part": (bad("a//x"), "empty parts"),
    "backslash": (bad("a\\x"), "drive letters"),
    "drive": (bad("C:x"), "drive letters"),
    "control": (bad("a\nb"), "control characters"),
    "bidi": (bad("a\u202eb"), "control characters"),
    "zero byte": (
        lambda: zipped(FILES | {"aXb": b""}).replace(b"aXb", b"a\0b"),
        "control characters",
    ),
    "other name inside": (zip_renamed_inside, "whole, readable"),
    "latin-1": (lambda: zip_named(b"\xe9xx"), "names in UTF-8"),
    "overlong UTF-8": (lambda: zip_named(b"\xc0\xae\xc0\xae/x"), "names in UTF-8"),
    "surrogate in UTF-8": (lambda: zip_named(b"a\xed\xa0\x80"), "names in UTF-8"),
    "UTF-16": (lambda: zip_named("aé".encode("utf-16")), "names in UTF-8"),
    "cp437": (
        lambda: zipped(FILES | {"aXb": b""}).replace(b"aXb", b"a\x82b"),
        "names in UTF-8",
    ),
    "name of 60 kB": (lambda: zipped(FILES | {"x" * 60_000: b""}), "240 bytes"),
    "not NFC": (bad("e\u0301"), "NFC"),
    "bot.toml twice": (lambda: zip_twice("bot.toml", TOML), "each path once"),
    "twice": (lambda: zip_twice("a/x", b""), "each path once"),
    "folder twice": (lambda: zip_twice("a/", b""), "each path once"),
    "twice by a dot": (bad("./bot.py"), "each path once"),
    "twice by case": (bad("BOT.py"), "more than case"),
    "folder twice by case": (
        lambda: zipped(FILES | {"a/x": b"", "A/y": b""}),
        "more than case",
    ),
    "twice by case of more than a letter": (
        lambda: zipped(FILES | {"straße": b"", "STRASSE": b""}), "more than case"
    ),
    "file and folder": (lambda: zipped(FILES | {"a/x": b"", "a": b""}), "as both"),
    "too deep": (bad("/".join("a" * 17)), "16 names deep"),
    "too long": (bad("a/" + "é" * 120), "240 bytes"),
    "too many": (lambda: zipped({str(n): b"" for n in range(2001)}), "at most 2,000 files"),
    "2,001 files": (lambda: zip_of_many(2001), "at most 2,000 files"),
    "100,000 files": (lambda: zip_of_many(100_000), "at most 2,000 files"),
    "100,000 folders": (lambda: zip_of_many(100_000, b"/"), "at most 2,000 files"),
    "bomb of many files": (
        lambda: zipped({str(n): os.urandom(8) + bytes(2**20) for n in range(65)}), "200 times"
    ),
    "large zip": (lambda: zipped(LARGE, level=1), "64 MiB in all"),
    "zip bomb": (lambda: zipped(FILES | {"bomb": bytes(65 * 2**20)}), "200 times"),
    "large zip bomb": (
        lambda: zipped(FILES | {"noise": os.urandom(2**20), "bomb": bytes(500 * 2**20)}, level=1),
        "64 MiB in all",
    ),
    "overlapping zip": (lambda: zip_overlapping(250, bytes(2**20)), "its files overlap"),
    "too large": (lambda: bytes(32 * 2**20 + 1), "at most 32 MiB"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_and_nothing_is_left(case: str, store: BundleStore, tmp_path: Path) -> None:
    """Each hostile or broken archive is refused in words, and the disk is as before."""
    make, complaint = REFUSED[case]
    with pytest.raises(BundleError, match=complaint) as refused:
        store.add(make())
    assert len(str(refused.value)) < 2000
    assert [path for path in tmp_path.rglob("*") if path.name != "store"] == []


BOMBS = (
    "100,000 files", "100,000 folders", "bomb of many files", "large zip", "large zip bomb",
    "overlapping zip", "zip bomb",
)  # fmt: skip


@pytest.mark.prove
@pytest.mark.timing
@pytest.mark.parametrize("case", BOMBS)
def test_refusing_a_bomb_is_cheap(case: str, tmp_path: Path) -> None:
    """Less than a second of processor time and 200 MiB of memory, in a process of its own."""
    archive = tmp_path / "archive"
    archive.write_bytes(REFUSED[case][0]())

    def refuse_it() -> float:
        seconds, mebibytes = json.loads(
            subprocess.run(
                [sys.executable, "-c", MEASURE, archive, tmp_path / "store"],
                env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
                check=True,
                capture_output=True,
            ).stdout
        )
        print(f"{case}: {seconds:.2f} s, {mebibytes:.0f} MiB more")
        assert mebibytes < 200
        return float(seconds)

    assert measure_median(refuse_it) < 1


MEASURE = """
import json, re, sys, time
from pathlib import Path
from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024

archive, store = Path(sys.argv[1]).read_bytes(), BundleStore(Path(sys.argv[2]), known_games={})
memory, time_used = peak(), time.process_time()
try:
    store.add(archive)
except BundleError:
    print(json.dumps([time.process_time() - time_used, peak() - memory]))
"""


def test_a_zip_in_64_bits_is_read_as_any_other(store: BundleStore) -> None:
    """Numbers that are larger than they need to be are no trick."""
    assert store.add(zip_in_64_bits()) == store.add(zipped(FILES))


def test_an_archive_in_a_bundle_stays_packed(store: BundleStore) -> None:
    """A bomb in a bomb: what is no wheel is never unpacked, so it is a file like any other."""
    bomb = zipped({"bomb": bytes(9 * 2**20)})
    kept = store.add(zipped(FILES | {"data/bomb.zip": bomb})).path
    assert (kept / "data" / "bomb.zip").read_bytes() == bomb


class _Full:
    """Stands for `os.fsync` or a file on a disk that has no room for the nth file."""

    def __init__(self, calls: int) -> None:
        self.calls = calls

    def __call__(self, *_: object) -> None:
        self.calls -= 1
        if self.calls < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("calls", range(3))
def test_a_full_disk_is_told_and_nothing_is_left(
    calls: int, store: BundleStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When bytes are brought to disk is when a file system says that it is full."""
    monkeypatch.setattr(os, "fsync", _Full(calls))
    with pytest.raises(StoreError, match="disk is full, and nothing of the bot was kept"):
        store.add(zipped(FILES))
    # After the last file all is in its place; that alone may stay.
    assert len(list((tmp_path / "store").iterdir())) == (calls == len(FILES))
    monkeypatch.undo()
    kept = store.add(zipped(FILES))
    assert store.get(kept.content_hash, kept.manifest) == kept


def test_a_disk_that_fills_up_while_unpacking(
    store: BundleStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that cannot be written whole ends it too; the kernel says so here."""
    real = Path.open

    def full(path: Path, mode: str = "r", *rest: object, **named: object) -> object:
        if path.name == "bot.py":
            return real(Path("/dev/full"), "wb", buffering=0)
        return real(path, mode)

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(FullDiskError, match="disk is full"):
        store.add(zipped(FILES))
    assert on_disk(tmp_path / "store") == []
