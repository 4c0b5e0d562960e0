# SPDX-License-Identifier: LGPL-2.1-or-later
"""Sections of jobtrail.conf(5), as jobtrail-conf(8) reads it."""

import json
import os
import subprocess

from .program import Failure
from .text import escape

try:
    from .paths import CONF, CONF_PROGRAM
except ImportError:  # in the sources, which are not installed: there is no configuration
    CONF, CONF_PROGRAM = "", ""

SIZES = {"K": 10, "M": 20, "G": 30}


def conf_path():
    return os.environ.get("JOBTRAIL_CONF") or CONF


def size(text):
    """Bytes, of a text like 2G."""
    shift = SIZES.get(text[-1:])
    return int(text) if shift is None else int(text[:-1]) << shift


def section(name, path=None):
    """{key: value} of the keys with one value in a section of the file, by default of this host's; None where this host has none, or
    no jobtrail-conf. Raises Failure."""
    if not os.path.exists(path or conf_path()) and path is None or not os.path.exists(CONF_PROGRAM):
        return None
    path = path or conf_path()
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
