# SPDX-License-Identifier: LGPL-2.1-or-later
"""Suggestions for a name that does not exist: names like it."""

import os
import sys

from . import extensions
from .text import escape

MOST = 3
# of difflib's measure, where 1 is equal and 0 has nothing in common
LIKE = 0.65
MANY = 5000  # of more names, those that begin as the word does are looked at alone: each costs some microseconds


def alike(word, names):
    """Of the names those that are most like the word, the most alike first; upper and lower case are the same."""
    by_form = {}
    for name in names:
        by_form.setdefault(name.lower(), name)
    import difflib  # slow to load, and needed for hints alone

    wanted = word.lower()
    if len(by_form) > MANY:
        by_form = {form: name for form, name in by_form.items() if form[:2] == wanted[:2]}
    if by_form.get(wanted) == word:
        del by_form[wanted]
    begin = sorted(form for form in by_form if len(wanted) > 2 and form.startswith(wanted))
    exchanged = [form for form in by_form if len(form) == len(wanted) and sorted(form) == sorted(wanted)]
    found = difflib.get_close_matches(wanted, by_form, MOST, LIKE)
    return [by_form[form] for form in dict.fromkeys(exchanged + found + begin)][:MOST]


def hint(word, names, before="", of=None):
    """"; did you mean A, B or C?" for the end of a message, with `before` before each, or "" where no name is like the
    word. `of`: {name: the extension that has it}; of one that is not here that is said instead."""
    lacking = extensions.lacking(of.get(word.lower())) if of else None
    if lacking:
        return ": " + lacking
    found = [before + escape(name) for name in alike(word, names)]
    if not found:
        return ""
    several = ", ".join(found[:-1])
    return "; did you mean %s?" % (several + " or " + found[-1] if several else found[0])


def tell(text):
    """A line for people, on stderr: the program goes on."""
    sys.stdout.flush()
    print("%s: %s" % (os.path.basename(sys.argv[0]), text), file=sys.stderr)
