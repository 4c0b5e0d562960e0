# SPDX-License-Identifier: LGPL-2.1-or-later
"""--routine of jobtrail-acct: see select.py."""

from .. import glob
from ..hints import hint, tell
from ..text import escape

# Names of routines are claims, and may be millions: so many are looked at for one that may be meant
HINT_NAMES = 10000
ROUTINE_NAMED = "routine.name REGEXP ?"
# found by the index of routines; with a plus by the runs of which somebody sees some: else each pair of both would be looked up
OF_ROUTINE = (
    "run.id IN (SELECT run_routine.run_id FROM run_routine"
    " WHERE %srun_routine.routine_id IN (SELECT routine.id FROM routine WHERE " + ROUTINE_NAMED + "))"
)


def routine_condition(store, text):
    """Runs that called a routine of such a name."""
    pattern = glob.whole(text)
    if not store.lookup("SELECT 1 FROM routine WHERE " + ROUTINE_NAMED + " LIMIT 1", (pattern,)):
        names = [name for name, in store.lookup("SELECT DISTINCT name FROM routine LIMIT %d" % HINT_NAMES)]
        none = "" if names else " of any library: [routines] of jobtrail.conf designates some"
        tell("--routine %s: no run has called one%s%s" % (escape(text), none, hint(text, names)))
    return OF_ROUTINE % ("" if store.is_all else "+"), [pattern]
