# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ran inside Slurm's jobs, with the options and the output of sacct. See jobtrail-acct(1)."""

import argparse
import importlib
import os
import re
import time

from .. import coverage_told, program, slurm
from ..asking import ask_service
from ..caller import caller_is_root, caller_uid
from ..hostlist import split
from ..store import reading, use_timezone
from . import empty, fields, output, running
from .details import Details
from .runs import Libraries
from .select import Selection, select_place, user_name, window
from .selected import selected_runs

UNITS = "KMGTP"
# sacct's options that cannot be answered, why, and how many values they may have
REFUSED = (
    (("-B", "--batch-script"), "the store has no batch scripts; sacct may have them", 0),
    (("-c", "--completion"), "the store has no job completion data; ask sacct", 0),
    (("--env-vars",), "the store has the environment of each run: see --json and --env", 0),
    (("--expand-patterns",), "sacct has patterns in StdIn, StdOut and StdErr; they are shown as they are", 0),
    (("--federation",), "the store has the clusters that were loaded: see -M", 0),
    (("--local",), "the store has the clusters that were loaded: see -M", 0),
    (("-f", "--file"), "the store has no job completion data; ask sacct", 1),
    (("--use-local-uid",), "users are known by their names", 0),
    (("-v", "--verbose"), "there is no longer output", 0),
    (("--whole-hetjob",), "-j 8 means all components of job 8, and -j 8+0 one", "?"),
    (("--yaml",), "--json has the same", 0),
    (("-p", "--parsable"), "-P has the same, without a | at the end", 0),
    (("-T", "--truncate"), "times are those of runs; --json has them as numbers", 0),
    (("--noconvert",), "--units has the unit of memory", 0),
    (("--usage",), "see --help", 0),
    *((names, "only Slurm's accounting has it: give -j the jobs that sacct -X -n -P -o jobidraw prints", 1)
      for names in (("-g", "--gid", "--group"), ("-W", "--wckeys"), ("-x", "--associations"), ("-C", "--constraints"),
                    ("-F", "--flags"), ("-R", "--reason"), ("-k", "--timelimit-min"), ("-K", "--timelimit-max"))),
)  # fmt: skip
# those that ask for what there always is
AS_ALWAYS = ("--array", "-L", "--allclusters")


