"""The games as PettingZoo environments: PettingZoo's own tests, and laws of ours."""

from __future__ import annotations

import copy
import importlib
import logging
import pickle
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test.api_test import api_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.render_test import render_test
from pettingzoo.test.seed_test import seed_test
from pettingzoo.utils.wrappers import BaseWrapper

import mazzo.pettingzoo
from mazzo import worlds
from mazzo.cards import bits
from mazzo.errors import IllegalActionError, VariantError
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.pettingzoo import Observation, env, layout, observation, raw_env
from mazzo.pettingzoo.features import FEATURES
from support.strategies import all_variants, choose

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "how-to" / "train-with-pettingzoo.md"

TABLES = [str(Variant.of(game, players)) for game in GAMES.values() for players in game.players]
VARIANTS = [  # all options, with each number of players but for Frap, where 2 and 6 stand for all
    str(variant)
    for game in GAMES.values()
    for variant in all_variants(game)
    if str(variant) in TABLES or game.id != "frap" or variant.players in (2, 6)
]

# PettingZoo says this of every environment that observes a dictionary, as its own with masks
# do, except of those on a list of names; any other warning of it is an error here.
a_dictionary_is_no_mistake = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array:UserWarning:pettingzoo.test.api_test",
    "ignore:Observation space for each agent probably should be:UserWarning"
    ":pettingzoo.test.api_test",
)


# PettingZoo's own tests


@a_dictionary_is_no_mistake
@pytest.mark.parametrize("variant", VARIANTS)
def test_the_api_test_passes(variant: str, caplog: pytest.LogCaptureFixture) -> None:
    """With nothing logged either, which is how PettingZoo warns of calls out of order."""
    with caplog.at_level(logging.WARNING):
        api_test(env(variant))
    assert not caplog.records


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_seed_test_passes(variant: str) -> None:
    """Two environments with one seed are the same for a whole deal."""
    seed_test(lambda: env(variant))


class AnyAction(BaseWrapper[str, Observation, int | None]):
    """Takes any action for another one, a legal one that brings all seats their turn.

    `max_cycles_test` plays without regard to the mask.
    """

    def step(self, action: int | None) -> None:
        """`pass` in Frap, the lowest action in the other games."""
        raw = unwrapped(self)
        if action is not None:
            action = next(bits(raw.deal.legal))
            if raw.variant.game.id == "frap":
                passing = int(raw.variant.game.parse_action("pass"))
                action = passing if raw.deal.legal >> passing & 1 else action
        super().step(action)


class Cycles(ParallelEnv[str, Observation, int]):
    """Cycle after cycle, one a step: in cycle K everybody acts up to K times in all, in turn."""

    def __init__(self, aec: AECEnv[str, Observation, int | None]) -> None:
        self.aec = aec
        self.agents = []

    def action_space(self, agent: str) -> Any:
        return self.aec.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        self.aec.reset(seed=seed, options=options)
        self.agents = list(self.aec.agents)
        self.acted = dict.fromkeys(self.agents, 0)
        self.cycle = 0
        return {}, dict(self.aec.infos)

    def step(self, actions: dict[str, int]) -> Any:
        aec, self.cycle = self.aec, self.cycle + 1
        while not over(aec) and self.acted[aec.agent_selection] < self.cycle:
            self.acted[aec.agent_selection] += 1
            aec.step(actions[aec.agent_selection])
        return {}, dict(aec.rewards), dict(aec.terminations), dict(aec.truncations), {}


class Table:
    """A variant as a module of environments."""

    def __init__(self, variant: str) -> None:
        self.variant = variant

    def env(self, *, max_cycles: int) -> AECEnv[str, Observation, int | None]:
        return AnyAction(env(self.variant, max_cycles=max_cycles))

    def parallel_env(self, *, max_cycles: int) -> ParallelEnv[str, Observation, int]:
        return Cycles(self.env(max_cycles=max_cycles))


