# SPDX-License-Identifier: LGPL-2.1-or-later
"""The profile of a run's program on its page: where the files are, the time in MPI, and a flame graph where this process can read the
files with the rights of who asks.

A file is read if it belongs to the run's user, who must be the one who asks, or somebody who sees all. Its path is trusted
only if root of the node recorded it. jobtrail-profile(1) makes the picture, which may have only boxes and texts.
"""

import contextlib
import os
import pwd
import shlex
import stat
import subprocess

from ..child_output import collect
from ..pattern import Pattern
from ..report.columns import COUNT, SHARE, TEXT, Page

try:
    from ..paths import PROFILE_PROGRAM
except ImportError:
    PROFILE_PROGRAM = "jobtrail-profile"

FILES_MAX = 64  # of a step's nodes, in the picture
BYTES_MAX = 256 << 20  # of all of them
SECONDS = 20
SIZE_MAX = 4 << 20  # of the picture
TAG = Pattern(r'</?(?:svg|g|title|rect|text)(?: (?:xmlns|viewBox|width|height|x|y|fill|font-family|font-size)="[^"<>]*"){0,8}/?>')
PATHS_MAX = 16  # in a command to copy
STACKS = "jobtrail-profile(1) says how to build programs for call stacks: with -finstrument-functions."
COLUMNS = [("step", "Step", TEXT), ("node", "Node", TEXT), ("file", "File", TEXT), ("bytes", "Bytes", COUNT), ("ranks", "# Ranks", COUNT)]
MPI_COLUMNS = [("routine", "Routine", TEXT), ("calls", "# Calls", COUNT), ("seconds", "Seconds", TEXT), ("share", "Of its time", SHARE),
               ("open", "# Ranks in it at the end", COUNT)]  # fmt: skip


def uid_of(user):
    try:
        return pwd.getpwnam(user).pw_uid
    except (KeyError, TypeError):
        return None


def opened(path, uid):
    """A descriptor of a plain file of the user's, or of root's in the directory of this number; None: it cannot be read, or is another's."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, ValueError):
        return None
    status = os.fstat(fd)
    is_roots = status.st_uid == 0 and os.path.basename(os.path.dirname(path)) == str(uid)
    if stat.S_ISREG(status.st_mode) and (is_roots or status.st_uid == uid):
        return fd
    os.close(fd)
    return None


def reader(asker, profile):
    """The uid whose files may be read for who asks; None: none may."""
    may_read = profile and profile["proven"] and (asker.rights.all or asker.user == profile["user"])
    return uid_of(profile["user"]) if may_read else None


def only(profile):
    """Options by which jobtrail-profile(1) takes the run's program alone, where there are others in the files."""
    return ["--program", profile["program"] or "-"] if profile["programs"] > 1 else []


def is_picture(text):
    """Whether it has nothing but boxes and texts."""
    return text.startswith("<svg") and "<" not in TAG.sub("", text)


def picture_of(fds, options):
    """SVG; None: there is none, or it is too large."""
    words = [PROFILE_PROGRAM, "flame", "--svg", "--kept"] + options + ["/proc/self/fd/%d" % fd for fd in fds]
    try:
        with subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, pass_fds=fds, bufsize=0,
            env={"LC_ALL": "C.UTF-8"},
        ) as child:  # fmt: skip
            try:
                data, is_late = collect(child, SECONDS, SIZE_MAX)
                if is_late or len(data) > SIZE_MAX or child.wait(timeout=SECONDS) not in (0, 1):
                    return None
            finally:
                child.kill()
    except (OSError, subprocess.TimeoutExpired):
        return None
    text = data.decode("utf-8", "replace").strip()
    return text if is_picture(text) else None


def graph(asker, profile):
    """(SVG or None, of how many files). It is of all that is of the program in these."""
    uid = reader(asker, profile)
    if uid is None:
        return None, 0
    with contextlib.ExitStack() as stack:
        fds, size = [], 0
        for path in profile["paths"][:FILES_MAX]:
            fd = opened(path, uid)
            if fd is None:
                continue
            stack.callback(os.close, fd)
            size += os.fstat(fd).st_size
            if size <= BYTES_MAX:
                fds.append(fd)
        return (picture_of(fds, only(profile)), len(fds)) if fds else (None, 0)


