"""The games as PettingZoo environments, for reinforcement learning; needs `mazzo[rl]`.

`env("frusta")` is an AEC environment: one episode is one deal, agents are "seat_0" and so
on, an action is its number in the game's list. `observation` makes the same vector and mask
of any `View`, so that a bot plays with what was trained.

Rewards come at the end of the deal: each agent gets its deal score minus the mean of all
deal scores, so that they add up to 0.
"""

from __future__ import annotations

try:
    import gymnasium as _gymnasium  # noqa: F401
    import numpy as _numpy  # noqa: F401
    import pettingzoo as _pettingzoo  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        f'mazzo.pettingzoo needs {error.name}: install it with pip install "mazzo[rl]"',
        name=error.name,
    ) from error

from mazzo.pettingzoo.environment import env, raw_env
from mazzo.pettingzoo.vectors import Observation, layout, observation

__all__ = ["Observation", "env", "layout", "observation", "raw_env"]
