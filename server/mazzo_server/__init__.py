"""The platform: game master, tournaments, ranking, storage, isolation, command line."""

import os

# Bots are started by fork and exec; gRPC's own fork handlers would only delay that, and warn.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
