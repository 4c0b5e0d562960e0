# SPDX-License-Identifier: LGPL-2.1-or-later
"""Rows as sacct prints them, as CSV and as JSON."""

import json

from .. import store
from ..text import cell, csv_row, escape, fit


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


def print_delimited(rows, columns, options):
    delimiter = options.delimiter
    end = "\n" if options.parsable == "without" else delimiter + "\n"
    if not options.noheader:
        print(*(name for name, _, _ in columns), sep=delimiter, end=end)
    for row in rows:
        print(*(cell(value(row), delimiter) for _, _, value in columns), sep=delimiter, end=end)


def print_csv(rows, columns, options):
    if not options.noheader:
        print(csv_row(name for name, _, _ in columns))
    for row in rows:
        print(csv_row(value(row) for _, _, value in columns))


OURS = {
    "id", "date", "executable_id", "object_set_id", "environment_id", "ancestors_id",
    "ancestor_pids", "build_id", "now", "truncated", "exec_paths", "compiler", "built_by", "exit",
    "owner", "package_owner",
}  # fmt: skip


def json_run(run, fields):
    """The store's columns with their own types, and values computed from them."""
    facts = {key: value for key, value in run.items() if key not in OURS}
    facts["is_start_only"] = bool(run["is_start_only"])
    facts["proven"] = bool(run["proven"])
    facts["core_dumped"] = None if run["core_dumped"] is None else bool(run["core_dumped"])
    facts["elapsed"], facts["elapsed_bound"] = fields.elapsed(run), fields.end_bound(run)
    facts["core_time"] = fields.core_time(run)
    facts["outlived"] = None if run["outlived"] is None else bool(run["outlived"])
    facts["leads"] = None if run["leads"] is None else bool(run["leads"])
    facts["executables"] = run["exec_paths"]
    if run["slurm"]:
        facts["slurm"] = {
            key: value for key, value in run["slurm"].items() if key not in ("start", "end")
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
