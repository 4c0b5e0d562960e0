# SPDX-License-Identifier: LGPL-2.1-or-later
"""The section [answers] of jobtrail.conf(5)."""

import os

from ...conf import section, size
from ...hostlist import split
from ...pattern import Pattern
from ...program import DEFAULT_STORE, Failure
from ...text import escape, file_path

SOCKET = "/run/jobtrail-answer/socket"  # of a service of this host, in the RuntimeDirectory of its unit
PLACE = Pattern(r"(?:\[([^]]+)\]|([^:]*)):(\d{1,5})\Z")


def place(text):
    """(host, port) of HOST:PORT or [ADDRESS]:PORT."""
    match = PLACE.match(text)
    if match is None:
        raise Failure("%s is not HOST:PORT" % escape(text))
    return match.group(1) or match.group(2), int(match.group(3))


USER_PART = 8  # one user has as many of the answers at once as this part of `requests`

# The values of an empty file, for a collector or a client that has no jobtrail-conf
DEFAULTS = {
    "address": "", "user": "jobtrail", "munge_socket": "", "listen": "", "store": DEFAULT_STORE, "see": "slurm", "operators": "",
    "requests": "16", "time": "300", "memory": "2G", "size": "1G",
    "web_socket": "", "web_proxy_user": "",
}  # fmt: skip


class Settings:
    """The keys of [answers], by their names there; conf_load() has checked their values."""

    def __init__(self, values):
        self.address, self.listen = values["address"], values["listen"]
        self.user, self.store, self.see = values["user"], values["store"], values["see"]
        self.operators = split(values["operators"])
        self.munge_socket = values["munge_socket"]
        self.requests = int(values["requests"])
        self.user_requests = max(1, self.requests // USER_PART)
        self.time = int(values["time"])
        self.memory, self.size = size(values["memory"]), size(values["size"])
        self.web_socket = values["web_socket"]
        self.web_proxy_user = values["web_proxy_user"]

    def asked(self):
        """Where to ask; None: nowhere. Without `address` the service of this host is asked by who may not read the store."""
        kind, _, store = self.store.partition(":")
        may_read = os.geteuid() == 0 or kind == "sqlite" and os.access(file_path(store), os.R_OK)
        return self.address or (SOCKET if os.path.exists(SOCKET) and not may_read else None)


def read(path=None):
    """The Settings of the file, by default of this host's. Raises Failure."""
    return Settings(section("answers", path) or DEFAULTS)
