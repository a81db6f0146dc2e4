"""Archives and wheels that would take long to read for their size: refused before they are read."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from mazzo_server.bots.bundles import BundleStore, wheels
from mazzo_server.errors import BundleError
from support.archives import FILES, KNOWN, wheel, zipped

NAME = "extra-1.0-py3-none-any.whl"


def zip_extra(*sizes: int, repeat: int = 1) -> bytes:
    """Return an archive of files with extra fields of 4 bytes each, which are read one by one."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for number, size in enumerate(sizes * repeat):
            entry = zipfile.ZipInfo(f"file{number}")
            archive.writestr(entry, b"")
            entry.extra = b"\x02\x00\x00\x00" * (size // 4)
    return made.getvalue()


def hide_last_entry(archive: bytes) -> bytes:
    """Let the last entry of the directory claim a comment that goes beyond the archive."""
    found = archive.rindex(b"PK\x01\x02")
    return archive[: found + 32] + struct.pack("<H", 65535) + archive[found + 34 :]


def metadata(**headers: str) -> bytes:
    values = {"Name": "extra", "Version": "1.0"} | headers
    text = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in values.items())
    return zipped({"extra-1.0.dist-info/METADATA": text.encode()})


HEADERS = {
    "Name": "a-" * 100_000,
    "Version": "1" * 200_000,
    "Requires_Python": ",".join([">=3"] * 60_000),
}
ARCHIVES = {
    "one of many": zip_extra(65532, 0, 0),
    "many": zip_extra(65532, repeat=400),
    "the last": zip_extra(0, 65532),
    "the last, hidden": hide_last_entry(zip_extra(0, 65532)),
    "a little too much": zip_extra(516, repeat=1999),
}


@pytest.fixture
def store(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "store", known_games=KNOWN)


@pytest.mark.parametrize("name", HEADERS)
def test_a_wheel_with_a_long_header_is_refused(store: BundleStore, name: str) -> None:
    """Before it is compared: a version of 200,000 digits takes 50 ms, and so many rules 300 ms."""
    content = metadata(**{name: HEADERS[name]})
    with pytest.raises(BundleError, match=f"a {name.replace('_', '-')} of 2.*,... characters"):
        store.add(zipped(FILES | {f"wheels/{NAME}": content}))


@pytest.mark.parametrize("archive", ARCHIVES.values(), ids=ARCHIVES)
def test_an_archive_with_long_extra_fields_is_refused(store: BundleStore, archive: bytes) -> None:
    with pytest.raises(BundleError, match="at most 512 bytes of extra fields"):
        store.add(archive)


def test_of_many_entries_with_long_extra_fields_none_is_read(
    store: BundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The time to read them grows with the square of their length."""
    monkeypatch.setattr(zipfile, "ZipFile", pytest.fail)
    with pytest.raises(BundleError, match="extra fields"):
        store.add(ARCHIVES["many"])


def test_what_looks_like_an_entry_in_a_file_is_none(store: BundleStore) -> None:
    """Programs that read zip archives have the signature of an entry in them."""
    content = b"PK\x01\x02" + b"\xff" * 200_000
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, data in (FILES | {"program": content, "end": b"PK\x01\x02"}).items():
            archive.writestr(name, data)
    assert (store.add(made.getvalue()).path / "program").read_bytes() == content


def test_the_tags_of_this_python_are_made_once(
    store: BundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They take 2 ms, and a bundle may have a thousand wheels."""
    content = {f"wheels/{NAME}": wheel("extra", "1.0", {})}
    store.add(zipped(FILES | content))
    monkeypatch.setattr(wheels, "sys_tags", pytest.fail)
    store.add(zipped(FILES | content | {"more": b""}))
