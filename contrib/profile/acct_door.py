# SPDX-License-Identifier: LGPL-2.1-or-later
"""What jobtrail-acct has of profiles: see fields.py."""

from .profile_summary import of_runs, own_mpi

KEY = "profile"
ROWS = {}
__all__ = ("FIELDS", "KEY", "ROWS", "SORTED_BY", "merged", "of_runs")


def profile_paths(run):
    """As words for jobtrail-profile(1)."""
    return " ".join(run["profile"]["paths"]) if run["profile"] else None


def mpi(of):
    """What a function makes of the run's time in MPI; None where it is not known."""

    def value(run):
        found = own_mpi(run) if run["profile"] else None
        return None if found is None else of(run, found)

    return value


def percent(number, bound):
    return None if number is None else "%s%.1f%%" % (bound, number)


def mpi_share(_, found):
    """~: it may be less, since ranks ran for longer than is known, or are missing; >=: calls were missed."""
    share = found["share"]
    is_part = found["open"] or not found["is_whole"]
    return percent(share and 100 * share, "~" if is_part else ">=" if found["missed"] else "")


def mpi_imbalance(run, found):
    """Of all ranks of the program. ~: not of all, or of times that are bounds."""
    program = run["profile"]["mpi"]
    is_sure = found["is_whole"] and not program["open"] and not program["missed"]
    return percent(found["imbalance"], "" if is_sure else "~")


def mpi_ranks(run, found):
    return "%d of %s" % (found["ranks"], run["profile"]["size"] or "?")


def mpi_routines(_, found):
    """Each with its part of the run's time."""
    if not found["elapsed"] or found["untimed"]:
        return None
    return ",".join("%s:%.1f%%" % (one["routine"], 100 * one["seconds"] / found["elapsed"]) for one in found["routines"])


def merged(parts):
    """A job of several runs has none."""
    return parts[0] if len(parts) == 1 else None


FIELDS = [
    ("MPIImbalance", 12, mpi(mpi_imbalance)),
    ("MPIRanks", 12, mpi(mpi_ranks)),
    ("MPIRoutines", 40, mpi(mpi_routines)),
    ("MPIShare", 8, mpi(mpi_share)),
    ("Profile", 40, profile_paths),
]
SORTED_BY = {"MPIShare": mpi(lambda _, found: found["share"]), "MPIImbalance": mpi(lambda _, found: found["imbalance"])}
