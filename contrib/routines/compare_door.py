# SPDX-License-Identifier: LGPL-2.1-or-later
"""The calls of routines that two runs have in common and not: see compare.py."""

from ..job.compare import Section, of_sides
from . import run_routines


def routines_of(run):
    """{LIBRARY:ROUTINE: the call} of what it called; each library by its name, as another version is a difference of libraries."""
    calls = {}
    for call in run["routines"]["called"]:
        calls.setdefault("%(library)s:%(routine)s" % call, []).append(call)
    return {name: run_routines.joined(of_name) for name, of_name in calls.items()}


def why_uncertain(run, library_name):
    """Why such a run may have called a routine of the library that it has no call of; None: it has called none."""
    if run["routines"]["missed"]:
        return "had calls that were not watched"
    if run["routines"]["unnamed"]:
        return "called routines whose names are not in the store"
    if library_name not in [one["library"] for one in run["routines"]["libraries"]]:
        return "had no library of that name that [routines] designates"
    return "has no end record" if run["is_start_only"] else None


def calls_text(call):
    if call is None or call["calls"] is None:
        return call and "called"
    return "%s%d calls" % (">=" if call["calls_at_least"] else "", call["calls"])


def compare_calls(section, what, one, other):
    """How often both have called it. Of a lower bound only is known that it is more than a smaller number."""
    values = calls_text(one), calls_text(other)
    if "called" in values:
        section.same(what, "called")
        return
    exact = [call["calls"] for call in (one, other) if not call["calls_at_least"]]
    if exact and min(exact) < max(one["calls"], other["calls"]):
        section.differ(what, *values)
    elif len(exact) == 2:
        section.same(what, values[0])
    else:
        section.doubt(what, *values, why="the number of calls is a lower bound")


def section(a, b, _):
    found = Section("routines")
    missing = [run["routines"] is None for run in (a, b)]
    if all(missing):
        return found
    if any(missing):
        found.doubt("routines", *(run["routines"] and len(run["routines"]["called"]) for run in (a, b)), why=of_sides(*missing))
        return found
    left, right = map(routines_of, (a, b))
    for name in sorted(set(left) | set(right)):
        one, other = left.get(name), right.get(name)
        if one and other:
            compare_calls(found, name, one, other)
            continue
        side, run = ("B", b) if one else ("A", a)
        why = why_uncertain(run, (one or other)["library"])
        values = calls_text(one), calls_text(other)
        if why:
            found.doubt(name, *values, why="%s %s" % (side, why))
        else:
            found.differ(name, *values)
    return found
