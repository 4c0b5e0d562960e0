# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-acct --links: what linkers made, by the records of the linker wrapper."""

import json
import os
import shlex

from .. import glob
from ..hostlist import split
from ..times import format_time
from .fields import known
from .runs import Libraries
from .select import (
    Selection,
    directory_condition,
    hash_pattern,
    ids,
    library_ids,
    module_ids,
    select_any,
    user_name,
    window,
)

DEFAULT = "Date,User,Exec,Compiler,Wrapper,Host,NLibs,ExecPath"
# options that can be used with it
GOES_WITH = {
    "allusers", "compiler", "csv", "cwd", "delimiter", "endtime", "exec", "format", "function", "hash", "helpformat",
    "json", "lib", "links", "module", "no_sacct", "noheader", "parsable", "sort", "starttime", "store", "top", "user",
    "uuid",
}  # fmt: skip
LINKS = (
    "SELECT link.uuid AS uuid, link.build_user AS user, link.proven AS proven, link.build_epoch AS time,"
    " link.build_host AS host, link.link_program AS program, link.link_path AS program_path,"
    " compiler_module.name AS program_module, link.link_line AS command, link.cwd AS cwd,"
    " link.wrapper AS wrapper,"
    " executable.path AS path, executable.hash_id AS hash, module.name AS module, link.function_set_id AS function_set,"
    " link.object_set_id AS object_set FROM link"
    " LEFT JOIN executable ON executable.id = link.executable_id"
    " LEFT JOIN module ON module.id = executable.module_id"
    " LEFT JOIN module AS compiler_module ON compiler_module.id = link.module_id"
    " WHERE %s ORDER BY link.build_epoch, link.uuid, link.build_user"
)
FUNCTIONS = (
    "SELECT function_name.name FROM function_set_member AS member"
    " JOIN function_name ON function_name.id = member.function_name_id"
    " WHERE member.function_set_id = ? ORDER BY function_name.name"
)


def column(name):
    return lambda row: row[name]


FIELDS = [
    ("Command", 40, lambda row: " ".join(map(shlex.quote, row["command"] or [])) or None),
    ("Compiler", 10, column("program")),
    ("CompilerModule", 14, column("program_module")),
    ("CompilerPath", 30, column("program_path")),
    ("Cwd", 20, column("cwd")),
    ("Date", 19, lambda row: format_time(row["time"])),
    ("Exec", 20, lambda row: row["path"] and os.path.basename(row["path"])),
    ("ExecPath", 40, column("path")),
    ("Functions", 40, lambda row: ",".join(row["functions"] or [])),
    ("Hash", 40, column("hash")),
    ("Host", 15, column("host")),
    ("Libs", 40, lambda row: ",".join(row["libs"] or [])),
    ("Module", 20, column("module")),
    ("NLibs", 6, lambda row: None if row["libs"] is None else len(row["libs"])),
    ("Proven", 6, lambda row: "yes" if row["proven"] else "no"),
    ("User", 9, column("user")),
    ("UUID", 36, column("uuid")),
    ("Wrapper", 10, column("wrapper")),
]


def executable_condition(_, text):
    return "executable.path REGEXP ?", [glob.path(text)]


def hash_condition(_, text):
    return "executable.hash_id REGEXP ?", [hash_pattern(text)]


def link_directory_condition(store, text):
    sql, values = directory_condition(store, text)
    return sql.replace("run.cwd", "link.cwd"), values


OF_OBJECTS = (
    "link.object_set_id IN (SELECT member.object_set_id FROM object_set_member AS member"
    " JOIN object ON object.id = member.object_id WHERE object.%s IN (%s))"
)


def library_condition(store, text):
    return OF_OBJECTS % ("id", ids(library_ids(store, text))), []


def module_condition(store, text):
    """Of the compiler, the executable or a library."""
    numbers = ids(module_ids(store, text))
    of_objects = OF_OBJECTS % ("module_id", numbers)
    return "(link.module_id IN ({0}) OR executable.module_id IN ({0}) OR {1})".format(numbers, of_objects), []


def function_condition(_, text):
    return (
        "link.function_set_id IN (SELECT member.function_set_id FROM function_set_member AS member"
        " JOIN function_name ON function_name.id = member.function_name_id WHERE function_name.name REGEXP ?)"
    ), [glob.whole(text)]


def compiler_condition(_, text):
    return "(link.link_program REGEXP ? OR link.link_path REGEXP ?)", [glob.path(text)] * 2


BY_SOFTWARE = (
    ("exec", executable_condition),
    ("hash", hash_condition),
    ("cwd", link_directory_condition),
    ("lib", library_condition),
    ("module", module_condition),
    ("function", function_condition),
    ("compiler", compiler_condition),
)


def select(store, options, now):
    selection = Selection()
    if options.user:
        selection.add_list("link.build_user", [user_name(user) for user in split(options.user)])
    elif not options.allusers:
        selection.add("link.build_user = ?", options.asker)
    if options.uuid:
        selection.add_list("link.uuid", split(options.uuid.lower()))
    start, end = window(options, now, bool(options.uuid))
    if start is not None:
        selection.add("link.build_epoch >= ?", start)
    if end is not None:
        selection.add("link.build_epoch <= ?", end)
    for name, condition in BY_SOFTWARE:
        if getattr(options, name):
            select_any(selection, store, getattr(options, name), condition)
    return selection


def read(store, options, now):
    """Each a dict of the names in LINKS, with `libs` and `functions` in the place of the sets."""
    selection = select(store, options, now)
    libraries = Libraries(store)
    names, rows = store.query(LINKS % selection.sql(), selection.values)
    for values in rows:
        row = dict(zip(names, values))
        objects, functions = row.pop("object_set"), row.pop("function_set")
        row["proven"] = bool(row["proven"])
        row["hash"] = known(row["hash"] or "", "0")
        row["user"], row["host"], row["wrapper"] = (known(row[name] or "") for name in ("user", "host", "wrapper"))
        row["command"] = json.loads(row["command"] or "null")
        row["libs"] = None if objects is None else [lib["path"] for lib in libraries.of(objects)]
        row["functions"] = None if functions is None else [name for name, in store.lookup(FUNCTIONS, (functions,))]
        yield row
