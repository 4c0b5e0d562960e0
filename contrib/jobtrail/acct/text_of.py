# SPDX-License-Identifier: LGPL-2.1-or-later
"""The form of what --diff and --job-summary print for people: facts with their names in a column of their own."""

from ..text import escape, fit

NAMES = 20  # columns


class Lines:
    def text(self, text):
        print(text)

    def head(self, text):
        print(text)

    def fact(self, name, values):
        """A name, and values one below the other."""
        name = escape(name)
        print("  " + (fit(name, -NAMES) if len(name) <= NAMES else name + "\n  " + " " * NAMES), end=" ")
        print(("\n" + " " * (NAMES + 3)).join(values))
