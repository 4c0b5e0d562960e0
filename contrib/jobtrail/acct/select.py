# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the WHERE clause about `run` from the options."""

import pwd
import re
import time

from .. import extensions, glob, library
from ..hints import hint, tell
from ..hostlist import expand, split
from ..pattern import Pattern
from ..program import Failure
from ..store import PACKAGE_OF_RUN, SINCE, again
from ..text import escape
from ..times import format_time, parse_time

JOB = Pattern(r"([0-9]{1,19})(?:_([0-9]{1,19})|\+([0-9]{1,19}))?(?:@(?P<day>[0-9T:-]{10,19}))?(?:\.(?P<step>[0-9]{1,19}|batch|extern|interactive))?\Z")
# {length of a text: its form} for the day, or the second, behind the number of a job that is another's, too: see runs.days_of()
DAYS = {10: "%Y-%m-%d", 19: "%Y-%m-%dT%H:%M:%S"}
UID = Pattern(r"[0-9]{1,10}\Z")
# Rows about jobs. With the sign no index is used for this alone: nearly all rows would be looked for one by one
OF = "FROM (SELECT {0}.*, {0}.partition AS queue FROM {0}) AS run WHERE +job_id_raw IS NOT NULL AND "
WITH_RECORDS, WITH_SLURM = OF.format("coverage"), OF.format("slurm_job")
NO_RUN = "1 = 0"
# between two patterns that must both fit
AND = Pattern(r"\s&\s")
HASH = Pattern(r"[0-9a-fA-F]{4,40}\Z")
MOST_VERSIONS = 8  # that are named


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


def last_moment(text):
    """Of the day or second that the text names as one of DAYS; ValueError where it is none."""
    when = time.strptime(text, DAYS.get(len(text), ""))
    day, second = (when.tm_mday + 1, 0) if len(text) == 10 else (when.tm_mday, when.tm_sec + 1)
    return time.mktime((*when[:2], day, *when[3:5], second, 0, 0, -1)) - 0.001


def select_day(selection, text):
    """The job that last had its number on the day that is named behind it, if one is."""
    day = JOB.match(text)["day"]
    try:
        if day:
            selection.add(SINCE + " = " + again("run", "?"), last_moment(day))
    except (ValueError, OverflowError):
        raise Failure("Bad job/step specified: " + escape(text)) from None


def job_condition(text):
    """SQL for one of -j's jobs; a bare number means all tasks and components, as in sacct."""
    match = JOB.match(text)
    if match is None:
        raise Failure("Bad job/step specified: " + escape(text))
    job, task, offset, _, step = match.groups()
    selection = Selection()
    select_day(selection, text)
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
    return "(%s AND %s)" % (sql, selection.sql()) if match["day"] else "(%s)" % sql, values + selection.values


def user_name(text):
    """Names are used as they are, also where this host does not have them; uids are looked up."""
    try:
        return pwd.getpwuid(int(text)).pw_name if UID.match(text) else text
    except (KeyError, OverflowError):
        return text


# The step of a run of several nodes had tasks on one of these: the node's own coverage record says so.
ON_OTHER_NODE = (
    "run.step_id IS NOT NULL AND coalesce(run.num_nodes, 2) > 1 AND EXISTS (SELECT 1 FROM coverage AS part"
    " WHERE part.job_id_raw = run.job_id_raw AND part.step_id = run.step_id AND part.node IN ({marks})"
    " AND part.proven >= run.proven AND part.user = run.user"
    " AND coalesce(part.cluster, '') = coalesce(run.cluster, '')"
    " AND coalesce(part.restart_count, 0) = coalesce(run.restart_count, 0)"
    " AND " + again("part", "job_start") + " = " + again("run") + ")"
)


def select_nodes(selection, nodes, of_runs):
    if not nodes or not of_runs:
        selection.add_list("run.node", nodes)
        return
    marks = ", ".join("?" * len(nodes))
    sql = "(run.node IN ({marks}) OR (" + ON_OTHER_NODE + "))"
    selection.add(sql.format(marks=marks), *nodes, *nodes)


def select_place(selection, options, of_runs=True):
    """Jobs, users, accounts, clusters, nodes, partitions. `of_runs`: `run` is the table, and not one of nodes."""
    if options.jobs is not None:
        conditions = [job_condition(job) for job in split(options.jobs)]
        selection.add(
            "(" + " OR ".join(sql for sql, _ in conditions) + ")" if conditions else NO_RUN,
            *(value for _, values in conditions for value in values)
        )
    if options.user:
        selection.add_list("run.user", [user_name(user) for user in split(options.user)])
    elif not options.allusers:
        selection.add("run.user = ?", options.asker)
    if options.account:
        selection.add_names("run.account", options.account)
    if options.cluster and options.cluster.lower() != "all":
        selection.add_names("run.cluster", options.cluster)
    if options.node:
        select_nodes(selection, expand(options.node), of_runs)
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
        raise Failure("Start time (%s) requested is after end time (%s)." % (format_time(start), format_time(latest)))
    return start, end


