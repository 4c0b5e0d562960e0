# SPDX-License-Identifier: LGPL-2.1-or-later
"""What calls of routines add to pages of a site's libraries: see chosen.py and unused_page.py."""

from . import calls

# by what root has recorded; what is not proven makes none longer
CALLED = (
    "SELECT routine_library.path, routine_library.build_id, max(%s) FROM run_routine JOIN run ON run.id = run_routine.run_id"
    " JOIN routine ON routine.id = run_routine.routine_id JOIN routine_library ON routine_library.id = routine.routine_library_id"
    " GROUP BY routine_library.path, routine_library.build_id"
) % calls.WHEN


def designated(model):
    """Paths of libraries that a run has reported."""
    return [path for path, in model.store.lookup("SELECT path FROM routine_library")]


def last_called(model):
    """[(path, build-id, time of the last call)]"""
    return model.store.lookup(CALLED)


def since_line(model):
    return calls.since_line(model)
