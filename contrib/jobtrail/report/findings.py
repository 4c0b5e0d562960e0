# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a report says first: sentences made of its numbers, and the shares of families."""

from . import days
from .columns import SHARE
from .numbers import EXACT_PLACES, PARTS, Numbers
from .sums import SumsByName

NAMED = 3  # families in the first sentence
LEAST_SHARE = 0.02  # of a family that changed, and of its change
WHOLE = 0  # in place of a month: the period


class Shares:
    """Of the core hours of programs, by family: of the period, and of its last two months that are whole."""

    def __init__(self, model):
        estimates = model.estimates()
        is_inclusive = model.hours_column() == "inclusive_core_hours"
        self.hours_of = estimates.inclusive if is_inclusive else lambda sums: estimates.hours(sums, True)
        self.what = "inclusive core hours" if is_inclusive else "core hours of programs"
        self.months = last_months(model)
        self.of, self.total = {}, SumsByName()
        for (family,), slots in model.by_month("families"):
            have = self.of.setdefault(family, SumsByName())
            for slot in slots:
                for sums in (have[slot], have[WHOLE], self.total[slot], self.total[WHOLE]):
                    sums.add(slots[slot])

    def range_of(self, family, slot):
        """(share, at least, at most); None: nothing is known of the month."""
        whole = self.hours_of(self.total[slot])[0] if slot in self.total else 0
        if whole < 1e-9:
            return None
        hours, interval = self.hours_of(self.of[family][slot])
        low, high = interval or (hours, hours)
        return hours / whole, low / whole, (hours if high is None else high) / whole

    def cells(self, family):
        """Of the period, and of each of the two months."""
        slots = [WHOLE] + self.months
        return [(self.range_of(family, slot) or (None,))[0] if family in self.of else None for slot in slots]

    def largest_change(self):
        """(family, share before, share after), where more than sampling is behind it; None: there is none."""
        found = []
        for family in self.of if len(self.months) == 2 else ():
            before, after = (self.range_of(family, slot) for slot in self.months)
            if before is None or after is None or not (before[2] < after[1] or after[2] < before[1]):
                continue
            change = abs(after[0] - before[0])
            if change >= LEAST_SHARE and max(before[0], after[0]) >= LEAST_SHARE:
                found.append((round(change, EXACT_PLACES), after > before, family, before[0], after[0]))
        return max(found)[2:] if found else None


def shares(model):
    return model.once("shares", lambda: Shares(model))


def share_columns(model):
    titles = [("share", "Share")] + [("share_" + name, name) for name in map(month, shares(model).months)]
    return [(key, title, SHARE) for key, title in titles]


def month(slot):
    return "%d-%02d" % divmod(slot, 100)


def last_months(model):
    """[YYYYMM]: the last two of the period that are whole and over, where there are data of both."""
    last = days.whole_months(model.first, min(model.last, days.of_time(model.now) - 1))[-2:]
    found = [slot for slot, _, _ in last if slot in model.known_months()]
    return found if len(found) == 2 else []


def sentences(model, has_page):
    """At the most three. `has_page`: whether the page of a name may be shown"""
    told = [largest(shares(model)), changed(shares(model))] if has_page("families") else []
    return list(filter(None, told + ([covered(model.numbers())] if has_page("coverage") else [])))


def largest(found):
    rows = sorted(((found.range_of(family, WHOLE) or (0,))[0], family) for family in found.of)[: -NAMED - 1 : -1]
    rows = [(share, family) for share, family in rows if share >= LEAST_SHARE]
    if not rows:
        return None
    names = [family for _, family in rows]
    text = names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]
    return "%s: %.0f %% of the %s" % (text, 100 * sum(share for share, _ in rows), found.what)


def changed(found):
    change = found.largest_change()
    if change is None:
        return None
    family, before, after = change
    how = ("more than doubled" if after > 2 * before else "rose" if after > before
           else "fell by more than half" if after < before / 2 else "fell")  # fmt: skip
    return "%s %s: %.0f %% in %s, %.0f %% in %s" % (family, how, 100 * before, month(found.months[0]), 100 * after, month(found.months[1]))


def covered(numbers):
    if not isinstance(numbers, Numbers) or numbers.coverage is None:
        return None
    rest = max(PARTS[1:], key=lambda part: getattr(numbers, part))
    more = getattr(numbers, rest) / numbers.allocation
    text = "Coverage %.0f %% of the allocation" % (100 * numbers.coverage)
    return text + ("; %.0f %% %s" % (100 * more, rest) if more >= LEAST_SHARE else "")
