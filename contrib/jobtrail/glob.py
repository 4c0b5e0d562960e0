# SPDX-License-Identifier: LGPL-2.1-or-later
"""Shell patterns as regular expressions that both Python and MariaDB can evaluate."""

import itertools
import re

from .pattern import Pattern
from .program import Failure
from .text import cut, escape

STARS_MAX, LENGTH_MAX = 100, 20000  # of a pattern
SHOWN_MAX = 200
DOUBLE = Pattern("(?<=-)-")  # two hyphens have a meaning in some regular expressions
numbers = itertools.count()


def end_of_set(pattern, at):
    """Where the ] is of the [ there; -1: there is none, and the [ stands for itself."""
    return pattern.find("]", at + 2 + (pattern[at + 1 : at + 2] == "!"))


def set_body(inside):
    for char in "\\[^&|~":
        inside = inside.replace(char, "\\" + char)
    inside = DOUBLE.sub(r"\\-", inside)
    negated = inside.startswith("!")
    return "[%s%s]" % ("^" if negated else "", inside[negated:])


def parts_between_stars(pattern, any_char):
    """The regular expressions of what is before, between and after the stars."""
    parts = [""]
    at = 0
    while at < len(pattern):
        char, end = pattern[at], end_of_set(pattern, at) if pattern[at] == "[" else -1
        if char == "*":
            if len(parts) == 1 or parts[-1]:  # stars beside each other are one
                parts.append("")
        elif char == "?":
            parts[-1] += any_char
        elif end >= 0:
            parts[-1] += ("" if any_char == "." else "(?=%s)" % any_char) + set_body(pattern[at + 1 : end])
            at = end
        else:
            parts[-1] += re.escape(char)
        at += 1
    return parts


def body(pattern, any_char="."):
    """The regular expression of the pattern: * ? [abc] [!abc] are special, a backslash is not.

    What is between two stars is taken where it is first found, and is not looked for again: a later place would
    do no better. Otherwise each star would multiply the time. Atomic groups would say so too, but Python has them
    from 3.11 on.
    """
    parts = parts_between_stars(pattern, any_char)
    if len(parts) > STARS_MAX + 1 or len(pattern) > LENGTH_MAX:
        raise bad(pattern, "more than %d stars or %d characters" % (STARS_MAX, LENGTH_MAX))
    out = parts[0]
    for part in parts[1:-1]:
        out += "(?=(?P<s{0}>{1}*?{2}))(?P=s{0})".format(next(numbers), any_char, part)
    return out + any_char + "*" + parts[-1] if len(parts) > 1 else out


def bad(pattern, why):
    return Failure("Bad pattern (%s): %s" % (why, escape(cut(pattern, SHOWN_MAX, "..."))))


def checked(expression, pattern):
    try:
        if "[" in pattern:  # of a pattern without a set the expression is right
            re.compile(expression)
    except re.error as error:
        raise bad(pattern, error.msg) from None
    return expression


def whole(pattern):
    """Matches a text when the pattern covers all of it. Raises Failure."""
    return checked("(?s)^(?:%s)$(?!\\n)" % body(pattern), pattern)


def path(pattern):
    """A pattern with a slash is matched with the whole path, another one with its last part. Raises Failure."""
    if "/" in pattern:
        return whole(pattern)
    return checked("(?s)(?:^|/)(?:%s)$(?!\\n)" % body(pattern, "[^/]"), pattern)
