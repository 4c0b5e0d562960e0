# SPDX-License-Identifier: LGPL-2.1-or-later
"""The section [answers] of jobtrail.conf(5)."""

from ...conf import section, size
from ...hostlist import split
from ...pattern import Pattern
from ...program import Failure
from ...text import escape

PLACE = Pattern(r"(?:\[([^]]+)\]|([^:]*)):(\d{1,5})\Z")


def place(text):
    """(host, port) of HOST:PORT or [ADDRESS]:PORT."""
    match = PLACE.match(text)
    if match is None:
        raise Failure("%s is not HOST:PORT" % escape(text))
    return match.group(1) or match.group(2), int(match.group(3))


class Settings:
    """The keys of [answers], by their names there; conf_load() has checked their values."""

    def __init__(self, values):
        self.address, self.listen = values["address"], values["listen"]
        self.user, self.store, self.see = values["user"], values["store"], values["see"]
        self.operators = split(values["operators"])
        self.munge_socket = values["munge_socket"]
        self.requests, self.user_requests = int(values["requests"]), int(values["user_requests"])
        self.time = int(values["time"])
        self.memory, self.size = size(values["memory"]), size(values["size"])
        self.web_socket = values["web_socket"]
        self.web_proxy_user, self.web_user_header = values["web_proxy_user"], values["web_user_header"]


def read(path=None):
    """The Settings of the file, by default of this host's; None where there is no file. Raises Failure."""
    found = section("answers", path)
    return found and Settings(found)
