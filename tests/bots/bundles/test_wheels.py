"""Wheels in a bundle: what fits is unpacked beside it, and nothing else gets through."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import stat
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest

from mazzo_server.bots.bundles import BundleStore, wheels
from mazzo_server.errors import BundleError, StoreError
from mazzo_server.model import BotLimits
from mazzo_server.sandbox import Launch, Sandbox
from support.archives import FILES, KNOWN, TOML, on_disk, tarred, wheel, zipped
from support.sandboxed_runs import reported

LIMITS = BotLimits(bundle_mib=32, unpacked_mib=64)
PURE = "extra-1.0-py3-none-any.whl"
EXTRA = wheel("extra", "1.0", {"extra.py": b"WORD = 'found'\n"})


@pytest.fixture
def store(tmp_path: Path) -> BundleStore:
    return BundleStore(tmp_path / "store", known_games=KNOWN, limits=LIMITS)


def bundle(**files: bytes) -> dict[str, bytes]:
    return FILES | {f"wheels/{name}": content for name, content in files.items()}


def with_wheel(content: bytes, name: str = PURE) -> bytes:
    return zipped(bundle(**{name: content}))


def files_of(folder: Path) -> set[str]:
    return {item.relative_to(folder).as_posix() for item in folder.rglob("*") if item.is_file()}


def test_a_wheel_is_unpacked_beside_its_bundle(store: BundleStore, tmp_path: Path) -> None:
    """The bundle and its hash stay as they are, and the packages can be imported."""
    spread = wheel(
        "more", "2",
        {
            "more/__init__.py": b"",
            "more-2.data/purelib/more/pure.py": b"",
            "more-2.data/platlib/more/plat.so": b"",
            "more-2.data/scripts/more": b"#!python",
            "more-2.data/data/share/more.txt": b"",
        },
    )  # fmt: skip
    files = bundle(**{PURE: EXTRA, "more-2-py2.py3-none-any.whl": spread})
    kept = store.add(zipped(files))
    assert kept.packages is not None
    assert kept.packages == store.get(kept.content_hash, kept.manifest).packages
    assert files_of(kept.packages) == {
        "extra.py", "extra-1.0.dist-info/METADATA", "more-2.dist-info/METADATA",
        "more/__init__.py", "more/pure.py", "more/plat.so",
    }  # fmt: skip
    assert stat.S_IMODE(kept.packages.stat().st_mode) == 0o755
    assert files_of(kept.path) == set(files)
    assert sorted(on_disk(store.root)) == sorted([kept.content_hash, kept.packages.name])
    assert store.add(zipped(dict(reversed(files.items())))) == kept


def test_wheels_may_share_folders_but_no_files(store: BundleStore) -> None:
    """Many wheels list their folders, and those of a namespace have one in common."""
    one = wheel("one", "1", {"ns/": b"", "ns/a.py": b"", "one-1.data/purelib/ns/": b""})
    two = wheel("two", "1", {"ns/": b"", "ns/b.py": b""})
    names = ("one-1-py3-none-any.whl", "two-1-py3-none-any.whl")
    kept = store.add(zipped(bundle(**dict(zip(names, (one, two), strict=True)))))
    assert kept.packages is not None
    assert {"ns/a.py", "ns/b.py"} < files_of(kept.packages)
    same = wheel("two", "1", {"ns/a.py": b""})
    with pytest.raises(
        BundleError,
        match=r"^wheels/two-1.*got 'ns/a.py' twice; another wheel has it too; leave one out$",
    ):
        store.add(zipped(bundle(**dict(zip(names, (one, same), strict=True)))))


def test_without_wheels_there_are_no_packages(store: BundleStore) -> None:
    """Other bundles have nothing beside them, nor have those of other runtimes."""
    assert store.add(zipped(FILES)).packages is None
    node = {"bot.toml": TOML + b"runtime = 'node'\n", "wheels/round.js": b""}
    assert store.add(zipped(node)).packages is None


def test_lost_packages_are_made_again(store: BundleStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the Python that the platform has by now; where that is too new, it is said."""
    kept = store.add(with_wheel(EXTRA))
    assert kept.packages is not None
    shutil.rmtree(kept.packages)
    assert store.get(kept.content_hash, kept.manifest) == kept
    assert (kept.packages / "extra.py").is_file()
    monkeypatch.setattr(sys.implementation, "cache_tag", "cpython-399")
    newer = store.get(kept.content_hash, kept.manifest).packages
    assert newer != kept.packages
    assert newer is not None
    assert files_of(newer) == files_of(kept.packages)
    shutil.rmtree(newer)
    monkeypatch.setattr(wheels, "_find_tags", frozenset)
    with pytest.raises(BundleError, match="expected a wheel for Python"):
        store.get(kept.content_hash, kept.manifest)
    assert sorted(on_disk(store.root)) == sorted([kept.content_hash, kept.packages.name])


