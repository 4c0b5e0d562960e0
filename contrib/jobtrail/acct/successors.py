# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whether something that was started after a run shows that the run may have been over by then.

A shell starts one program after the other, and may become the last one itself. So of a run whose end nobody saw,
the end of its step says nothing where one of its ancestors started another program later. The last ancestor is
slurmstepd, so that what a task's own process became counts too.
"""

import json

# The last start of each parent's children, as far as records tell. What is less proven hides nothing.
LAST_STARTS = (
    "SELECT json_extract(ancestor_pids, '$[0]'), max(start_time) FROM run"
    " WHERE job_id_raw = ? AND owner = ? AND step_id = ? AND node = ? AND proven >= ?"
    " AND ancestor_pids IS NOT NULL GROUP BY json_extract(ancestor_pids, '$[0]')"
)
PLACE = ("job_id_raw", "owner", "step_id", "node", "proven")


class Successors:
    """Reads one step on one node at a time: runs come by jobs."""

    def __init__(self, store):
        self.store = store
        self.job = None
        self.starts = {}

    def last_starts(self, run):
        place = tuple(run[name] for name in PLACE)
        if place[:2] != self.job:
            self.job, self.starts = place[:2], {}
        if place not in self.starts:
            rows = self.store.lookup(LAST_STARTS, place)
            self.starts[place] = {int(pid): start for pid, start in rows if pid is not None}
        return self.starts[place]

    def has(self, run):
        """Whether one of its ancestors started something after the run began, and not before the last moment at
        which the run is known to have lived. A task has slurmstepd alone, which starts tasks side by side."""
        pids = json.loads(run["ancestor_pids"] or "[]")
        if run["start_time"] is None or len(pids) < 2:
            return False
        last = self.last_starts(run)
        starts = [last[pid] for pid in pids if last.get(pid) is not None]
        known = run["start_time"] if run["end_time_min"] is None else run["end_time_min"]
        return any(start > run["start_time"] and start >= known for start in starts)