STEADY = {
    "tressette-meta-mazzo/2": "tressette-meta-mazzo/2?buongiochi=off",
    "tressette-pizzichino/2": "tressette-pizzichino/2?packets=auto",
}
"""`max_cycles_test` wants all to have acted equally often after four cycles.

With their defaults, one player in Metà Mazzo is asked alone after drawing an honour, and in
Pizzichino one acts six times in a row to take packets.
"""


@pytest.mark.parametrize("variant", [STEADY.get(text, text) for text in TABLES])
def test_the_max_cycles_test_passes(variant: str) -> None:
    """Four cycles: bids, rounds in which all pass, or tricks."""
    max_cycles_test(Table(variant))


def test_the_render_test_passes() -> None:
    """All modes that the metadata name."""
    render_test(lambda **options: env("briscola/3", **options))  # type: ignore[arg-type]


# Episodes


def unwrapped(environment: AECEnv[str, Observation, int | None]) -> raw_env:
    raw = environment.unwrapped
    assert isinstance(raw, raw_env)
    return raw


def over(environment: AECEnv[str, Observation, int | None]) -> bool:
    agent = environment.agent_selection
    return environment.terminations[agent] or environment.truncations[agent]


def positions(variant: str, *, episodes: int = 1) -> Iterator[raw_env]:
    """Every position of some deals that are played at random, the last one too."""
    raw = raw_env(variant)
    generator = random.Random(variant)
    for seed in range(episodes):
        raw.reset(seed=seed)
        yield raw
        while not over(raw):
            raw.step(choose(raw.deal, generator))
            yield raw


def start(raw: raw_env) -> tuple[int, list[list[int]]]:
    """The dealer and the cards."""
    return raw.deal.dealer, raw.deal.shuffles


def test_an_agent_is_a_seat() -> None:
    """In the same order, and the selected one is to move."""
    for raw in positions("frap/5"):
        assert raw.agents == raw.possible_agents == [f"seat_{seat}" for seat in range(5)]
        if raw.deal.seat is not None:
            assert raw.agent_selection == f"seat_{raw.deal.seat}"


def test_seeds_decide_cards_and_dealer() -> None:
    """Also of the episodes that follow without a seed of their own; all of them differ."""
    one, other = raw_env("briscola/4"), raw_env("briscola/4")
    found = []
    for seed in (0, None, None, 1, None):
        one.reset(seed=seed)
        other.reset(seed=seed)
        assert start(one) == start(other)
        found.append(start(one))
    assert len({str(cards) for _, cards in found}) == len(found)
    dealers = set()
    for seed in range(40):
        one.reset(seed=seed)
        dealers.add(one.deal.dealer)
    assert dealers == {0, 1, 2, 3}


def test_without_a_seed_chance_decides() -> None:
    """Two environments differ."""
    one, other = raw_env("frusta"), raw_env("frusta")
    one.reset()
    other.reset()
    assert start(one)[1] != start(other)[1]


def test_the_drawing_mode_is_an_argument() -> None:
    """The default is the game's own."""
    for draws, expected in ((None, "top"), ("seats", "seats")):
        raw = raw_env("briscola/2", draws=draws)
        raw.reset()
        assert raw.deal.draws == expected


@pytest.mark.parametrize("variant", TABLES)
def test_rewards_follow_the_scores_and_add_up_to_0(variant: str) -> None:
    """All 0 until the end; a difference of rewards is that of the scores."""
    least = FEATURES[parse_variant(variant).game.id].worst(parse_variant(variant))
    for raw in positions(variant, episodes=5):
        rewards = list(raw.rewards.values())
        if raw.deal.scores is None:
            assert not any(rewards)
            continue
        assert all(raw.terminations.values())
        assert not any(raw.truncations.values())
        assert sum(rewards) == pytest.approx(0)
        assert min(rewards) >= least
        differences = [score - raw.deal.scores[0] for score in raw.deal.scores]
        assert [reward - rewards[0] for reward in rewards] == pytest.approx(differences)


