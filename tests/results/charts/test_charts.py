"""Charts say what the values are, fit their paper, and hold nothing that pages do not allow."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.results.charts import (
    BracketBox,
    BracketLine,
    BracketPart,
    CourseLine,
    CrosstableScore,
    Drawing,
    HistogramBar,
    PointsLine,
    RatingLine,
    RatingPoint,
    ScoreBin,
    ScoreRow,
    SpreadRow,
    draw_bracket,
    draw_course,
    draw_crosstable,
    draw_histogram,
    draw_points,
    draw_ratings,
    draw_scores,
    draw_spreads,
    format_edge,
    stack,
)
from mazzo_server.results.charts.drawing import find_text_width, shorten
from mazzo_server.results.charts.scale import make_scale

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title><script>alert(1)</script>\x1b[31m\x00‮ & \"'"
# Elements and attributes that draw, and can do nothing else.
ELEMENTS = {"svg", "g", "title", "desc", "text", "rect", "polyline", "polygon", "circle"}
ATTRIBUTES = {
    *("class", "x", "y", "cx", "cy", "r", "width", "height", "points", "viewBox", "transform"),
    *("aria-label", "fill", "fill-opacity", "stroke", "stroke-width", "stroke-linejoin", "role"),
    *("font-family", "font-size", "font-weight", "text-anchor"),
}


def make_rows(count: int, *, name: str = "bot") -> list[ScoreRow]:
    generator = random.Random(count)
    rows = []
    for place in range(count):
        score, half = 90 - place + generator.random(), generator.random()
        rows.append(
            ScoreRow(
                rank=place + 1,
                name=f"{name}-{place}",
                score=score,
                low=score - half,
                high=score + half,
                better=None if place == count - 1 else 0.75,
            )
        )
    return rows


def make_crosstable(names: list[str]) -> dict[tuple[str, str], CrosstableScore]:
    return {
        (name, other): CrosstableScore(score=60.0 + row - column, lead=row - column, summary="told")
        for row, name in enumerate(names)
        for column, other in enumerate(names)
        if row != column
    }


def make_lines(count: int, *, name: str = "bot") -> list[RatingLine]:
    return [
        RatingLine(
            name=f"{name}-{place}",
            points=[
                RatingPoint(tournament=number, rating=10.0 + place, mu=20.0 + place)
                for number in range(1 + place % 3, 30)
            ],
        )
        for place in range(count)
    ]


def make_points(count: int, *, name: str = "bot") -> list[PointsLine]:
    return [
        PointsLine(
            name=f"{name}-{place}", points=[0, place, place, 7 * place], value=f"{7 * place}"
        )
        for place in range(count)
    ]


def make_course(count: int, *, name: str = "bot") -> list[CourseLine]:
    return [
        CourseLine(
            name=f"{name}-{place}",
            points=[(step * 1000, place - step / 7) for step in range(1, 50)],
        )
        for place in range(count)
    ]


def make_spreads(count: int, *, name: str = "bot") -> list[SpreadRow]:
    return [
        SpreadRow(
            name=f"{name}-{place}",
            bins=[ScoreBin(low=8.0 * at, high=8.0 * (at + 1), count=at + 1) for at in range(9)],
        )
        for place in range(count)
    ]


def make_bracket(count: int, *, name: str = "bot") -> list[BracketPart]:
    """A tree of `count` entrants, the first of each pair going on, and as many bouts in a row."""
    rounds = []
    number, places = 1, list(range(count))
    while True:
        boxes = [make_box(places[at : at + 2], name) for at in range(0, len(places), 2)]
        rounds.append((f"round {number} of {name}"[:20], boxes))
        if len(boxes) == 1:
            break
        number, places = number + 1, places[::2]
    row = [(f"losers {step}", [make_box([step, step + 1, step + 2], name)]) for step in range(3)]
    return [BracketPart(rounds=rounds, is_tree=True), BracketPart(rounds=row, is_tree=False)]


def make_box(places: Sequence[int], name: str) -> BracketBox:
    return BracketBox(
        lines=[
            BracketLine(
                name=f"{name}-{place}",
                text=f"{place + 1} {name}-{place}",
                score=f"{-100.5 - place}",
                goes_on=not at,
            )
            for at, place in enumerate(places)
        ],
        tip=f"bout of {name}",
    )


def make_bars(count: int, *, width: float = 4.0) -> list[HistogramBar]:
    below = [(-(at + 1) * width, -at * width) for at in reversed(range(count))]
    above = [(at * width, (at + 1) * width) for at in range(count)]
    return [
        HistogramBar(low=low, high=high, count=10**6 + place, summary=f"bar {place}")
        for place, (low, high) in enumerate([*below, (0.0, 0.0), *above])
    ]


def draw_all(count: int, *, name: str = "bot", title: str = "Title") -> list[Drawing]:
    names = [f"{name}-{place}" for place in range(count)]
    made = (
        draw_scores(title, make_rows(count, name=name)),
        draw_bracket(title, make_bracket(count, name=name)),
        draw_crosstable(title, names, make_crosstable(names)),
        draw_ratings(title, make_lines(count, name=name)),
        draw_points(title, make_points(count, name=name), decisions=40, least=60),
        draw_course(title, "note", make_course(count, name=name)),
        draw_spreads(title, "note", make_spreads(count, name=name)),
        draw_histogram(title, "note", make_bars(count), below=f"points of {name}"[:80]),
    )
    return [drawing for drawing in made if drawing is not None]


def parse(*drawings: Drawing) -> ElementTree.Element:
    return ElementTree.fromstring(stack(drawings))


def list_texts(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter(f"{SVG}text")]


def find_all(root: ElementTree.Element, kind: str) -> Iterator[ElementTree.Element]:
    return (element for element in root.iter() if element.get("class") == kind)


@pytest.mark.parametrize("count", [2, 16])
def test_what_strangers_wrote_is_text_and_nothing_acts(count: int) -> None:
    """Promise: a policy without inline styles shows them as they are, and no name is markup."""
    drawings = draw_all(count, name=HOSTILE, title=HOSTILE)
    text = stack(drawings)
    assert "<script" not in text
    assert "\x1b" not in text
    root = ElementTree.fromstring(text)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in ELEMENTS
        assert element.attrib.keys() <= ATTRIBUTES
    told = "".join(root.itertext())
    assert "<script>alert(1)</script>" in told


@pytest.mark.parametrize("count", [2, 3, 10, 64])
@pytest.mark.parametrize("name", ["a", "w" * 32])
def test_everything_lies_on_the_paper(count: int, name: str) -> None:
    """Also the longest names, and as many bots as a crosstable may have."""
    for drawing in draw_all(count, name=name, title=name * 5):
        root = parse(drawing)
        width, height = (float(root.get(key, "")) for key in ("width", "height"))
        margin = 24
        for element in root.iter(f"{SVG}rect"):
            if element.get("class") == "paper":
                continue
            x, y, wide, high = (
                float(element.get(key, "")) for key in ("x", "y", "width", "height")
            )
            assert x >= 0
            assert x + wide <= width - 2 * margin
            assert y + high <= height - 2 * margin
        for element in root.iter(f"{SVG}text"):
            size = float(element.get("font-size", ""))
            wide = len(element.text or "") * size * 0.62
            x = float(element.get("x", ""))
            begin = {"start": x, "middle": x - wide / 2, "end": x - wide}[
                element.get("text-anchor", "")
            ]
            assert begin >= -margin, element.text
            assert begin + wide <= width - margin, element.text
            assert 0 < float(element.get("y", "")) <= height - margin


@pytest.mark.parametrize("size", [5, 12, 13, 16])
def test_a_text_that_fits_is_whole(size: int) -> None:
    """Also where the width of a column is that of its longest text."""
    for length in range(1, 60):
        text = "n" * length
        width = find_text_width(text, size=size)
        assert shorten(text, width=width, size=size) == text
        assert len(shorten(text + "n", width=width, size=size)) == length


def test_scores_stand_where_their_axis_says() -> None:
    rows = [
        ScoreRow(rank=1, name="ann", score=70.0, low=65.0, high=75.0, better=0.9912),
        ScoreRow(rank=2, name="bob", score=60.0, low=None, high=None, better=None),
        ScoreRow(rank=0, name="cid", score=None, low=None, high=None, better=None),
    ]
    drawing = draw_scores("Standings", rows)
    assert drawing is not None
    root = parse(drawing)
    marks = {float(mark.text or ""): float(mark.get("x", "")) for mark in find_all(root, "mark")}
    unit = (marks[75.0] - marks[60.0]) / 15
    (interval,) = find_all(root, "interval")
    assert float(interval.get("x", "")) == pytest.approx(marks[65.0], abs=0.1)
    assert float(interval.get("width", "")) == pytest.approx(10 * unit, abs=0.1)
    assert [float(mean.get("x", "")) + 1.5 for mean in find_all(root, "mean")] == [
        pytest.approx(marks[70.0], abs=0.1),
        pytest.approx(marks[60.0], abs=0.1),
    ]
    texts = list_texts(root)
    for told in ("1", "ann", "70.00 ±5.00", "99.1%", "60.00", "–", "cid", "no deal counts"):
        assert told in texts
    assert interval[0].text == "ann: 70.00 ±5.00"


def test_without_results_there_is_no_chart() -> None:
    nothing = ScoreRow(rank=1, name="ann", score=None, low=None, high=None, better=None)
    assert draw_scores("Standings", [nothing]) is None
    assert draw_crosstable("Crosstable", ["ann", "bob"], {}) is None
    assert draw_ratings("Ranking", []) is None
    assert draw_points("Points", [], decisions=40, least=60) is None


@pytest.mark.parametrize("value", [0.0, 31.5, -400.0, 3.77e24])
def test_one_score_and_huge_ones_have_an_axis_too(value: float) -> None:
    """Of Frap, where a pot can double at every deal."""
    row = ScoreRow(rank=1, name="ann", score=value, low=None, high=None, better=None)
    drawing = draw_scores("Standings", [row])
    assert drawing is not None
    texts = list_texts(parse(drawing))
    assert max(map(len, texts)) < 60
    assert len(texts) == len(set(texts)) or value == 0.0


def test_a_cell_is_the_darker_the_larger_the_lead_is() -> None:
    """Blue where the row's bot scores more, brown where less; all say everything to a pointer."""
    names = ["ann", "bob", "cid"]
    drawing = draw_crosstable("Crosstable", names, make_crosstable(names))
    assert drawing is not None
    colours = {cell[0].text: cell.get("fill", "") for cell in find_all(parse(drawing), "cell")}
    reds = {told: int(colour[1:3], 16) for told, colour in colours.items()}
    blues = {told: int(colour[5:7], 16) for told, colour in colours.items()}
    assert len(colours) == 6
    assert reds["cid – ann: told"] < reds["cid – bob: told"] < blues["cid – bob: told"]
    assert blues["ann – cid: told"] < blues["ann – bob: told"] < reds["ann – bob: told"]


