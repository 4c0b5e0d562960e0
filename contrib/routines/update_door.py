# SPDX-License-Identifier: LGPL-2.1-or-later
"""Logs of calls of routines, one a library, for people and for jobtrail-libq(1). The form is that of contrib/libraries/library_log.h:

    Wed_May_17_1995_08:49 L2TCG filei job=4711 program=solver path=/opt/imsl/lib/libimsl.so.20

A line is of one run and one routine, at the time of the run's first call of it. Lines are in no order: a run's record comes when it is
over. What they say is the user's claim about their own program; who it was is reported by root, or has a '?' before it.

An update that is killed leaves each line in its log once: a file beside the logs has their sizes from before lines are written until they are
on disk, and which runs are reported.
"""

import collections
import fcntl
import hashlib
import json
import os
import re
import stat
import time

from .. import conf, library
from ..pattern import Pattern
from ..program import Failure, os_trouble
from ..report.summary import MARGIN
from ..text import escape, file_path
from ..trusted import check_place

FORM = 1
STATE, LOCK = ".state", ".lock"
HEAD = b"# jobtrail: unsorted"
AT_ONCE = 10000  # runs whose lines are written together
LOGS_MAX = 1000
USER_LOGS = 50  # of those, which one user's runs had made: names of libraries are claims
LIMITS = 4 << 20, 4  # of logs, where there is no jobtrail.conf
OTHERS = "(others)"  # the log of libraries for which there are too many others
USER_LINES = 1000  # of one user in one log at once: nobody fills it alone
PENDING_MAX = 100000  # runs of which only the start is known
VALUE_MAX = 2048
NAME_MAX = 180
PLAIN = Pattern(r"[A-Za-z0-9_+-][A-Za-z0-9_.+-]*\Z", re.ASCII)
LINES = (
    "SELECT run_routine.run_id, routine_library.path, routine.name, coalesce(run_routine.first_call, run.start_time, 0),"
    " run_routine.first_call IS NULL, run.user, run.proven, run.job_id_raw, executable.path"
    " FROM run_routine JOIN run ON run.id = run_routine.run_id JOIN routine ON routine.id = run_routine.routine_id"
    " JOIN routine_library ON routine_library.id = routine.routine_library_id"
    " LEFT JOIN executable ON executable.id = run.executable_id WHERE run_routine.run_id IN (%s)"
    " ORDER BY 4, routine.name, run_routine.run_id"
)
NEW = (
    "SELECT id, is_start_only FROM run WHERE id > ? AND id <= ? AND (is_start_only = 1"
    " OR EXISTS (SELECT 1 FROM run_routine WHERE run_routine.run_id = run.id)) ORDER BY id"
)


# ---- Lines


def word(text):
    """With everything that is no printable ASCII, and blanks and backslashes, as \\xHH."""
    found, size = [], 0
    for byte in os.fsencode(file_path(text)):
        if size >= VALUE_MAX:
            found.append("\\...")
            break
        found.append(chr(byte) if 0x20 < byte < 0x7F and byte != 0x5C else "\\x%02x" % byte)
        size += len(found[-1])
    return "".join(found)


def date_of(epoch):
    return time.strftime("%a_%b_%d_%Y_%H:%M", time.localtime(float(epoch)))


def line_of(row):
    _, path, routine, epoch, is_unknown, _, _, job, program = row
    pairs = [("job", job), ("program", program and program.rsplit("/", 1)[-1]), ("path", path)]
    pairs += [("first", "unknown")] if is_unknown else []
    words = [date_of(epoch), word(routine), user_of(row)]
    return " ".join(words + ["%s=%s" % (key, word(str(value))) for key, value in pairs if value])


def user_of(row):
    user, proven = row[5], row[6]
    return ("" if proven else "?") + word(user or "unknown")


def maker_of(row):
    """Who has a log made for them: of runs that are not proven it is not known who."""
    return user_of(row) if row[6] else "?"


def library_of(path):
    """libhdf5 for .../libhdf5.so.310 and libhdf5.a, and glibc for libm.so.6"""
    return "glibc" if library.glibc(path) else library.names(path)[-1]


