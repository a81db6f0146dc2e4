"""The queue for cores: nobody waits beside a free one, and nobody is overtaken."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from mazzo_server.play.instances.cpu.cores import Cores
from mazzo_server.settings import list_usable_processors


class Thinker:
    """Who asks, and every processor that it was lent."""

    def __init__(self) -> None:
        self.lent: list[int] = []

    def on_grant(self, processor: int) -> None:
        self.lent.append(processor)


def test_who_asks_first_is_lent_a_core_first() -> None:
    """Fair cpu: first come, first served, whoever gives back in between."""
    cores, thinkers = Cores([0, 1]), [Thinker() for _ in range(4)]
    for thinker in thinkers:
        cores.ask(thinker)
    assert [thinker.lent for thinker in thinkers] == [[0], [1], [], []]
    assert cores.has_waiting
    cores.give_back(thinkers[1])
    cores.ask(thinkers[1])
    cores.give_back(thinkers[0])
    assert [thinker.lent for thinker in thinkers] == [[0], [1], [1], [0]]
    cores.give_back(thinkers[3])
    assert thinkers[1].lent == [1, 0]
    assert not cores.has_waiting


def test_asking_twice_is_asking_once() -> None:
    """Fair cpu: an instance never has two cores, nor two places in the line."""
    cores, first, second = Cores([0]), Thinker(), Thinker()
    for thinker in (first, first, second, second):
        cores.ask(thinker)
    cores.give_back(first)
    cores.give_back(second)
    assert (first.lent, second.lent) == ([0], [0])
    assert not cores.has_core(second)


def test_who_leaves_the_line_is_not_lent_a_core() -> None:
    """Fair cpu: an instance that ends while it waits would keep the core for ever."""
    cores, thinkers = Cores([7]), [Thinker() for _ in range(3)]
    for thinker in thinkers:
        cores.ask(thinker)
    cores.give_back(thinkers[1])
    cores.give_back(thinkers[0])
    assert [thinker.lent for thinker in thinkers] == [[7], [], [7]]


def test_one_gets_the_processor_that_it_had_if_that_is_free() -> None:
    """Fair cpu: it costs to move to another one."""
    cores, thinker, other = Cores([0, 1]), Thinker(), Thinker()
    cores.ask(thinker, rather=1)
    cores.ask(other, rather=1)
    assert (thinker.lent, other.lent) == ([1], [0])


def test_there_is_a_core_or_nobody_could_ever_think() -> None:
    assert list_usable_processors()
    with pytest.raises(ValueError, match="one processor or more, got none"):
        Cores([])


class Lending(RuleBasedStateMachine):
    """Whatever the order of asking, giving back and leaving."""

    @initialize(count=st.integers(1, 3))
    def open(self, count: int) -> None:
        self.cores = Cores(range(count))
        self.count = count
        self.thinkers = [Thinker() for _ in range(6)]
        self.line: list[Thinker] = []  # in the order in which they asked, from the first
        self.thinking: list[Thinker] = []

    def serve(self) -> None:
        while self.line and len(self.thinking) < self.count:
            self.thinking.append(self.line.pop(0))

    @rule(data=st.data())
    def ask(self, data: Any) -> None:
        thinker = data.draw(st.sampled_from(self.thinkers))
        rather = data.draw(st.integers(-1, 2))
        self.cores.ask(thinker, rather=rather)
        if thinker not in self.thinking and thinker not in self.line:
            self.line.append(thinker)
            self.serve()

    @rule(data=st.data())
    def give_back(self, data: Any) -> None:
        thinker = data.draw(st.sampled_from(self.thinkers))
        self.cores.give_back(thinker)
        for one in (self.line, self.thinking):
            if thinker in one:
                one.remove(thinker)
        self.serve()

    @invariant()
    def the_first_in_line_think(self) -> None:
        if not hasattr(self, "cores"):
            return
        assert [one for one in self.thinkers if self.cores.has_core(one)] == [
            one for one in self.thinkers if one in self.thinking
        ]
        used = [thinker.lent[-1] for thinker in self.thinking]
        assert len(set(used)) == len(used)
        assert self.cores.has_waiting == bool(self.line)


TestLending = Lending.TestCase
