# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the pages about libraries cannot know, in sentences that stand below them."""

from .numbers import Numbers


def of_allocation(model):
    numbers = Numbers()
    for _, outcome, hours in model.division():
        numbers.add(outcome, hours)
    if numbers.coverage is None:
        return "Which part of the allocated time has records is not known."
    return "Of %.1f %% of the allocated time there are records: what the rest has loaded is not seen." % (100 * numbers.coverage)
