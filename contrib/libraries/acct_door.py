# SPDX-License-Identifier: LGPL-2.1-or-later
"""What jobtrail-acct has of changes of the site's libraries: see fields.py."""

KEY = None
FIELDS = []
SORTED_BY = {}
ROWS = {"changes": "change_rows", "events": "event_rows"}


def of_changed(store, text, now):
    from .change_rows import changed_condition  # pylint: disable=import-outside-toplevel

    return changed_condition(store, text, now)
