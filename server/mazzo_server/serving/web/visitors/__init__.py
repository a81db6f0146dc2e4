"""Visitors: who they are, what they may do, and what they send."""

from mazzo_server.serving.web.visitors.archives import read_archive_form, read_to_end
from mazzo_server.serving.web.visitors.forms import REFUSALS, read_form
from mazzo_server.serving.web.visitors.login import (
    log_in,
    log_out,
    redirect_to_login,
    show_login,
)
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
    "read_to_end",
    "redirect_to_login",
    "show_login",
]
