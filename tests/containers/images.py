"""Base images without a registry, and the project's images built on them."""

from __future__ import annotations

import hashlib
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import docker

__all__ = ["ROOT", "build_all"]

ROOT = Path(__file__).parents[2]

_SUITE = "bookworm"
_PYTHON = "3.11"  # that of the suite
_GLIBC = 36  # 2.36, that of the suite
_BASES = {
    "python": "python3,python3-venv,python3-pip,ca-certificates",
    "node": "nodejs,ca-certificates",
}
# By tag: the Dockerfile, and the base that it is built on.
_IMAGES = {
    "mazzo-bot-python": ("bot-python", "python"),
    "mazzo-bot-node": ("bot-node", "node"),
    "mazzo": ("platform", "python"),
}
_UNNEEDED = ("var/cache/apt", "var/lib/apt/lists", "usr/share/doc", "usr/share/man")
_CONTEXT = (
    ".dockerignore", "CHANGELOG.md", "LICENSE", "README.md", "docker", "pyproject.toml",
    "sample_bots", "sdk", "server",
)  # fmt: skip


def build_all(client: docker.DockerClient, cache: Path) -> dict[str, tuple[int, int]]:
    """Bytes by tag: of the image, and of its base. `cache` keeps what takes long to get."""
    cache.mkdir(exist_ok=True)
    bases = {name: _base(client, name, cache) for name in _BASES}
    wheels = _wheels(cache)
    sizes = {}
    with tempfile.TemporaryDirectory(prefix="mazzo-context-") as folder:
        context = Path(folder)
        _fill(context, wheels)
        for tag, (dockerfile, base) in _IMAGES.items():
            _say(f"building {tag}")
            image, _ = client.images.build(
                path=folder,
                dockerfile=f"docker/{dockerfile}.Dockerfile",
                tag=tag,
                buildargs={"BASE": bases[base], "PIP_NO_INDEX": "1"},
                network_mode="none",
                rm=True,
                forcerm=True,
            )
            under = client.images.get(bases[base])
            sizes[tag] = (int(image.attrs["Size"]), int(under.attrs["Size"]))
    return sizes


def _base(client: docker.DockerClient, name: str, cache: Path) -> str:
    """The tag of a base image, of what `debootstrap` makes."""
    archive = cache / f"{_SUITE}-{name}.tar"
    if not archive.exists():
        _say(f"making a Debian with {_BASES[name]} by debootstrap")
        with tempfile.TemporaryDirectory(prefix="mazzo-base-") as folder:
            _run(
                "debootstrap", "--variant=minbase", f"--include={_BASES[name]}", _SUITE, folder
            )  # fmt: skip
            half = archive.with_suffix(".half")
            excluded = [f"--exclude=./{path}/*" for path in _UNNEEDED]
            _run("tar", "-C", folder, *excluded, "--one-file-system", "-cf", str(half), ".")
            half.rename(archive)
    tag = f"mazzo-base-{name}"
    client.api.import_image(src=str(archive), repository=tag, tag="latest")
    return tag


def _wheels(cache: Path) -> Path:
    """A folder of all that the images install, from wherever pip is told to look here."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    needed = sorted(
        {
            *project["build-system"]["requires"],
            *project["project"]["dependencies"],
            *(line for extra in ("server", "web", "postgres", "docker") for line in extras[extra]),
            "numpy>=1.26",
        }
        - {"mazzo[web]"}  # a part of "server"; no index has it
    )
    folder = cache / f"wheels-{hashlib.sha256(repr(needed).encode()).hexdigest()[:12]}"
    if folder.exists():
        return folder
    _say("collecting wheels")
    half = folder.with_suffix(".half")
    shutil.rmtree(half, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
    only_source = [line for line in needed if line.startswith("trueskill")]
    _run(*pip, "wheel", "--no-deps", "--wheel-dir", str(half), *only_source)
    _run(
        *pip,
        *("download", "--dest", str(half), "--find-links", str(half)),
        *("--only-binary", ":all:", "--python-version", _PYTHON, *_platforms()),
        *needed,
    )
    half.rename(folder)
    return folder


def _platforms() -> Iterator[str]:
    machine = platform.machine()
    for name in ("manylinux2014", *(f"manylinux_2_{minor}" for minor in range(17, _GLIBC + 1))):
        yield from ("--platform", f"{name}_{machine}")


def _fill(context: Path, wheels: Path) -> None:
    for name in _CONTEXT:
        place = ROOT / name
        if place.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.whl")
            shutil.copytree(place, context / name, ignore=ignored)
        else:
            shutil.copy(place, context / name)
    for wheel in wheels.glob("*.whl"):
        shutil.copy(wheel, context / "docker" / "wheels")


def _run(*command: str) -> None:
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-3000:]}")


def _say(what: str) -> None:
    print(what, "…", flush=True)