def table(asker, profile):
    """Page of a run's profile, of what profile_summary.of_runs() has of it; None: it has none."""
    files = profile["files"] + profile["joined"] if profile else []
    svg, shown = graph(asker, profile)
    is_empty = svg is not None and "<rect" not in svg
    rows = [[file["step_id"], file.get("node", "all"), file["path"], file["bytes"], file.get("ranks")] for file in files]
    title = "Where its time went: call stacks of %s" % part_of(shown, len(profile["paths"]) if profile else 0, "file")
    drawn = (lambda charts, _: charts.figure("flame", title, svg)) if svg and not is_empty else None
    note = note_of(profile, svg, is_empty) if profile else ""
    return Page("profile", heading("Profiles", profile), COLUMNS, rows, note=note, drawn=drawn)


def heading(words, profile):
    return words + (" of its step" if profile and not profile["is_own"] else " of its program")


def counted(number, word):
    return "%d %s%s" % (number, word, "" if number == 1 else "s")


def part_of(number, of, word):
    return "%d of %s" % (number, counted(of, word) if of else "? %ss" % word)


def words_of(paths):
    """As words of a command."""
    words = " ".join(shlex.quote(path) for path in paths[:PATHS_MAX])
    return "%s and %s" % (words, counted(len(paths) - PATHS_MAX, "more file")) if len(paths) > PATHS_MAX else words


def note_of(profile, svg, is_empty):
    nodes = part_of(profile["nodes"], profile["step_nodes"], "node") if profile["step_nodes"] else counted(profile["nodes"], "node")
    parts = ["Files of %s are known; %s left a profile." % (nodes, part_of(profile["ranks"], profile["size"], "rank"))]
    if not profile["is_own"]:
        parts.append("These files are of the whole step, in which %s had several tasks." % counted(profile["runs"], "run"))
    elif profile["runs"] > 1:
        parts.append("They have processes of %d runs." % profile["runs"])
    if profile["untold"]:
        parts.append("%s in these files are not shown." % counted(profile["untold"], "more program"))
    words = " ".join(only(profile) + [words_of(profile["paths"])])
    if svg is None:
        parts.append("The files are not read here. For a picture: jobtrail-profile flame --svg %s ." % words)
    elif is_empty:
        parts.append("They have no call stacks. " + STACKS)
    # without stacks, what there is are calls of MPI or of designated libraries
    parts.append("For the log: jobtrail-profile show %s%s" % ("--mpi " if profile["mpi"] or is_empty else "", words))
    return " ".join(parts)


def mpi_table(profile):
    """Page of the time in MPI of all ranks of a run's program."""
    mpi = profile["mpi"] if profile else None
    rows = []
    for one in mpi["routines"] if mpi else ():
        share = one["seconds"] / mpi["elapsed"] if mpi["elapsed"] and not mpi["untimed"] else None
        rows.append([one["routine"], one["calls"], "%.6f" % one["seconds"], share, one["open"]])
    return Page("mpi", heading("Time in MPI", profile), MPI_COLUMNS, rows, note=mpi_note(profile, mpi))


def own_note(own):
    """Of a run whose ranks can be distinguished from those of the program's other runs."""
    if own and own["share"] is not None:
        bound = "about " if own["open"] or not own["is_whole"] else "at least " if own["missed"] else ""
        yield "The %d ranks of this run spent %s%.1f %% of their time in MPI." % (own["ranks"], bound, 100 * own["share"])


def mpi_note(profile, mpi):
    """How sure the numbers are."""
    if mpi is None:
        return ""
    parts = ["The routines with most time in %s, as reported by their processes." % part_of(mpi["ranks"], profile["size"], "rank")]
    if mpi["share"] is not None:
        parts.append("%s%.1f %% of their time is in MPI." % ("At least " if mpi["missed"] else "", 100 * mpi["share"]))
    if mpi["imbalance"] is not None:
        slowest = mpi["slowest"]
        parts.append("Rank %s on %s has the most time outside of MPI: %.1f %% above the mean." % (slowest["rank"], slowest["node"], mpi["imbalance"]))
    if mpi["open"]:
        parts.append("Some ranks ran longer than is known.")
    runs = mpi["runs"] if profile["is_own"] else profile["runs"]
    if runs > 1:
        parts.append("These are the sums of %d runs." % runs)
        parts.extend(own_note(profile["own"]) if profile["is_own"] else ())
    return " ".join(parts)
