"""A Ray cluster: the workers of a tournament on many machines.

Ray is an extra: nothing that a platform loads needs it.
"""

from mazzo_server.tournaments.executor.cluster.pool import ClusterPool
from mazzo_server.tournaments.executor.cluster.status import ClusterStatus, examine_cluster
from mazzo_server.tournaments.executor.cluster.trial import make_token_file, run_cluster

__all__ = ["ClusterPool", "ClusterStatus", "examine_cluster", "make_token_file", "run_cluster"]
