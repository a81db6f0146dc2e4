"""Challenges: an author has a bot of his play another one, unrated, within a quota."""

from mazzo_server.tournaments.challenges.challenges import Challenges
from mazzo_server.tournaments.challenges.define import ChallengeRequest
from mazzo_server.tournaments.challenges.listing import ChallengeStanding
from mazzo_server.tournaments.challenges.playing import play_challenges

__all__ = [
    "ChallengeRequest",
    "ChallengeStanding",
    "Challenges",
    "play_challenges",
]
