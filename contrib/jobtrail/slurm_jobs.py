# SPDX-License-Identifier: LGPL-2.1-or-later
"""Allocations as Slurm's accounting has them, for the store, which jobtrail-load fills: by sacct, day by day, or from a file of its rows.

What is written is records of CELLS cells, each with a NUL byte behind it (submit/load/read/load_slurm.c): jobs, which begin with "job",
and what the last one that asked says of them:
    put CLUSTER UNTIL DAMAGED   to be stored now; UNTIL: all of the cluster that began before, or ""; so many rows said no job
    say FROM TEXT               for the administrator
    day CLUSTER DONE ALL        how far this has come
"""

import functools
import os
import re
import sys
import time

from .child_output import PART
from .slurm import Unavailable, answer, command, cut
from .text import STORED

FIELDS = (
    "JobIDRaw", "JobID", "Cluster", "User", "Account", "Partition", "State", "Submit", "Start", "End", "AllocCPUS",
    "AllocNodes", "CPUTimeRAW", "Suspended",
)  # fmt: skip
CELLS = 19
DELIMITER_MAX, NAME_MAX = 64, 255  # bytes
NUMBER_MAX = 1 << 53  # exact as a double, too
NO_TIME = (b"Unknown", b"None")
DAY = 86400
FIRST_DAYS = 30
SECONDS = 600  # for the jobs of a day
NOT_ALL = 3  # exit status: somebody has not answered, as was said


def whole(*texts):
    """Of decimal digits; ValueError for all else."""
    numbers = list(map(int, texts))
    if not b"".join(texts).isdigit() or max(numbers) > NUMBER_MAX:
        raise ValueError(texts)
    return numbers


@functools.lru_cache(4096)
def duration(text):
    """Seconds of [[DAYS-]HOURS:]MINUTES:SECONDS."""
    parts = re.fullmatch(rb"(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+)", text)
    if parts is None:
        raise ValueError(text)
    days, hours, minutes, seconds = whole(*parts.groups(b"0"))
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


@functools.lru_cache(4096)
def name(text):
    """In the form in which the store has text."""
    found = text.decode("utf-8", "surrogateescape").translate(STORED).encode()
    if len(found) > NAME_MAX or b"\0" in found:
        raise ValueError(text)
    return found


def place(text):
    """[array job, its task, heterogeneous job, its part] of 12, 12_3 of an array, 12+3 of a heterogeneous job; as texts."""
    parts = re.fullmatch(rb"(\d+)(?:([_+])(\d+))?", text)
    if parts is None:
        raise ValueError(text)
    first, mark, second = parts.groups()
    numbers = [b"%d" % number for number in whole(first, second)] if mark else []
    return {None: [b""] * 4, b"_": numbers + [b"", b""], b"+": [b"", b""] + numbers}[mark]


def job(cells):
    """The cells of the store's job before its asked_time, None where it has not begun; ValueError where the row says no job."""
    raw, shown, cluster, user, account, partition, state, submit, start, end, cpus, nodes, seconds, suspended = cells
    has_begun, has_ended = start not in NO_TIME, end not in NO_TIME
    # Of a run that was requeued Slurm 22.05 may not know the start. It counts as one.
    if not has_begun and (not has_ended or state != b"REQUEUED"):
        return None
    moments = [start if has_begun else end, end if has_ended else start]
    _, submitted, cores, _, core_seconds, since, until = whole(raw, submit, cpus, nodes, seconds, *moments)
    if not cluster or since == 0 or (has_ended and until < since):
        raise ValueError(shown)
    if not has_begun:
        start = seconds = b"0"
    elif since < submitted:
        # A job whose size was changed has a further row, submitted at that time, that begins when the job began. What was before is in
        # the row before.
        cut_at = min(submitted, until) if has_ended else submitted
        start, seconds = b"%d" % cut_at, b"%d" % max(0, core_seconds - cores * (cut_at - since))
    return [
        *(raw, submit, name(user), name(account), name(partition), name(state.partition(b" ")[0])),  # CANCELLED by UID
        *(end if has_ended else b"", seconds, name(cluster)),
        *(place(shown) if shown != raw else [b""] * 4),
        *(start, cpus, nodes, b"%d" % duration(suspended)),
    ]


