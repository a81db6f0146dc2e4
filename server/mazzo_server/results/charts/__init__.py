"""Charts of results as SVG, in colours that need no style sheet.

They take values and know no store: a command writes them to files, and a page shows them.
"""

from mazzo_server.results.charts.bracket import (
    BracketBox,
    BracketLine,
    BracketPart,
    draw_bracket,
)
from mazzo_server.results.charts.course import CourseLine, draw_course
from mazzo_server.results.charts.crosstable import CrosstableScore, draw_crosstable
from mazzo_server.results.charts.drawing import Drawing, stack
from mazzo_server.results.charts.histogram import HistogramBar, draw_histogram, format_edge
from mazzo_server.results.charts.lines import MOST_LINES
from mazzo_server.results.charts.points import PointsLine, draw_points
from mazzo_server.results.charts.ratings import RatingLine, RatingPoint, draw_ratings
from mazzo_server.results.charts.scores import ScoreRow, draw_scores
from mazzo_server.results.charts.spread import ScoreBin, SpreadRow, draw_spreads

__all__ = [
    "MOST_LINES",
    "BracketBox",
    "BracketLine",
    "BracketPart",
    "CourseLine",
    "CrosstableScore",
    "Drawing",
    "HistogramBar",
    "PointsLine",
    "RatingLine",
    "RatingPoint",
    "ScoreBin",
    "ScoreRow",
    "SpreadRow",
    "draw_bracket",
    "draw_course",
    "draw_crosstable",
    "draw_histogram",
    "draw_points",
    "draw_ratings",
    "draw_scores",
    "draw_spreads",
    "format_edge",
    "stack",
]
