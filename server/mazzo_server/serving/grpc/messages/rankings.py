"""Rankings, and what explains them, as messages."""

from __future__ import annotations

from mazzo.v1 import ranking_pb2
from mazzo_server.results.ranking import (
    Explanation,
    Move,
    TournamentRatings,
    VariantMeetings,
    VariantRanking,
)
from mazzo_server.stats import Rating

__all__ = ["encode_explanation", "encode_meetings", "encode_ranking", "encode_ratings"]


def encode_ranking(ranking: VariantRanking) -> ranking_pb2.Ranking:
    """Encode the ranking of a variant."""
    message = ranking_pb2.Ranking(variant=ranking.variant, tournaments=ranking.tournaments)
    for row in ranking.rows:
        message.rows.add(
            rank=row.rank,
            name=row.name,
            version=row.version,
            rating=row.rating,
            mu=row.mu,
            sigma=row.sigma,
            tournaments=row.tournaments,
            groups=row.groups,
            wins=row.wins,
            draws=row.draws,
            losses=row.losses,
            newest=row.newest,
        )
    return message


def encode_ratings(ratings: TournamentRatings) -> ranking_pb2.TournamentRatings:
    """Encode what is believed after a tournament."""
    return ranking_pb2.TournamentRatings(
        tournament=ratings.tournament,
        name=ratings.name,
        ratings=[
            ranking_pb2.BotRating(
                bot=one.bot, version=one.version, rating=_encode_skill(one.rating)
            )
            for one in ratings.ratings
        ],
    )


def encode_meetings(meetings: VariantMeetings) -> ranking_pb2.VariantMeetings:
    """Encode the meetings of a bot in one variant."""
    return ranking_pb2.VariantMeetings(
        variant=meetings.variant,
        tournaments=meetings.tournaments,
        tournaments_total=meetings.tournaments_total,
        opponents=[
            ranking_pb2.Meeting(
                opponent=one.opponent, wins=one.wins, draws=one.draws, losses=one.losses
            )
            for one in meetings.opponents
        ],
    )


def encode_explanation(explanation: Explanation) -> ranking_pb2.RatingPassage:
    """Encode what a tournament did to a rating."""
    passage, inherited = explanation.passage, explanation.passage.inherited
    return ranking_pb2.RatingPassage(
        variant=explanation.variant,
        tournament=passage.tournament,
        name=explanation.name,
        version=passage.version,
        inherited=None
        if inherited is None
        else ranking_pb2.RatingInheritance(
            version=inherited.version, rating=_encode_skill(inherited.rating)
        ),
        before=_encode_skill(passage.before),
        after=_encode_skill(passage.after),
        wins=passage.wins,
        draws=passage.draws,
        losses=passage.losses,
        groups=map(_encode_move, explanation.moves),
    )


def _encode_move(move: Move) -> ranking_pb2.RatingMove:
    return ranking_pb2.RatingMove(
        group=move.group,
        rank=move.rank + 1,
        before=_encode_skill(move.before),
        after=_encode_skill(move.after),
        opponents=[
            ranking_pb2.RatingOpponent(
                name=opponent.name,
                version=opponent.version,
                rank=opponent.rank + 1,
                before=_encode_skill(opponent.before),
            )
            for opponent in move.opponents
        ],
    )


def _encode_skill(rating: Rating) -> ranking_pb2.SkillRating:
    return ranking_pb2.SkillRating(rating=rating.conservative, mu=rating.mu, sigma=rating.sigma)
