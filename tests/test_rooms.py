"""The house: how many rooms there are and how large, what their doors say, and who may use what.

import-linter holds the arrows between rooms (`make check`); here stands what it cannot count.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from typer import Typer

from mazzo_server.cli.app import app

ROOT = Path(__file__).parents[1]
SERVER = ROOT / "server" / "mazzo_server"
SDK = ROOT / "sdk" / "mazzo"
DATA = ("templates", "migrations")  # programs to copy, and what Alembic lays out

MOST_ROOMS = 12
MOST_LOOSE = 8
FOLDER = range(4, 16)  # entries: modules, and folders in it
MOST_LAYERS = 8
MOST_ATTRIBUTES = 12
MOST_METHODS = 15
MOST_CALLBACKS = 5

# What functions begin with. A function that needs another word is a verb that is missing here, or
# is named like a value.
VERBS = set(
    re.findall(
        r"\w+",
        """
        abandon act activate add advise allow announce answer attach audit average begin bind blame
        bring call cancel change check choose clean clear clip compare compile complete compute
        connect continue copy count create cut decode define delegate delete deliver describe
        deserialize differ divide draw drop encode end enter estimate examine execute expect explain
        export fail fetch find fix follow forfeit forget format get give group handle has hash hold
        ignore import inherit is join judge keep kill let limit list load lock log look main make
        mask match measure merge mix move name offer open pack pair parse place plan play post
        prepare print prune quote raise rank read redirect refuse reject remember remove render
        renew replace report restrict retire return revise run say seat select send serve set settle
        share shorten show sign sort split stack start step stream style submit sync take tell to
        translate turn unlock unpack update upload vacuum walk watch widen wrap write
        """,
    )
)

# Sans-I/O state machines, each with one method an input: parted, they would be harder to follow.
LARGE = {
    "mazzo_server.play.decision_queue.DecisionQueue",
    "mazzo_server.play.table.table.Table",
    "mazzo_server.storage.base.Store",
    "mazzo_server.storage.memory.MemoryStore",
}
# What these ask for is no callback: they are the ways to run bots, and the stores.
NO_CALLBACKS = {
    "mazzo_server.storage.base.Store",
    "mazzo_server.storage.entries.rows.EntryStore",
    "mazzo_server.storage.hooks.rows.HookStore",
    "mazzo_server.sandbox.base.SandboxedProcess",
}


UNTYPED = re.compile(r"(\w+\.)*([Dd]ict|\w*Mapping|defaultdict)\[str, (\w+\.)*(Any|object)\]")
# Codecs that are no methods of a value: what stands in the database, and what a command prints
# with `--json`. All others are called `to_json` and `from_json`.
CODECS = {
    "mazzo_server.cli.bots.logs._encode_log",
    "mazzo_server.cli.home.arena._encode_arena",
    "mazzo_server.cli.home.arena_table._encode_line",
    "mazzo_server.cli.home.arena_table.encode_figures",
    "mazzo_server.cli.home.comparison.encode_comparison",
    "mazzo_server.cli.home.games.encode_game",
    "mazzo_server.cli.home.play._encode_match",
    "mazzo_server.cli.replay.rerun._encode_rerun",
    "mazzo_server.cli.text.retelling.encode_seat",
    "mazzo_server.model.manifest.read_manifest",
    "mazzo_server.storage.encoding._decode_fault",
    "mazzo_server.storage.encoding._encode_fault",
    "mazzo_server.storage.encoding.encode_deals",
    "mazzo_server.storage.encoding.encode_fault_logs",
    "mazzo_server.storage.encoding.encode_match",
    "mazzo_server.storage.encoding.encode_match_result",
    "mazzo_server.storage.hooks.events.decode_event",
    "mazzo_server.storage.sql.database.add_rows",
}
# Modules that hold nothing but the codec of a file.
CODEC_MODULES = (
    "mazzo_server.tournaments.stored.definitions",
    "mazzo_server.tournaments.stored.header",
    "mazzo_server.tournaments.stored.matches",
)


def modules(folder: Path = SERVER) -> list[Path]:
    """Every module, but for what is data."""
    found = folder.rglob("*.py")
    return sorted(path for path in found if not {*DATA, "v1"} & set(path.parts))


def folders() -> list[Path]:
    return sorted({path.parent for path in modules()} - {SERVER})


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def name_of(path: Path) -> str:
    folder = SERVER.parent if SERVER in path.parents else SDK.parent
    parts = path.relative_to(folder).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """What a module imports of the platform: from where, and which name; "" for it all."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("mazzo_server"):
            yield from ((node.module or "", alias.name) for alias in node.names)
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
            yield from ((name, "") for name in found if name.startswith("mazzo_server."))


@cache
def classes(folder: Path = SERVER) -> dict[str, ast.ClassDef]:
    """By dotted name."""
    return {
        f"{name_of(path)}.{node.name}": node
        for path in modules(folder)
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
    }


def has_frozen_fields(node: ast.ClassDef) -> bool:
    """Whether it is a frozen dataclass, a tuple or an enumeration: a value."""
    bases = {ast.unparse(base) for base in node.bases}
    return any("frozen=True" in ast.unparse(one) for one in node.decorator_list) or bool(
        bases & {"NamedTuple", "StrEnum", "Enum", "IntEnum"}
    )