@pytest.mark.parametrize("variant", TABLES)
def test_max_cycles_truncates(variant: str) -> None:
    """Where an agent would act once more, and nowhere else; then nobody gets anything."""
    truncated, generator = 0, random.Random(variant)
    for cycles in (1, 2, 10_000):
        raw = raw_env(variant, max_cycles=cycles)
        raw.reset(seed=0)
        acted = dict.fromkeys(raw.agents, 0)
        while not over(raw):
            assert acted[raw.agent_selection] < cycles
            acted[raw.agent_selection] += 1
            raw.step(choose(raw.deal, generator))
        if all(raw.truncations.values()):
            truncated += 1
            assert raw.deal.seat is not None
            assert acted[raw.agents[raw.deal.seat]] == cycles
            assert not any(raw.terminations.values())
            assert not any(raw.rewards.values())
        else:
            assert raw.deal.seat is None
            assert not any(raw.truncations.values())
    assert truncated == 2


def test_an_illegal_action_ends_the_episode() -> None:
    """Whoever took it gets the worst there is, the others nothing."""
    environment = env("frap/3?ante=8")
    environment.reset(seed=0)
    mover = environment.agent_selection
    environment.step(0)
    assert all(environment.terminations.values())
    assert environment.rewards == {
        agent: -8 * 21 if agent == mover else 0 for agent in environment.agents
    }


def test_without_wrappers_an_illegal_action_raises() -> None:
    """And changes nothing."""
    raw = raw_env("frusta")
    raw.reset(seed=0)
    before = raw.observe(raw.agent_selection)
    illegal = int(np.flatnonzero(before["action_mask"] == 0)[0])
    with pytest.raises(IllegalActionError):
        raw.step(illegal)
    with pytest.raises(ValueError, match="expected an action, got None"):
        raw.step(None)
    assert not raw.deal.actions


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_mode": "rgb_array"}, "render_mode: expected ansi, human or None, got 'rgb_arr"),
        ({"max_cycles": 0}, "max_cycles: expected 1 or more, got 0"),
        ({"draws": "seats"}, "draws: expected top, got 'seats'"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], message: str) -> None:
    """Before anything is dealt; an unknown variant has an error of its own."""
    with pytest.raises(ValueError, match=re.escape(message)):
        env("frusta", **options)
    with pytest.raises(VariantError):
        env("frusta/3")


def test_numbers_are_whole() -> None:
    """NumPy's too; a seed that is none leaves the environment as it was."""
    wrong: Any
    for wrong in ("x", 2.0):
        with pytest.raises(TypeError, match=f"max_cycles: expected a whole .*, got {wrong!r}"):
            env("frusta", max_cycles=wrong)
    environment = env("frusta", max_cycles=np.int64(2))  # type: ignore[arg-type]
    environment.reset(seed=np.int64(3))  # type: ignore[arg-type]
    deal = unwrapped(environment).deal
    for wrong in (1.5, "1"):
        with pytest.raises(TypeError, match=f"seed: expected a whole .*, got {wrong!r}"):
            environment.reset(seed=wrong)
    assert unwrapped(environment).deal is deal


def test_an_environment_is_rendered_with_all_hands() -> None:
    """Whoever is to move is marked; the scores come in the end."""
    environment = env("briscola/2", render_mode="ansi")
    environment.reset(seed=0)
    text = environment.render()
    assert isinstance(text, str)
    assert text.count("seat_") == 2
    assert f"> {environment.agent_selection}" in text
    while not over(environment):
        environment.step(next(bits(unwrapped(environment).deal.legal)))
    text = environment.render()
    assert isinstance(text, str)
    assert "scores: " in text
    with pytest.raises(ValueError, match="render_mode"):
        raw_env("briscola/2").render()


