# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages of the packages that Python, R and others loaded."""

from .columns import BETWEEN, ESTIMATE, LIST, OVERLAP, RANGE, SHARE, TEXT, Page, top
from .packages import Packages
from .usage import USAGE_COLUMNS, chart_of, ordered, usage_cells

# pairs are looked for among so many packages: at the most 4950
PAIRED = 100


def packages_of(model):
    return model.once("packages", lambda: Packages(model))


def packages_page(model, options):
    packages = packages_of(model)
    packages.count_jobs()
    found, left_out = top(ordered(packages.by_name, options, usage_cells(model, False)), options)
    columns = [("package", "Package", TEXT), ("program", "Program", TEXT)] + USAGE_COLUMNS
    columns.append(("versions", "Versions", LIST))
    rows = [list(key) + cells + [packages.versions_text(key)] for key, _, cells in found]
    return Page("packages", "Packages", columns, rows, chart_of(model, options), OVERLAP, left_out)


def together_page(model, options):
    packages = packages_of(model)
    estimates = model.estimates()
    runs_of = {}
    items = []
    for (rarer, other), sums in packages.pairs(PAIRED).items():
        if rarer not in runs_of:
            runs_of[rarer] = estimates.runs(packages.by_name[rarer], False)[0]
        items.append((rarer, other) + estimates.runs(sums, False))
    items.sort(key=lambda item: (-item[2],) + item[:2])
    items, left_out = top(items, options)
    columns = [
        ("package", "Package", TEXT),
        ("program", "Program", TEXT),
        ("with", "With", TEXT),
        ("with_program", "Program", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("share", "Of its runs", SHARE),
    ]
    rows = [
        list(rarer + other) + [runs, interval, min(runs / runs_of[rarer], 1.0) if runs_of[rarer] else 0.0]
        for rarer, other, runs, interval in items
    ]
    return Page("together", "Packages in the same run", columns, rows, left_out=left_out,
                note="The rarer one of a pair comes first. Only the %d packages of most runs are"
                " looked at. %s" % (PAIRED, OVERLAP))  # fmt: skip
