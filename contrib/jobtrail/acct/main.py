# SPDX-License-Identifier: LGPL-2.1-or-later
"""What ran inside Slurm's jobs, with the options and the output of sacct. See jobtrail-acct(1)."""

import argparse
import time

from .. import program, slurm
from ..hostlist import split
from ..store import open_store, trouble, use_timezone
from . import coverage, fields, output, runs
from .allocations import allocations
from .select import Selection, select_place, select_software, select_window, window
from .state import parse_states

UNITS = "KMGTP"


def parser(own=None):
    """`own`: for jobtrail-own, without the options that choose a store or run sacct."""
    parser = program.Parser(prog="jobtrail-acct", description=__doc__, add_help=False)
    choose, special, show = (
        parser.add_argument_group(title)
        for title in ("which runs, as in sacct", "which runs, by what they ran", "what is shown")
    )
    add = choose.add_argument
    add("-j", "--jobs", metavar="LIST", help="jobs: 12, 12.0, 12.batch, 6_1, 8+1")
    add("-u", "--user", "--uid", metavar="LIST", help="runs of these users")
    add("-a", "--allusers", action="store_true", help="runs of all users; root's default")
    add("-A", "--account", "--accounts", metavar="LIST")
    add("-M", "--cluster", "--clusters", metavar="LIST", help='"all": all, as without this option')
    add("-L", "--allclusters", action="store_const", const="all", dest="cluster")
    add("-N", "--node", "--nodelist", metavar="LIST", help="n1,n[3-5]")
    add("-q", "--qos", metavar="LIST")
    add("-r", "--partition", metavar="LIST")
    add("-s", "--state", dest="states", metavar="LIST", help="CD, F, OOM, TO, KILLED, ...")
    add("-S", "--starttime", metavar="TIME", help="default: 00:00 today; now with -s; any with -j")
    add("-E", "--endtime", metavar="TIME", help="default: now")
    add("-D", "--duplicates", action="store_true", help="earlier restarts of requeued jobs too")
    add = special.add_argument
    add("--exec", metavar="GLOB", action="append", help="an executable of this name or path")
    add("--lib", metavar="NAME[>=VERSION]", action="append", help="loaded such a library")
    add("--module", metavar="NAME[/VERSION]", action="append", help="used a file of this module")
    add("--compiler", metavar="GLOB", action="append", help="was linked by this compiler")
    add("--built-by", metavar="USERS", help="was linked by one of these")
    add("--built-by-others", action="store_true", help="was linked by somebody else than ran it")
    add("--function", metavar="GLOB", action="append", help="calls this function of a library")
    add("--env", metavar="NAME[=GLOB]", action="append", help="had this in its environment")
    add("--pkg", metavar="NAME[>=VERSION]", action="append", help="loaded this package of R, Python")
    add("--uuid", metavar="LIST", help="these runs")
    add = show.add_argument
    add("-o", "--format", metavar="LIST", action="append", help="FIELD[%%[-]WIDTH],...")
    add("-b", "--brief", action="store_const", const=fields.BRIEF, dest="preset")
    add("-l", "--long", action="store_const", const=fields.LONG, dest="preset")
    add("-e", "--helpformat", action="store_true", help="list the fields")
    add("-X", "--allocations", action="store_true", help="one row for each job")
    add("-T", "--truncate", action="store_true", help="cut times to those of -S and -E")
    add("--libs", action="store_true", help="show the libraries of each run")
    add("--coverage", action="store_true", help="for how many tasks the records speak, and why not")
    add("-n", "--noheader", action="store_true")
    add("-P", "--parsable2", dest="parsable", action="store_const", const="without",
        help="columns separated by |")  # fmt: skip
    add("-p", "--parsable", dest="parsable", action="store_const", const="with",
        help="the same, with a | at the end")  # fmt: skip
    add("--delimiter", default="|", help="instead of | with -p and -P")
    add("--csv", action="store_true")
    add("--json", action="store_true")
    add("--units", metavar="[KMGTP]", type=unit, help="of the memory that Slurm accounts")
    add("--noconvert", action="store_true", help="memory in the unit in which Slurm has it")
    add("-h", "--help", action="help", help="show this and exit")
    if own:
        parser.set_defaults(store=own.address, no_sacct=True)
        return parser
    add("--no-sacct", action="store_true", help="do not ask Slurm's accounting")
    program.add_store_option(parser)
    return parser


