# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages, by the last part of their address. Each is a Sheet of tables; layout.py shows it."""


from ... import extensions, library
from ...acct import coverage, details, fields
from ...acct import runs as acct_runs
from ...acct import main as acct
from ...acct.select import JOB, Selection
from ...hints import hint
from ...job import wording
from ...job.diff import differences, value_text
from ...job.summary import summary
from ...pattern import Pattern
from ...program import Failure
from ...report import fitting, use_parts
from ...report import main as report
from ...report.columns import pairs
from ...slurm import FACTS
from ...store import SINCE
from ...text import cell, escape
from . import runs, site, things
from .data import PLACE, Context
from .request import Refused, as_asked
from .tables import FIRST, Shown, View

# tables of the report that need all programs of all users, and say nothing of one thing
OVERVIEW = ("executables", "users", "accounts", "modules", "endings")
STORED = ("runs", "jobs")
RESTART = Pattern(r"[0-9]{1,9}\Z")


class Sheet:
    """A page: `title`, `facts` [(label, text)] above the tables, the report's `model` and its `head` or None, and
    `tables`, each a tables.Shown or runs.Part."""

    status = 200  # of HTTP

    def __init__(self, context, title, model=None, subject=()):
        self.context, self.title, self.model, self.facts = context, title, model, []
        self.head = None if model is None else report.head_of(model, context.chosen_options, context.now)
        self.subject = list(subject)  # the page's own parameters
        self.tables, self.has_overview = [], False
        self.said = []  # messages for who asks, a line each
        self.is_one = False  # whether there is one table alone
        self.is_asked = False  # whether it begins with the form for documentation
        self.text = None  # of a document


class Tables:
    """Which tables of a page are wanted, and how: the one that `table` names as it is asked for, or the first rows of all."""

    def __init__(self, context, names):
        wanted = context.get("table")
        if wanted and wanted not in names:
            raise Refused(404, "There is no table %s here%s" % (escape(wanted), hint(wanted, names, of=things.OF_EXTENSION) or "."))
        self.names = (wanted,) if wanted else names
        self.is_one = len(self.names) == 1
        self.view = context.view() if self.is_one or context.whole else View(rows=FIRST)


# ---- The report


def overview(asker, page, now):
    context = Context(asker, page, now)
    wanted = Tables(context, OVERVIEW)
    model = context.model()
    sheet = Sheet(context, "Software usage", model)
    sheet.tables = [Shown(fitting.PAGES[name](model, context.chosen_options), wanted.view) for name in wanted.names]
    sheet.has_overview = True
    sheet.is_one = wanted.is_one
    return sheet


REPORT_ASKED = ("of", "paths", "use")


def asked_use(context, name):
    context.check_choice("use", use_parts.USES if name in fitting.BY_USE else (), use_parts.OF_EXTENSION)
    return context.get("use") or None


def report_page(name):
    def make(asker, page, now):
        context = Context(asker, page, now, REPORT_ASKED)
        use = asked_use(context, name)
        context.check_choice("of", use_parts.OF_USE.get(use, fitting.OF.get(name, ())))
        context.check_choice("paths", ("1",))
        model = context.model(of=context.get("of") or None, full_paths=bool(context.get("paths")), use=use)
        why = fitting.why_unfit(name, context.chosen_options) if use or name in fitting.OF_LIBRARIES else None
        if why:
            raise Refused(400, why + ".")
        why = fitting.WHY_NOT[name](model) if name in fitting.WHY_NOT else None
        if why:
            raise Refused(404, why + ".")
        if name == "removal" and not (context.get("lib") or context.get("module")):
            raise Refused(400, "The address lacks lib= or module=.")
        table = fitting.PAGES[name](model, context.chosen_options)
        more = [(key, context.get(key)) for key in REPORT_ASKED]
        sheet = Sheet(context, table.title, model, subject=more)
        sheet.tables = [Shown(table, context.view())]
        sheet.is_one = True
        return sheet

    return make


# ---- One thing of them


