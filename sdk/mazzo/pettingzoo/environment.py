"""The AEC environment: one episode is one deal."""

from __future__ import annotations

import hashlib
import secrets
from operator import index
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from mazzo.errors import quote_value
from mazzo.game import Deal, Variant
from mazzo.games import parse_variant
from mazzo.pettingzoo.features import FEATURES
from mazzo.pettingzoo.vectors import Observation, layout, observation
from mazzo.shuffle import SEED_BYTES, SeededShuffles, Stream

__all__ = ["env", "raw_env"]

_RENDER_MODES = ("ansi", "human")


def env(
    variant: Variant | str,
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    draws: str | None = None,
) -> AECEnv[str, Observation, int | None]:
    """Return the environment of a variant, in the wrappers that PettingZoo's classic games have.

    An illegal action ends the episode: who took it gets a reward as bad as the worst deal,
    the others 0. An action that is no action of the game, and a call out of order, raise.
    The arguments are those of `raw_env`.
    """
    raw = raw_env(variant, render_mode=render_mode, max_cycles=max_cycles, draws=draws)
    worst = FEATURES[raw.variant.game.id].worst(raw.variant)
    checked = wrappers.TerminateIllegalWrapper(raw, illegal_reward=worst)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(checked))


class raw_env(AECEnv[str, Observation, int | None]):
    """One deal an episode, without wrappers: an illegal action raises `IllegalActionError`.

    `render_mode` is "ansi" (`render` returns text), "human" (it prints it, after each action
    too) or None. `max_cycles` is how often each agent may act: the episode is truncated where
    one would act once more, which in games of tricks alone is after so many tricks. `draws`
    is one of the game's drawing modes (None: its default).

    A copy by `copy.deepcopy` or `pickle` stands where this one does, also in the middle of an
    episode, and goes on as it would, in this episode and in later ones that get no other seed.
    """

    metadata: dict[str, Any]
    deal: Deal  # of this episode, with everything that is hidden

    def __init__(
        self,
        variant: Variant | str,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        draws: str | None = None,
    ) -> None:
        """Wait for `reset`."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.variant = parse_variant(variant) if isinstance(variant, str) else variant
        game = self.variant.game
        if render_mode is not None and render_mode not in _RENDER_MODES:
            raise ValueError(
                f"render_mode: expected {', '.join(_RENDER_MODES)} or None, got {render_mode!r}"
            )
        if max_cycles is not None and _whole("max_cycles", max_cycles) < 1:
            raise ValueError(f"max_cycles: expected 1 or more, got {max_cycles!r}")
        if draws is not None and draws not in game.draw_modes:
            raise ValueError(f"draws: expected {' or '.join(game.draw_modes)}, got {draws!r}")
        self.render_mode = render_mode
        self.max_cycles = max_cycles
        self.draws = draws
        self.metadata = {
            "render_modes": list(_RENDER_MODES),
            "name": str(self.variant),
            "is_parallelizable": False,
            "render_fps": 1,
        }
        self.possible_agents = [f"seat_{seat}" for seat in range(self.variant.players)]
        self.agents = []
        numbers, actions = _size(self.variant), len(game.actions)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, (numbers,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces: dict[str, spaces.Space[Any]] = {
            agent: spaces.Discrete(actions) for agent in self.possible_agents
        }
        self._seed: bytes | None = None  # until the first `reset`, so that copies differ till then
        self._episode = -1  # number of the episode since the seed was set

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return the space of what an agent observes: a vector, and a mask of actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return the numbers of the game's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal anew; `options` has no effect.

        The same seeds give the same deals. Without a seed the next deal follows from the last
        seed that was given, or from the system's generator where none was.
        """
        number = None if seed is None else _whole("seed", seed)
        self._episode += 1
        if self._seed is None:
            self._seed = secrets.token_bytes(SEED_BYTES)
        if number is not None:
            self._seed = hashlib.sha256(str(number).encode()).digest()
            self._episode = 0
        deal_seed = Stream(self._seed, f"episode/{self._episode}").digest()
        players = self.variant.players
        self.deal = self.variant.game.deal(
            self.variant,
            SeededShuffles(deal_seed, 0),
            dealer=Stream(deal_seed, "first-dealer").below(players),
            draws=self.draws,
        )
        assert self.deal.seat is not None
        self._acted = [0] * players
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[self.deal.seat]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Observation:
        """Return what the agent sees, from its seat's view alone.

        When the episode is over and the only action is None, the mask is all 1: it masks
        nothing, and a learner that takes a maximum over it gets a number.
        """
        seen = observation(self.deal.view(self.possible_agents.index(agent)))
        if self.terminations.get(agent, True) or self.truncations[agent]:
            seen["action_mask"].fill(1)
        return seen

    def step(self, action: int | None) -> None:
        """Take the selected agent's action; None for an agent whose episode is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise ValueError("expected an action, got None")
        self.deal.apply(int(action))
        self._acted[self.possible_agents.index(agent)] += 1
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        scores, seat = self.deal.scores, self.deal.seat
        if seat is None:
            assert scores is not None
            mean = sum(scores) / len(scores)
            self.rewards = {
                agent: score - mean for agent, score in zip(self.agents, scores, strict=True)
            }
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.agents[seat]
            if self._acted[seat] == self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Return the table as an onlooker sees it, who looks into every hand."""
        if self.render_mode is None:
            raise ValueError("expected an environment with a render_mode, got None")
        text = _table(self.deal)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Do nothing: nothing is held open."""


def _whole(name: str, value: int) -> int:
    """Return a whole number of any type, such as NumPy's."""
    try:
        return index(value)
    except TypeError as error:
        raise TypeError(
            f"{name}: expected a whole number or None, got {quote_value(value)}"
        ) from error


def _size(variant: Variant) -> int:
    *_, last = layout(variant).values()
    return int(last.stop)


def _table(deal: Deal) -> str:
    """Return a line for each seat with its cards, those it has laid in this trick last."""
    views = [deal.view(seat) for seat in range(deal.variant.players)]
    laid = dict(views[0].trick.plays)
    lines = [f"{deal.variant}, {len(views[0].trick_winners)} tricks, {len(deal.actions)} actions"]
    for seat, view in enumerate(views):
        mark = ">" if seat == deal.seat else " "
        dealer = " (dealer)" if seat == deal.dealer else ""
        table = f" | {laid[seat]}" if seat in laid else ""
        lines.append(f"{mark} seat_{seat}{dealer}: {' '.join(map(str, view.hand))}{table}")
    if deal.scores is not None:
        lines.append(f"scores: {' '.join(map(str, deal.scores))}")
    return "\n".join(lines)
