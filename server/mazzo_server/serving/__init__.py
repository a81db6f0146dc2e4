"""The platform as a service."""
