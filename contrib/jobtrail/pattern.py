# SPDX-License-Identifier: LGPL-2.1-or-later
"""Regular expressions that are compiled when they are first used: compiling all of them was a fifth of each start."""

import re


class Pattern:
    """re.compile(text, flags), and what it offers."""

    def __init__(self, text, flags=0):
        self.arguments = (text, flags)

    def __getattr__(self, name):
        compiled = re.compile(*self.arguments)
        for method in ("match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"):
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)