def software_page(thing):
    kind, names = things.SOFTWARE[thing]

    def make(asker, page, now):
        context = Context(asker, page, now, ("name", "program") if kind == "packages" else ("name",))
        wanted = Tables(context, names)
        name = needed(context, "name")
        key = (name, context.get("program") or "(unknown)") if kind == "packages" else name
        choose = things.chooser(kind, key)
        is_path = kind == "executables" and "/" in name
        model = context.model(choose, full_paths=is_path)
        if not choose(model, None)[0] and not (kind == "libraries" and site.is_known(model, name)):
            raise unknown(context, thing, name, things.names_of(model, kind))
        sheet = Sheet(context, "%s %s" % (thing.capitalize(), cell(name)), model)
        sheet.subject = [("name", name), ("program", context.get("program"))]
        sheet.is_one = wanted.is_one
        for table in wanted.names:
            if table == "documentation" and not wanted.is_one and not site.has_documentation():
                continue
            if table == "runs":
                selection = place(context, model)
                if kind == "executables":
                    runs.select_programs(selection, model)
                elif kind == "packages":
                    runs.select_packages(selection, context.store, *key)
                elif kind == "modules":
                    runs.select_programs(selection, model)
                else:
                    runs.select_sets(selection, model)
                sheet.tables.append(runs.run_table(context, selection, wanted.view, context.whole))
            else:
                sheet.tables.append(shown(of_thing(table, model, context, kind, name), wanted.view))
        return sheet

    return make


def shown(table, view):
    """The months are all shown, since the last ones are of interest, too."""
    return Shown(table, View(view.find, view.sort, rows=1000) if table.name == "monthly" and view.rows == FIRST else view)


def of_thing(table, model, context, kind, name):
    if table == "monthly":
        return things.monthly(model, kind)
    if table == "builds":
        return things.builds(model, context)
    if table == "documentation":
        of = site.DOOR.documentation
        with as_asked():
            return of.of_library(name) if kind == "libraries" else of.of_module(name)
    if table == "files":
        return things.files(model, context, name)
    if site.DOOR and table in site.DOOR.TABLES and kind in ("libraries", "modules"):
        return site.DOOR.TABLES[table](model, context.chosen_options, model.once("wanted", lambda: target(model, kind, name)))
    if table == "coverage" and kind == "executables":
        return things.unrecorded(model, name)
    return fitting.PAGES[table](model, context.chosen_options)


def target(model, kind, name):
    return site.DOOR.target(model, kind, name, site.objects_named(model, name), lambda have: things.fits(kind, name, (have,)))


def people_page(thing):
    kind, names = things.PEOPLE[thing]

    def make(asker, page, now):
        context = Context(asker, page, now, ("name",))
        wanted = Tables(context, names)
        name = needed(context, "name")
        model = context.model(**{thing: [name]})
        if not model.wanted and not any(name == model.person_name(kind, person) for person in model.people.values()):
            raise unknown(context, thing, name, things.names_of(model, kind))
        sheet = Sheet(context, "%s %s" % (thing.capitalize(), cell(name)), model, subject=[("name", name)])
        sheet.is_one = wanted.is_one
        for table in wanted.names:
            if table in STORED:
                selection = place(context, model)
                selection.add("run.%s = ?" % thing, name)
                make_table = runs.run_table if table == "runs" else runs.job_table
                sheet.tables.append(make_table(context, selection, wanted.view, context.whole))
            else:
                sheet.tables.append(shown(of_thing(table, model, context, kind, name), wanted.view))
        return sheet

    return make


def needed(context, name):
    if not context.get(name):
        raise Refused(400, "The address lacks %s=." % name)
    return context.get(name)


def unknown(context, thing, name, names):
    seen = "" if context.asker.rights.all else " among what you may see"
    return Refused(404, "There is no %s %s%s%s" % (thing, escape(name), seen, hint(name, names) or "."))


# ---- Runs and jobs


def place(context, model):
    """The period and the filters of the address."""
    selection = Selection()
    runs.select_days(selection, model)
    runs.select_filters(selection, context, [name for name in PLACE if context.get(name)])
    return selection


class Days:
    """The period of a page that needs no sums."""

    def __init__(self, context):
        context.store  # pylint: disable=pointless-statement # it has the time zone
        context.chosen_options = options = context.options()
        self.first, self.last = options.first_day, options.last_day


