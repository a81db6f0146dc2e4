"""A Ray cluster: the workers of a tournament on many machines.

Ray is an extra: nothing that a platform loads needs it.
"""

from mazzo_server.tournaments.executor.cluster.alike import check_alike
from mazzo_server.tournaments.executor.cluster.pool import AlikePool, ClusterPool
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, examine_apart
from mazzo_server.tournaments.executor.cluster.trial import make_token_file, run_cluster

__all__ = [
    "AlikePool",
    "ClusterPool",
    "ClusterStatus",
    "check_alike",
    "examine_apart",
    "make_token_file",
    "run_cluster",
]
