# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages by time: the tables of the NAS paper, and trends."""

import calendar

from . import days, use_parts
from .columns import BETWEEN, ESTIMATE, HOURS, OVERLAP, RANGE, TEXT, Page, top
from .model import EXACT, KINDS, PARTITIONS
from .numbers import lists_line
from .sums import Sums, SumsByName
from .usage import NOTES, SINGULAR, TITLES

CALENDARS = ("weekdays", "months", "trends")
TRENDS = 12  # in the chart


def rows_of(page, options):
    """The kind of the rows of one of CALENDARS."""
    kinds = use_parts.OF_USE.get(options.use, KINDS)
    return options.of if options.of in kinds else "executables" if page == "trends" else "libraries"


def calendar_page(name, title, slots_of):
    def make(model, options):
        kind = rows_of(name, options)
        if options.use in use_parts.PARTS:
            return page_of_uses(name, title, slots_of, model, options)
        slots, parts = slots_of(model), parts_of(model, kind, slots_of)
        totals = {}
        for names, sums in parts:
            whole = sum(plain_runs(sums[slot]) for slot, _, _ in slots if slot in sums)
            for label in names:
                totals[label] = totals.get(label, 0) + whole
        labels = sorted(filter(totals.get, totals), key=lambda label: (-totals[label], label))
        labels, left_out = top(labels, options)
        rows = [[label] + cells for label, cells in sorted(cells_by_label(model, kind, slots, parts, labels).items())]
        total = None
        if kind in PARTITIONS:
            whole = [("Total", slots_sums) for _, slots_sums in parts]
            total = ["Total"] + cells_by_label(model, kind, slots, [((key,), of) for key, of in whole], ["Total"])["Total"]
        if slots_of is months:
            blank_months(model, slots, rows + ([total] if total else []))
        note = note_of(model, kind, slots_of is months)
        title_of = "%s by %s: runs" % (TITLES[kind], title)
        return Page(name, title_of, columns_of(kind, slots, ESTIMATE), rows, note=note, left_out=left_out, total=total)

    return make


def columns_of(kind, slots, of):
    columns = [(SINGULAR[kind].lower(), SINGULAR[kind], TEXT)]
    for key, text in [(key, text) for _, key, text in slots] + [("total", "Total")]:
        columns += [(key, text, of), (key, BETWEEN, RANGE)]
    return columns


def blank_months(model, slots, rows):
    """Nothing is written of months without data, which is not the same as 0."""
    known = model.known_months()
    for at, (slot, _, _) in enumerate(slots):
        if slot not in known:
            for row in rows:
                row[1 + 2 * at] = row[2 + 2 * at] = None


def note_of(model, kind, is_months):
    """With the months of which the period has a part only."""
    found = [] if kind in PARTITIONS else [OVERLAP, lists_line(model) if kind in NOTES else ""]
    return " ".join(filter(None, found + ([period_note(model)] if is_months else [])))


def period_note(model):
    found, first, last = [], days.text(model.first), days.text(model.last)
    if not first.endswith("-01"):
        found.append("%s begins on %s." % (first[:7], first))
    if days.text(model.last + 1)[:7] == last[:7]:
        found.append("%s ends on %s." % (last[:7], last))
    return " ".join(found + ["Blank: no data."])


def trends_page(model, options):
    """Core hours by month."""
    kind = rows_of("trends", options)
    slots, parts = months(model), model.by_month(kind)
    estimates, is_exact = model.estimates(), kind in EXACT
    is_inclusive = model.hours_column() == "inclusive_core_hours"

    def cells(sums):
        return estimates.inclusive(sums) if is_inclusive else estimates.hours(sums, is_exact)

    found, whole = {}, SumsByName()
    for names, sums in parts:
        for label in names:
            have = found.setdefault(label, SumsByName())
            for slot, _, _ in slots:
                if slot in sums:
                    have[slot].add(sums[slot])
        for slot, _, _ in slots:
            if slot in sums:
                whole[slot].add(sums[slot])
    rows = [[label] + month_cells(slots, sums, cells) for label, sums in found.items()]
    rows = sorted((row for row in rows if row[-2]), key=lambda row: (-row[-2], row[0]))
    rows, left_out = top(rows, options)
    total = ["Total"] + month_cells(slots, whole, cells) if kind in PARTITIONS else None
    blank_months(model, slots, rows + ([total] if total else []))
    labels = [text for _, _, text in slots]
    unit = "Inclusive core hours" if is_inclusive else "Core hours"
    singular = SINGULAR[kind].lower()

    def drawn(charts, link):
        items = [(row[0], link and link(singular, row[0], {}), row[1:-2:2]) for row in rows[:TRENDS]]
        title = "%s by month, each on a scale of its own, with its largest month" % unit
        return charts.trends(items, labels, title)

    return Page("trends", "%s by month: %s" % (TITLES[kind], unit.lower()), columns_of(kind, slots, HOURS), rows,
                note=note_of(model, kind, True), left_out=left_out, total=total, drawn=drawn)  # fmt: skip


