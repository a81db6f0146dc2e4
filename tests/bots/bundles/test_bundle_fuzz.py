"""Any archive at all is a bundle or is refused, and good ones are read as others read them."""

from __future__ import annotations

import gzip
import os
import tarfile
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.errors import BundleError
from support.archives import FILES, KNOWN, on_disk, pax, tarred, wheel, zipped


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


FORMATS = {
    "pax": tarfile.PAX_FORMAT, "gnu": tarfile.GNU_FORMAT, "ustar": tarfile.USTAR_FORMAT,
}  # fmt: skip
NAMES = st.lists(
    st.text("abcdeé🂡 -._", min_size=1, max_size=40).filter(lambda part: part not in (".", "..")),
    min_size=1,
    max_size=6,
).map("/".join)  # fmt: skip


@given(
    files=st.dictionaries(NAMES, st.binary(max_size=2000), max_size=8),
    kind=st.sampled_from(["zip", "pax", "gnu", "ustar"]),
    packed=st.booleans(),
)
def test_what_others_pack_is_read_as_it_was(
    files: dict[str, bytes], kind: str, packed: bool
) -> None:
    """Python's own writers of zip and of every format of tar agree with the readers here."""
    files = {name: content for name, content in files.items() if is_fine(name, files)} | FILES
    if kind == "zip":
        archive = zipped(files)
    else:
        formats = {
            "pax": tarfile.PAX_FORMAT,
            "gnu": tarfile.GNU_FORMAT,
            "ustar": tarfile.USTAR_FORMAT,
        }
        try:
            archive = tarred(files, mode="w:gz" if packed else "w", format=formats[kind])
        except ValueError:  # ustar has no room for every name
            return
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
    tarred(FILES | {"a/b": b"text" * 50, "é": b"", "n" * 120: b"long"}, mode="w"),
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
    summed=st.booleans(),
    packed=st.booleans(),
)
def test_a_spoilt_archive_is_a_bundle_or_refused(
    seed: bytes, edits: list[tuple[float, int, bytes]], summed: bool, packed: bool
) -> None:
    """Whatever is changed in an archive, nothing else happens and nothing else is written."""
    archive = bytearray(seed)
    for where, cut, new in edits:
        at = int(where * len(archive))
        archive[at : at + cut] = new
    if summed and seed is SEEDS[1]:
        mend_checksums(archive)
    if packed and seed is SEEDS[1]:
        archive[:] = gzip.compress(archive)
    if seed is SEEDS[2]:
        archive[:] = zipped(FILES | {"wheels/extra-1-py3-none-any.whl": bytes(archive)})
    check_bundle_or_refused(bytes(archive))


TAR_NUMBERS = st.one_of(
    st.integers(0, 2000).map(lambda number: b"%o" % number),
    st.binary(max_size=12),
    st.sampled_from([b"\x80" + b"\xff" * 11, b"\xff" * 12, b"77777777777", b"-1", b" 0 1"]),
)
TAR_NAMES = st.one_of(st.binary(max_size=100), st.sampled_from([b"a", b"a/", b".", b"../x", b"/x"]))


@given(
    headers=st.lists(
        st.tuples(
            TAR_NAMES,
            TAR_NUMBERS,
            st.sampled_from([b"0", b"\0", b"5", b"x", b"g", b"L", b"K", b"S", b"1", b"2"]),
            st.one_of(
                st.binary(max_size=600),
                st.lists(st.sampled_from([b"path=abc", b"size=512", b"size=", b"GNU.sparse.x=1"]))
                .map(lambda records: pax(*records)),
            ),
        ),
        max_size=4,
    )
)  # fmt: skip
def test_a_tar_of_nonsense_is_a_bundle_or_refused(
    headers: list[tuple[bytes, bytes, bytes, bytes]],
) -> None:
    """Headers with right checksums and wrong everything else."""
    archive = bytearray()
    for name, size, kind, content in headers:
        block = bytearray(512)
        block[: len(name)] = name
        block[124 : 124 + len(size)] = size
        block[156:157] = kind
        block[257:263] = b"ustar\0"
        archive += block + content + bytes(-len(content) % 512)
    archive += tarred(FILES, mode="w")
    mend_checksums(archive)
    check_bundle_or_refused(bytes(archive))


def mend_checksums(archive: bytearray) -> None:
    for at in range(0, len(archive) - 511, 512):
        if archive[at + 257 : at + 262] == b"ustar":
            archive[at + 148 : at + 156] = b" " * 8
            archive[at + 148 : at + 156] = b"%06o\0 " % sum(archive[at : at + 512])


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