def stored_page(name):
    def make(asker, page, now):
        context = Context(asker, page, now)
        selection = place(context, Days(context))
        sheet = Sheet(context, name.capitalize())
        make_table = runs.run_table if name == "runs" else runs.job_table
        sheet.tables = [make_table(context, selection, context.view(), context.whole)]
        sheet.is_one = True
        return sheet

    return make


JOB_TABLES = ("runs", "coverage")
JOB_FACTS = ("User", "Account", "Partition", "QOS", "JobName", "SlurmState", "SlurmExit", "Submit", "Timelimit", "ReqMem",
             "NodeList", "Reason")  # fmt: skip


CHOICE_HEADS = (("job", "Job"), ("cluster", "Cluster"), ("user", "User"), ("restart", "Restart"))


def owned(context, number):
    """The page's own parameters. `cluster`, which select_owner() looks at too, is one of all pages."""
    restart = context.get("restart")
    if restart and not RESTART.match(restart):
        raise Refused(400, "restart must be a number.")
    return [("id", number)] + [(name, context.get(name)) for name in ("owner", "restart")]


def jobs_of(context, selection, facts, number):
    """{(number with its day, cluster, user, restart)} of the jobs that a number means, where these are several: of other users, on other
    clusters, of other times, or attempts of a job that was requeued. Else it is empty. Tasks of an array are no several jobs."""
    columns = "SELECT cluster, user, coalesce(restart_count, 0), job_id_raw, %s AS since, min(run.start_time) " % SINCE
    tables = [("FROM run WHERE job_id_raw IS NOT NULL AND ", selection), (coverage.WITH_RECORDS, facts)]
    tables += [] if JOB.match(number)["step"] else [(coverage.WITH_SLURM, facts)]
    sql = columns + "%s%s GROUP BY cluster, user, coalesce(restart_count, 0), job_id_raw, since"
    found, starts = set(), {}
    for table, some in tables:
        for *job, start in context.store.lookup(sql % (table, some.sql()), some.values):
            found.add(tuple(job))
            starts.setdefault((job[3], job[0], job[4]), start)
    if len({job[:2] for job in found}) < 2 and len({(*job[:2], job[3]) for job in found}) == len(found):
        return set()
    days = acct_runs.days_of(context.store, starts)
    bare, dot, step = number.partition(".")
    names = {job: "@".join(filter(None, (bare, days.get((job[3], job[0], job[4]))))) + dot + step for job in found}
    return {(names[job], *job[:3]) for job in found}


def choice(context, number, several):
    """In the place of the page of a job: which ones it could be."""
    sheet = Sheet(context, "Job %s: several jobs" % cell(number), subject=owned(context, number))
    rows = [[name, cluster, user, str(restart)] for name, cluster, user, restart in sorted(several, key=str)]
    table = pairs("choice", "Jobs of this number", CHOICE_HEADS, rows)
    sheet.tables, sheet.is_one, sheet.status = [Shown(table, context.view())], True, 300
    return sheet


def job(asker, page, now):
    context = Context(asker, page, now, ("id", "owner", "restart"))
    wanted = Tables(context, JOB_TABLES)
    number = needed(context, "id")
    sheet = Sheet(context, "Job " + cell(number), subject=owned(context, number))
    selection = Selection()
    with as_asked():
        runs.select_job(selection, number, context)
    facts = select_facts(context, selection, number)
    several = jobs_of(context, selection, facts, number)
    if several:
        return choice(context, number, several)
    sql = "SELECT run.id FROM run WHERE %s ORDER BY run.proven DESC, run.id LIMIT 1"
    some = context.store.lookup(sql % selection.sql(), selection.values)
    covered = coverage.read(context.store, facts, (None, None), "." in number)
    if not some and not covered:
        raise unknown(context, "job", number, ())
    sheet.facts = page_of(asker, context, number)
    for found in runs.read(context, [row for row, in some], facts=True) if not sheet.facts else ():
        values = [(name, runs.VALUES[name](found)) for name in JOB_FACTS]
        sheet.facts = [(name, cell(value)) for name, value in values if value is not None]
    sheet.is_one = wanted.is_one
    for name in wanted.names:
        if name == "runs":
            sheet.tables.append(runs.run_table(context, selection, wanted.view, context.whole))
        else:
            sheet.tables.append(Shown(things.of_coverage(covered, coverage.read_told(context.store, facts, (None, None))), wanted.view))
    return sheet


