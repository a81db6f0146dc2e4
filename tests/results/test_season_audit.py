"""The audit of a ladder with larger tables, whose standings keep no sums of tables."""

from __future__ import annotations

from mazzo_server.results import keep_standings, read_tables
from mazzo_server.results.standings.audit import make_audit
from mazzo_server.storage import MemoryStore
from support.audited_tournaments import add_audited_season


def test_what_two_bots_give_each_other_on_a_ladder_is_found() -> None:
    """Of all groups, whatever was kept of them."""
    store = MemoryStore()
    number = add_audited_season(store, groups=600, gift=20)
    row = store.tournament(number)
    tables = read_tables(store, row)
    assert sum(sums.groups for sums in tables.values()) == 600
    assert {len(table) for table in tables} == {3}
    keep_standings(store, number)
    assert read_tables(store, row).keys() == tables.keys()
    found = make_audit(row.definition, tables).pairs[0]
    assert {found.name, found.opponent} == {"bot-02", "bot-04"}
    assert found.lead.found
