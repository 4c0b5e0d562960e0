# SPDX-License-Identifier: LGPL-2.1-or-later
"""What jobtrail-acct has of ranks: see fields.py."""

KEY = "ranks"
ROWS = {"ranks": "rank_rows"}


def of_runs(store, runs):
    from . import rank_summary  # pylint: disable=import-outside-toplevel

    return rank_summary.of_runs(store, runs)


def of_ranks(of):
    """What a function makes of the summary of a run's ranks; None where none is known."""

    def value(run):
        return None if run["ranks"] is None else of(run["ranks"])

    return value


def failed(found):
    return found["ended_code"] + found["ended_signal"]


def failed_text(found):
    """">=" where ranks are missing, or the end of some is not known."""
    is_whole = found["ranks"] == found["step_tasks"] and not found["ended_unknown"]
    return failed(found) if is_whole else ">=%d" % failed(found)


def merged(parts):
    """A job of several runs has none."""
    return parts[0] if len(parts) == 1 else None


FIELDS = [
    ("Ranks", 8, of_ranks(lambda found: found["ranks"])),
    ("RanksFailed", 11, of_ranks(failed_text)),
    ("RanksFirstFailed", 16, of_ranks(lambda found: found["failed_end"])),
]
SORTED_BY = {"RanksFailed": of_ranks(failed)}
