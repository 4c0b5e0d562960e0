# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times as sacct reads and writes them."""

import os
import re
import time

from .pattern import Pattern
from .program import Failure
from .text import escape

CLOCK_WORDS = {"midnight": 0, "noon": 12, "fika": 15, "teatime": 16}
YEARS = range(1902, 9999)  # what Python and mktime(3) can calculate with
LONGEST = 200  # text of a time
UNITS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}

TIME_TOKEN = Pattern(
    r"""(?P<now> now (?: \s* (?P<sign> [+-]) \s* (?P<count> \d+)
                         \s* (?P<unit> seconds? | minutes? | hours? | days? | weeks? )? )? \s* $ )
      | (?P<day> today | tomorrow )
      | (?P<word> midnight | noon | fika | teatime )
      | (?P<clock> (?P<h> \d\d?) : (?P<m> \d\d) (?: : (?P<s> \d\d) )? \s* (?P<half> am | pm )? )
      | (?P<iso> (?P<Y> \d{4}) - (?P<M> \d\d) - (?P<D> \d\d?) )
      | (?P<date> (?P<mon> \d\d | \d(?!\d)) [./]? (?P<mday> \d\d | \d(?!\d)) [./]?
                    (?P<yy> \d\d)? )
      | [- \tT]
    """,
    re.VERBOSE | re.IGNORECASE,
)


def clock_of(token):
    """(hour, minute, second) of a token like 21:40, 9:40pm; ValueError outside of a day."""
    hour, minute, second = int(token["h"]), int(token["m"]), int(token["s"] or 0)
    half = (token["half"] or "").lower()
    if half and hour > 12 or hour > 23 or minute > 59 or second > 59:
        raise ValueError
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    return hour, minute, second


def date_of(token, today):
    """(year, month, day); a month to come, without a year, is last year's, as in sacct."""
    if token["iso"]:
        year, month, day = int(token["Y"]), int(token["M"]), int(token["D"])
    else:
        month, day = int(token["mon"]), int(token["mday"])
        year = today.tm_year - (month > today.tm_mon)
        if token["yy"]:
            year = 2000 + int(token["yy"])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError
    return year, month, day


def moment_of(token, now):
    """The time that now, now-2days, now+30 stand for."""
    unit = (token["unit"] or "second").lower()
    seconds = int(token["count"] or 0) * UNITS[unit.rstrip("s")]
    return time.localtime(now - seconds if token["sign"] == "-" else now + seconds)


def parse_time(text, now):
    """Seconds since the Epoch for the time formats of sacct; Failure for what sacct rejects, and outside of YEARS."""
    try:
        if len(text) > LONGEST:
            raise ValueError
        if re.match(r"uts\d{7,12}\Z", text, re.IGNORECASE):
            found = float(text[3:])
        else:
            found = parse_tokens(text, now)
        if time.localtime(found).tm_year not in YEARS:
            raise ValueError
        return found
    except (ValueError, OverflowError, OSError):  # localtime(3) sets errno
        raise Failure("Invalid time specification: " + escape(text)) from None


def parse_tokens(text, now):
    today = time.localtime(now)
    date = clock = None
    at = 0
    while at < len(text):
        token = TIME_TOKEN.match(text, at)
        if token is None:
            raise ValueError
        at = token.end()
        if token["now"]:
            moment = moment_of(token, now)
            date, clock = moment[:3], moment[3:6]
        elif token["day"]:
            later = 86400 if token["day"].lower() == "tomorrow" else 0
            date = time.localtime(now + later)[:3]
        elif token["word"]:
            clock = (CLOCK_WORDS[token["word"].lower()], 0, 0)
        elif token["clock"]:
            clock = clock_of(token)
        elif token["iso"] or token["date"]:
            date = date_of(token, today)
    if date is None and clock is None:
        raise ValueError
    return time.mktime((date or today[:3]) + (clock or (0, 0, 0)) + (0, 0, -1))


def format_time(epoch):
    if epoch is None:
        return None
    form = os.environ.get("SLURM_TIME_FORMAT", "")
    return time.strftime(form if "%" in form else "%Y-%m-%dT%H:%M:%S", time.localtime(epoch))


def format_elapsed(seconds):
    """[D-]HH:MM:SS"""
    if seconds is None:
        return None
    minutes, second = divmod(max(int(seconds), 0), 60)
    hours, minute = divmod(minutes, 60)
    day, hour = divmod(hours, 24)
    return ("%d-" % day if day else "") + "%02d:%02d:%02d" % (hour, minute, second)
