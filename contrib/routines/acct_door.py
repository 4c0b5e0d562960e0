# SPDX-License-Identifier: LGPL-2.1-or-later
"""What jobtrail-acct has of calls of routines: see fields.py."""

KEY = "routines"
ROWS = {"routines": "routine_rows"}
SORTED_BY = {}


def of_runs(store, runs):
    from . import run_routines  # pylint: disable=import-outside-toplevel

    return run_routines.read(store, runs)


def merged(parts):
    from . import run_routines  # pylint: disable=import-outside-toplevel

    return run_routines.merged(parts)


def names(run):
    """Of those that it called of designated libraries, the first call's first."""
    return ",".join(dict.fromkeys(call["routine"] for call in run["routines"]["called"])) if run["routines"] else None


def count(run):
    """">=" where not all calls were watched."""
    of = run["routines"]
    if of is None:
        return None
    number = len(of["called"]) + of["unnamed"]
    return ">=%d" % number if of["missed"] else number


FIELDS = [("NRoutines", 9, count), ("Routines", 40, names)]
