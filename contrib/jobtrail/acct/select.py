# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the WHERE clause about `run` from the options."""

import os
import pwd
import re

from .. import glob, library
from ..hostlist import expand, split
from ..program import Failure
from ..store import PACKAGE_OF_RUN
from ..text import escape
from ..times import format_time, parse_time

JOB = re.compile(r"(\d+)(?:_(\d+)|\+(\d+))?(?:\.(\d+|batch|extern|interactive))?\Z")
NO_RUN = "1 = 0"


class Selection:
    """Terms that are joined by AND, and their values."""

    def __init__(self):
        self.terms = []
        self.values = []

    def add(self, term, *values):
        self.terms.append(term)
        self.values.extend(values)

    def add_list(self, name, values):
        marks = ", ".join("?" * len(values))
        self.add("%s IN (%s)" % (name, marks) if values else NO_RUN, *values)

    def add_names(self, name, text):
        """Accounts, partitions and the like: upper and lower case are the same in Slurm."""
        self.add_list("lower(%s)" % name, [word.lower() for word in split(text)])

    def sql(self):
        return " AND ".join(self.terms) or "1 = 1"


def ids(numbers):
    """A list of row numbers, which may be long, as part of a statement."""
    return ", ".join(str(int(number)) for number in numbers) or "NULL"


# ---- Jobs, users, times: for --coverage too


def job_condition(text):
    """SQL for one of -j's jobs; a bare number means all tasks and components, as in sacct."""
    match = JOB.match(text)
    if match is None:
        raise Failure("Bad job/step specified: " + escape(text))
    job, task, offset, step = match.groups()
    if task:
        sql, values = "run.array_job_id = ? AND run.array_task_id = ?", [int(job), int(task)]
    elif offset:
        sql, values = "run.het_job_id = ? AND run.het_offset = ?", [int(job), int(offset)]
    else:
        sql = "(run.job_id_raw = ? OR run.array_job_id = ? OR run.het_job_id = ?)"
        values = [int(job)] * 3
    if step:
        sql, values = sql + " AND run.step_id = ?", values + [step]
    if any(isinstance(value, int) and value >= 1 << 63 for value in values):
        raise Failure("Bad job/step specified: " + escape(text))
    return "(%s)" % sql, values


def user_name(text):
    """Names are used as they are, also where this host does not have them; uids are looked up."""
    try:
        return pwd.getpwuid(int(text)).pw_name if text.isdigit() else text
    except (KeyError, OverflowError):
        return text


def select_place(selection, options):
    """Jobs, users, accounts, clusters, nodes, partitions."""
    if options.jobs is not None:
        conditions = [job_condition(job) for job in split(options.jobs)]
        selection.add(
            "(" + " OR ".join(sql for sql, _ in conditions) + ")" if conditions else NO_RUN,
            *(value for _, values in conditions for value in values)
        )
    if options.user:
        selection.add_list("run.user", [user_name(user) for user in split(options.user)])
    elif not options.allusers and os.geteuid() != 0:
        selection.add("run.user = ?", user_name(str(os.geteuid())))
    if options.account:
        selection.add_names("run.account", options.account)
    if options.cluster and options.cluster.lower() != "all":
        selection.add_names("run.cluster", options.cluster)
    if options.node:
        selection.add_list("run.node", expand(options.node))
    if options.qos:  # records without it are selected later, by Slurm's accounting: see runs.py
        values = [name.lower() for name in split(options.qos)]
        marks = ", ".join("?" * len(values)) or "NULL"
        selection.add("(coalesce(run.qos, '') = '' OR lower(run.qos) IN (%s))" % marks, *values)
    if options.partition:
        selection.add_names("coalesce(run.partition, run.queue)", options.partition)


def window(options, now, named):
    """(start, end) of the time that is asked for; None: any."""
    start = parse_time(options.starttime, now) if options.starttime else None
    end = parse_time(options.endtime, now) if options.endtime else None
    if not named:
        default = now if options.states else parse_time("today", now)
        start = default if start is None else start
        end = now if end is None else end
    latest = now if end is None else end
    if start is not None and start > latest:
        raise Failure(
            "Start time (%s) requested is after end time (%s)."
            % (format_time(start), format_time(latest))
        )
    return start, end


def select_window(selection, period):
    start, end = period
    if start is not None:
        last = "coalesce(run.end_time_max, run.end_time)"  # it may have run until then
        selection.add("(run.is_start_only = 1 OR {0} IS NULL OR {0} >= ?)".format(last), start)
    if end is not None:
        selection.add("run.start_time <= ?", end)


# ---- Software, which sacct has not


