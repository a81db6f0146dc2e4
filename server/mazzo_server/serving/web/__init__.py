"""Pages for browsers, rendered here from what the platform's services tell."""

from mazzo_server.serving.web.app import make_app
from mazzo_server.serving.web.charts import draw_ranking, draw_tournament
from mazzo_server.serving.web.running import serve_pages
from mazzo_server.serving.web.services import Services

__all__ = ["Services", "draw_ranking", "draw_tournament", "make_app", "serve_pages"]
