# SPDX-License-Identifier: LGPL-2.1-or-later
"""Slurm's lists of names: n1,rack[2-4,7]n[01-32]."""

import re

from .pattern import Pattern
from .program import Failure
from .text import cut, escape

MOST = 100000  # names of one list; more is a typing error
SHOWN_MAX = 200
MOST_RANGES = 10  # of one word
RANGE = Pattern(r"([0-9]{1,18})(?:-([0-9]{1,18}))?\Z")


def split(text):
    """The words between commas that are not in brackets."""
    words, is_open = [], False
    for piece in text.split(","):
        if is_open:
            words[-1].append(piece)
        else:
            words.append([piece])
        ends = piece.rfind("["), piece.rfind("]")
        is_open = ends[0] > ends[1] or (is_open and ends[1] < 0)
    words = [",".join(pieces).strip() for pieces in words]
    return list(filter(None, words))


def invalid(text):
    return Failure("Invalid hostlist: " + escape(cut(text, SHOWN_MAX, "...")))


def expand(text):
    """All names of a list, in its order."""
    names = []
    for word in split(text):
        names += expand_word(word)
        if len(names) > MOST:
            raise invalid(text)
    return names


def expand_word(word):
    match = re.match(r"([^\[\]]*)\[([^\[\]]*)\](.*)\Z", word, re.S)
    if match is None:
        if "[" in word or "]" in word:
            raise invalid(word)
        return [word]
    before, ranges, after = match.groups()
    if after.count("[") >= MOST_RANGES:
        raise invalid(word)
    numbers, ends = expand_ranges(ranges, word), expand_word(after)
    if len(numbers) * len(ends) > MOST:
        raise invalid(word)
    names = [before + number + end for end in ends for number in numbers]
    return sorted(names) if "[" in after else names


def expand_ranges(text, word):
    """01-03,7 as 01 02 03 7; the width is that of the first number."""
    found = []
    for part in text.split(","):
        match = RANGE.match(part.strip())
        if match is None:
            raise invalid(word)
        first, last = match.group(1), match.group(2) or match.group(1)
        if int(last) - int(first) + len(found) >= MOST:
            raise invalid(word)
        found += ["%0*d" % (len(first), number) for number in range(int(first), int(last) + 1)]
    return found