def month_cells(slots, sums, cells):
    """The values and their intervals of the months, and of all."""
    every, whole = [], Sums()
    for slot, _, _ in slots:
        of = sums[slot] if slot in sums else Sums()
        every += cells(of)
        whole.add(of)
    return every + list(cells(whole))


def plain_runs(sums):
    return sums.runs + sums.left_runs + sums.inclusive_runs


def cells_by_label(model, kind, slots, parts, labels):
    """{label: [runs and their interval in each slot, and in all]}"""
    estimates, is_exact = model.estimates(), kind in EXACT
    wanted = set(labels)
    if not estimates.largest or model.raw:
        return plain_cells(slots, parts, wanted, is_exact and not model.raw)
    found = {label: [Sums() for _ in slots] + [Sums()] for label in labels}
    for names, sums in parts:
        for label in wanted.intersection(names):
            for have, (slot, _, _) in zip(found[label], slots):
                if slot in sums:
                    have.add(sums[slot])
                    found[label][-1].add(sums[slot])
    return {label: [cell for sums in row for cell in estimates.runs(sums, is_exact)] for label, row in found.items()}


def plain_cells(slots, parts, wanted, has_left_out):
    """Where nothing has to be estimated."""
    found = {label: [0.0] * len(slots) for label in wanted}
    for names, sums in parts:
        here = wanted.intersection(names)
        if not here:
            continue
        counts = [0.0] * len(slots)
        for at, (slot, _, _) in enumerate(slots):
            if slot in sums:
                of = sums[slot]
                counts[at] = of.runs + of.inclusive_runs + (of.left_runs if has_left_out else 0)
        for label in here:
            found[label] = [have + more for have, more in zip(found[label], counts)]
    return {label: [cell for count in counts + [sum(counts)] for cell in (count, None)] for label, counts in found.items()}


def page_of_uses(name, title, slots_of, model, options):
    """The same table of links or of opens."""
    kind, use = rows_of(name, options), options.use
    found = use_parts.PARTS[use](model, options, kind)
    slots = slots_of(model)
    is_months = slots_of is months
    slot_of = month_of if is_months else weekday_of
    blank = {slot for slot, _, _ in slots if is_months and (found.first is None or slot < month_of(found.first))}

    def cells(label, by_day):
        counts = dict.fromkeys((slot for slot, _, _ in slots), 0)
        for day, number in by_day.items():
            if slot_of(day) in counts:
                counts[slot_of(day)] += number
        values = [None if slot in blank else count for slot, count in counts.items()] + [sum(counts.values())]
        return [label] + [cell for value in values for cell in (value, (value, None) if found.is_least and value else None)]

    rows = sorted((cells(label, by_day) for label, by_day in found.by_label.items()), key=lambda row: (-row[-2], row[0]))
    rows, left_out = top([row for row in rows if row[-2]], options)
    rows.sort(key=lambda row: row[0])
    has_total = rows and (use == "opened" or kind in use_parts.ONE_EACH)
    notes = filter(None, (use_parts.note_of(model, options, use, found, kind), period_note(model) if is_months else ""))
    return Page(name, "%s by %s: %s" % (TITLES[kind], title, use_parts.WORDS[use]), columns_of(kind, slots, ESTIMATE), rows,
                note=" ".join(notes), left_out=left_out, total=cells("Total", found.total) if has_total else None)  # fmt: skip


def parts_of(model, kind, slots_of):
    """model.over()"""
    return model.by_month(kind) if slots_of is months else model.by_weekday(kind)


def weekday_of(day):
    """From Sunday on, as model.by_weekday()"""
    return (day + 4) % 7


def month_of(day):
    date = days.date(day)
    return date.year * 100 + date.month


def weekdays(_):
    """[(slot, key, title)]"""
    names = [calendar.day_abbr[(at + 6) % 7] for at in range(7)]
    return [(at, name, name) for at, name in enumerate(names)]


def months(model):
    """At the most the last 12 months of the period."""
    first, last = days.date(model.first), days.date(model.last)
    count = (last.year - first.year) * 12 + last.month - first.month + 1
    slots = []
    for back in reversed(range(min(count, 12))):
        year, month = divmod(last.year * 12 + last.month - 1 - back, 12)
        slots.append(
            (year * 100 + month + 1, "%d-%02d" % (year, month + 1), "%s %d" % (calendar.month_abbr[month + 1], year))
        )
    return slots
