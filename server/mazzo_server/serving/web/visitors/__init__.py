"""Visitors: who they are, what they may do, what they send, and what is sent as it changes."""

from mazzo_server.serving.web.visitors.archives import read_archive_form, read_to_end
from mazzo_server.serving.web.visitors.events import send_parts
from mazzo_server.serving.web.visitors.forms import REFUSALS, read_form
from mazzo_server.serving.web.visitors.login import (
    log_in,
    log_out,
    redirect_to_login,
    show_login,
)
from mazzo_server.serving.web.visitors.numbers import read_number
from mazzo_server.serving.web.visitors.sessions import (
    CSRF,
    check_may_act,
    get_services,
    get_session,
    make_sessions,
    prepare_form,
)

__all__ = [
    "CSRF",
    "REFUSALS",
    "check_may_act",
    "get_services",
    "get_session",
    "log_in",
    "log_out",
    "make_sessions",
    "prepare_form",
    "read_archive_form",
    "read_form",
    "read_number",
    "read_to_end",
    "redirect_to_login",
    "send_parts",
    "show_login",
]
