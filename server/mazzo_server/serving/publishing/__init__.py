"""Writes pages as files, which need no server: a course publishes its results with a copy."""

from mazzo_server.serving.publishing.exporting import export_pages

__all__ = ["export_pages"]