def play_on(environment: AECEnv[str, Observation, int | None], seed: int) -> list[Any]:
    """Everything that agents see and do to the end of the episode, and the cards of the next."""
    generator, seen = random.Random(seed), []
    for agent in environment.agent_iter():
        noticed, reward, terminated, truncated, _ = environment.last()
        assert noticed is not None
        legal = np.flatnonzero(noticed["action_mask"]).tolist()
        action = None if terminated or truncated else generator.choice(legal)
        vector = noticed["observation"].tobytes()
        seen.append((agent, vector, legal, reward, terminated, truncated, action))
        environment.step(action)
    environment.reset()
    return [*seen, unwrapped(environment).deal.hands]


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda environment: pickle.loads(pickle.dumps(environment))],
    ids=["deepcopy", "pickle"],
)
@pytest.mark.parametrize("variant", TABLES)
def test_a_copy_in_mid_episode_is_a_true_one(variant: str, copied: Any) -> None:
    """It goes on as the original does with the same actions, and neither moves the other."""
    original = env(variant, max_cycles=1000)
    original.reset(seed=7)
    for _ in range(9):
        original.step(next(bits(unwrapped(original).deal.legal)))
    first, second = copied(original), copied(original)
    assert unwrapped(first).deal.hands == unwrapped(original).deal.hands
    other = play_on(first, 2)
    assert unwrapped(second).deal.hands == unwrapped(original).deal.hands
    assert play_on(second, 1) == play_on(original, 1) != other


