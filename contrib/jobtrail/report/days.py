# SPDX-License-Identifier: LGPL-2.1-or-later
"""Local days as numbers, counted from 1970-01-01."""

import datetime
import os
import time

from ..pattern import Pattern

# a name of the time zone database, or TZ's own form of POSIX
ZONE = Pattern(r"[A-Za-z0-9_+<][A-Za-z0-9_+/,.:<>-]*\Z")
EPOCH = datetime.date(1970, 1, 1).toordinal()


def zone_of(store):
    """The name of the store's time zone; "": it has none."""
    rows = store.lookup("SELECT value FROM store_state WHERE name = 'timezone'")
    name = rows[0][0] if rows else ""
    return name if ZONE.match(name) and ".." not in name else ""


def use_zone_of(store):
    """Makes the store's time zone this program's, and returns its name; that of the machine's own one if the
    store has none."""
    name = zone_of(store)
    if name:
        os.environ["TZ"] = name
        time.tzset()
    return name or "/".join(dict.fromkeys(time.tzname))


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


def of_month(month):
    """(first, last) day of YYYYMM."""
    year, number = divmod(month, 100)
    first = datetime.date(year, number, 1)
    after = datetime.date(year + number // 12, number % 12 + 1, 1)
    return first.toordinal() - EPOCH, after.toordinal() - EPOCH - 1


def whole_months(first, last):
    """[(YYYYMM, first day, last day)] of the months that lie in the period."""
    found = []
    at = first
    while at <= last:
        day = date(at)
        month = day.year * 100 + day.month
        begin_day, end_day = of_month(month)
        if begin_day >= first and end_day <= last:
            found.append((month, begin_day, end_day))
        at = end_day + 1
    return found
