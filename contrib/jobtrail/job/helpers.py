# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs of a job that do not do its work: they are shown as one line."""

import os

from ..pattern import Pattern

MODULE_COMMAND = Pattern(r".*/modulecmd(?:\.tcl)?\Z|.*/lmod(?:/[^/]*)*/libexec/[A-Za-z_]+\Z")
HELPERS = {"jspawnhelper", "utempter", "fc-list", "fc-match", "conmon", "valgrind.bin"}


def kind_of(run):
    """"module commands", "helpers"; None: a program."""
    words = [run["exec_path"] or "", *(run["cmdline"] or [])[:3]]
    if any(MODULE_COMMAND.match(str(word)) for word in words):
        return "module commands"
    return "helpers" if os.path.basename(words[0]) in HELPERS else None
