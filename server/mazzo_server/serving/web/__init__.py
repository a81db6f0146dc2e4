"""Pages for browsers, rendered here from what the platform's services tell."""

from mazzo_server.serving.web.app import make_app
from mazzo_server.serving.web.running import serve_pages
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site

__all__ = [
    "Services",
    "Site",
    "make_app",
    "serve_pages",
]
