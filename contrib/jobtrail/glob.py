# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shell patterns as regular expressions that both Python and MariaDB can evaluate."""

import re


def body(pattern, star=".*"):
    """The regular expression of the pattern: * ? [abc] [!abc] are special, a backslash is not."""
    out = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        at += 1
        if char == "*":
            out.append(star)
        elif char == "?":
            out.append(".")
        elif char == "[" and "]" in pattern[at + 1 :]:
            end = pattern.index("]", at + 1)
            inside = pattern[at:end].replace("\\", r"\\").replace("[", r"\[").replace("^", r"\^")
            negated = inside.startswith("!")
            out.append("[%s%s]" % ("^" if negated else "", inside[negated:]))
            at = end + 1
        else:
            out.append(re.escape(char))
    return "".join(out)


def whole(pattern):
    """Matches a text when the pattern covers all of it."""
    return "(?s)^(?:%s)$(?!\\n)" % body(pattern)


def path(pattern):
    """A pattern with a slash is matched with the whole path, another one with its last part."""
    if "/" in pattern:
        return whole(pattern)
    return "(?s)(?:^|/)(?:%s)$(?!\\n)" % body(pattern, "[^/]*")
