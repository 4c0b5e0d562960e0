# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the pages about libraries cannot know, in sentences that stand below them."""

from ..site_libraries import NO_LIBRARY
from . import days
from .numbers import Numbers
from .use_parts import NO_COPY

MOST = 8  # hosts by name


def of_allocation(model):
    numbers = Numbers()
    for _, outcome, hours in model.division():
        numbers.add(outcome, hours)
    if numbers.coverage is None:
        return "Which part of the allocated time has records is not known."
    return "Of %.1f %% of the allocated time there are records: what the rest has loaded is not seen." % (100 * numbers.coverage)


def of_opens(model):
    sql = "SELECT DISTINCT node FROM library_event WHERE kind = 'use' AND node IS NOT NULL ORDER BY node"
    hosts = [node for node, in model.store.lookup(sql)]
    names = ", ".join(hosts[:MOST] + (["%d more" % (len(hosts) - MOST)] if len(hosts) > MOST else []))
    yield "Opens from outside of jobs are seen on %s." % (names and names + " alone" or "no host")
    opens = opens_of_none(model)
    if opens:
        yield "Of at least %d opens it is not known of which library they were." % opens


def opens_of_none(model):
    """In the period."""
    marks = ", ".join("?" * len(NO_LIBRARY))
    sql = "SELECT coalesce(sum(uses), 0) FROM library_event WHERE %s AND library IN (%s) AND coalesce(before_time, found) >= ?"
    return model.store.lookup(sql % (NO_COPY, marks), (*NO_LIBRARY, days.begin(model.first)))[0][0]