def select_window(selection, period):
    start, end = period
    if start is not None:
        last = "coalesce(run.end_time_max, run.end_time)"  # it may have run until then
        selection.add("(run.is_start_only = 1 OR {0} IS NULL OR {0} >= ?)".format(last), start)
    if end is not None:
        selection.add("run.start_time <= ?", end)


# options with (least, most) numbers, and the columns
SIZES = (
    ("nnodes", "run.num_nodes"),
    ("ncpus", "coalesce(run.cpus_alloc, run.num_cores)"),
    ("ntasks", "run.num_tasks"),
    ("gpus", "coalesce(run.gpus_alloc, run.num_gpus)"),
)


def select_sizes(selection, options):
    for name, column in SIZES:
        if getattr(options, name) is not None:
            least, most = getattr(options, name)
            selection.add(column + " >= ?", least)
            if most is not None:
                selection.add(column + " <= ?", most)


# ---- Software, which sacct has not


def pattern_of(text):
    return re.compile(glob.whole(text))


def versions_text(versions):
    """Some of them, the newest first."""
    known = sorted(filter(None, versions), key=library.key, reverse=True)
    more = ", ..." if len(known) > MOST_VERSIONS else ""
    return ", ".join(map(escape, known[:MOST_VERSIONS])) + more


def tell_missing(option, text, names, versions):
    """Why nothing is like the text: `versions` are those that things of its name have, `names` all that there are."""
    if versions:
        has = versions_text(versions)
        tell("%s %s: no such version%s" % (option, escape(text), "; there is " + has if has else " is known"))
    else:
        wanted = library.parse(text)[0]
        tell("%s %s: the store has none%s" % (option, escape(text), hint(wanted, names)))


def library_ids(store, text, is_named=None, is_elsewhere=lambda: False):
    """The numbers of the objects that --lib NAME[>=VERSION] selects. `is_named`: a function of a path, whether the text means it
    by another name; `is_elsewhere`: whether something else than a run has what is meant."""
    name, sign, version = library.parse(text)
    if not name:
        raise Failure("--lib: no name in " + escape(text))
    pattern = pattern_of(name)
    found, names, versions = [], set(), set()
    for number, path, module in store.lookup(
        "SELECT object.id, object.path, module.name FROM object"
        " LEFT JOIN module ON module.id = object.module_id"
    ):
        names_of = library.names(path)
        names.update(names_of)
        if "/" in name:
            match = pattern.search(path)
        else:
            match = pattern.search(path.rsplit("/", 1)[-1]) or any(map(pattern.search, names_of))
        if match:
            have = library.version(path, module)
            versions.add(have)
        if match and (sign is None or library.satisfies(have, sign, version)) or is_named and is_named(path):
            found.append(number)
    if not found and not is_elsewhere():
        tell_missing("--lib", text, names, versions)
    return found


def library_condition(store, text):
    return OF_OBJECTS % ids(library_ids(store, text)), []


OF_OBJECTS = (
    "run.object_set_id IN"
    " (SELECT member.object_set_id FROM object_set_member AS member WHERE member.object_id IN (%s))"
)


def module_ids(store, text):
    """The numbers of the modules that --module selects; hdf5 stands for hdf5/1.14 too."""
    pattern = pattern_of(text)
    rows = store.lookup("SELECT id, name FROM module")
    modules = [
        number
        for number, name in rows
        if pattern.search(name) or ("/" not in text and pattern.search(name.split("/")[0]))
    ]
    if not modules:
        names = [name for _, name in rows]
        tell_missing("--module", text, names + [name.split("/")[0] for name in names], set())
    return modules


def module_condition(store, text):
    """Runs whose executable or a library of it is of the module."""
    numbers = ids(module_ids(store, text))
    return (
        "(run.executable_id IN (SELECT id FROM executable WHERE module_id IN (%s)) OR "
        "run.object_set_id IN (SELECT member.object_set_id FROM object_set_member AS member"
        " JOIN object ON object.id = member.object_id WHERE object.module_id IN (%s)))"
    ) % (numbers, numbers), []