def is_protocol(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).startswith("Protocol") for base in node.bases)


def methods(node: ast.ClassDef) -> set[str]:
    """What the class itself defines; what it inherits counts where it stands."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {one.name for one in node.body if isinstance(one, functions) and one.name[:2] != "__"}


def attributes(node: ast.ClassDef) -> set[str]:
    """What the class declares, and what its methods set of `self`."""
    found = {
        target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign | ast.Assign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name) and not target.id.startswith("__")
    }
    for one in ast.walk(node):
        if (
            isinstance(one, ast.Attribute)
            and isinstance(one.ctx, ast.Store)
            and ast.unparse(one.value) == "self"
        ):
            found.add(one.attr)
    return found


def test_there_are_few_rooms_and_few_loose_files() -> None:
    rooms = [path.parent.name for path in SERVER.glob("*/__init__.py")]
    loose = [path.name for path in SERVER.glob("*.py")]
    assert len(rooms) <= MOST_ROOMS, sorted(rooms)
    assert len(loose) <= MOST_LOOSE, sorted(loose)


def test_no_folder_is_too_small_or_too_large() -> None:
    sizes = {
        str(folder.relative_to(SERVER)): len(list(folder.glob("*.py")))
        + len(list(folder.glob("*/__init__.py")))
        + len([name for name in DATA if (folder / name).is_dir() and name == "templates"])
        for folder in folders()
    }
    assert {name: size for name, size in sizes.items() if size not in FOLDER} == {}


def test_every_door_says_what_it_is_and_offers_what_there_is() -> None:
    wrong = []
    for folder in folders():
        door = tree(folder / "__init__.py")
        code = [
            node
            for node in door.body[1:]
            if not isinstance(node, ast.ImportFrom | ast.Import)
            and not (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        ]
        taken = [
            alias.asname or alias.name
            for node in door.body
            if isinstance(node, ast.ImportFrom) and node.module != "__future__"
            for alias in node.names
        ]
        offered: list[str] = next(
            (ast.literal_eval(node.value) for node in door.body if isinstance(node, ast.Assign)), []
        )
        if not ast.get_docstring(door) or code or sorted(taken) != sorted(offered):
            wrong.append(name_of(folder / "__init__.py"))
    assert wrong == []


def test_rooms_are_entered_by_their_doors() -> None:
    """And a door offers nothing that no other room uses."""
    wrong = []
    used: defaultdict[str, set[str]] = defaultdict(set)
    doors = {name_of(folder / "__init__.py") for folder in folders()}
    submodules = {name_of(path) for path in modules()} - doors
    for path in modules():
        own = name_of(path).split(".")[1:2]
        for source, name in imports(path):
            room = source.split(".")[1:2]
            if source in doors and f"{source}.{name}" not in submodules:
                used[source].add(name)
            elif (
                room != own
                and len(source.split(".")) + (source in doors) > 2
                and own != ["__main__"]
            ):
                wrong.append(f"{name_of(path)}: from {source} import {name}")
    assert wrong == []
    idle = {}
    for folder in folders():
        door = name_of(folder / "__init__.py")
        offered = {name for source, name in imports(folder / "__init__.py")}
        if unused := offered - used[door]:
            idle[door] = sorted(unused)
    assert idle == {}


def test_no_two_folders_of_a_room_need_each_other() -> None:
    """Nor do more of them in a circle, nor modules; import-linter sees to rooms alone."""
    needs: defaultdict[str, set[str]] = defaultdict(set)
    for path in modules():
        own = name_of(path).split(".")
        for source, _ in imports(path):
            other = source.split(".")
            depth = 0
            while depth < min(len(own), len(other)) and own[depth] == other[depth]:
                depth += 1
            if 1 < depth < min(len(own), len(other)):  # siblings, neither of them a door
                needs[".".join(own[: depth + 1])].add(".".join(other[: depth + 1]))
    TopologicalSorter(needs).prepare()  # raises CycleError, which names the circle


def test_the_layers_are_few_and_no_arrow_is_ignored() -> None:
    linter = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    rooms = next(one for one in linter["contracts"] if one.get("containers") == ["mazzo_server"])
    assert len(rooms["layers"]) <= MOST_LAYERS
    assert rooms["exhaustive"]
    assert not any("ignore" in key for one in linter["contracts"] for key in one)


def test_no_class_does_too_much() -> None:
    """Of a value the fields are not counted, as they are what it is."""
    assert set(classes()) >= LARGE | NO_CALLBACKS
    large = {}
    for name, node in classes().items():
        if is_protocol(node) or name in LARGE:
            continue
        fields = 0 if has_frozen_fields(node) else len(attributes(node))
        if fields > MOST_ATTRIBUTES or len(methods(node)) > MOST_METHODS:
            large[name] = fields, len(methods(node))
    assert large == {}


def test_no_class_has_headings() -> None:
    """A comment that heads some of its methods asks for a split of the class."""
    heading = re.compile(r"^    # [A-Z][^.\n]*\n\n", re.MULTILINE)
    found = {name_of(path): heading.findall(path.read_text(encoding="utf-8")) for path in modules()}
    assert {name: headings for name, headings in found.items() if headings} == {}


def test_nobody_is_called_back_in_many_ways() -> None:
    wide = {
        name: asked
        for name, node in classes().items()
        if is_protocol(node) and name not in NO_CALLBACKS
        if len(asked := attributes(node) | methods(node)) > MOST_CALLBACKS
    }
    assert wide == {}


def test_no_two_public_classes_share_a_name() -> None:
    """Nor does a class share its name with a type that stands for another."""
    found = defaultdict(list)
    for folder in (SERVER, SDK):
        for name in (*classes(folder), *aliases(folder)):
            module, _, last = name.rpartition(".")
            if not last.startswith("_"):
                found[last].append(module)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def functions() -> list[str]:
    """The functions of modules by their dotted names, but for commands, which users call."""
    called = {f"{command.__module__}.{command.__name__}" for command in commands(app)}
    return [
        name
        for path in modules()
        for node in tree(path).body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (name := f"{name_of(path)}.{node.name}") not in called
    ]


def commands(group: Typer) -> Iterator[Callable[..., object]]:
    """The functions of the commands of a group, and of the groups in it."""
    for one in (*group.registered_commands, group.registered_callback):
        if one is not None and one.callback is not None:
            yield one.callback
    for inner in group.registered_groups:
        if inner.typer_instance is not None:
            yield from commands(inner.typer_instance)


def test_functions_are_verbs() -> None:
    """Their first words are those of the list, which grows by verbs alone."""
    first = {name: name.rpartition(".")[2].lstrip("_").split("_")[0] for name in functions()}
    assert [name for name, word in first.items() if word not in VERBS] == []
    assert VERBS - {*first.values()} == set()  # no verb is listed that nobody uses


def test_no_two_public_functions_share_a_name() -> None:
    """As the same name for two things is a riddle wherever one of them is called."""
    found = defaultdict(list)
    for name in functions():
        module, _, last = name.rpartition(".")
        if not last.startswith("_"):
            found[last].append(module)
    assert {name: places for name, places in found.items() if len(places) > 1} == {}


def aliases(folder: Path) -> Iterator[str]:
    """The names in capitals and small letters that a module gives to types."""
    for path in modules(folder):
        for node in tree(path).body:
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if isinstance(node, ast.AnnAssign):
                target = node.target
            if isinstance(target, ast.Name) and target.id[:1].isupper() and not target.id.isupper():
                yield f"{name_of(path)}.{target.id}"


def test_values_are_typed_beyond_the_codecs() -> None:
    """A row or a message is decoded once, so only a codec has keys with values of any kind."""
    untyped = {
        owner
        for path in modules()
        if name_of(path) not in CODEC_MODULES
        for owner in untyped_owners(tree(path), name_of(path))
    }
    assert untyped == CODECS
    assert all(
        any(untyped_owners(tree(path), "")) for path in modules() if name_of(path) in CODEC_MODULES
    )


def untyped_owners(node: ast.AST, name: str) -> Iterator[str]:
    """The dotted names of the functions, classes and modules that keep values of any kind by text.

    A function within another counts as a part of that one, and `to_json` and `from_json` not at
    all: they are codecs, too.
    """
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for one in ast.iter_child_nodes(node):
        if isinstance(one, functions) and one.name in ("to_json", "from_json"):
            continue
        if isinstance(one, (*functions, ast.ClassDef)) and not isinstance(node, functions):
            yield from untyped_owners(one, f"{name}.{one.name}")
            continue
        if isinstance(one, ast.Subscript) and UNTYPED.fullmatch(ast.unparse(one)):
            yield name
        yield from untyped_owners(one, name)


def test_one_pair_of_names_for_serialising() -> None:
    others = {"as_json", "as_dict", "to_dict", "from_dict", "to_data", "from_data", "serialise"}
    others |= {"state", "restore", "restore_json"}
    wrong = [
        f"{name_of(path)}.{node.name}"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in others
    ]
    assert wrong == []


def test_the_glossary_owns_words_that_there_are() -> None:
    """Its modules are there, its words stand once and in order, and every room has a row."""
    lines = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").splitlines()
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:2] == "| "
    ]
    words = [row for row in rows if len(row) == 3 and row[0] != "word"]
    assert len(words) > 80
    assert [row[0] for row in words] == sorted({row[0] for row in words})
    missing = []
    for word, meaning, owner in words:
        assert meaning, word
        module = owner.strip("`")
        place = SDK if module.startswith("mazzo.") else SERVER
        path = place.joinpath(*module.removeprefix("mazzo.").split("."))
        if not path.with_suffix(".py").exists() and not (path / "__init__.py").exists():
            missing.append(owner)
    assert missing == []
    named = {name for row in rows if len(row) == 2 for name in row[0].replace("`", "").split(", ")}
    there = {path.parent.name for path in SERVER.glob("*/__init__.py")}
    there |= {path.stem for path in SERVER.glob("*.py")} - {"__init__", "__main__"}
    assert named - {"room"} == there