def page_of(asker, context, number):
    """What jobtrail-job shows; nothing of a step, of an attempt that is not the last one, or without a run."""
    if JOB.match(number)["step"]:
        return []
    options = acct.parser(asker).parse_args([])
    vars(options).update(
        job=number, mail=None, allusers=True, user=context.get("owner"), cluster=context.get("cluster"), asker=asker.user,
        scopes=context.scopes, no_sacct=not context.scopes)  # fmt: skip
    try:
        found = summary(context.store, options, context.now)
    except Failure:
        return []
    if context.get("restart") and int(context.get("restart")) != found["job"]["restart"]:
        return []
    lines = {}
    for name, values in wording.lines(found):
        lines.setdefault(cell(name), []).extend(values)
    return [(name, "\n".join(values)) for name, values in lines.items()]


def is_of_several(store, number):
    """Whether facts of the job of this number in Slurm say that it is an array's or a heterogeneous job's."""
    terms = "job_id_raw = ? AND (array_job_id IS NOT NULL OR het_job_id IS NOT NULL) LIMIT 1"
    return any(store.lookup("SELECT 1 FROM %s WHERE %s" % (table, terms), (number,)) for table in ("coverage", "slurm_job"))


def select_facts(context, selection, number):
    """The facts of the jobs of the runs that are selected. Without a run that may be seen, the number is taken for that of one job,
    which there is an index for, unless its facts say that there are others: those are looked for in all facts."""
    found = context.store.lookup("SELECT DISTINCT run.job_id_raw FROM run WHERE " + selection.sql(), selection.values)
    numbers = {raw for raw, in found if raw is not None}
    job_number = number.partition(".")[0].partition("@")[0]
    if not numbers and job_number.isdecimal() and not is_of_several(context.store, int(job_number)):
        numbers = {int(job_number)}
    if numbers:
        selection = Selection()
        runs.select_numbers(selection, numbers, number, context)
    return selection


RUN_TABLES = things.here("fields", "profile", "mpi", "ranks", "libraries", "routines", "packages", "environment", "ancestors")
RUN_FIELDS_LEFT_OUT = {"Libs", "LibVersions", "Packages", "Routines", "NRuns", "UUID"}
# what people look for, before the other fields
RUN_FIELDS_FIRST = """ExecPath Cmdline State Cause ExitCode MissingLib Start End Elapsed Node NTasks NNodes NCPUS NGPUS CoreSeconds UsedCPU
UsedMemory JobID JobName User Account Partition Cwd Container Module Compiler BuiltBy""".split()


def run(asker, page, now):
    context = Context(asker, page, now, ("id", "owner", "restart"))
    wanted = Tables(context, RUN_TABLES)
    uuid = needed(context, "id")
    selection, subject = Selection(), owned(context, uuid)
    selection.add("run.uuid = ?", uuid.lower())
    runs.select_owner(selection, context)
    sql = "SELECT run.id FROM run WHERE %s ORDER BY run.proven DESC, run.id"
    rows = context.store.lookup(sql % selection.sql(), selection.values)
    if not rows:
        raise unknown(context, "run", uuid, ())
    found = next(runs.read(context, [rows[0][0]], facts=True))
    sheet = Sheet(context, "Run " + cell(uuid), subject=subject)
    if len(rows) > 1:
        sheet.facts.append(("Records of this number", "%d, of which this is the best proven: see jobtrail-load(1)" % len(rows)))
    sheet.is_one = wanted.is_one
    is_there = {"ranks": (found["num_tasks"] or 0) > 1, "profile": found["profile"] is not None, "mpi": bool(found["profile"] and found["profile"]["mpi"])}
    names = [name for name in wanted.names if wanted.is_one or is_there.get(name, True)]
    sheet.tables = [Shown(RUN_PARTS[name](context, found), View(rows=1000) if not wanted.is_one else wanted.view) for name in names]
    return sheet


