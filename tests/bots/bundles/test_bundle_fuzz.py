"""Any archive at all is a bundle or is refused, and good ones are read as others read them."""

from __future__ import annotations

import os
import struct
import tempfile
import unicodedata
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError
from support.archives import FILES, KNOWN, on_disk, wheel, zipped


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


NAMES = st.lists(
    st.text("abcdeé🂡 -._", min_size=1, max_size=40).filter(lambda part: part not in (".", "..")),
    min_size=1,
    max_size=6,
).map("/".join)  # fmt: skip


@given(
    files=st.dictionaries(NAMES, st.binary(max_size=2000), max_size=8),
    level=st.sampled_from([0, 1, 9]),
)
def test_what_others_pack_is_read_as_it_was(files: dict[str, bytes], level: int) -> None:
    """Python's own writer of zip archives agrees with the reader here."""
    files = {name: content for name, content in files.items() if is_fine(name, files)} | FILES
    archive = zipped(files, level=level)
    with tempfile.TemporaryDirectory() as folder:
        path = BundleStore(Path(folder), known_games=KNOWN).add(archive).path
        assert files == {
            item.relative_to(path).as_posix(): item.read_bytes()
            for item in path.rglob("*")
            if item.is_file()
        }


def is_fine(name: str, files: Iterable[str]) -> bool:
    """Whether the name is short enough, and no folder above another."""
    return (
        len(name.encode()) <= 240
        and unicodedata.is_normalized("NFC", name)
        and name.split("/")[0] not in {*FILES, "wheels"}
        and not any(other.startswith(name + "/") for other in files)
    )


SEEDS = (
    zipped(FILES | {"a/b": b"text" * 50, "é": b""}),
    zipped(FILES | {"a/": b"", "a/b": b"text" * 50, "n" * 120: b"long"}, level=0),
    wheel("extra", "1", {"extra.py": b"", "extra-1.data/purelib/more.py": b""}),
)


@given(
    seed=st.sampled_from(SEEDS),
    edits=st.lists(
        st.tuples(
            st.floats(0, 1, exclude_max=True),
            st.integers(0, 8),
            st.one_of(st.binary(max_size=8), st.sampled_from([b"\xff" * 4, b"../", b"\0" * 512])),
        ),
        max_size=4,
    ),
)
def test_a_spoilt_archive_is_a_bundle_or_refused(
    seed: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    """Whatever is changed in an archive, nothing else happens and nothing else is written."""
    archive = bytearray(seed)
    for where, cut, new in edits:
        at = int(where * len(archive))
        archive[at : at + cut] = new
    if seed is SEEDS[2]:
        archive[:] = zipped(FILES | {"wheels/extra-1-py3-none-any.whl": bytes(archive)})
    check_bundle_or_refused(bytes(archive))


LIES = st.one_of(st.integers(0, 200), st.sampled_from([2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]))
# One in ten: of more lies than one archive can tell, only the first is found out.
NUMBERS = st.integers(0, 9).flatmap(lambda number: st.none() if number else LIES)
EXTRA = st.one_of(
    st.just(b""),
    st.just(b""),
    st.binary(max_size=40),
    st.lists(st.integers(0, 2**64 - 1), max_size=4).map(
        lambda numbers: struct.pack(f"<HH{len(numbers)}Q", 1, 8 * len(numbers), *numbers)
    ),
)


@st.composite
def entries(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file of a zip archive and its entry of the directory; None: what is true."""
    name = draw(
        st.one_of(
            st.sampled_from([b"a", b"b/c", b"a/", b"./", b"./d", b"../x", b"/x"]),
            st.binary(max_size=60),
            NAMES.map(str.encode),
        )
    )
    content = draw(st.binary(max_size=100))
    method = draw(st.sampled_from([0, 0, 0, 8, 8, 8, 12, 99]))
    compressor = zlib.compressobj(wbits=-15)
    packed = content if method != 8 else compressor.compress(content) + compressor.flush()
    flags = draw(st.sampled_from([0x800, 0x800, 0x800, 0, 1, 8, 0x20, 0xFFFF]))
    truth = [zlib.crc32(content), len(packed), len(content)]
    claims = [true if (lie := draw(NUMBERS)) is None else lie for true in truth]
    extra, comment = draw(EXTRA), draw(st.binary(max_size=5))
    common = struct.pack("<HHHHH", 20, flags, method, 0, 33)
    local = b"PK\x03\x04" + common + struct.pack("<IIIHH", *truth, len(name), 0) + name + packed
    mode = draw(st.sampled_from([0, 0, 0o100644, 0o100755, 0o040755, 0o120777, 0xFFFF]))
    central = b"PK\x01\x02" + struct.pack("<H", 20) + common
    central += struct.pack("<IIIHHH", *claims, len(name), len(extra), len(comment))
    central += struct.pack("<HHI", 0, 0, mode << 16)
    # Where the file begins is not known yet.
    return local, central + b"HERE" + name + extra + comment


@given(
    drawn=st.lists(st.tuples(entries(), NUMBERS), max_size=4),
    size=NUMBERS,
    place=NUMBERS,
    comment=st.binary(max_size=5),
    has_manifest=st.booleans(),
)
def test_a_zip_of_nonsense_is_a_bundle_or_refused(
    drawn: list[tuple[tuple[bytes, bytes], int | None]],
    size: int | None,
    place: int | None,
    comment: bytes,
    has_manifest: bool,
) -> None:
    """A directory that says anything of files that are there, and of itself."""
    files = central = b""
    if has_manifest:
        drawn = [(split(zipped({"bot.toml": FILES["bot.toml"]})), None), *drawn]
    for (local, entry), offset in drawn:
        here = struct.pack("<I", len(files) if offset is None else offset)
        central += entry.replace(b"HERE", here, 1)
        files += local
    said = (
        len(central) if size is None else size,
        len(files) if place is None else place,
    )
    end = struct.pack("<HHHHIIH", 0, 0, len(drawn), len(drawn), *said, len(comment)) + comment
    check_bundle_or_refused(files + central + b"PK\x05\x06" + end)


def split(archive: bytes) -> tuple[bytes, bytes]:
    """The file and the entry of an archive that has one."""
    at, end = archive.rindex(b"PK\x01\x02"), archive.rindex(b"PK\x05\x06")
    return archive[:at], archive[at : at + 42] + b"HERE" + archive[at + 46 : end]


def check_bundle_or_refused(archive: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "deep" / "store"
        try:
            kept = BundleStore(root, known_games=KNOWN).add(archive)
        except BundleError:
            assert on_disk(root) == []
        else:
            packages = {kept.packages.name} if kept.packages else set()
            assert set(on_disk(root)) == {kept.content_hash} | packages
            assert all(item.is_file() or item.is_dir() for item in kept.path.rglob("*"))
            assert not any(item.is_symlink() for item in kept.path.rglob("*"))
        assert [on_disk(Path(folder)), on_disk(root.parent)] == [["deep"], ["store"]]
