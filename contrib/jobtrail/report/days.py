# SPDX-License-Identifier: LGPL-2.1-or-later
"""Local days as numbers, counted from 1970-01-01."""

import datetime
import time

EPOCH = datetime.date(1970, 1, 1).toordinal()


def of_text(text):
    """The day of YYYY-MM-DD..."""
    return datetime.date(int(text[:4]), int(text[5:7]), int(text[8:10])).toordinal() - EPOCH


def of_time(epoch):
    return datetime.date(*time.localtime(epoch)[:3]).toordinal() - EPOCH


def date(day):
    return datetime.date.fromordinal(day + EPOCH)


def begin(day):
    """Seconds since the Epoch of its 00:00."""
    at = date(day)
    return time.mktime((at.year, at.month, at.day, 0, 0, 0, 0, 0, -1))


def text(day):
    return None if day is None else date(day).isoformat()
