"""The wire messages in which the platform's values are told."""

from mazzo_server.serving.grpc.messages.auth import token_message
from mazzo_server.serving.grpc.messages.bots import bot_log_message, bot_message
from mazzo_server.serving.grpc.messages.rankings import explanation_message, ranking_message
from mazzo_server.serving.grpc.messages.replays import scheduled_match_message
from mazzo_server.serving.grpc.messages.tournaments import (
    plan_message,
    report_message,
    rerun_message,
    tournament_message,
)

__all__ = [
    "bot_log_message",
    "bot_message",
    "explanation_message",
    "plan_message",
    "ranking_message",
    "report_message",
    "rerun_message",
    "scheduled_match_message",
    "token_message",
    "tournament_message",
]
