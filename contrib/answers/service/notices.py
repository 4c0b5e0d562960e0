# SPDX-License-Identifier: LGPL-2.1-or-later
"""The log of the service."""

import sys
import time

from ...text import cut, escape

LINE_MAX = 200  # characters
MINUTE = 60


def log(text):
    """Of a text some of which may be escaped already."""
    text = "".join(char if char.isprintable() else escape(char) for char in text)
    print(cut(text, LINE_MAX, "..."), file=sys.stderr, flush=True)


class Notices:
    """Lines that strangers can cause as often as they like: a few in a minute, and later how many more there were."""

    def __init__(self, most):
        self.most, self.lines, self.until = most, 0, 0.0

    def log(self, text):
        now = time.monotonic()
        if now >= self.until:
            if self.lines > self.most:
                log("%d more lines like these were left out" % (self.lines - self.most))
            self.lines, self.until = 0, now + MINUTE
        self.lines += 1
        if self.lines <= self.most:
            log(text)
