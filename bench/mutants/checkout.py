"""A throw-away copy of a checkout, with an environment of its own that runs the copied code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["SOURCES", "Checkout", "copy_checkout"]

SOURCES = ("sdk/mazzo", "server/mazzo_server")  # what is mutated and whose coverage is measured
_GENERATED = ("sdk/mazzo/v1/",)
_INSTALLED = "node_modules"  # which git ignores, and tests need


@dataclass(frozen=True, slots=True)
class Checkout:
    """A copy that may be changed, and its environment."""

    root: Path
    python: Path

    @property
    def packages(self) -> Path:
        """The folder of installed packages."""
        [found] = (self.root / ".venv" / "lib").glob("python3.*/site-packages")
        return found

    def list_modules(self) -> list[str]:
        """The paths of the modules to mutate, relative to the root and sorted."""
        paths = (
            path.relative_to(self.root).as_posix()
            for source in SOURCES
            for path in (self.root / source).rglob("*.py")
        )
        return sorted(path for path in paths if not is_left_out(path))

    def list_tests(self) -> list[str]:
        """The paths of the test files, relative to the root and sorted."""
        return sorted(
            path.relative_to(self.root).as_posix()
            for path in (self.root / "tests").rglob("test_*.py")
        )

    def environment(self) -> dict[str, str]:
        """The variables of a test run, with the copied environment first on the path."""
        variables = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
        variables["PATH"] = f"{self.python.parent}{os.pathsep}{variables.get('PATH', '')}"
        variables["VIRTUAL_ENV"] = str(self.python.parent.parent)
        return variables

    def forget(self) -> None:
        """Delete what earlier runs of tests left for later ones: examples that failed."""
        shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)


def is_left_out(path: str) -> bool:
    """Whether a module is neither mutated nor measured: generated code and templates."""
    return path.startswith(_GENERATED) or "/templates/" in path


@contextmanager
def copy_checkout(source: Path, *, python: Path | None = None) -> Iterator[Checkout]:
    """Copy the files of a checkout that git does not ignore, and the environment that runs it.

    The environment is that of `python`, by default of this process. Its files are linked where
    the file system allows that; those that name the source are rewritten.
    """
    source = source.resolve()
    prefix = Path(sys.prefix) if python is None else python.parent.parent
    root = Path(tempfile.mkdtemp(prefix="mutants-"))
    try:
        for name in _list_files(source):
            target = root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target, follow_symlinks=False)
        for folder in (source / "sample_bots").glob(f"*/{_INSTALLED}"):
            shutil.copytree(folder, root / folder.relative_to(source), symlinks=True)
        _copy_environment(prefix, root / ".venv", sources=(source, prefix.parent))
        yield Checkout(root, root / ".venv" / "bin" / "python")
    finally:
        shutil.rmtree(root, ignore_errors=True)


def _list_files(source: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=source,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return [name for name in listed.split("\0") if name and (source / name).is_file()]


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _copy_environment(prefix: Path, target: Path, *, sources: Sequence[Path]) -> None:
    shutil.copytree(prefix, target, symlinks=True, copy_function=_link)
    for path in (*target.glob("bin/*"), *target.rglob("*.pth"), target / "pyvenv.cfg"):
        if path.is_symlink() or not path.is_file():
            continue
        try:
            text = before = path.read_text()
        except UnicodeDecodeError:
            continue
        for source in sources:
            text = text.replace(f"{source}/", f"{target.parent}/")
        if text != before:
            mode = path.stat().st_mode
            path.unlink()  # it may be a link to the file of the source
            path.write_text(text)
            path.chmod(mode)
