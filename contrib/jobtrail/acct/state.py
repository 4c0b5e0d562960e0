# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a run ended, in one word and as rc:signal; jobtrail-acct(1) explains them."""

import json

from ..hints import hint
from ..program import Failure
from ..store import again
from ..text import escape

# sacct's states that are a reason why a process was killed
REASONS = {"BOOT_FAIL", "CANCELLED", "DEADLINE", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REQUEUED", "REVOKED", "TIMEOUT"}
CODES = {
    "BF": "BOOT_FAIL", "CA": "CANCELLED", "CD": "COMPLETED", "DL": "DEADLINE", "F": "FAILED", "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY", "PR": "PREEMPTED", "R": "RUNNING", "RQ": "REQUEUED", "RV": "REVOKED", "TO": "TIMEOUT",
}  # fmt: skip
# sacct's other states, which a program that runs is not in
NEVER = {
    "CF": "CONFIGURING", "CG": "COMPLETING", "LF": "LAUNCH_FAILED", "PD": "PENDING", "RD": "RESV_DEL_HOLD",
    "RF": "REQUEUE_FED", "RH": "REQUEUE_HOLD", "RS": "RESIZING", "S": "SUSPENDED", "SE": "SPECIAL_EXIT",
    "SI": "SIGNALING", "SO": "STAGE_OUT", "ST": "STOPPED",
}  # fmt: skip
OWN = {"COMPLETED", "FAILED", "KILLED", "NOT_STARTED", "EXITED", "EXECED", "OUTLIVED", "UNKNOWN", "RUNNING"}
# what -s FAILED means, as sacct has one state for all of them
FAILED = ("FAILED", "KILLED", "NOT_STARTED")
# signals with which Slurm ends a job: SIGINT, SIGKILL, SIGTERM
SLURMS_SIGNALS = (2, 9, 15, None)
# How much later than the process its step may end: other tasks go on, KillWait, accounting.
STEP_SECONDS = 300
# Slurm sets a job's end before it signals the processes, so that only clocks of nodes may differ
JOB_SECONDS = 10
# but here after the grace time, or when it misses the node
LATE = {"BOOT_FAIL", "NODE_FAIL", "PREEMPTED"}


# The last start of each parent's children, as far as records tell. What is less proven hides nothing.
LAST_STARTS = (
    "SELECT json_extract(ancestor_pids, '$[0]'), max(start_time) FROM run"
    " WHERE job_id_raw = ? AND owner = ? AND step_id = ? AND node = ? AND proven >= ? AND %s = ?"
    " AND ancestor_pids IS NOT NULL GROUP BY json_extract(ancestor_pids, '$[0]')"
) % again("run")
PLACE = ("job_id_raw", "owner", "step_id", "node", "proven", "again")


class Successors:
    """Whether something that was started after a run shows that the run may have been over by then. A shell starts one program after the
    other, and may become the last one itself. So of a run whose end nobody saw, the end of its step says nothing where one of its
    ancestors started another program later. The last ancestor is slurmstepd, so that what a task's own process became counts too.

    Reads one step on one node at a time: runs come by jobs."""

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


def recorded_state(is_start_only, signal, exit_code, end_source):
    """By the record alone."""
    if is_start_only:
        return "RUNNING"
    if end_source == "not_started":
        return "NOT_STARTED"
    if signal:
        return "KILLED"
    if exit_code is not None:
        return "FAILED" if exit_code else "COMPLETED"
    if end_source == "exec":
        return "EXECED"
    if end_source in ("fini", None):  # None: XALT's records, which are written at the exit alone
        return "EXITED"
    return "UNKNOWN"


def own_state(run):
    if run["outlived"]:
        return "OUTLIVED"
    return recorded_state(run["is_start_only"], run["signal"], run["exit_code"], run["end_source"])


def may_have_reason(run):
    """Whether Slurm may know more than the record."""
    return own_state(run) in ("KILLED", "UNKNOWN", "RUNNING") and run["signal"] in SLURMS_SIGNALS + (0,)


def state(run, successors, accounting=None):
    """`successors`: those of the run's store."""
    own = own_state(run)
    if accounting is None or not may_have_reason(run):
        return own
    reason = of_job(run, accounting.of(run, step=False)) or of_step(run, accounting.of(run))
    if reason is None or (own == "UNKNOWN" and successors.has(run)):
        return own
    return reason


def of_job(run, row):
    """The job's state where it is the reason for the run's end."""
    word = row["State"].split(" ")[0] if row else None
    margin = STEP_SECONDS if word in LATE else JOB_SECONDS
    return word if word in REASONS and ended_together(run, row, margin) else None


def of_step(run, row):
    """The same of a step. Slurm marks as CANCELLED each step in which a signal ended a task, a segmentation
    fault too; one that somebody cancelled is CANCELLED by UID."""
    word, _, by = row["State"].partition(" ") if row else ("", "", "")
    is_reason = word in REASONS and (word != "CANCELLED" or by.startswith("by "))
    return word if is_reason and ended_together(run, row, STEP_SECONDS) else None


def ended_together(run, row, margin):
    last = run["end_time"] if run["end_time_max"] is None else run["end_time_max"]
    if last is None or row["end"] is None:
        return True
    return row["end"] - last <= margin


def exit_code(run):
    """rc:signal as in sacct, with ? for what is not known."""
    code, number = run["exit_code"], run["signal"]
    if code is None and number:
        code = 0
    if number is None and code is not None:
        number = 0
    return "%s:%s" % ("?" if code is None else code, "?" if number is None else number)


def parse_states(text):
    """The set of states that a list like sacct's -s names; FAILED means KILLED and NOT_STARTED too, as there."""
    wanted = set()
    for word in filter(None, (word.strip().upper() for word in text.split(","))):
        name = CODES.get(word, word)
        if word in NEVER or word in NEVER.values():
            raise Failure("-s %s: a state of jobs, not of runs: ask sacct or squeue" % NEVER.get(word, word))
        if name not in OWN and name not in REASONS:
            message = "unrecognized job state value '%s'" % escape(word.lower())
            raise Failure(message + hint(word, OWN | REASONS))
        wanted.add(name)
        if name == "FAILED":
            wanted.update(FAILED)
    return wanted
