# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm's lists of names: n1,rack[2-4,7]n[01-32]."""

import re

from .program import Failure
from .text import escape

MOST = 100000  # names of one range; more is a typing error


def split(text):
    """The words between commas that are not in brackets."""
    return [word.strip() for word in re.split(r",(?![^\[]*\])", text) if word.strip()]


def expand(text):
    """All names of a list, in its order."""
    return [name for word in split(text) for name in expand_word(word)]


def expand_word(word):
    match = re.match(r"([^\[\]]*)\[([^\[\]]*)\](.*)\Z", word, re.S)
    if match is None:
        if "[" in word or "]" in word:
            raise Failure("Invalid hostlist: " + escape(word))
        return [word]
    before, ranges, after = match.groups()
    names = [
        before + number + rest
        for rest in expand_word(after)
        for number in expand_ranges(ranges, word)
    ]
    return sorted(names) if "[" in after else names


def expand_ranges(text, word):
    """01-03,7 as 01 02 03 7; the width is that of the first number."""
    for part in text.split(","):
        match = re.match(r"(\d+)(?:-(\d+))?\Z", part.strip())
        if match is None:
            raise Failure("Invalid hostlist: " + escape(word))
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) - int(first) >= MOST:
            raise Failure("Invalid hostlist: " + escape(word))
        for number in range(int(first), int(last) + 1):
            yield "%0*d" % (len(first), number)
