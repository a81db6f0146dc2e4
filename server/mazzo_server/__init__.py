"""The platform: game master, tournaments, ranking, storage, isolation, command line."""

import os

# We fork only to start programs. gRPC's own fork handlers would delay that, and warn; they can also
# end such a child before its program begins, when calls are being made at the same time.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
