"""Archives that are hostile or broken: each is refused in words, and nothing of it is left."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import stat
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError, StoreError
from support.archives import FILES, KNOWN, TOML, on_disk, pax, special, tarred, zipped

NOISE = b"".join(os.urandom(100) + bytes(900) for _ in range(23_000))
LARGE = FILES | {"a": NOISE, "b": NOISE, "c": NOISE}  # which packs to an eighth


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def store(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "store", known_games=KNOWN)


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


def tar_pax_path() -> bytes:
    entry = tarfile.TarInfo("plain")
    entry.pax_headers = {"path": "../climbed"}
    return tarred(FILES, entry)


def tar_sparse() -> bytes:
    entry = tarfile.TarInfo("sparse")
    entry.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.size": "99999999999",
                         "GNU.sparse.numblocks": "0", "GNU.sparse.map": "0,0"}  # fmt: skip
    return tarred(FILES, entry)


def tar_sparse_map() -> bytes:
    """A map of 30 million parts, in the content: `tarfile` would read them all."""
    entry = tarfile.TarInfo("sparse")
    entry.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0",
                         "GNU.sparse.name": "sparse", "GNU.sparse.realsize": "0"}  # fmt: skip
    entry.size = 60_000_000
    return gzip.compress(raw_tar(entry, b"30000000\n" + b"0\n" * 29_999_990), 1)


def raw_tar(entry: tarfile.TarInfo, content: bytes = b"", *, files: bool = True) -> bytes:
    """A tar archive with this entry last, whatever nonsense it is."""
    before = tarred(FILES, mode="w") if files else b""
    length = sum(512 + 512 * -(-len(file) // 512) for file in FILES.values()) if files else 0
    header = entry.tobuf(tarfile.PAX_FORMAT if entry.pax_headers else tarfile.GNU_FORMAT)
    return before[:length] + header + content + bytes(-len(content) % 512 + 1024)


def tar_huge(size: int) -> Callable[[], bytes]:
    entry = tarfile.TarInfo("huge")
    entry.size = size
    return lambda: raw_tar(entry, b"small")


def tar_headers(*headers: tuple[bytes, bytes], declared: int | None = None) -> bytes:
    """Headers in front of an entry, of these kinds and with this content."""
    front = b""
    for kind, content in headers:
        entry = special("header", kind)
        entry.size = len(content) if declared is None else declared
        front += entry.tobuf(tarfile.GNU_FORMAT) + content + bytes(-len(content) % 512)
    return front + tarred(FILES, mode="w")


def spoilt_name(name: bytes) -> bytes:
    """A tar archive with these bytes as a name, and the right checksum."""
    archive = bytearray(raw_tar(tarfile.TarInfo("x" * len(name))))
    at = archive.index(b"x" * len(name))
    archive[at : at + len(name)] = name
    archive[at + 148 : at + 156] = b" " * 8
    archive[at + 148 : at + 156] = b"%06o\0 " % sum(archive[at : at + 512])
    return bytes(archive)


def zip_mode(mode: int) -> Callable[[], bytes]:
    def make() -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            for name, content in FILES.items():
                archive.writestr(name, content)
            entry = zipfile.ZipInfo("odd")
            entry.external_attr = mode << 16
            archive.writestr(entry, "/etc/passwd")
        return made.getvalue()

    return make


def zip_sized(size: int, content: bytes, crc: bytes) -> bytes:
    """A zip whose last file is said to have `size` bytes, with the checksum for that."""
    archive = bytearray(zipped(FILES | {"big": content}))
    at = archive.rindex(b"PK\x01\x02")
    archive[at + 16 : at + 20] = zlib.crc32(crc).to_bytes(4, "little")
    archive[at + 24 : at + 28] = size.to_bytes(4, "little")
    return bytes(archive)


def zip_of_many(number: int) -> bytes:
    """That many empty files; zipfile would take seconds to write them."""
    common = struct.pack("<HHHHHIIIHH", 20, 0, 0, 0, 33, 0, 0, 0, 6, 0)
    names = [b"%06d" % name for name in range(number)]
    files = b"".join(b"PK\x03\x04" + common + name for name in names)
    entry = b"PK\x01\x02" + struct.pack("<H", 20) + common + bytes(10)
    central = b"".join(
        entry + struct.pack("<I", place * 36) + name for place, name in enumerate(names)
    )
    # The number of entries has 16 bits; zipfile does not look at it.
    end = struct.pack("<HHHHIIH", 0, 0, 0, 0, len(central), len(files), 0)
    return files + central + b"PK\x05\x06" + end


def tar_of_many(number: int) -> bytes:
    """That many empty folders, each with the right checksum."""
    first = special("000000", tarfile.DIRTYPE).tobuf(tarfile.GNU_FORMAT)
    nought = int(first[148:154], 8) - sum(b"000000")
    blocks = (
        b"%06d" % name + first[6:148] + b"%06o" % (nought + sum(b"%06d" % name)) + first[154:]
        for name in range(number)
    )
    return gzip.compress(b"".join(blocks) + bytes(1024), 1)


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
    return lambda: tarred(FILES | {name: b""})


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "nothing": (lambda: b"", r"zip, tar or tar\.gz"),
    "no archive": (lambda: b"#!/bin/sh\n" * 100, r"zip, tar or tar\.gz"),
    "gzip of no tar": (lambda: gzip.compress(b"hello"), "tar archive inside"),
    "cut zip": (lambda: zipped(FILES)[:-30], "whole, readable"),
    "cut tar.gz": (lambda: tarred(FILES)[:-30], "whole, readable"),
    "tar.gz without its checksum": (lambda: tarred(FILES)[:-8], "it ends early"),
    "damaged header": (
        lambda: tarred(FILES, mode="w").replace(b"0000644", b"0000755"), "early or is damaged"
    ),
    "cut tar": (lambda: tarred(FILES, mode="w")[:1025], "whole, readable"),
    "damaged zip": (
        lambda: zipped(FILES).replace(b"PK\x03\x04", b"PK\x03\x05", 2)[:4].replace(b"\x05", b"\x04")
        + zipped(FILES)[4:40] + b"\0" * 8 + zipped(FILES)[48:],
        "whole, readable",
    ),
    "encrypted zip": (zip_encrypted, "encryption"),
    "lzma zip": (zip_lzma, "stored or deflated"),
    "zip that says less": (lambda: zip_sized(10, bytes(100_000), bytes(100_000)), "Bad CRC"),
    "zip that says more": (lambda: zip_sized(99, b"small", b"small"), "'big' is not as long"),
    "zip of 4 GiB": (lambda: zip_sized(2**32 - 2, b"small", b"small"), "'big' is not as long"),
    "garbage after a zip": (lambda: zipped(FILES) + b"garbage", "something follows its end"),
    "garbage after a tar": (lambda: tarred(FILES, mode="w") + b"garbage", "something follows"),
    "garbage after a tar.gz": (lambda: tarred(FILES) + b"garbage", "something follows its end"),
    "garbage in a tar.gz": (
        lambda: gzip.compress(tarred(FILES, mode="w") + tarred(FILES, mode="w")),
        "something follows its end",
    ),
    "zip of nothing": (lambda: zipped({}), r"bot\.toml at the top .* got nothing"),
    "tar of nothing": (
        lambda: tarred({}, special(".", tarfile.DIRTYPE)), r"bot\.toml at the top .* got nothing"
    ),
    "no bot.toml": (lambda: zipped({"bot.py": b""}), r"bot\.toml at the top"),
    "bot.toml too deep": (lambda: zipped({"a/b/bot.toml": TOML}), r"bot\.toml at the top"),
    "two folders": (lambda: zipped({"a/bot.toml": TOML, "b/x": b""}), r"bot\.toml at the top"),
    "bot.toml of 0 bytes": (lambda: zipped({"bot.toml": b""}), r"^bot\.toml: .* the key name"),
    "bot.toml of 10 MB": (
        lambda: tarred({"bot.toml": TOML + b"#" * 10**7}), r"^bot\.toml: .* at most 65,536 bytes"
    ),
    "bot.toml as a folder": (lambda: zipped({"bot.toml/x": b""}), r"bot\.toml at the top"),
    "bad bot.toml": (lambda: zipped({"bot.toml": b"name = 3"}), r"bot\.toml, line 1, key name"),
    "zip link": (zip_mode(stat.S_IFLNK | 0o777), "'odd' as a symbolic link"),
    "zip device": (zip_mode(stat.S_IFCHR | 0o666), "'odd' as an entry of another kind"),
    "zip fifo": (zip_mode(stat.S_IFIFO | 0o666), "'odd' as an entry of another kind"),
    "symbolic link": (
        lambda: tarred(FILES, special("link", tarfile.SYMTYPE, "/etc/passwd")),
        "symbolic link",
    ),
    "hard link": (lambda: tarred(FILES, special("link", tarfile.LNKTYPE, "bot.py")), "hard link"),
    "fifo": (lambda: tarred(FILES, special("pipe", tarfile.FIFOTYPE)), "device or a pipe"),
    "device": (lambda: tarred(FILES, special("null", tarfile.CHRTYPE)), "device or a pipe"),
    "block device": (lambda: tarred(FILES, special("sda", tarfile.BLKTYPE)), "device or a pipe"),
    "sparse": (tar_sparse, "'sparse' as a sparse file"),
    "sparse map": (tar_sparse_map, "'sparse' as a sparse file"),
    "GNU sparse": (lambda: tarred(FILES, special("s", tarfile.GNUTYPE_SPARSE)), "another kind"),
    "folder with content": (
        lambda: raw_tar(folder_with_content(), b"content"), "the folder 'folder/' has content"
    ),
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
    "latin-1": (
        lambda: tarred(FILES | {"é": b""}, encoding="latin-1", format=tarfile.GNU_FORMAT),
        "names in UTF-8",
    ),
    "overlong UTF-8": (lambda: spoilt_name(b"\xc0\xae\xc0\xae/x"), "names in UTF-8"),
    "surrogate in UTF-8": (lambda: spoilt_name(b"a\xed\xa0\x80"), "names in UTF-8"),
    "UTF-16": (lambda: spoilt_name("aé".encode("utf-16")), "names in UTF-8"),
    "name of 60 kB in zip": (lambda: zipped(FILES | {"x" * 60_000: b""}), "240 bytes"),
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
    "twice by case of more than a letter": (
        lambda: zipped(FILES | {"straße": b"", "STRASSE": b""}), "more than case"
    ),
    "folder twice": (
        lambda: tarred(FILES, special("a", tarfile.DIRTYPE), special("a", tarfile.DIRTYPE)),
        "each path once",
    ),
    "file and folder": (lambda: zipped(FILES | {"a/x": b"", "a": b""}), "as both"),
    "too deep": (bad("/".join("a" * 17)), "16 names deep"),
    "too long": (bad("a/" + "é" * 120), "240 bytes"),
    "too many": (lambda: tarred({str(n): b"" for n in range(2001)}), "at most 2,000 files"),
    "too many in zip": (lambda: zip_of_many(2001), "at most 2,000 files"),
    "100,000 files in zip": (lambda: zip_of_many(100_000), "at most 2,000 files"),
    "100,000 folders in tar.gz": (lambda: tar_of_many(100_000), "at most 2,000 files"),
    "bomb of many files": (
        lambda: zipped({str(n): os.urandom(8) + bytes(2**20) for n in range(65)}), "200 times"
    ),
    "large zip": (lambda: zipped(LARGE, level=1), "64 MiB in all"),
    "large tar": (lambda: gzip.compress(tarred(LARGE, mode="w"), 1), "64 MiB in all"),
    "zip bomb": (lambda: zipped(FILES | {"bomb": bytes(65 * 2**20)}), "200 times"),
    "tar bomb": (lambda: tarred(FILES | {"bomb": bytes(65 * 2**20)}), "200 times"),
    "gzip bomb": (lambda: gzip.compress(bytes(100 * 2**20), 1), "64 MiB in all"),
    "small gzip bomb": (lambda: gzip.compress(bytes(30 * 2**20), 9), "200 times"),
    "overlapping zip": (lambda: zip_overlapping(250, bytes(2**20)), "its files overlap"),
    "too large": (lambda: bytes(32 * 2**20 + 1), "at most 32 MiB"),
    "tar of 8 GiB": (tar_huge(2**33 - 1), "it ends early"),
    "tar of 8 EiB": (tar_huge(2**63), "it is damaged, or a file in it has 8 GiB"),
    "tar of less than nothing": (tar_huge(-512), "it is damaged, or a file in it has 8 GiB"),
    "pax of 8 GiB": (lambda: tar_headers((b"x", b""), declared=2**33 - 1), "headers are too long"),
    "pax size of 99 digits": (lambda: tar_headers((b"x", pax(b"size=" + b"9" * 80))), "damaged"),
    "pax size of 10 GB": (lambda: tar_headers((b"x", pax(b"size=9999999999"))), "it ends early"),
    "pax size below 0": (lambda: tar_headers((b"x", pax(b"size=-512"))), "headers are damaged"),
    "pax record too long": (lambda: tar_headers((b"x", b"9999 path=x\n")), "headers are damaged"),
    "pax record of 0 bytes": (lambda: tar_headers((b"x", b"0 path=x\n")), "headers are damaged"),
    "pax of many records": (
        lambda: tar_headers((b"x", pax(*(b"%02d=1" % n for n in range(99))))),
        "headers are damaged",
    ),
    "pax name with a zero byte": (
        lambda: tar_headers((b"x", pax(b"path=a\0bc"))), "control characters"
    ),
    "pax of a folder with content": (
        lambda: tar_headers((b"x", pax(b"path=aaa/"))), "the folder 'aaa/' has content"
    ),
    "long name that climbs": (lambda: tar_headers((b"L", b"../climbed\0")), "stay in"),
    "long name of 10 MB": (lambda: tar_headers((b"L", b"a" * 10**7)), "headers are too long"),
    "chain of headers": (lambda: tar_headers(*[(b"g", b"")] * 500), "headers are too long"),
    "headers of nothing": (
        lambda: tar_headers((b"x", pax(b"path=abc")))[:1024] + bytes(1024), "it ends early"
    ),
}  # fmt: skip


def folder_with_content() -> tarfile.TarInfo:
    entry = special("folder", tarfile.DIRTYPE)
    entry.size = 7
    return entry


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_and_nothing_is_left(case: str, store: BundleStore, tmp_path: Path) -> None:
    """Each hostile or broken archive is refused in words, and the disk is as before."""
    make, complaint = REFUSED[case]
    with pytest.raises(BundleError, match=complaint) as refused:
        store.add(make())
    assert len(str(refused.value)) < 2000
    assert [path for path in tmp_path.rglob("*") if path.name != "store"] == []


BOMBS = (
    "100,000 files in zip", "100,000 folders in tar.gz", "bomb of many files",
    "chain of headers", "gzip bomb", "large tar", "large zip", "long name of 10 MB",
    "overlapping zip", "sparse map", "tar bomb", "zip bomb",
)  # fmt: skip


@pytest.mark.prove
@pytest.mark.parametrize("case", BOMBS)
def test_refusing_a_bomb_is_cheap(case: str, tmp_path: Path) -> None:
    """Less than a second of processor time and 200 MiB of memory, in a process of its own."""
    archive = tmp_path / "archive"
    archive.write_bytes(REFUSED[case][0]())
    seconds, mebibytes = json.loads(
        subprocess.run(
            [sys.executable, "-c", MEASURE, archive, tmp_path / "store"],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
            capture_output=True,
        ).stdout
    )
    print(f"{case}: {seconds:.2f} s, {mebibytes:.0f} MiB more")
    assert seconds < 1
    assert mebibytes < 200


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
    with pytest.raises(StoreError, match=r"cannot keep the bundle in .*No space left"):
        store.add(zipped(FILES))
    # After the last file all is in its place; that alone may stay.
    assert len(list((tmp_path / "store").iterdir())) == (calls == len(FILES))
    monkeypatch.undo()
    kept = store.add(zipped(FILES))
    assert store.get(kept.content_hash, kept.manifest.to_json()) == kept


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
    with pytest.raises(StoreError, match="No space left"):
        store.add(zipped(FILES))
    assert on_disk(tmp_path / "store") == []
