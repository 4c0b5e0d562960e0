# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of single programs: last run and last linked, and who runs what somebody else built."""

from . import days
from .calendar_pages import plain_runs
from .columns import BETWEEN, COUNT, DATE, ESTIMATE, RANGE, TEXT, Page, day_of, top
from .division import OTHERS
from .model import UNKNOWN
from .sums import SumsByName
from .usage import USAGE_COLUMNS, usage_cells

def last_page(model, options):
    """Programs and modules in the order of their last run: the first ones may be candidates for removal."""
    programs = model.programs()
    found = SumsByName()
    for program, sums in model.by_program().items():
        found[model.path(model.executable_of(programs[program]))].add(sums)
    linked = {}
    for epoch, path, _ in model.links():
        linked[path] = max(epoch, linked.get(path, epoch))
    for program in programs.values():
        epoch = model.builds().get(program[2], (None, None, None))[2]
        path = model.path(program[0])
        if epoch:
            linked[path] = max(epoch, linked.get(path, epoch))
    items = [(path, sums) for path, sums in found.items() if path != OTHERS and (plain_runs(sums) or sums.last)]
    last = model.last_left_out()
    items.sort(key=lambda item: (later(item[1].last, last.get(item[0])), item[0]))
    items, left_out = top(items, options)
    columns = [
        ("executable", "Executable", TEXT),
        ("last_run", "Last run", DATE),
        ("last_linked", "Last linked", DATE),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("users", "# Users", COUNT),
    ]
    rows = [
        [path, days.text(later(sums.last, last.get(path))), day_of(linked.get(path))]
        + list(model.estimates().runs(sums, True))
        + [bin(sums.users).count("1")]
        for path, sums in items
    ]
    return Page("last", "Last run and last linked, the oldest first", columns, rows, left_out=left_out)


def later(epoch, day):
    """The later one of a moment and a day, as a day; -1: neither is known."""
    return max(-1 if epoch is None else days.of_time(epoch), -1 if day is None else day)


def others_page(model, options):
    programs, builds = model.programs(), model.builds()
    found = SumsByName()
    for program, who, *sums in model.usage():
        executable, _, build = programs[program][:3]
        builder = builds.get(build, (None,))[0]
        user = model.people[who][0]
        if builder and builder != user:
            found[model.path(executable), builder, user or UNKNOWN].add_row(model.bits_of[who], *sums)
    cells_of = usage_cells(model, False)
    rows = [list(key) + cells_of(sums) for key, sums in found.items()]
    at = 3 if options.by != "runs" else 9
    rows.sort(key=lambda row: (-row[at], row[:3]))
    rows, left_out = top(rows, options)
    columns = [("executable", "Executable", TEXT), ("built_by", "Built by", TEXT), ("user", "Run by", TEXT)] + USAGE_COLUMNS
    keep = [at for at, (key, _, _) in enumerate(columns) if key not in ("users", "jobs", "accounts", "running_core_hours")]
    return Page("others", "Built by somebody else", [columns[at] for at in keep],
                [[row[at] for at in keep] for row in rows], left_out=left_out)  # fmt: skip