def heading(parts):
    """(the delimiter, the parts behind the heading), which is the names of the fields, with the delimiter behind each."""
    head = b""
    for part in parts:
        head += part
        if b"\n" in part or len(head) > PART:
            break
    line, newline, rest = head.partition(b"\n")
    if not newline and len(head) <= PART:
        raise ValueError("has no heading")
    end = line[len(FIELDS[0]) : line.find(FIELDS[1].encode(), len(FIELDS[0]))]
    if not 0 < len(end) <= DELIMITER_MAX or max(end) > 127 or line != b"".join(name.encode() + end for name in FIELDS):
        raise ValueError("is no output of sacct with its heading and the format " + ",".join(FIELDS))

    def others():
        yield rest
        yield from parts

    return end, others()


class Jobs:
    """Writes the records."""

    def __init__(self, open_jobs=()):
        self.open_jobs = set(open_jobs)  # JOB:SUBMIT of those that went on, and of which nothing has come
        self.count = 0

    @staticmethod
    def record(*cells):
        cells = [os.fsencode(str(cell)).replace(b"\0", b"?") for cell in cells]
        sys.stdout.buffer.write(b"\0".join(cells + [b""] * (CELLS - len(cells) + 1)))

    def take(self, parts, asked_time, cluster="", until=""):
        """Jobs of sacct's output."""
        damaged, done, asked_time = 0, "", b"%d" % asked_time
        try:
            end, parts = heading(parts)
            for cells in cut(parts, end, len(FIELDS)):
                try:
                    found = job(cells)
                except ValueError:
                    damaged += 1
                    continue
                if found is not None:
                    self.open_jobs.discard(b"%b:%b" % (found[0], found[1]))
                    self.count += 1
                    sys.stdout.buffer.write(b"\0".join((b"job", *found, asked_time, b"")))
            done = until
        finally:
            self.record("put", cluster, done, damaged)

    def ask(self, cluster, options, until=""):
        words, environment, _ = command(FIELDS, cluster, ["--allocations", "--allusers", *options])
        # in a time zone that has every time once
        self.take(answer(words, dict(environment, TZ="UTC0"), SECONDS), time.time(), cluster, until)

    def ask_days(self, cluster, since):
        """Those from `since` up to now."""
        now = int(time.time())
        for begin in range(since, now, DAY):
            self.record("day", cluster, (begin - since) // DAY, (now - since) // DAY + 1)
            sys.stdout.flush()
            is_last = begin + DAY >= now
            self.ask(cluster, ["--starttime=" + when(begin)] + ([] if is_last else ["--endtime=" + when(begin + DAY)]), min(begin + DAY, now))

    def ask_cluster(self, days, until, first, is_known, cluster):
        """`until`, `first`: seconds since the Epoch, up to when it was asked, and when its first proven coverage began; 0: there is none."""
        begun = int(time.time())
        until = min(until, begun)  # the clock was set back
        since = begun - (days or FIRST_DAYS) * DAY
        if until > 0 and (days == 0 or until - DAY < since):
            since = until - DAY
        if days == 0 and since < first <= begun:  # before that there was no jobtrail
            since = first
        self.ask_days(cluster, since)
        if self.open_jobs:  # somebody has set their end to an earlier time
            self.ask(cluster, ["--jobs=" + ",".join({job.decode().partition(":")[0] for job in self.open_jobs})])
        # Of a name that slurmdbd does not know sacct has no jobs, and says nothing.
        if cluster and self.count == 0 and not is_known:
            self.record("say", "", "sacct has none of cluster %s: [site] cluster on its nodes must be Slurm's ClusterName" % cluster)


def when(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


def ask(days, *words):
    """Each cluster, whatever became of the one before. Of a cluster: UNTIL FIRST IS_KNOWN JOB:SUBMIT,... NAME"""
    status = 0
    for until, first, is_known, open_jobs, cluster in [word.split(" ", 4) for word in words]:
        jobs = Jobs(filter(None, open_jobs.encode().split(b",")))
        try:
            jobs.ask_cluster(int(days), int(until), int(first), int(is_known), cluster)
        except (Unavailable, ValueError) as reason:
            jobs.record("say", cluster if isinstance(reason, Unavailable) else "what sacct writes", reason)
            status = NOT_ALL
    return status


def read(path, descriptor):
    """The file that is open. sacct was asked when it was written."""
    file = int(descriptor)
    try:
        Jobs().take(iter(lambda: os.read(file, PART), b""), os.fstat(file).st_mtime if os.path.isfile(file) else time.time())
    except (ValueError, OSError) as reason:
        Jobs.record("say", path, getattr(reason, "strerror", reason))
        return NOT_ALL
    return 0


def main(what, *words):
    sys.exit({"ask": ask, "read": read}[what](*words))