@pytest.mark.parametrize("calls", range(5))
def test_a_full_disk_leaves_no_packages(
    calls: int, store: BundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is kept of a bundle whose wheels do not fit on the disk any more."""
    left = calls

    def full(_: int) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise OSError(28, os.strerror(28))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="disk is full"):
        store.add(with_wheel(EXTRA))
    assert on_disk(store.root) == []


def test_packages_go_when_the_bundle_cannot_be_put_in_its_place(
    store: BundleStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bundle is wholly in or wholly out."""
    real = Path.rename

    def rename(folder: Path, place: Path) -> Path:
        if len(place.name) == 64:
            raise OSError(5, os.strerror(5))
        return real(folder, place)

    monkeypatch.setattr(Path, "rename", rename)
    with pytest.raises(StoreError, match="Input/output error"):
        store.add(with_wheel(EXTRA))
    assert on_disk(store.root) == []


def linked() -> bytes:
    made = BytesIO(EXTRA)
    with zipfile.ZipFile(made, "a") as archive:
        entry = zipfile.ZipInfo("link")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def requiring(python: str) -> bytes:
    metadata = f"Name: extra\nVersion: 1.0\nRequires-Python: {python}\n".encode()
    return zipped({"extra-1.0.dist-info/METADATA": metadata})


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "climbing": (lambda: with_wheel(wheel("extra", "1.0", {"../x": b""})), "stay in the bot's"),
    "climbing from its data": (
        lambda: with_wheel(wheel("extra", "1.0", {"extra-1.0.data/purelib/../../../x": b""})),
        "stay in the bot's",
    ),
    "absolute": (lambda: with_wheel(wheel("extra", "1.0", {"/x": b""})), "relative"),
    "a link": (lambda: with_wheel(linked()), "'link' as a symbolic link"),
    "a bomb": (
        lambda: with_wheel(wheel("extra", "1.0", {"bomb": bytes(20 * 2**20)})), "200 times"
    ),
    "a bomb with the rest": (
        lambda: zipped(
            {"large": b"".join(os.urandom(100) + bytes(900) for _ in range(45_000))}
            | bundle(**{PURE: wheel("extra", "1.0", {"bomb": bytes(25 * 2**20)})})
        ),
        "64 MiB in all",
    ),
    "many files": (
        lambda: with_wheel(wheel("extra", "1.0", {f"{n}": b"" for n in range(2000)})),
        "at most 2,000 files",
    ),
    "the same file in two": (
        lambda: zipped(
            bundle(**{PURE: EXTRA, "z-1-py3-none-any.whl": wheel("z", "1", {"extra.py": b""})})
        ),
        "^wheels/z-1-py3-none-any.whl: expected each path once, got 'extra.py' twice",
    ),
    "another Python": (
        lambda: with_wheel(EXTRA, "extra-1.0-cp27-cp27mu-manylinux1_x86_64.whl"),
        r"Python 3\.\d+ on \S+, got one for cp27-cp27mu-manylinux1_x86_64; fetch .* wheels extra`",
    ),
    "another machine": (
        lambda: with_wheel(EXTRA, "extra-1.0-py3-none-win32.whl"), "got one for py3-none-win32"
    ),
    "another Python by its metadata": (
        lambda: with_wheel(requiring(">=3.99")), "got one that requires '>=3.99'"
    ),
    "a rule without end": (
        lambda: with_wheel(requiring(",".join(f"!=3.{n}" for n in range(40)))),
        "got 'a Requires-Python of",
    ),
    "tags without end": (
        lambda: with_wheel(EXTRA, "extra-1.0-py3.py3.py3.py3.py3-a.b.c.d-a.b.c.any.whl"),
        "at most 64 combinations .* got one for 80;",
    ),
    "nonsense as Python": (lambda: with_wheel(requiring("new")), "expected METADATA of a wheel"),
    "a source archive": (
        lambda: zipped(bundle(**{"extra-1.0.tar.gz": b""})), "expected wheels alone .* `pip wheel`"
    ),
    "a name that is none": (lambda: with_wheel(EXTRA, "extra.whl"), "expected wheels alone"),
    "a folder": (lambda: zipped(bundle(**{"x/" + PURE: EXTRA})), "^wheels/x: .* got a folder"),
    "no zip": (lambda: with_wheel(tarred(FILES)), "a zip archive, got none"),
    "no metadata": (lambda: with_wheel(zipped({"extra.py": b""})), "METADATA .* got 0"),
    "two metadata": (
        lambda: with_wheel(wheel("extra", "1.0", {"b-1.dist-info/METADATA": b""})), "got 2"
    ),
    "metadata of another": (
        lambda: with_wheel(wheel("other", "1.0", {})), "METADATA of extra 1.0, got .*other 1.0"
    ),
    "metadata of another version": (
        lambda: with_wheel(wheel("extra", "1.1", {})), "METADATA of extra 1.0, got .*extra 1.1"
    ),
    "metadata without a version": (
        lambda: with_wheel(zipped({"e.dist-info/METADATA": b"Name: extra\n"})), "Invalid version"
    ),
    "metadata as a folder": (
        lambda: with_wheel(zipped({"e.dist-info/METADATA/": b""})), "METADATA .* got 0"
    ),
    "a version without end": (
        lambda: with_wheel(
            zipped({"e.dist-info/METADATA": b"Name: extra\nVersion: " + b"1" * 5000})
        ),
        "a Version of 5,000 characters",
    ),
    "metadata of 8 MB": (
        lambda: with_wheel(zipped({"e.dist-info/METADATA": b"A:b\n" * 2_000_000})),
        "METADATA of extra 1.0, got .*None None",
    ),
    "what is there already": (
        lambda: with_wheel(EXTRA, "numpy-2.0-py3-none-any.whl"), "got numpy, which it brings"
    ),
    "cut off": (lambda: with_wheel(EXTRA[:-30]), "whole, readable archive"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_wheel_is_refused_by_its_name(case: str, store: BundleStore, tmp_path: Path) -> None:
    """Whatever is wrong with a wheel, the message begins with it and nothing is left on disk."""
    make, complaint = REFUSED[case]
    with pytest.raises(BundleError, match=r"^wheels/[^:]+: ") as refused:
        store.add(make())
    assert refused.match(complaint)
    assert [path for path in tmp_path.rglob("*") if path.name != "store"] == []


def test_a_compiled_wheel_runs_in_a_sandbox(
    any_sandbox: Sandbox, launch: Launch, store: BundleStore
) -> None:
    """Machine code from a wheel, which is packed again from one that is installed."""
    installed = importlib.metadata.distribution("markupsafe")
    files = {
        str(file): Path(str(file.locate())).read_bytes()
        for file in installed.files or ()
        if "__pycache__" not in file.parts
    }
    tag = (installed.read_text("WHEEL") or "").partition("Tag: ")[2].split("\n")[0]
    packed = with_wheel(zipped(files), f"markupsafe-{installed.version}-{tag}.whl")
    packages = store.add(packed).packages
    code = "import json, markupsafe._speedups as it; print(json.dumps(it.__file__))"
    place = reported(any_sandbox, replace(launch, packages=packages), code)
    if any_sandbox.name == "bubblewrap":  # the other finds the installed one first
        assert place.startswith("/mazzo/packages/markupsafe/_speedups.")