def package_ids(store, text):
    """The numbers of the packages that --pkg NAME[>=VERSION] selects."""
    name, sign, version = library.parse(text)
    pattern = pattern_of(name or "*")
    found, names, versions = [], set(), set()
    for number, have, at in store.lookup("SELECT id, name, version FROM package"):
        if have is None:
            continue
        names.add(have)
        if pattern.search(have):
            versions.add(at)
            if sign is None or library.satisfies(at, sign, version):
                found.append(number)
    if not found:
        tell_missing("--pkg", text, names, versions)
    return found


def package_condition(store, text):
    return (
        "(run.uuid IN (SELECT run_uuid FROM run_package WHERE package_id IN ({0})) AND EXISTS"
        " (SELECT 1 FROM run_package WHERE {1} AND package_id IN ({0})))".format(ids(package_ids(store, text)), PACKAGE_OF_RUN)
    ), []


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


def executable_condition(_, text):
    return "run.executable_id IN (SELECT id FROM executable WHERE path REGEXP ?)", [glob.path(text)]


def function_condition(_, text):
    sql = by_link(
        "link.function_set_id IN (SELECT function_set_id FROM function_set_member AS member"
        " JOIN function_name ON function_name.id = member.function_name_id"
        " WHERE function_name.name REGEXP ?)"
    )
    return sql, [glob.whole(text)] * 2


def environment_condition(_, text):
    name, equals, value = text.partition("=")
    return (
        "run.environment_id IN (SELECT environment_id FROM environment_member"
        " WHERE env_value_id IN (SELECT env_value.id FROM env_value"
        " JOIN env_name ON env_name.id = env_value.env_name_id"
        " WHERE env_name.name REGEXP ? AND env_value.value REGEXP ?))"
    ), [glob.whole(name), glob.whole(value if equals else "*")]


def compiler_condition(_, text):
    sql = "(%s OR %s)" % (BY_BUILD % "build.build_compiler REGEXP ?", by_link("link.link_program REGEXP ?"))
    return sql, [glob.path(text)] * 3


def hash_pattern(text):
    """Of a sha1, or of how it begins."""
    if not HASH.match(text):
        raise Failure("--hash: 4 to 40 hexadecimal digits, not " + escape(text))
    return "^" + text.lower()


def hash_condition(store, text):
    """The executable's or a library's."""
    regexp = hash_pattern(text)
    objects = store.lookup("SELECT id FROM object WHERE hash REGEXP ?", (regexp,))
    sql = "(run.executable_id IN (SELECT id FROM executable WHERE hash_id REGEXP ?) OR %s)"
    return sql % OF_OBJECTS % ids(number for number, in objects), [regexp]


def directory_condition(_, text):
    """The directory or one below it; a pattern matches the whole path."""
    if any(sign in text for sign in "*?["):
        return "run.cwd REGEXP ?", [glob.whole(text)]
    return "(run.cwd = ? OR run.cwd REGEXP ?)", [text, glob.whole(text.rstrip("/") + "/*")]


def container_condition(_, text):
    return "run.container REGEXP ?", [glob.path(text)]


# name in `options`, and what makes SQL and its values of one pattern
BY_SOFTWARE = (
    ("hash", hash_condition),
    ("cwd", directory_condition),
    ("container", container_condition),
    ("exec", executable_condition),
    ("lib", library_condition),
    ("module", module_condition),
    ("pkg", package_condition),
    ("function", function_condition),
    ("routine", extensions.question("select_door", "routine_condition")),
    ("env", environment_condition),
    ("compiler", compiler_condition),
)


def parts_of(text):
    """The patterns of a text which must all fit."""
    parts = [part.strip() for part in AND.split(text)]
    if not all(parts):
        raise Failure("Bad pattern (& needs text on both sides): " + escape(text))
    return parts


def select_any(selection, store, texts, condition):
    """One of the texts fits; of one with AND in it, all parts do."""
    alternatives, values = [], []
    for text in texts:
        terms = [condition(store, part) for part in parts_of(text)]
        alternatives.append(" AND ".join(sql for sql, _ in terms))
        values += [value for _, of_term in terms for value in of_term]
    selection.add("(" + " OR ".join("(%s)" % sql for sql in alternatives) + ")", *values)


def select_software(selection, options, store):
    if options.uuid:
        selection.add_list("run.uuid", split(options.uuid.lower()))
    for name, condition in BY_SOFTWARE:
        if getattr(options, name):
            select_any(selection, store, getattr(options, name), condition)
    select_build(selection, options)


def select_build(selection, options):
    if options.built_by:
        users = [user_name(user) for user in split(options.built_by)]
        marks = ", ".join("?" * len(users)) or "NULL"
        selection.add(BY_BUILD % ("build.build_user IN (%s)" % marks), *users)
    if options.built_by_others:
        selection.add("EXISTS (SELECT 1 FROM build WHERE build.id = run.build_id AND build.build_user <> run.user)")
