# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the pages about libraries cannot know, in sentences that stand below them."""

from .numbers import Numbers
from .use_parts import none_line

MOST = 8  # hosts by name


def of_allocation(model):
    numbers = Numbers()
    for _, outcome, hours in model.division():
        numbers.add(outcome, hours)
    if numbers.coverage is None:
        return "Which part of the allocated time has records is not known."
    return "Of %.1f %% of the allocated time there are records: what the rest has loaded is not seen." % (100 * numbers.coverage)


def of_opens(model):
    if not model.store.is_all:
        return
    sql = "SELECT DISTINCT node FROM library_event WHERE kind = 'use' AND node IS NOT NULL ORDER BY node"
    hosts = [node for node, in model.store.lookup(sql)]
    names = ", ".join(hosts[:MOST] + (["%d more" % (len(hosts) - MOST)] if len(hosts) > MOST else []))
    yield "Opens from outside of jobs are seen on %s." % (names and names + " alone" or "no host")
    line = none_line(model)
    if line:
        yield line
