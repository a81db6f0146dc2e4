"""What every isolation owes, tried with `docker`: the same tests as of the others."""

from __future__ import annotations

from sandbox.test_ends import (
    test_a_bot_that_kills_itself_in_whatever_way_did_it_itself,
    test_no_descriptor_is_lost,
    test_nothing_is_left_behind,
    test_what_is_missing_is_not_blamed_on_the_bot,
)
from sandbox.test_limits import test_forks_are_bounded_for_each_instance
from sandbox.test_runtimes import test_packages_of_its_own_come_after_the_sdk
from sandbox.test_sandbox import (
    test_a_bot_gets_its_environment_and_nothing_else,
    test_a_command_that_is_not_there_is_the_bot_s_fault,
    test_a_flood_of_output_neither_blocks_nor_piles_up,
    test_how_it_ended_is_known,
)

__all__ = [
    "test_a_bot_gets_its_environment_and_nothing_else",
    "test_a_bot_that_kills_itself_in_whatever_way_did_it_itself",
    "test_a_command_that_is_not_there_is_the_bot_s_fault",
    "test_a_flood_of_output_neither_blocks_nor_piles_up",
    "test_forks_are_bounded_for_each_instance",
    "test_how_it_ended_is_known",
    "test_no_descriptor_is_lost",
    "test_nothing_is_left_behind",
    "test_packages_of_its_own_come_after_the_sdk",
    "test_what_is_missing_is_not_blamed_on_the_bot",
]
