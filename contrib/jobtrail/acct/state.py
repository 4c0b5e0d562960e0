# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a run ended, in one word and as rc:signal; jobtrail-acct(1) explains them."""

from ..program import Failure
from ..text import escape

# sacct's states that are a reason why a process was killed
REASONS = {
    "BOOT_FAIL",
    "CANCELLED",
    "DEADLINE",
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REQUEUED",
    "REVOKED",
    "TIMEOUT",
}
CODES = {
    "BF": "BOOT_FAIL",
    "CA": "CANCELLED",
    "CD": "COMPLETED",
    "DL": "DEADLINE",
    "F": "FAILED",
    "NF": "NODE_FAIL",
    "OOM": "OUT_OF_MEMORY",
    "PR": "PREEMPTED",
    "R": "RUNNING",
    "RQ": "REQUEUED",
    "RV": "REVOKED",
    "TO": "TIMEOUT",
}
OWN = {"COMPLETED", "FAILED", "KILLED", "EXITED", "EXECED", "OUTLIVED", "UNKNOWN", "RUNNING"}
# signals with which Slurm ends a job: SIGINT, SIGKILL, SIGTERM
SLURMS_SIGNALS = (2, 9, 15, None)
# how much later than the process the job may end (KillWait, epilog, accounting)
MARGIN_SECONDS = 300


def recorded_state(is_start_only, signal, exit_code, end_source):
    """By the record alone."""
    if is_start_only:
        return "RUNNING"
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


def state(run, accounting=None):
    own = own_state(run)
    if accounting is None or not may_have_reason(run):
        return own
    for row in (accounting.of(run, step=False), accounting.of(run)):
        word = row["State"].split(" ")[0] if row else None
        if word in REASONS and ended_together(run, row):
            return word
    return own


def ended_together(run, row):
    last = run["end_time"] if run["end_time_max"] is None else run["end_time_max"]
    if last is None or row["end"] is None:
        return True
    return row["end"] - last <= MARGIN_SECONDS


def exit_code(run):
    """rc:signal as in sacct, with ? for what is not known."""
    code, number = run["exit_code"], run["signal"]
    if code is None and number:
        code = 0
    if number is None and code is not None:
        number = 0
    return "%s:%s" % ("?" if code is None else code, "?" if number is None else number)


def parse_states(text):
    """The set of states that a list like sacct's -s names; FAILED means KILLED too, as there."""
    wanted = set()
    for word in filter(None, (word.strip().upper() for word in text.split(","))):
        name = CODES.get(word, word)
        if name not in OWN and name not in REASONS:
            raise Failure("unrecognized job state value '%s'" % escape(word.lower()))
        wanted.add(name)
        if name == "FAILED":
            wanted.add("KILLED")
    return wanted
