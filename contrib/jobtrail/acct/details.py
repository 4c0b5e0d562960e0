# SPDX-License-Identifier: LGPL-2.1-or-later
"""What JSON has of a run beside its row: environment, ancestors, link, functions."""

import functools
import itertools
import json
import re

KEPT = 1000  # links: runs of a job stand together
AT_ONCE = 500  # runs of which one statement reads: in a store of which somebody sees a part, each statement takes long
ENVIRONMENTS = (
    "SELECT environment_member.environment_id, env_name.name, env_value.value FROM environment_member"
    " JOIN env_value ON env_value.id = environment_member.env_value_id"
    " JOIN env_name ON env_name.id = env_value.env_name_id"
    " WHERE environment_member.environment_id IN (%s) ORDER BY env_name.name"
)
ANCESTORS = "SELECT id, json FROM ancestors WHERE id IN (%s)"
LINK = (
    "SELECT link.uuid, link.build_user, link.build_host, link.build_epoch, link.link_program, link.link_path,"
    " link.link_line, link.cwd, link.wrapper, executable.path AS path, module.name AS module, link.function_set_id,"
    " link.object_set_id FROM link"
    " LEFT JOIN executable ON executable.id = link.executable_id"
    " LEFT JOIN module ON module.id = link.module_id"
    " WHERE link.uuid = ? AND link.build_user = ? AND link.proven >= ?"
)
NAMES = ("uuid", "user", "host", "time", "program", "program_path", "command", "cwd", "wrapper", "path", "module")


def read_together(store, sql, numbers, more=(), at_once=AT_ONCE):
    """Rows of the statement about some of the numbers, for all of them. `more`: values that it has beside."""
    for first in range(0, len(numbers), at_once):
        some = tuple(numbers[first : first + at_once])
        yield from store.lookup(sql % ", ".join("?" * len(some)), (*some, *more))


def numbers_of(runs, column):
    return sorted({run[column] for run in runs} - {None})


def environments(store, runs):
    """{environment_id of a run: {name: value}}"""
    numbers = numbers_of(runs, "environment_id")
    found = {number: {} for number in numbers}
    for number, name, value in read_together(store, ENVIRONMENTS, numbers):
        found[number][name] = value
    return found


def variable(store, runs, name):
    """{environment_id of a run: the value of this variable} where it has one"""
    sql = ENVIRONMENTS.replace(" ORDER BY env_name.name", " AND env_name.name = ?")
    return {number: value for number, _, value in read_together(store, sql, numbers_of(runs, "environment_id"), (name,))}


def ancestors(store, runs):
    """{ancestors_id of a run: what ancestors_of() takes}"""
    rows = read_together(store, ANCESTORS, numbers_of(runs, "ancestors_id"))
    return {number: json.loads(text) for number, text in rows}


def ancestors_of(run, shared):
    """The nearest first, each with its own pid; None: not recorded. `shared`: from ancestors()."""
    if run["ancestors_id"] is None:
        return None
    pids = json.loads(run["ancestor_pids"] or "[]")
    words = {"%j": run["job_id"] or "", "%%": "%"}

    def filled(value):
        if isinstance(value, str):
            return re.sub("%[j%]", lambda match: words[match.group()], value)
        return [filled(one) for one in value] if isinstance(value, list) else value

    return [
        {
            "pid": pids[at] if at < len(pids) else None,
            "name": filled(one.get("cmd_name")),
            "path": filled(one.get("cmd_path")),
            "cmdline": filled(one.get("cmdlineA")),
        }
        for at, one in enumerate(shared.get(run["ancestors_id"], []))
        if isinstance(one, dict)
    ]


class Details:
    """`libraries`: see runs.Libraries."""

    def __init__(self, store, libraries):
        self.store, self.libraries = store, libraries
        self.link = functools.lru_cache(KEPT)(self.read_link)

    def read_link(self, uuid, user, proven):
        """(the link's facts, names of the functions that it takes from libraries), or (None, None)."""
        rows = self.store.lookup(LINK, (uuid, user or "", proven))
        if not rows:
            return None, None
        *values, function_set, object_set = rows[0]
        facts = dict(zip(NAMES, values))
        facts["command"] = json.loads(facts["command"] or "null")
        facts["libs"] = [lib["path"] for lib in self.libraries.of(object_set) or []]
        functions = self.store.lookup(
            "SELECT function_name.name FROM function_set_member AS member"
            " JOIN function_name ON function_name.id = member.function_name_id"
            " WHERE member.function_set_id = ? ORDER BY function_name.name",
            (function_set,),
        )
        return facts, None if function_set is None else [name for name, in functions]

    def of(self, runs):
        """(run, its details) of each."""
        runs = iter(runs)
        while True:
            some = list(itertools.islice(runs, AT_ONCE))
            if not some:
                return
            variables, parents = environments(self.store, some), ancestors(self.store, some)
            for run in some:
                yield run, self.of_run(run, variables.get(run["environment_id"]), ancestors_of(run, parents))

    def of_run(self, run, environment, listed):
        link, functions = None, None
        if run["build_uuid"]:
            link, functions = self.link(run["build_uuid"], run["build_user"], run["proven"])
        return {"environment": environment, "ancestors": listed, "link": link, "functions": functions}
