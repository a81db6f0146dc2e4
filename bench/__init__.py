"""`make bench`: speeds, as figures and as ratios against something run in the same go."""

import mazzo_server  # noqa: F401 (first of all: it prepares the environment for gRPC)