def unit(text):
    if len(text) != 1 or text.upper() not in UNITS:
        raise argparse.ArgumentTypeError("must be one of " + UNITS)
    return text.upper()


def parse_options(own):
    options = parser(own).parse_args()
    options.allusers = options.allusers or own is not None
    special = ("exec", "lib", "module", "compiler", "built_by", "built_by_others", "function", "env",
               "pkg", "uuid", "libs", "allocations", "states", "qos")  # fmt: skip
    if options.coverage and any(getattr(options, name) for name in special):
        raise program.Failure("--coverage goes with jobs, users, accounts, places and times only")
    return options


def print_fields(listed):
    for at in range(0, len(listed), 4):
        print("".join("%-19s " % name for name, _, _ in listed[at : at + 4]).rstrip())


def accounting(options, facts, states):
    """None where neither Slurm's facts are wanted, nor the states that need them."""
    if options.no_sacct or not (facts or states):
        return None
    units = ["--units=" + options.units] if options.units else []
    return slurm.Accounting(units or (["--noconvert"] if options.noconvert else []), facts)


class Wanted:
    """Arguments of runs.read()."""

    def __init__(self, options, columns, now, period):
        names = {name for name, _, _ in columns}
        self.now, self.period = now, period
        self.duplicates, self.truncate = options.duplicates, options.truncate
        self.divided = bool(options.json or options.allocations or names & fields.DIVIDED)
        self.packages = options.json or "Packages" in names
        self.qos = {name.lower() for name in split(options.qos)} if options.qos else None
        from_slurm = options.json or options.allocations or options.qos
        self.facts = bool(from_slurm or names & fields.FROM_SLURM)
        states = bool(names & {"State", "ExitCode"}) or options.states is not None
        self.accounting = accounting(options, self.facts and not options.json, states or options.json)


def selected_runs(store, options, columns, now):
    named = bool(options.jobs or options.uuid)
    period = window(options, now, named)
    states = None if options.states is None else parse_states(options.states)
    selection = Selection()
    select_place(selection, options)
    select_window(selection, period)
    select_software(selection, options, store)
    wanted = Wanted(options, columns, now, period)
    found = runs.read(store, selection, wanted)
    if options.allocations:
        found = allocations(found, wanted)
    return (run for run in found if states is None or run["state"] in states)


def selected_coverage(store, options, now):
    """By days in the store's time zone."""
    use_timezone(store)
    selection = Selection()
    select_place(selection, options)
    period = window(options, now, bool(options.jobs))
    is_part = bool(options.node) or any("." in job for job in split(options.jobs or ""))
    return coverage.read(store, selection, period, is_part)


def print_rows(store, options, columns, now):
    if options.coverage:
        rows, name = selected_coverage(store, options, now), "coverage"
    else:
        rows, name = selected_runs(store, options, columns, now), "runs"
    if options.json:
        more = {"allocation": coverage.totals(rows, coverage.EXACT_PLACES)} if options.coverage else {}
        if not options.coverage:
            rows = (output.json_run(run, fields) for run in rows)
        output.print_json(name, rows, options.store, now, more)
    elif options.csv:
        output.print_csv(rows, columns, options)
    elif options.parsable:
        output.print_delimited(rows, columns, options)
    else:
        if options.coverage and not options.noheader:
            print(coverage.headline(rows) + "\n")
        output.print_table(rows, columns, options)


def default_format(options):
    if options.coverage:
        return coverage.DEFAULT
    return options.preset or fields.DEFAULT


def main(own=None):
    options = parse_options(own)
    listed = coverage.FIELDS if options.coverage else fields.FIELDS
    if options.helpformat:
        print_fields(listed)
        return
    now = time.time()
    columns = fields.parse_format(",".join(options.format or [default_format(options)]), listed)
    in_rows = options.csv or options.parsable
    if options.libs and in_rows and "Libs" not in (name for name, _, _ in columns):
        columns.append(fields.find_field("Libs", listed))
    store = None
    try:
        store = own.open() if own else open_store(options.store)
        print_rows(store, options, columns, now)
    except program.Failure as failure:
        if store is not None:
            raise
        raise program.Failure("jobtrail-acct: %s" % failure) from None
    except Exception as error:
        if store is None or not isinstance(error, store.errors):
            raise
        raise program.Failure("jobtrail-acct: %s" % trouble(options.store, error)) from None