def run_fields(_, found):
    """Of Slurm's facts those that are asked for with every run."""
    rest = sorted(set(runs.VALUES) - (set(fields.OF_SACCT) - set(FACTS)) - RUN_FIELDS_LEFT_OUT - set(RUN_FIELDS_FIRST), key=str.lower)
    values = [(name, runs.VALUES[name](found)) for name in (*RUN_FIELDS_FIRST, *rest)]
    rows = [[name, str(value)] for name, value in values if value not in (None, "")]
    return pairs("fields", "The run", (("field", "Field"), ("value", "Value")), rows)


def run_libraries(_, found):
    rows = [
        [some["path"], library.shown(some["path"], some["module"]), some["module"], some["hash"]] for some in found["libs"] or []
    ]
    heads = (("file", "File"), ("library", "Library"), ("module", "Module"), ("hash", "SHA-1"))
    return pairs("libraries", "Libraries", heads, rows, library.lacking(found).capitalize())


def run_packages(context, found):
    rows = context.store.lookup(
        "SELECT package.name, package.program, package.version, package.path FROM run_package"
        " JOIN package ON package.id = run_package.package_id"
        " WHERE run_package.run_uuid = ? AND run_package.owner = ? AND run_package.proven >= ?"
        " ORDER BY package.name, package.version",
        (found["uuid"], found["package_owner"], found["proven"]),
    )
    heads = (("package", "Package"), ("program", "Program"), ("version", "Version"), ("path", "Path"))
    return pairs("packages", "Packages", heads, [list(row) for row in rows])


def run_environment(context, found):
    variables = details.environments(context.store, [found]).get(found["environment_id"], {})
    heads = (("name", "Variable"), ("value", "Value"))
    return pairs("environment", "Environment", heads, list(map(list, variables.items())))


def run_ancestors(context, found):
    listed = details.ancestors_of(found, details.ancestors(context.store, [found])) or ()
    heads = (("name", "Program"), ("pid", "PID"), ("path", "Path"), ("arguments", "Arguments"))
    rows = [
        [one["name"], one["pid"] and str(one["pid"]), one["path"], " ".join(map(str, one["cmdline"] or ()))]
        for one in listed
    ]
    return pairs("ancestors", "Started by", heads, rows)


# name: function of (context, found); those of extensions are in PARTS of their modules run_door
RUN_PARTS = {
    "fields": run_fields,
    "libraries": run_libraries,
    "packages": run_packages,
    "environment": run_environment,
    "ancestors": run_ancestors,
}
for _door in extensions.doors("run_door"):
    RUN_PARTS.update(_door.PARTS)

# ---- Documentation


def documents_of():
    if site.DOOR is None:
        raise Refused(404, site.LACKING[0].upper() + site.LACKING[1:] + ".")
    return site.DOOR.documentation


def documents(asker, page, now):
    """What is documented, and beside it who uses the libraries of it."""
    documentation = documents_of()
    context = Context(asker, page, now, documentation.ASKED)
    wanted = Tables(context, ("documentation", "use"))
    asked = {name: context.get(name) for name in documentation.ASKED if context.get(name)}
    if not documentation.is_there():
        raise Refused(404, documentation.NONE)
    sheet = Sheet(context, "Documentation", subject=asked.items())
    sheet.is_one, sheet.is_asked = wanted.is_one, True
    if not asked:
        return sheet
    with as_asked():
        options = documentation.question(
            words=context.get("words"), routine=context.get("routine"), library=context.get("library"),
            library_version=context.get("version"), kind=documentation.checked_kinds(context.get("kind")) if context.get("kind") else None,
        )
        found, libraries, nearest = documentation.documents(options)
    if not found.rows:
        sheet.said.append("Nothing was found%s" % (nearest or "."))
    if "documentation" in wanted.names:
        sheet.tables.append(Shown(found, wanted.view))
    if "use" in wanted.names and libraries:
        add_use(sheet, libraries, wanted.view)
    return sheet


