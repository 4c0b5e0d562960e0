# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table on the page of a run: see RUN_PARTS in contrib/answers/web/pages.py."""

from ..report.columns import pairs
from ..times import format_time
from .routine_rows import calls_text


def called(_, found):
    rows = []
    for one in found["routines"]["called"] if found["routines"] else ():
        calls = calls_text(one)
        rows.append([one["library_path"], one["routine"], format_time(one["first_call"]), None if calls is None else str(calls)])
    heads = (("file", "File"), ("routine", "Routine"), ("first", "First call"), ("calls", "# Calls"))
    return pairs("routines", "Routines that it called", heads, rows)


PARTS = {"routines": called}
