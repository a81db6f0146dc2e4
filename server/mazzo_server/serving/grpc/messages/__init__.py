"""From the platform's values to wire messages: one module a kind."""

from mazzo_server.serving.grpc.messages.auth import decode_role, encode_caller, encode_token
from mazzo_server.serving.grpc.messages.bots import encode_bot, encode_bot_log
from mazzo_server.serving.grpc.messages.challenges import (
    decode_challenge_request,
    encode_challenge,
)
from mazzo_server.serving.grpc.messages.course import (
    encode_audit,
    encode_course,
    encode_head_to_head,
)
from mazzo_server.serving.grpc.messages.entries import decode_timetable, encode_open_tournament
from mazzo_server.serving.grpc.messages.hooks import decode_hook_format, encode_hook
from mazzo_server.serving.grpc.messages.ladders import encode_ladder, encode_season
from mazzo_server.serving.grpc.messages.pages import cut_page, parse_page
from mazzo_server.serving.grpc.messages.rankings import (
    encode_explanation,
    encode_meetings,
    encode_ranking,
    encode_ratings,
)
from mazzo_server.serving.grpc.messages.replays import (
    decode_match_query,
    encode_found_match,
    encode_scheduled_match,
)
from mazzo_server.serving.grpc.messages.tables import encode_table
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.serving.grpc.messages.tournaments import (
    decode_tournament_request,
    encode_plan,
    encode_pruned,
    encode_report,
    encode_rerun,
    encode_tournament,
)

__all__ = [
    "cut_page",
    "decode_challenge_request",
    "decode_hook_format",
    "decode_match_query",
    "decode_role",
    "decode_timetable",
    "decode_tournament_request",
    "encode_audit",
    "encode_bot",
    "encode_bot_log",
    "encode_caller",
    "encode_challenge",
    "encode_course",
    "encode_explanation",
    "encode_found_match",
    "encode_head_to_head",
    "encode_hook",
    "encode_ladder",
    "encode_meetings",
    "encode_open_tournament",
    "encode_plan",
    "encode_pruned",
    "encode_ranking",
    "encode_ratings",
    "encode_report",
    "encode_rerun",
    "encode_scheduled_match",
    "encode_season",
    "encode_table",
    "encode_time",
    "encode_token",
    "encode_tournament",
    "parse_page",
]
