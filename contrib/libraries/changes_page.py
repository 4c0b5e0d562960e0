# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of changes of the site's libraries, an installation a row, with the runs of before and after."""

from ..report import days
from ..report.chosen import runs_of
from ..report.columns import BETWEEN, COUNT, ESTIMATE, LIST, RANGE, TEXT, Page, top
from ..report.model import UNKNOWN
from ..times import format_time
from . import library_changes

# a change is of libraries, and not of programs or packages
UNFIT = ("exec", "module", "pkg")
SIDES = ((library_changes.BEFORE, "Before"), (library_changes.AFTER, "After"))
NUMBERS = (("runs", "%s"), ("failed", "Failed"), ("unknown", "End unknown"))
NOTE = (
    "Before: runs at any time that loaded the old file; after: the new one. Records are counted without weights: runs that"
    " sampling left out are not included. Blank: uses of the file are not recorded."
)


def number_columns():
    columns = []
    for side, title in SIDES:
        for name, text in NUMBERS:
            key = "%s_%s" % (name, side)
            columns += [(key, text % title if "%" in text else text, ESTIMATE), (key, BETWEEN, RANGE)]
    return columns


COLUMNS = [
    ("found", "Found", TEXT),
    ("library", "Libraries", LIST),
    ("what", "What", TEXT),
    ("files", "# Files", COUNT),
    ("versions", "Versions", LIST),
    ("user", "By", TEXT),
    ("command", "Command", TEXT),
    ("nodes", "Node", LIST),
] + number_columns()


def is_of_libraries(model, options):
    fits = model.site.chosen(options.lib)
    return lambda row: fits(row["library"], row["path"]) or fits(row["library"], library_changes.before_path(row))


def read(model, options, fits):
    """The events of the period, the latest first, as library_changes has them."""
    rows = library_changes.read(model.store, days.begin(model.first), days.begin(model.last + 1) - 1, fits)
    selection = runs_of(options)
    found = library_changes.with_runs(model.store, library_changes.events(rows), selection.sql(), selection.values)
    return sorted(found, key=lambda event: (-event["found"], event["event"]))


def number_cells(event):
    """Where the files of a change are not all named there may be more runs."""
    for side, _ in SIDES:
        for name, _ in NUMBERS:
            have = event[side]
            value = have and have[name]
            yield value
            yield (value, None) if have and have["at_least"] else None


def by(model, event):
    """Anybody who can write where records lie may have written what is not proven: no user's name begins with '?'."""
    user = event["user"] or (None if event["uid"] is None else str(event["uid"]))
    shown = UNKNOWN if user is None else model.builder(user)
    return shown if event["proven"] else "?" + shown


def libraries_of(model, event):
    return sorted({model.site.shown(row["library"], row["path"], model.names) for row in event["changes"]})


def versions_of(model, event):
    """Of what was upgraded, "from - to"."""
    pairs = {(row["was_version"], row["is_version"]) for row in event["changes"]}
    texts = {"%s - %s" % (old or "", new or "") if old != new else new for old, new in pairs if old or new}
    return ", ".join(sorted(model.text(text) for text in texts)) or None


def command_of(model, event):
    text = event["command"] or event["program"]
    if not text or model.names is None:
        return text or None
    return model.names.program(text)


def row_of(model, event):
    whats = ", ".join("%d %s" % (count, what) for what, count in sorted(event["whats"].items()))
    return [
        format_time(event["found"]), ", ".join(libraries_of(model, event)), whats, event["files"], versions_of(model, event),
        by(model, event), command_of(model, event), ", ".join(filter(None, event["nodes"])) or None, *number_cells(event),
    ]  # fmt: skip


def page_of(model, options, fits):
    rows, left_out = top([row_of(model, event) for event in read(model, options, fits)], options)
    return Page("changes", "Changes of libraries", COLUMNS, rows, note=NOTE, left_out=left_out, order=("found", "descending"))


def changes_page(model, options):
    return page_of(model, options, is_of_libraries(model, options))
