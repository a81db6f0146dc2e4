"""Pages for browsers, rendered here from what the platform's services tell."""

from mazzo_server.serving.web.app import LOOPBACK_HOSTS, make_app
from mazzo_server.serving.web.running import serve_pages
from mazzo_server.serving.web.services import Services

__all__ = [
    "LOOPBACK_HOSTS",
    "Services",
    "make_app",
    "serve_pages",
]
