# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which routines of designated libraries runs called.

A run of which this is known has in `routines` a dict: `libraries` that were there, `called` routines, how many imports and
libraries were `missed`, by which it may have called others, and how many it called that are `unnamed`, as the store has no room for their
names. None: it had no such library, or its record does not say.
"""

from .. import library
from ..acct.details import read_together
from ..acct.fields import known

AT_ONCE = 100  # runs: each may have thousands of routines

WATCHED = "SELECT run_id, missed, unnamed FROM run_routine_watch WHERE run_id IN (%s)"
OF_LIBRARY = "routine_library.path, routine_library.build_id, module.name"
LIBRARIES = (
    "SELECT run_routine_library.run_id, " + OF_LIBRARY + " FROM run_routine_library"
    " JOIN routine_library ON routine_library.id = run_routine_library.routine_library_id"
    " LEFT JOIN module ON module.id = routine_library.module_id"
    " WHERE run_routine_library.run_id IN (%s) ORDER BY routine_library.path, routine_library.build_id"
)
CALLED = (
    "SELECT run_routine.run_id, " + OF_LIBRARY + ", routine.name, run_routine.first_call, run_routine.calls,"
    " run_routine.is_at_least FROM run_routine JOIN routine ON routine.id = run_routine.routine_id"
    " JOIN routine_library ON routine_library.id = routine.routine_library_id"
    " LEFT JOIN module ON module.id = routine_library.module_id"
    " WHERE run_routine.run_id IN (%s) AND "
)
IN_ORDER = (
    " ORDER BY run_routine.first_call IS NULL, run_routine.first_call, routine_library.path, routine.name,"
    " routine_library.build_id"
)


def library_facts(path, build_id, module):
    return {
        "library": library.name(path),
        "library_version": library.version(path, module),
        "library_path": path,
        "library_module": module,
        "build_id": known(build_id, "0"),
    }


def read(store, runs, which="1 = 1", values=()):
    """{id of a run: its `routines`} of those where they are known. `which`: SQL for the routines that are wanted, `values` its own."""
    found = {}
    numbers = [run["id"] for run in runs]
    for number, missed, unnamed in read_together(store, WATCHED, numbers):
        found[number] = {"libraries": [], "called": [], "missed": missed, "unnamed": unnamed}
    known_ones = list(found)
    for number, *facts in read_together(store, LIBRARIES, known_ones):
        found[number]["libraries"].append(library_facts(*facts))
    sql = CALLED + which + IN_ORDER
    for number, *facts, name, first, calls, at_least in read_together(store, sql, known_ones, values, AT_ONCE):
        of_call = {"routine": name, "first_call": first, "calls": calls, "calls_at_least": None if calls is None else bool(at_least)}
        found[number]["called"].append(dict(library_facts(*facts), **of_call))
    return found


# ---- Of jobs


def joined(calls):
    """One routine as several runs called it: a time that is not known may have been the first."""
    first, numbers = [call["first_call"] for call in calls], [call["calls"] for call in calls]
    is_counted = None not in numbers
    return dict(
        calls[0],
        first_call=None if None in first else min(first),
        calls=sum(numbers) if is_counted else None,
        calls_at_least=any(call["calls_at_least"] for call in calls) if is_counted else None,
    )


def merged(parts):
    """The `routines` of a job, of those of its runs."""
    parts = [part for part in parts if part is not None]
    if not parts:
        return None
    libraries = {(one["library_path"], one["build_id"]): one for part in parts for one in part["libraries"]}
    calls = {}
    for call in (call for part in parts for call in part["called"]):
        calls.setdefault((call["library_path"], call["build_id"] or "", call["routine"]), []).append(call)
    called = [joined(calls[key]) for key in sorted(calls)]
    called.sort(key=lambda call: (call["first_call"] is None, call["first_call"]))
    return {
        "libraries": list(libraries.values()),
        "called": called,
        "missed": sum(part["missed"] for part in parts),
        "unnamed": sum(part["unnamed"] for part in parts),
    }