def test_a_band_reaches_from_the_rating_to_mu_and_names_keep_apart() -> None:
    lines = [
        RatingLine(name=name, points=[RatingPoint(tournament=7, rating=rating, mu=30.0)])
        for name, rating in (("ann", 20.0), ("bob", 19.9), ("cid", 0.0), ("dan", 0.1))
    ]
    drawing = draw_ratings("Ranking", lines)
    assert drawing is not None
    root = parse(drawing)
    marks = {float(m.text or ""): float(m.get("y", "")) - 4 for m in find_all(root, "mark")}
    bands = [
        [float(point.split(",")[1]) for point in band.get("points", "").split()]
        for band in find_all(root, "band")
    ]
    assert bands[0] == [pytest.approx(marks[20.0], abs=0.1), pytest.approx(marks[30.0], abs=0.1)]
    names = [
        (float(label.get("y", "")), label.text)
        for label in find_all(root, "line-name")
        if label.text is not None and label.text[-3:] in ("ann", "bob", "cid", "dan")
    ]
    assert [text for _, text in sorted(names)] == [
        "20.00  ann",
        "19.90  bob",
        "0.10  dan",
        "0.00  cid",
    ]
    heights = sorted(y for y, _ in names)
    assert all(later - earlier >= 16.9 for earlier, later in pairwise(heights))


