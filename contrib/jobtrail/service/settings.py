# SPDX-License-Identifier: LGPL-2.1-or-later
"""The section [answers] of jobtrail.conf(5), as jobtrail-conf(8) reads it."""

import json
import os
import subprocess

from ..hostlist import split
from ..pattern import Pattern
from ..program import Failure
from ..text import escape

try:
    from ..paths import CONF, CONF_PROGRAM
except ImportError:  # in the sources, which are not installed: there is no service
    CONF, CONF_PROGRAM = "", ""

PLACE = Pattern(r"(?:\[([^]]+)\]|([^:]*)):(\d{1,5})\Z")
SIZES = {"K": 10, "M": 20, "G": 30}


def conf_path():
    return os.environ.get("JOBTRAIL_CONF") or CONF


def size(text):
    """Bytes, of a text like 2G."""
    shift = SIZES.get(text[-1:])
    return int(text) if shift is None else int(text[:-1]) << shift


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


def section(name, path=None):
    """{key: value} of the keys with one value in a section of the file, by default of this host's; None where there is no file. Raises Failure."""
    path = path or conf_path()
    if not os.path.exists(path) or not os.path.exists(CONF_PROGRAM):
        return None
    done = subprocess.run(
        [CONF_PROGRAM, "show", "--json", "--conf", path],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    if done.returncode != 0:
        raise Failure(escape(done.stderr.decode("utf-8", "replace").strip()))
    found = json.loads(done.stdout.decode("utf-8", "surrogateescape")).get(name)
    return found and {name: key["value"] for name, key in found.items() if isinstance(key, dict)}


def read(path=None):
    """The Settings of the file, as section()."""
    found = section("answers", path)
    return found and Settings(found)