def library_ids(store, text):
    """The numbers of the objects that --lib NAME[>=VERSION] selects."""
    name, sign, version = library.parse(text)
    if not name:
        raise Failure("--lib: no name in " + escape(text))
    pattern = re.compile(glob.whole(name))
    found = []
    for number, path, module in store.lookup(
        "SELECT object.id, object.path, module.name FROM object"
        " LEFT JOIN module ON module.id = object.module_id"
    ):
        if "/" in name:
            match = pattern.search(path)
        else:
            match = pattern.search(path.rsplit("/", 1)[-1]) or pattern.search(library.name(path))
        if match and (
            sign is None or library.satisfies(library.version(path, module), sign, version)
        ):
            found.append(number)
    return found


OF_OBJECTS = (
    "run.object_set_id IN"
    " (SELECT member.object_set_id FROM object_set_member AS member WHERE member.object_id IN (%s))"
)


def module_condition(store, text):
    """Runs whose executable or a library of it is of the module; hdf5 stands for hdf5/1.14 too."""
    pattern = re.compile(glob.whole(text))
    modules = [
        number
        for number, name in store.lookup("SELECT id, name FROM module")
        if pattern.search(name) or ("/" not in text and pattern.search(name.split("/")[0]))
    ]
    return (
        "(run.executable_id IN (SELECT id FROM executable WHERE module_id IN (%s)) OR "
        "run.object_set_id IN (SELECT member.object_set_id FROM object_set_member AS member"
        " JOIN object ON object.id = member.object_id WHERE object.module_id IN (%s)))"
    ) % (ids(modules), ids(modules))


def package_ids(store, text):
    name, sign, version = library.parse(text)
    pattern = re.compile(glob.whole(name or "*"))
    return [
        number
        for number, have, at in store.lookup("SELECT id, name, version FROM package")
        if have is not None
        and pattern.search(have)
        and (sign is None or library.satisfies(at, sign, version))
    ]


# Runs by the record of the link that their watermark names, by uuid and user. A link that is not proven
# selects no proven run.
OF_LINK = (
    "run.proven <= {proven} AND run.build_id IN (SELECT build.id FROM build"
    " JOIN link ON link.uuid = build.build_uuid AND link.build_user = coalesce(build.build_user, '')"
    " WHERE link.proven = {proven} AND {which})"
)


def by_link(which):
    """SQL that needs the values of `which` twice."""
    return "(%s)" % " OR ".join(OF_LINK.format(proven=proven, which=which) for proven in (0, 1))


BY_BUILD = "run.build_id IN (SELECT build.id FROM build WHERE %s)"


def select_software(selection, options, store):
    if options.uuid:
        selection.add_list("run.uuid", split(options.uuid.lower()))
    for pattern in options.exec or []:
        selection.add(
            "run.executable_id IN (SELECT id FROM executable WHERE path REGEXP ?)",
            glob.path(pattern),
        )
    for text in options.lib or []:
        selection.add(OF_OBJECTS % ids(library_ids(store, text)))
    for text in options.module or []:
        selection.add(module_condition(store, text))
    for text in options.pkg or []:
        selection.add(
            "run.uuid IN (SELECT run_uuid FROM run_package WHERE package_id IN ({0})) AND EXISTS"
            " (SELECT 1 FROM run_package WHERE {1} AND package_id IN ({0}))".format(
                ids(package_ids(store, text)), PACKAGE_OF_RUN
            )
        )
    for pattern in options.function or []:
        selection.add(
            by_link(
                "link.function_set_id IN (SELECT function_set_id FROM function_set_member AS member"
                " JOIN function_name ON function_name.id = member.function_name_id"
                " WHERE function_name.name REGEXP ?)"
            ),
            *[glob.whole(pattern)] * 2
        )
    for text in options.env or []:
        name, equals, value = text.partition("=")
        selection.add(
            "run.environment_id IN (SELECT environment_id FROM environment_member"
            " WHERE env_value_id IN (SELECT env_value.id FROM env_value"
            " JOIN env_name ON env_name.id = env_value.env_name_id"
            " WHERE env_name.name REGEXP ? AND env_value.value REGEXP ?))",
            glob.whole(name),
            glob.whole(value if equals else "*"),
        )
    select_build(selection, options)


def select_build(selection, options):
    for pattern in options.compiler or []:
        regexp = glob.path(pattern)
        selection.add(
            "(%s OR %s)"
            % (BY_BUILD % "build.build_compiler REGEXP ?", by_link("link.link_program REGEXP ?")),
            *[regexp] * 3
        )
    if options.built_by:
        users = [user_name(user) for user in split(options.built_by)]
        marks = ", ".join("?" * len(users)) or "NULL"
        selection.add(BY_BUILD % ("build.build_user IN (%s)" % marks), *users)
    if options.built_by_others:
        selection.add(
            "EXISTS (SELECT 1 FROM build WHERE build.id = run.build_id"
            " AND build.build_user <> run.user)"
        )