def parser(own=None):
    """`own`: without the options that choose a store or run sacct; see main()."""
    parser = program.Parser(prog="jobtrail-acct", description=__doc__, add_help=False)
    choose, special, show, instead = (
        parser.add_argument_group(title)
        for title in ("which runs, as in sacct", "which runs, by what they ran", "what is shown", "instead of runs")
    )
    add = choose.add_argument
    add("-j", "--jobs", metavar="LIST", help="jobs or steps: 12, 12.0, 12.batch, 6_1, 8+1")
    add("-u", "--user", "--uid", metavar="LIST", help="of these users")
    add("-a", "--allusers", action="store_true", help="of all users; root's default")
    add("-A", "--account", "--accounts", metavar="LIST")
    add("-q", "--qos", metavar="LIST")
    add("-r", "--partition", metavar="LIST", help="in these")
    add("-M", "--cluster", "--clusters", metavar="LIST")
    add("-N", "-w", "--node", "--nodelist", metavar="LIST", help="on these nodes: n1,n[3-5]")
    add("-s", "--state", dest="states", metavar="LIST", help="in these states: CD, F, OOM, TO, KILLED, ...")
    add("-S", "--starttime", metavar="TIME")
    add("-E", "--endtime", metavar="TIME", help="today until now; with -s: now; with -j: any time")
    add("-D", "--duplicates", action="store_true", help="also earlier attempts of requeued jobs")
    add("-i", "--nnodes", metavar="MIN[-MAX]", type=bounds)
    add("-I", "--ncpus", metavar="MIN[-MAX]", type=bounds)
    add("--ntasks", metavar="MIN[-MAX]", type=bounds)
    add("--gpus", metavar="MIN[-MAX]", type=bounds, help="of this size")
    add("--name", metavar="LIST", help="of jobs of these names")
    add = special.add_argument
    add("--exec", metavar="GLOB", action="append", help="an executable of this name or path")
    add("--lib", metavar="NAME[>=VERSION]", action="append", help="loaded this library")
    add("--module", metavar="NAME[/VERSION]", action="append", help="used a file of this module")
    add("--pkg", metavar="NAME[>=VERSION]", action="append", help="loaded this package of R, Python")
    add("--compiler", metavar="GLOB", action="append", help="was linked by this compiler")
    add("--built-by", metavar="USERS")
    add("--built-by-others", action="store_true", help="was linked by these users; by another user")
    add("--function", metavar="GLOB", action="append", help="was linked with this function of a library")
    program.add_of(add, "routines", "--routine", metavar="GLOB", action="append", help="called this routine of a designated library")
    add("--env", metavar="NAME[=GLOB]", action="append", help="had this variable in its environment")
    program.add_of(add, "libraries", "--changed", metavar="TIME", help="used a library that has changed since")
    add("--hash", metavar="SHA1", action="append", help="sha1 of the executable or a library, or its beginning")
    add("--cwd", metavar="DIRECTORY", action="append", help="ran in this directory, or below; or a pattern")
    add("--container", metavar="GLOB", action="append", help="in a container of this name")
    add("--uuid", metavar="LIST", help="these runs")
    add = show.add_argument
    add("-o", "--format", metavar="LIST", action="append", help="FIELD[%%[-]WIDTH],...; -e lists the fields")
    add("-b", "--brief", action="store_const", const=fields.BRIEF, dest="preset")
    add("-l", "--long", action="store_const", const=fields.LONG, dest="preset")
    add("-e", "--helpformat", action="store_true", help="few fields; many; list them")
    add("-X", "--allocations", action="store_true", help="one row for each job")
    add("--libs", action="store_true", help="with the libraries of each run")
    add("--sort", metavar="LIST")
    add("--top", metavar="N", type=positive, help="by FIELD,...; --sort=-FIELD: largest first; the first N rows")
    add("-n", "--noheader", action="store_true")
    add("-P", "--parsable2", dest="parsable", action="store_true")
    add("--delimiter", metavar="TEXT", default="|", help="no header; columns separated by |; by TEXT")
    add("--csv", action="store_true")
    add("--jsonl", action="store_true", help="tables for programs: seconds, bytes")
    add("--json", action="store_true", help="all facts of runs")
    add("--units", metavar="[KMGTP]", type=unit, help="of memory in Slurm's accounting")
    add = instead.add_argument
    add("--coverage", action="store_true", help="what became of the allocated time")
    add("--links", action="store_true", help="what the linker wrapper recorded")
    program.add_of(add, "routines", "--routines", action="store_true", help="routines of designated libraries that runs called")
    program.add_of(add, "witness", "--ranks", action="store_true", help="all ranks of parallel programs, by the kernel witness")
    program.add_of(add, "libraries", "--changes", action="store_true", help="changes of the site's libraries, and runs before and after")
    program.add_of(add, "libraries", "--events", action="store_true", help="the same, a row for each installation")
    add = parser.add_argument
    add("-h", "--help", action="help", help="show this and exit")
    program.add_version_option(parser, parser.prog)
    for names, reason, count in REFUSED:
        parser.add_argument(*names, action=program.Refused, nargs=count, reason=reason, dest="refused", default=argparse.SUPPRESS,
            help=argparse.SUPPRESS)  # fmt: skip
    parser.add_argument(*AS_ALWAYS, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    if own:
        parser.set_defaults(store=own.address)
        own.add_options(parser, "acct")
        return parser
    add("--no-sacct", action="store_true", help="do not ask Slurm's accounting")
    program.add_store_option(parser)
    return parser


def positive(text):
    if not re.match(r"[1-9]\d{0,8}\Z", text):
        raise argparse.ArgumentTypeError("must be a number from 1 on")
    return int(text)


class Bounds(tuple):
    """As bounds() makes it, and the text that it was made of."""

    def __str__(self):
        return self.text


def bounds(text):
    """(least, most or None) of MIN, which alone is exactly that, MIN-MAX and MIN-."""
    match = re.match(r"(\d{1,9})(?:(-)(\d{1,9})?)?\Z", text)
    if match is None:
        raise argparse.ArgumentTypeError("must be MIN, MIN-MAX or MIN-")
    least, dash, most = match.groups()
    found = Bounds((int(least), int(most) if most else None if dash else int(least)))
    if found[1] is not None and found[1] < found[0]:
        raise argparse.ArgumentTypeError("the greatest number is below the least")
    found.text = text
    return found


def unit(text):
    if len(text) != 1 or text.upper() not in UNITS:
        raise argparse.ArgumentTypeError("must be one of " + UNITS)
    return text.upper()


def given(parser, options, title=""):
    """The options that are not at their defaults, of groups that begin with the title: {name in `options`: how it
    is written}."""
    found = {}
    for group in parser._action_groups:  # pylint: disable=protected-access
        for action in group._group_actions:  # pylint: disable=protected-access
            value = getattr(options, action.dest, action.default)
            if (group.title or "").startswith(title) and value != action.default:
                found.setdefault(action.dest, action.option_strings[0])
    return found


# what chooses and shows rows of --coverage
OF_COVERAGE = {
    "account", "allusers", "cluster", "coverage", "csv", "delimiter", "endtime", "format", "help", "helpformat", "jobs",
    "json", "jsonl", "no_sacct", "node", "noheader", "parsable", "partition", "sort", "starttime", "store", "user",
}  # fmt: skip
# what has rows of its own instead of runs: see rows_module()
OTHER_ROWS = ("links", "events", "changes", "routines", "ranks")


def rows_module(option):
    """The module with the rows of --coverage, or of one of OTHER_ROWS: it has FIELDS, DEFAULT, read(store, options, now) and
    GOES_WITH, the set of the names of options that can be used with it. Loaded where one is asked for, since few are."""
    for door in fields.DOORS:
        if option in door.ROWS:
            return importlib.import_module("." + door.ROWS[option], door.__package__)
    return importlib.import_module("." + option, __package__)


def use_asker(options, own):
    """Who asks, and what of others they may see: see main()."""
    options.asker = own.user if own else user_name(str(caller_uid()))
    options.allusers = options.allusers or (own.everybody if own else caller_is_root())
    options.scopes = own.scopes() if own and not options.no_sacct else slurm.ALL_JOBS


def parse_options(own):
    wanted = parser(own)
    options = wanted.parse_args()
    options.chosen = given(wanted, options, "which runs")
    use_asker(options, own)
    if options.coverage and set(given(wanted, options)) - OF_COVERAGE:
        raise program.Failure("--coverage goes with jobs, users, accounts, places and times only")
    for name, words in given(wanted, options).items():
        for option in OTHER_ROWS:
            if getattr(options, option) and {"jsonl": "csv"}.get(name, name) not in rows_module(option).GOES_WITH:
                raise program.Failure("--%s does not go with %s" % (option, words))
    return options


def print_fields(listed):
    for at in range(0, len(listed), 4):
        print("".join("%-19s " % name for name, _, _ in listed[at : at + 4]).rstrip())


def selected_coverage(store, options, now):
    """By days in the store's time zone. Returns the rows, and what coverage_told.read() has."""
    use_timezone(store)
    selection = Selection()
    select_place(selection, options, of_runs=False)
    period = window(options, now, bool(options.jobs))
    is_part = bool(options.node) or any("." in job for job in split(options.jobs or ""))
    coverage = rows_module("coverage")
    return coverage.read(store, selection, period, is_part), coverage.read_told(store, selection, period)


def listed_of(options):
    """The module with the FIELDS of what is asked for."""
    other = other_rows(options)
    return rows_module("coverage") if options.coverage else rows_module(other) if other else fields


def other_rows(options):
    """The option of OTHER_ROWS that is given; None: none is."""
    return next((option for option in OTHER_ROWS if getattr(options, option)), None)


def sort_keys(options):
    """(function of a row, whether from the greatest on) for each field of --sort."""
    listed, sorted_by = listed_of(options).FIELDS, getattr(listed_of(options), "SORTED_BY", {})
    keys = []
    for word in split(options.sort or ""):
        name, _, value = fields.find_field(word.lstrip("+-"), listed)
        keys.append((sorted_by.get(name, value), word.startswith("-")))
    return keys


class Counted:
    """Rows, and whether there were any."""

    def __init__(self, rows):
        self.rows, self.is_empty = rows, True

    def __iter__(self):
        for row in self.rows:
            self.is_empty = False
            yield row


def print_answer(store, options, columns, now):
    other, told = other_rows(options), None
    if not options.links:
        empty.tell_users(store, options)
    if other:
        rows, name = Counted(rows_module(other).read(store, options, now)), other
    elif options.coverage:
        found, told = selected_coverage(store, options, now)
        rows, name = Counted(found), "coverage"
    else:
        rows, name = Counted(selected_runs(store, options, columns, now)), "runs"
    found = output.ordered(rows, sort_keys(options), options.top)
    print_rows(store, found, name, options, columns, now, told)
    if rows.is_empty:
        empty.tell_empty(name, store, options, now, options.chosen)


def print_rows(store, rows, name, options, columns, now, told):
    if options.json:
        more = {}
        if options.coverage:
            rows = list(rows)
            coverage = rows_module("coverage")
            more["allocation"] = coverage.totals(rows, coverage.EXACT_PLACES)
            more.update(told)
        elif not other_rows(options):
            detailed = Details(store, Libraries(store)).of(rows)
            rows = (output.json_run(run, fields, details) for run, details in detailed)
        output.print_json(name, rows, options.store, now, more)
    elif options.csv or options.jsonl:
        plain = importlib.import_module(".plain", __package__)
        plain.print_table(rows, columns, getattr(listed_of(options), "SORTED_BY", {}), options)
    elif options.parsable:
        output.print_delimited(rows, columns, options)
    else:
        rows = list(rows) if options.coverage else rows
        if options.coverage and not options.noheader:
            print("\n".join([rows_module("coverage").headline(rows)] + coverage_told.lines(told)) + "\n")
        output.print_table(rows, columns, options)


def default_format(options):
    """That of an option, else of the environment, as sacct has SACCT_FORMAT."""
    if options.coverage or other_rows(options):
        return listed_of(options).DEFAULT
    return options.preset or os.environ.get("JOBTRAIL_ACCT_FORMAT") or fields.DEFAULT


def main(own=None):
    """`own`: who asks, where that is not who runs this program, as the service for answers has it:
    their name `user`; `everybody`, whether -a is the default; `address` and open() of a store with what they may see;
    add_options(parser, "acct"), what there is beside what parser() leaves out; and the `scopes` of sacct."""
    options = parse_options(own)
    listed = listed_of(options).FIELDS
    if options.helpformat:
        print_fields(listed)
        return
    if ask_service(options, "acct"):
        return
    now = time.time()
    columns = fields.parse_format(",".join(options.format or [default_format(options)]), listed)
    in_rows = options.csv or options.jsonl or options.parsable
    if options.libs and in_rows and "Libs" not in (name for name, _, _ in columns):
        columns.append(fields.find_field("Libs", listed))
    with reading("jobtrail-acct", options.store, own) as store:
        print_answer(store, options, columns, now)
    running.tell(options, own)
