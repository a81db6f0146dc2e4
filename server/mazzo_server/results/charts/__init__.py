"""Charts of results as SVG, in colours that need no style sheet.

They take values and know no store: a command writes them to files, and a page shows them.
"""

from mazzo_server.results.charts.crosstable import CrosstableScore, draw_crosstable
from mazzo_server.results.charts.drawing import Drawing, stack
from mazzo_server.results.charts.histogram import HistogramBar, draw_histogram, format_edge
from mazzo_server.results.charts.ratings import MOST_LINES, RatingLine, RatingPoint, draw_ratings
from mazzo_server.results.charts.scores import ScoreRow, draw_scores

__all__ = [
    "MOST_LINES",
    "CrosstableScore",
    "Drawing",
    "HistogramBar",
    "RatingLine",
    "RatingPoint",
    "ScoreRow",
    "draw_crosstable",
    "draw_histogram",
    "draw_ratings",
    "draw_scores",
    "format_edge",
    "stack",
]
