# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows as sacct prints them, as CSV and as JSON."""

import heapq
import itertools
import json

from .. import library, store
from ..pattern import Pattern
from ..text import cell, escape, fit
from . import ending, used


# [D-]HH:MM:SS, and a number with a unit of Slurm's, as of memory
TIME = Pattern(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\Z")
NUMBER = Pattern(r"(?:>=|<=)?(-?\d+(?:\.\d+)?)([KMGTP]?)%?\Z")


def sort_key(value):
    """Numbers, sizes and times by value, before texts."""
    if isinstance(value, (int, float)):
        return 0, value, ""
    number, time = NUMBER.match(value), TIME.match(value)
    if number:
        return 0, float(number.group(1)) * 1024 ** " KMGTP".index(number.group(2) or " "), ""
    if time:
        days, hours, minutes, seconds = (float(part or 0) for part in time.groups())
        return 0, ((days * 24 + hours) * 60 + minutes) * 60 + seconds, ""
    return 1, 0, value.lower()


class Place:
    """Where a row stands among others; what is not known stands last."""

    def __init__(self, row, keys, at):
        self.row, self.at = row, at
        values = [key(row) for key, _ in keys]
        self.parts = [None if value in (None, "") else sort_key(value) for value in values]
        self.is_down = [is_down for _, is_down in keys]

    def __lt__(self, other):
        for mine, theirs, is_down in zip(self.parts, other.parts, self.is_down):
            if mine != theirs:
                if mine is None or theirs is None:
                    return theirs is None
                return theirs < mine if is_down else mine < theirs
        return self.at < other.at


def ordered(rows, keys, top):
    """The rows sorted by the keys, as main.sort_keys() has them, and the first `top` of them; None: all."""
    if not keys:
        return rows if top is None else itertools.islice(rows, top)
    places = (Place(row, keys, at) for at, row in enumerate(rows))
    found = sorted(places) if top is None else heapq.nsmallest(top, places)
    return [place.row for place in found]


def print_table(rows, columns, options):
    """One blank follows each column, the last one too, as in sacct."""
    if not options.noheader:
        print("".join(fit(name, width, "") + " " for name, width, _ in columns))
        print("".join("-" * abs(width) + " " for _, width, _ in columns))
    for row in rows:
        print("".join(fit(cell(value(row)), width) + " " for _, width, value in columns))
        if options.libs:
            for lib in row["libs"] or []:
                print("    " + escape(lib["path"]))
            if library.lacking(row):
                print("    (%s)" % library.lacking(row))


def print_delimited(rows, columns, options):
    delimiter = options.delimiter
    if not options.noheader:
        print(*(name for name, _, _ in columns), sep=delimiter)
    for row in rows:
        print(*(cell(value(row), delimiter) for _, _, value in columns), sep=delimiter)


OURS = {
    "id", "date", "executable_id", "object_set_id", "environment_id", "ancestors_id",
    "ancestor_pids", "build_id", "now", "truncated", "exec_paths", "compiler", "built_by", "exit",
    "owner", "package_owner", "again", "job_day", "parts", "steps",
}  # fmt: skip


# where records have a word for what is not known: see fields.known()
WITH_PLACEHOLDERS = {
    "account", "cluster", "container", "exec_type", "hash_id", "job_id", "node", "partition", "qos", "queue", "scheduler",
    "step_id", "submit_host", "syshost", "user",
}  # fmt: skip


def json_run(run, fields, details):
    """The store's columns with their own types, values computed from them, and the details that details.py has."""
    facts = {key: value for key, value in run.items() if key not in OURS}
    for name in WITH_PLACEHOLDERS:
        facts[name] = fields.known(facts[name] or "", *(["0"] if name == "hash_id" else []))
    facts.update(details)
    facts["is_start_only"] = bool(run["is_start_only"])
    facts["proven"] = bool(run["proven"])
    facts["core_dumped"] = None if run["core_dumped"] is None else bool(run["core_dumped"])
    facts["elapsed"], facts["elapsed_bound"] = fields.elapsed(run), fields.end_bound(run)
    facts["core_time"] = fields.known(fields.core_time(run) or "", "Unknown")
    facts["outlived"] = None if run["outlived"] is None else bool(run["outlived"])
    facts["leads"] = None if run["leads"] is None else bool(run["leads"])
    facts["executables"] = run["exec_paths"]
    memory, cpus = used.of_row(run)
    facts.update(cause=ending.cause(run), used_memory=memory["used"], used_cpu=cpus["seconds"])
    if run["slurm"]:
        facts["slurm"] = {
            key: fields.known(value, "Unknown")
            for key, value in run["slurm"].items()
            if key not in ("start", "end")
        }
    return facts


def print_json(name, rows, address, now, more):
    """{"meta": ..., more members, NAME: [...]}, a row at a time."""
    meta = {"store": address, "schema": store.SCHEMA_VERSION, "time": now}
    print('{"meta": %s,' % json.dumps(meta))
    for key, value in more.items():
        print('"%s": %s,' % (key, json.dumps(value)))
    print('"%s": [' % name)
    separator = ""
    for row in rows:
        print(separator + json.dumps(row), end="")
        separator = ",\n"
    print("\n]}")
