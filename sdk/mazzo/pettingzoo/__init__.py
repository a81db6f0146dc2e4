"""The games as PettingZoo environments, for reinforcement learning; needs `mazzo[rl]`.

`env("frusta")` is an AEC environment: one episode is one deal, agents are "seat_0" and so
on, an action is its number in the game's list. `observation` makes the same vector and mask
of any `View`, so that a bot plays with what was trained; it needs NumPy alone, which every
bot has on the platform.

Rewards come at the end of the deal: each agent gets its deal score minus the mean of all
deal scores, so that they add up to 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import numpy as _numpy  # noqa: F401
except ModuleNotFoundError as error:
    raise ImportError(
        'mazzo.pettingzoo needs numpy: install it with pip install "mazzo[rl]"', name="numpy"
    ) from error

from mazzo.pettingzoo.vectors import Observation, layout, observation

if TYPE_CHECKING:
    from mazzo.pettingzoo.environment import env, raw_env

__all__ = ["Observation", "env", "layout", "observation", "raw_env"]

if not TYPE_CHECKING:  # a type checker must not take every name for an attribute

    def __getattr__(name: str) -> object:
        """Return what makes environments, which needs more packages than NumPy."""
        if name not in ("env", "raw_env"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        try:
            from mazzo.pettingzoo import environment
        except ModuleNotFoundError as error:
            raise ImportError(
                f"mazzo.pettingzoo.{name} needs {error.name}: install it with pip install "
                '"mazzo[rl]"',
                name=error.name,
            ) from error
        return getattr(environment, name)
