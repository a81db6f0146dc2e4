"""The platform as a service: `hosting` puts it together, `grpc` and `gateway` let others in."""