def test_points_are_level_between_decisions_and_end_at_the_position() -> None:
    lines = [
        PointsLine(name="ann", points=[0, 0, 30, 30, 40], value="40"),
        PointsLine(name="bob", points=[0, 0, 0, 0, 10], value="10"),
    ]
    drawing = draw_points("Points", lines, decisions=8, least=60)
    assert drawing is not None
    root = parse(drawing)
    marks = list(find_all(root, "mark"))
    columns = {
        float(mark.text or ""): float(mark.get("x", ""))
        for mark in marks
        if mark.get("text-anchor") == "middle"
    }
    rows = {
        float(mark.text or ""): float(mark.get("y", "")) - 4
        for mark in marks
        if mark.get("text-anchor") == "end"
    }
    assert max(rows) == 60  # few points look like few
    assert max(columns) == 8  # the whole deal has room
    corners = [
        tuple(map(float, point.split(",")))
        for point in next(find_all(root, "points")).get("points", "").split()
    ]
    unit = (rows[60] - rows[0]) / 60
    expected = [(0, 0), (2, 0), (2, 30), (4, 30), (4, 40), (4, 40)]
    for (x, y), (number, points) in zip(corners, expected, strict=True):
        assert x == pytest.approx(columns[number], abs=0.1)
        assert y == pytest.approx(rows[0] + points * unit, abs=0.1)
    (here,) = find_all(root, "here")
    for point in here.get("points", "").split():
        assert float(point.split(",")[0]) == pytest.approx(columns[4], abs=0.1)
    assert [label.text for label in find_all(root, "line-name")] == ["40  ann", "10  bob"]


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(2, 9))
def test_an_axis_ends_in_round_numbers_and_holds_all_values(
    low: float, span: float, marks: int
) -> None:
    scale = make_scale(low, low + span, begin=10.0, end=500.0, marks=marks)
    found = scale.list_marks()
    assert 2 <= len(found) <= marks + 3
    assert found == sorted(found)
    for value in (low, low + span):
        assert 9.9 <= scale.place(value) <= 500.1
    assert scale.place(found[0]) == pytest.approx(10.0, abs=0.1)
    assert scale.place(found[-1]) == pytest.approx(500.0, abs=0.1)


