# SPDX-License-Identifier: LGPL-2.1-or-later
"""A table on the page of a run: see RUN_PARTS in contrib/answers/web/pages.py."""

from ..report.columns import pairs
from .rank_rows import FIELDS, OF_RUN


def all_ranks(_, found):
    """Of a run of several tasks what the kernel reported of all of them."""
    summary = found["ranks"]
    values = [] if summary is None else [(name, value(summary)) for name, _, value in FIELDS if name in OF_RUN]
    rows = [[name, str(value)] for name, value in values if value not in (None, "")]
    return pairs("ranks", "All its ranks", (("field", "Field"), ("value", "Value")), rows)


PARTS = {"ranks": all_ranks}
