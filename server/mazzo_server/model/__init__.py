"""The values that all rooms speak in."""

from mazzo_server.model.call_limits import CallLimits
from mazzo_server.model.definition import Change, Cpu, Definition, Entrant, Mirror, PairingScheme
from mazzo_server.model.inputs import MOST, Amount, ReadableText, WholeNumber, Word
from mazzo_server.model.manifest import (
    KNOWN_GAMES,
    MANIFEST_NAME,
    MAX_MANIFEST_BYTES,
    NAME_RULE,
    Manifest,
    is_name,
    make_remote_manifest,
    parse_manifest,
    read_manifest,
)
from mazzo_server.model.match_id import MatchId
from mazzo_server.model.match_result import (
    MatchResult,
    Verdict,
    compute_margins,
    compute_match_results,
    judge_sides,
)
from mazzo_server.model.node_result import NodeResult, compute_node_results
from mazzo_server.model.outcome import (
    DealPlay,
    Fault,
    InstanceLog,
    MatchOutcome,
    Owner,
    Termination,
)
from mazzo_server.model.request import (
    DEFAULT_CONCURRENCY,
    DEFAULT_DEALS,
    EXECUTOR,
    GROUPS,
    ISOLATION,
    WORKERS,
    TournamentRequest,
    make_usual_format,
)
from mazzo_server.model.roles import ORGANISER, PUBLIC, Caller, Role, Token
from mazzo_server.model.time_limits import TimeControl, parse_bank
from mazzo_server.model.trial_report import (
    ErrorFrame,
    ProgramError,
    TrialCheck,
    TrialFailure,
    TrialLimits,
    TrialMatch,
    TrialReport,
)

__all__ = [
    "DEFAULT_CONCURRENCY",
    "DEFAULT_DEALS",
    "EXECUTOR",
    "GROUPS",
    "ISOLATION",
    "KNOWN_GAMES",
    "MANIFEST_NAME",
    "MAX_MANIFEST_BYTES",
    "MOST",
    "NAME_RULE",
    "ORGANISER",
    "PUBLIC",
    "WORKERS",
    "Amount",
    "CallLimits",
    "Caller",
    "Change",
    "Cpu",
    "DealPlay",
    "Definition",
    "Entrant",
    "ErrorFrame",
    "Fault",
    "InstanceLog",
    "Manifest",
    "MatchId",
    "MatchOutcome",
    "MatchResult",
    "Mirror",
    "NodeResult",
    "Owner",
    "PairingScheme",
    "ProgramError",
    "ReadableText",
    "Role",
    "Termination",
    "TimeControl",
    "Token",
    "TournamentRequest",
    "TrialCheck",
    "TrialFailure",
    "TrialLimits",
    "TrialMatch",
    "TrialReport",
    "Verdict",
    "WholeNumber",
    "Word",
    "compute_margins",
    "compute_match_results",
    "compute_node_results",
    "is_name",
    "judge_sides",
    "make_remote_manifest",
    "make_usual_format",
    "parse_bank",
    "parse_manifest",
    "read_manifest",
]