def test_a_histogram_has_a_bar_for_each_count_and_names_its_edges() -> None:
    """Promise: the height of a bar is its count on the axis, and 0 stands below its own bar."""
    bars = make_bars(2)
    drawing = draw_histogram("Title", "note", bars, below="points")
    assert drawing is not None
    root = parse(drawing)
    shown = list(find_all(root, "bar"))
    assert [bar[0].text for bar in shown] == [bar.summary for bar in bars]
    heights = [float(bar.get("height", "")) for bar in shown]
    assert heights == sorted(heights)
    marks = {mark.text: float(mark.get("x", "")) for mark in find_all(root, "mark")}
    zero = shown[2]
    middle = float(zero.get("x", "")) + float(zero.get("width", "")) / 2
    assert marks["0"] == pytest.approx(middle, abs=0.2)
    assert marks["−8"] < marks["−4"] < marks["0"] < marks["4"] < marks["8"]
    assert draw_histogram("Title", "note", [], below="points") is None


def test_bars_without_a_count_are_not_drawn() -> None:
    empty = HistogramBar(low=0.0, high=0.0, count=0, summary="")
    drawing = draw_histogram("Title", "note", [empty, *make_bars(1)[2:]], below="points")
    assert drawing is not None
    assert len(list(find_all(parse(drawing), "bar"))) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.0625, "0.0625"), (-0.5, "−0.5"), (64.0, "64"), (1e30, "1e+30")],
)
def test_edges_are_as_short_as_they_can_be(value: float, text: str) -> None:
    assert format_edge(value) == text


def test_a_course_ends_at_its_last_group_and_its_last_value() -> None:
    drawing = draw_course("Title", "note", make_course(2))
    assert drawing is not None
    root = parse(drawing)
    dots = list(find_all(root, "dot"))
    assert [dot[0].text for dot in dots] == [
        "bot-0 after 49,000 groups: -7.00",
        "bot-1 after 49,000 groups: -6.00",
    ]
    assert len({dot.get("cx") for dot in dots}) == 1
    assert len(list(find_all(root, "rating"))) == 2
    assert draw_course("Title", "note", []) is None


def test_silhouettes_share_an_axis_and_their_height_is_a_share() -> None:
    rows = [
        SpreadRow(name="low", bins=[ScoreBin(low=0, high=10, count=5)]),
        SpreadRow(
            name="wide",
            bins=[ScoreBin(low=0, high=10, count=50), ScoreBin(low=10, high=20, count=50)],
        ),
    ]
    drawing = draw_spreads("Title", "note", rows)
    assert drawing is not None
    low, wide = (
        [tuple(map(float, corner.split(","))) for corner in area.get("points", "").split()]
        for area in find_all(parse(drawing), "spread")
    )
    assert wide[-1][0] - wide[0][0] == pytest.approx(2 * (low[-1][0] - low[0][0]), abs=0.3)
    heights = [found[0][1] - min(y for _, y in found) for found in (low, wide)]
    assert heights[0] == pytest.approx(2 * heights[1], abs=0.3)
    assert draw_spreads("Title", "note", []) is None


def test_a_tree_links_each_bout_to_those_before_it() -> None:
    """Promise: a line from both, no box over another, and who goes on in bold."""
    drawing = draw_bracket("Title", make_bracket(16)[:1])
    assert drawing is not None
    root = parse(drawing)
    boxes = [
        tuple(float(box.get(key, "")) for key in ("x", "y", "height"))
        for box in find_all(root, "bout")
    ]
    assert len(boxes) == 15
    for (x, y, height), (other_x, other_y, _) in pairwise(boxes):
        assert x != other_x or other_y >= y + height
    assert len(list(find_all(root, "here"))) == 14
    bold = [text.text for text in find_all(root, "label") if text.get("font-weight")]
    assert bold.count("1 bot-0") == 4
    assert draw_bracket("Title", []) is None
