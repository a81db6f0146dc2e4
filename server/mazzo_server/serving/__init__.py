"""The platform as a service: `hosting` puts it together, `grpc` and `gateway` let others in.

`web` has the pages, as a client of it.
"""
