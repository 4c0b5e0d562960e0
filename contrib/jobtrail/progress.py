# SPDX-License-Identifier: LGPL-2.1-or-later
"""How far long work has come, in one line on the terminal, with the words of jobtrail-load(1).

The line is on stderr. It is written only where stderr is a terminal, and only by programs whose user waits for them: not
by the service for answers, and not for pages.
"""

import sys
import time

CLEAR = "\r\033[K"
SECONDS = 0.2  # from one line to the next
LATEST = 1.0  # seconds of work after which the first line is there
MANY = 500  # things of which it is there at once


class Progress:
    """Of work in several parts, one after the other."""

    has_line = False  # on the terminal, of any object

    def __init__(self, is_shown):
        self.is_shown = is_shown
        self.begin("", "")

    def begin(self, what, done, total=None):
        """The next part: `total` things, which are `what`, are to be `done`. None: it is not known how many."""
        self.what, self.done, self.total, self.count = what, done, total, 0
        self.begun = time.monotonic()
        self.next, self.many = self.begun + LATEST, MANY
        if self.is_shown:
            clear()
            if total is not None and total >= MANY:
                self.show(self.begun)

    def add(self, number=1):
        """So many more are done."""
        if not self.is_shown:
            return
        self.count += number
        now = time.monotonic()
        if now >= self.next or self.count >= self.many:
            self.show(now)

    def of_rows(self, rows):
        """The rows, each of which is a thing that is done when the next one is asked for."""
        if not self.is_shown:
            return rows
        return self.counted(rows)

    def counted(self, rows):
        for row in rows:
            yield row
            self.add()
        clear()

    def show(self, now):
        self.next, self.many = now + SECONDS, float("inf")
        if self.total is not None and self.count < self.total:
            self.many = self.total
        Progress.has_line = True
        write(CLEAR + self.line(now - self.begun))

    def line(self, seconds):
        text = "%d " % self.count if self.total is None else "%d of %d " % (self.count, self.total)
        text += "%s %s" % (self.what, self.done)
        part = self.count / self.total if self.total else None
        if part is not None:
            text += ", %.0f %%" % (100 * part)
        if seconds > 0 and self.count:
            text += ", %.0f/s" % (self.count / seconds)
            text += left(seconds * (1 - part) / part) if part else ""
        return text


NONE = Progress(False)


def left(seconds):
    if seconds < 100:
        return ", %.0f s left" % seconds
    if seconds < 6000:
        return ", %.0f min left" % (seconds / 60)
    return ", %.1f h left" % (seconds / 3600)


def write(text):
    """To a terminal that may be gone."""
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        pass


def clear():
    """To be called before anything else is written to the terminal."""
    if Progress.has_line:
        Progress.has_line = False
        write(CLEAR)


def on_terminal():
    return Progress(sys.stderr is not None and sys.stderr.isatty())
