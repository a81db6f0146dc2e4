"""Keeps the charts of rankings: the platform goes through all their tournaments for one."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial

from markupsafe import Markup

from mazzo.v1 import ranking_pb2
from mazzo_server.serving.presenting import draw_ranking
from mazzo_server.serving.web.rendering import render_chart
from mazzo_server.serving.web.services import Services

__all__ = ["RankingCharts"]


class RankingCharts:
    """Draws each ranking once, and again when it has changed.

    Only one ranking is drawn at a time. Those that are kept are returned at once.
    """

    def __init__(self, *, most: int = 64) -> None:
        """Keep at most so many."""
        self._most = most
        self._drawing = asyncio.Lock()
        self._kept: OrderedDict[bytes, list[Markup]] = OrderedDict()

    async def draw(self, services: Services, ranking: ranking_pb2.Ranking) -> list[Markup]:
        """Return the charts of a ranking, which are the same for all who may see it."""
        key = ranking.SerializeToString(deterministic=True)
        if key not in self._kept:
            async with self._drawing:
                if key not in self._kept:  # somebody else may have asked for it meanwhile
                    explain = partial(services.explain_ranking, variant=ranking.variant)
                    drawings = await draw_ranking(ranking, explain)
                    self._kept[key] = [render_chart(drawing) for drawing in drawings]
                    if len(self._kept) > self._most:
                        self._kept.popitem(last=False)
        self._kept.move_to_end(key)
        return self._kept[key]