def test_copies_that_were_never_reset_deal_differently() -> None:
    """Each draws its own seed when it is reset without one."""
    made = env("briscola/2")
    deals = []
    for one in (made, copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        one.reset()
        deals.append(tuple(unwrapped(one).deal.hands))
    assert len(set(deals)) == 3


def test_an_environment_can_be_sent_to_another_process() -> None:
    """It arrives as it was made, before `reset`."""
    sent = env(parse_variant("briscola/4?talk=off"), max_cycles=7, draws="seats")
    raw = unwrapped(pickle.loads(pickle.dumps(sent)))
    assert (str(raw.variant), raw.max_cycles, raw.draws) == ("briscola/4?talk=off", 7, "seats")


# Observations


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_mask_is_what_is_legal(variant: str) -> None:
    """For the agent to move; all 0 for the others, all 1 when only None is left."""
    for raw in positions(variant):
        for agent in raw.agents:
            seen = raw.observe(agent)
            assert raw.observation_space(agent).contains(seen)
            legal = raw.deal.legal if agent == raw.agent_selection else 0
            expected = list(bits(legal))
            if over(raw):
                expected = list(range(len(raw.variant.game.actions)))
            assert np.flatnonzero(seen["action_mask"]).tolist() == expected


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_observation_holds_nothing_hidden(variant: str) -> None:
    """It is the same when everything that the seat cannot know is dealt anew."""
    generator = random.Random(variant)
    different = 0
    for raw in positions(variant, episodes=3):
        if generator.random() < 0.8:
            continue
        seat = generator.randrange(raw.variant.players)
        view = raw.deal.view(seat)
        other = worlds.sample(view, generator)
        different += other.shuffles != raw.deal.shuffles
        one, two = observation(view), observation(other.view(seat))
        assert np.array_equal(one["observation"], two["observation"])
        assert np.array_equal(one["action_mask"], two["action_mask"])
        if not over(raw):
            seen = raw.observe(raw.agents[seat])
            assert np.array_equal(one["observation"], seen["observation"])
    assert different


@pytest.mark.parametrize("variant", TABLES)
def test_every_number_of_the_layout_has_one_name(variant: str) -> None:
    """The parts stand side by side and fill the vector."""
    slices = list(layout(variant).values())
    assert [part.start for part in slices] == [0, *(part.stop for part in slices[:-1])]
    raw = raw_env(variant)
    raw.reset()
    assert raw.observe("seat_0")["observation"].shape == (slices[-1].stop,)
    assert layout(parse_variant(variant)) == layout(variant)


@pytest.mark.parametrize(
    "variant",
    [
        *(text for text in TABLES if not text.startswith("frap")),
        "briscola/4?talk=signal",
        "tressette-pizzichino/2?packets=peek",
        "frap/2",
    ],
)
def test_no_part_is_dead(variant: str) -> None:
    """Each says something in some position, if there is anything to say."""
    parts = layout(variant)
    silent = set(parts)
    for raw in positions(variant, episodes=60):
        seen = raw.observe(raw.agent_selection)["observation"]
        silent -= {name for name in silent if seen[parts[name]].any()}
    nobody_knows = {"known"} if variant in ("briscola/3", "briscola-chiamata/5") else set()
    assert silent <= nobody_knows


def test_a_vector_read_by_its_names() -> None:
    """A deal of Briscola for three after two cards, as the third player sees it."""
    raw = raw_env("briscola/3")
    raw.reset(seed=5)
    for _ in range(2):
        raw.step(next(bits(raw.deal.legal)))
    view = raw.deal.view(raw.deal.dealer)
    assert raw.deal.seat == view.seat
    vector = raw.observe(raw.agent_selection)["observation"]
    part = {name: vector[place] for name, place in layout("briscola/3").items()}
    first, second = view.trick.cards
    table = part["trick"].reshape(3, 40)
    assert np.flatnonzero(part["hand"]).tolist() == list(view.hand)
    assert np.flatnonzero(part["unseen"]).tolist() == list(view.unseen)
    assert [np.flatnonzero(row).tolist() for row in table] == [[], [first], [second]]
    assert part["to_move"].tolist() == [1]
    assert part["dealer"].tolist() == [1, 0, 0]
    assert part["leader"].tolist() == [0, 1, 0]
    assert part["hand_counts"] == pytest.approx([1, 2 / 3, 2 / 3])
    assert part["stock"] == pytest.approx([30 / 40])
    assert part["trump"].sum() == part["trump_card"].sum() == 1


# The package and its page


def test_public_names_are_pinned_and_sorted() -> None:
    """What the module offers changes on purpose only."""
    assert mazzo.pettingzoo.__all__ == ["Observation", "env", "layout", "observation", "raw_env"]
    assert sorted(mazzo.pettingzoo.__all__) == mazzo.pettingzoo.__all__


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium", "numpy"])
def test_without_the_extra_the_error_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of its packages is missing, when that is needed first."""
    for name in [name for name in sys.modules if name.startswith("mazzo.pettingzoo")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    needed = re.escape(f'{missing}: install it with pip install "mazzo[rl]"')
    if missing == "numpy":
        with pytest.raises(ImportError, match=f"mazzo.pettingzoo needs {needed}"):
            importlib.import_module("mazzo.pettingzoo")
        return
    package = importlib.import_module("mazzo.pettingzoo")
    for name in ("env", "raw_env"):
        with pytest.raises(ImportError, match=f"mazzo.pettingzoo.{name} needs {needed}"):
            getattr(package, name)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        package.nothing  # noqa: B018


def test_a_bot_sees_what_was_trained_with_numpy_alone() -> None:
    """A sandbox has NumPy, and neither PettingZoo nor Gymnasium."""
    program = (
        "import sys\n"
        "sys.modules.update(dict.fromkeys(('pettingzoo', 'gymnasium')))\n"
        "from mazzo.games import parse_variant\n"
        "from mazzo.pettingzoo import layout, observation\n"
        "from mazzo.shuffle import SeededShuffles\n"
        "variant = parse_variant('briscola/2')\n"
        "deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0)\n"
        "parts = layout(variant).values()\n"
        "print(observation(deal.view(1))['observation'].size, max(part.stop for part in parts))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    size, end = told.split()
    assert size == end


def test_the_page_names_every_part_of_the_vectors() -> None:
    """In its tables."""
    words = set(re.findall(r"`([^`\n]+)`", PAGE.read_text()))
    assert {name for variant in VARIANTS for name in layout(variant)} <= words


@pytest.mark.parametrize(
    "program", re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
)
def test_the_programs_of_the_page_run(program: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each is complete and prints something."""
    exec(compile(program, "program.py", "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out