def file_of(name):
    """The log of a library, as library_log_file() of contrib/libraries/scan names it."""
    found = ""
    for at, byte in enumerate(os.fsencode(file_path(name))):
        if len(found) >= NAME_MAX:
            found += "~" + hashlib.sha1(os.fsencode(file_path(name))).hexdigest()[:16]
            break
        is_plain = PLAIN.match(chr(byte)) or (byte == 0x2E and at > 0)
        found += chr(byte) if is_plain else "%%%02x" % byte
    return found + ".log"


def lines_by_log(rows, log_of):
    """{file: [line]}; of a user with too many lines in one, the number of the others is reported."""
    found, counts = {}, {}
    for row in rows:
        name = log_of(library_of(row[1]), maker_of(row))
        key = name, user_of(row)
        counts[key] = counts.get(key, 0) + 1
        lines = found.setdefault(name, [])
        if counts[key] <= USER_LINES:
            lines.append(line_of(row))
        else:
            counts[key, "last"] = row[3]
    for key in [key for key, count in counts.items() if isinstance(key[0], str) and count > USER_LINES]:
        found[key[0]].append("%s (more) %s lines=%d" % (date_of(counts[key, "last"]), key[1], counts[key] - USER_LINES))
    return found


# ---- Files


class Logs:
    """The directory: `size` is that of a log which is full, `files` how many older ones are kept."""

    def __init__(self, path, zone, size, files):
        self.path, self.size, self.files = path, size, files
        self.head = HEAD + (b" " + zone.encode() if zone else b"") + b"\n"
        check_place(os.path.join(path, STATE))
        self.fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)

    def __enter__(self):
        try:
            self.lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=self.fd)
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Failure("%s: another update writes these logs" % escape(self.path)) from None
        return self

    def __exit__(self, *_):
        os.close(self.lock)
        os.close(self.fd)

    def names(self):
        return [name for name in os.listdir(self.fd) if name.endswith(".log")]

    def open(self, name):
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
        file = os.fdopen(os.open(name, flags, 0o644, dir_fd=self.fd), "r+b")
        facts = os.fstat(file.fileno())
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1 or facts.st_uid != os.geteuid():
            file.close()
            raise Failure("%s/%s: must be a regular file of this user" % (escape(self.path), escape(name)))
        return file

    def prepare(self, name):
        """Returns the size of the log, which is not full, and of this time zone."""
        with self.open(name) as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0 or (size < self.size and file.readline(len(self.head) + 1) == self.head):
                return size
        self.rotate(name)
        return 0

    def rotate(self, name):
        if self.files == 0:
            os.unlink(name, dir_fd=self.fd)
            return
        names = [name] + ["%s.%d" % (name, number) for number in range(1, self.files + 1)]
        have = set(os.listdir(self.fd))
        last = next((at for at, one in enumerate(names) if one not in have), self.files)
        for at in range(last, 0, -1):
            os.rename(names[at - 1], names[at], src_dir_fd=self.fd, dst_dir_fd=self.fd)

    def append(self, name, size, lines):
        with self.open(name) as file:
            os.fchmod(file.fileno(), 0o644)
            file.truncate(size)
            file.seek(size)
            file.write((self.head if size == 0 else b"") + "".join(line + "\n" for line in lines).encode())
            file.flush()
            os.fsync(file.fileno())

    def read_state(self):
        try:
            with os.fdopen(os.open(STATE, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self.fd)) as file:
                return json.load(file)
        except FileNotFoundError:
            if self.names():
                raise Failure("%s: has logs, but no %s that says which runs are in them: remove them" % (escape(self.path), STATE)) from None
            return None
        except ValueError:
            raise Failure("%s/%s: is damaged: remove it and the logs" % (escape(self.path), STATE)) from None

    def write_state(self, state):
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(STATE + ".new", flags, 0o600, dir_fd=self.fd), "w") as file:
            json.dump(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.rename(STATE + ".new", STATE, src_dir_fd=self.fd, dst_dir_fd=self.fd)
        os.fsync(self.fd)


# ---- Which runs


class Turn:
    """Runs are told when they are over. `told` are those above `floor`, which are told, and `pending` those that are not over. `made`:
    {log: whose run was the first in it}."""

    def __init__(self, store, address, logs):
        self.store, self.logs = store, logs
        state = logs.read_state() or {"form": FORM, "store": address, "floor": 0, "told": [], "pending": [], "sizes": {}}
        if state["form"] != FORM or state["store"] != address:
            raise Failure("%s: has logs of another store, %s: remove them" % (escape(logs.path), escape(str(state["store"]))))
        self.address, self.floor = address, state["floor"]
        self.told, self.pending = set(state["told"]), set(state["pending"])
        for name, size in state["sizes"].items():  # of lines that a kill has cut
            if name in logs.names():
                with logs.open(name) as file:
                    file.truncate(min(size, os.fstat(file.fileno()).st_size))
        names = set(logs.names())
        self.made = {file: user for file, user in state.get("made", {}).items() if file in names}

    def save(self, sizes):
        state = {"form": FORM, "store": self.address, "floor": self.floor, "told": sorted(self.told),
                 "pending": sorted(self.pending)[-PENDING_MAX:], "made": self.made, "sizes": sizes}  # fmt: skip
        self.logs.write_state(state)

    def log_of(self, have):
        """A function of a library and a user: its log, which is there or may be made for this user."""
        files, counts = {}, collections.Counter(self.made.values())

        def name_of(name, user):
            if name not in files:
                files[name] = file_of(name)
            file = files[name]
            if file not in have:
                if len(have) >= LOGS_MAX or counts[user] >= USER_LOGS:
                    return file_of(OTHERS)
                have.add(file)
                counts[user] += 1
                self.made[file] = user
            return file

        return name_of

    def write(self, runs):
        rows = self.store.lookup(LINES % ", ".join(map(str, sorted(runs))))
        lines = lines_by_log(rows, self.log_of(set(self.logs.names())))
        sizes = {name: self.logs.prepare(name) for name in lines}
        self.save(sizes)
        for name, size in sizes.items():
            self.logs.append(name, size, lines[name])
        self.told |= {run for run in runs if run > self.floor}
        self.pending -= runs
        self.save({})

    def ended(self):
        """Runs that were pending and are over; those that are gone are forgotten."""
        pending, found = sorted(self.pending), {}
        for at in range(0, len(pending), AT_ONCE):
            some = ", ".join(map(str, pending[at : at + AT_ONCE]))
            found.update(self.store.lookup("SELECT id, is_start_only FROM run WHERE id IN (%s)" % some))
        self.pending &= found.keys()
        return {run for run, is_start in found.items() if not is_start}

    def run(self, margin):
        """`margin`: how much later than a run's those with smaller numbers can come."""
        last = int(self.store.lookup("SELECT coalesce(max(id), 0) FROM run")[0][0])
        ended = sorted(self.ended())
        for at in range(0, len(ended), AT_ONCE):
            self.write(set(ended[at : at + AT_ONCE]))
        for after in range(self.floor, last, AT_ONCE):
            rows = self.store.lookup(NEW, (after, min(after + AT_ONCE, last)))
            new = [(run, is_start) for run, is_start in rows if run not in self.told and run not in self.pending]
            self.pending |= {run for run, is_start in new if is_start}
            over = {run for run, is_start in new if not is_start}
            if over:
                self.write(over)
        self.floor = max(self.floor, last - margin)
        self.told = {run for run in self.told if run > self.floor}
        self.save({})


def limits():
    """(bytes of a log, how many older ones of each are kept): those of [libraries] in jobtrail.conf(5)."""
    found = conf.section("libraries")
    return (conf.size(found["log_size"]), int(found["log_files"])) if found else LIMITS


def update(store, address, path, zone):
    """Appends what the store has of calls to the logs in the directory, once."""
    try:
        with Logs(file_path(path), zone, *limits()) as logs:
            Turn(store, address, logs).run(MARGIN[address.partition(":")[0]])
    except OSError as error:
        raise Failure("logs of calls: %s" % os_trouble(error)) from None