def add_use(sheet, libraries, view):
    """The table of who uses these libraries, and the report's numbers that go with it."""
    sheet.model = model = sheet.context.model()
    sheet.head = report.head_of(model, sheet.context.chosen_options, sheet.context.now)
    sheet.tables.append(Shown(site.DOOR.documentation.use(model, sheet.context.chosen_options, libraries), view))


def document(asker, page, now):
    """The text of one, where everybody may read it."""
    documentation = documents_of()
    context = Context(asker, page, now, ("path", "name"))
    Tables(context, ("use",))
    with as_asked():
        hit, text, is_cut = documentation.text_of(needed(context, "path"), needed(context, "name"))
    sheet = Sheet(context, cell(hit.title), subject=[("path", context.get("path")), ("name", context.get("name"))])
    facts = (("Kind", hit.kind), ("Libraries", ", ".join(hit.libraries)), ("Version", hit.version), ("Where", hit.path))
    sheet.facts = [(name, cell(value)) for name, value in facts if value]
    sheet.text, sheet.is_one = documentation.harmless(text), True
    if hit.libraries:
        add_use(sheet, hit.libraries, context.view())
    if is_cut:
        sheet.said.append("The text is longer; its beginning is shown.")
    return sheet


DIFF_HEADS = (("job", "In A"), ("job_b", "In B"), ("section", "Of"), ("what", "What"), ("a", "A"), ("b", "B"))
ALONE_HEADS = (("side", "Only in"), ("job", "Job"), ("executable", "Executable"), ("state", "State"), ("run", "Run"))


def diff(asker, page, now):
    """What differs between two jobs, steps or runs."""
    context = Context(asker, page, now, ("a", "b"))
    names = [needed(context, name) for name in ("a", "b")]
    wanted = Tables(context, ("different", "unknown", "alone"))
    with as_asked():
        options = acct.parser(asker).parse_args([])
        options.diff, options.allusers, options.asker, options.scopes = names, True, asker.user, context.scopes
        data = differences(context.store, options, now)
    sheet = Sheet(context, "%s and %s" % tuple(map(cell, names)), subject=zip(("a", "b"), names))
    sheet.facts = [("A", side_text(data["a"])), ("B", side_text(data["b"])), ("Different", "yes" if data["different"] else "no")]
    sheet.is_one = wanted.is_one
    for name in wanted.names:
        table = alone_table(data) if name == "alone" else fact_table(data, name)
        sheet.tables.append(Shown(table, wanted.view if wanted.is_one or context.whole else View()))
    return sheet


def side_text(side):
    text = "%s: %d runs" % (cell(side["asked"]), side["runs"])
    if side["cut"]:
        text += ", and more, which are not compared"
    return text + "".join("; %s of step %s: no record" % (row["outcome"], row["step"]) for row in side["unseen"])


def fact_table(data, kind):
    rows = [
        [pair["a"]["job"], pair["b"]["job"], section["name"], fact["what"], value_text(fact["a"]), value_text(fact["b"])]
        + ([fact["why"]] if kind == "unknown" else [])
        for pair in data["pairs"]
        for section in pair["sections"]
        for fact in section[kind]
    ]
    heads = DIFF_HEADS + ((("why", "Why"),) if kind == "unknown" else ())
    return pairs(kind, "What differs" if kind == "different" else "What cannot be compared", heads, rows)


def alone_table(data):
    rows = [
        [side.upper(), run["job"], run["exec_path"], run["state"], run["uuid"]]
        for side in ("a", "b")
        for run in data["only_" + side]
    ]
    return pairs("alone", "Runs of one side only", ALONE_HEADS, rows)


ROUTES = {name: report_page(name) for name in fitting.PAGES}
ROUTES.update({thing: software_page(thing) for thing in things.SOFTWARE})
ROUTES.update({thing: people_page(thing) for thing in things.PEOPLE})
ROUTES.update({name: stored_page(name) for name in STORED})
ROUTES.update({"": overview, "overview": overview, "job": job, "run": run, "diff": diff})
ROUTES.update({"documentation": documents, "document": document})
