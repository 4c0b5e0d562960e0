# SPDX-License-Identifier: LGPL-2.1-or-later
"""What software a cluster runs, in tables. See jobtrail-report(1)."""

import argparse
import os
import time

from .. import extensions, program
from ..acct.select import user_name
from ..asking import ask_service
from ..hostlist import expand, split
from ..replacing import Replacing
from ..store import open_store, trouble
from ..text import file_path, stored
from ..times import format_time, parse_time
from . import chosen, days, findings, fitting, publishing, text_output
from .allocation_pages import ALLOCATED_BY
from .families import Families
from .link_page import LINKED_BY
from .model import KINDS, Model
from .numbers import EXACT_PLACES, lists_line
from .summary import Summary, default_path
from .usage import ORDERS
from .use_parts import USES, use_of

TABLES = ("csv", "jsonl")  # forms of one page


def parser(own=None):
    """`own`: without the options that name a file; see main()."""
    parser = program.Parser(prog="jobtrail-report", description=__doc__)
    program.add_version_option(parser, parser.prog)
    parser.add_argument("page", nargs="*", metavar="PAGE", help=", ".join(fitting.PAGES) + ". Default: all")
    choose, show, files = (parser.add_argument_group(title) for title in ("which runs", "what is shown", "files"))
    add = choose.add_argument
    add("-S", "--starttime", metavar="TIME")
    add("-E", "--endtime", metavar="TIME", help="first and last day; default: a year up to today")
    add("-u", "--user", metavar="LIST")
    add("-A", "--account", "--accounts", metavar="LIST", help="of these")
    add("-M", "--cluster", "--clusters", metavar="LIST")
    add("-r", "--partition", metavar="LIST", help="on these")
    add("-N", "--node", "--nodelist", metavar="LIST", help="on these nodes: n1,n[3-5]")
    add("--exec", metavar="GLOB", action="append", help="executables of this name or path")
    add("--lib", metavar="NAME[>=VERSION]", action="append", help="that loaded this library")
    add("--module", metavar="NAME[/VERSION]", action="append", help="that used a file of this module")
    add("--pkg", metavar="NAME[>=VERSION]", action="append", help="that loaded this package of R, Python")
    add = show.add_argument
    add("--by", metavar="ORDER", choices=sorted(ORDERS), help="order of rows: %s; default: hours" % ", ".join(sorted(ORDERS)))
    kinds = list(dict.fromkeys(KINDS + ALLOCATED_BY + LINKED_BY + ("routines", "libraries", "users")))
    add("--of", metavar="KIND", choices=kinds, help="rows of weekdays, months, trends, allocation, links, mpi, routines: " + ", ".join(kinds))
    add("--use", metavar="USE", type=use_of, help="what weekdays and months count: " + ", ".join(USES))
    add("--top", type=count, metavar="N", help="rows of a table; 0: all; default: 25, all for programs")
    add("--raw", action="store_true", help="records without weights")
    add("--full-paths", action="store_true", help="executables by path instead of name")
    add("--without", metavar="LIST", type=lambda text: text.split(","), default=[], help="leave out these pages and the names on them")
    add("--pseudonyms", action="store_true", help="replace names of people, and names that may contain one")
    add = show.add_mutually_exclusive_group().add_argument
    add("--csv", dest="form", action="store_const", const="csv")
    add("--jsonl", dest="form", action="store_const", const="jsonl", help="the rows of one page, and all of them")
    add("--json", dest="form", action="store_const", const="json", help="all pages, for programs")
    program.add_of(add, "answers", "--html", dest="form", action="store_const", const="html", help="one page for a browser")
    add = files.add_argument
    if own:
        parser.set_defaults(store=own.address, families=None, libraries=None, output=None, summary=own.summary, update=False,
                            pseudonym_key=None, entries=None, routine_logs=None)
        own.add_options(parser, "report")
        return parser
    add("--pseudonym-key", metavar="FILE", type=file_path, help="secret of the pseudonyms; default: a new one")
    add("--families", metavar="FILE", type=file_path, help="map of executables to program families")
    program.add_of(add, "libraries", "--libraries", "JOBTRAIL_LIBRARIES", metavar="FILE", help="the site's libraries; default: $JOBTRAIL_LIBRARIES")
    program.add_of(add, "routines", "--entries", metavar="FILE", help="of uncalled: the library, or a list of its routines")
    add("-o", "--output", metavar="FILE", type=file_path, help="write to this file")
    add("--summary", metavar="FILE", type=file_path)
    add("--update", action="store_true", help="file of sums by day; bring it up to date, and report nothing")
    program.add_of(add, "routines", "--routine-logs", "JOBTRAIL_ROUTINE_LOGS", metavar="DIR",
        default=stored(os.environ.get("JOBTRAIL_ROUTINE_LOGS") or "") or None,
        help="of --update: logs of calls; default: $JOBTRAIL_ROUTINE_LOGS")  # fmt: skip
    program.add_store_option(parser)
    return parser


def count(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be a number from 0 on")
    return int(text)


def check_options(options, own=None):
    fitting.check(options)
    publishing.check(options)
    if options.node and options.summary and not own:
        raise program.Failure("--node reads the runs themselves: --summary does not go with it")
    if options.form in TABLES and len(options.page) != 1:
        raise program.Failure("--%s is one table: name one page, as in jobtrail-report users --%s" % (options.form, options.form))
    options.by = options.by or "hours"
    if options.top is None:
        options.top = 25 if options.form in (None, "html") else 0
    for name in chosen.PEOPLE:
        text = getattr(options, name)
        setattr(options, name, split(text) if text else None)
    options.user = options.user and [user_name(name) for name in options.user]
    options.node = expand(options.node) if options.node else None
    chosen.check_nodes(options.node or ())
    options.programs = chosen.programs(options)


def read_times(options, now):
    """To be called when the time zone is known."""
    options.now = now
    last = parse_time(options.endtime, now) if options.endtime else now
    options.last_day = days.of_time(last)
    if options.starttime:
        options.first_day = days.of_time(parse_time(options.starttime, now))
    else:
        options.first_day = options.last_day - 364
    if options.first_day > options.last_day:
        raise program.Failure(
            "Start time (%s) requested is after end time (%s)."
            % (format_time(days.begin(options.first_day)), format_time(days.begin(options.last_day)))
        )


def head_of(model, options, now):
    total = model.total()
    estimates = model.estimates()
    runs, runs_range = estimates.runs(total, True)
    first, last = model.days_text()
    not_told = model.not_told()
    low, high = runs_range or (None, None)
    return {
        "store": options.store.partition(":")[0] if options.pseudonyms else options.store,
        "made": format_time(now),
        "raw": options.raw,
        "sampled": bool(estimates.largest or estimates.left_runs or estimates.left_hours != 0 or not_told),
        "runs": round(runs, 1),
        "runs_low": low if low is None else round(low, 1),
        "runs_high": high if high is None else round(high, 1),
        "jobs": total.jobs,
        "users": bin(total.users).count("1"),
        "accounts": bin(total.accounts).count("1"),
        "filters": chosen.filters(options),
        "left_out": publishing.without_line(options),
        "pseudonyms": publishing.PSEUDONYMS if options.pseudonyms else None,
        "runs_not_told": not_told,
        "findings": [] if options.page else findings.sentences(model, lambda name: not publishing.is_left_out(name, options)),
        "lists_lack": lists_line(model, True) if options.lib or options.module else None,
        "numbers": numbers_of(model, total, first, last),
    }


def numbers_of(model, total, first, last):
    """What stands at the head of each page."""
    numbers = model.numbers()
    inclusive, interval = model.estimates().inclusive(total)
    low, high = interval or (None, None)
    programs_low, programs_high = (numbers.interval if model.is_of_programs else None) or (None, None)
    return {
        "first": first,
        "last": last,
        "timezone": model.zone,
        **numbers.rounded(EXACT_PLACES),
        "coverage": None if numbers.coverage is None else round(numbers.coverage, EXACT_PLACES),
        "not_allocated": round(numbers.not_allocated, EXACT_PLACES),
        "inclusive": round(inclusive, EXACT_PLACES),
        "inclusive_low": low if low is None else round(low, EXACT_PLACES),
        "inclusive_high": high if high is None else round(high, EXACT_PLACES),
        "running": round(total.running, EXACT_PLACES),
        "jobs": total.jobs,
        "jobs_in_accounting": model.told_jobs(),
        "programs_low": programs_low if programs_low is None else round(programs_low, EXACT_PLACES),
        "programs_high": programs_high if programs_high is None else round(programs_high, EXACT_PLACES),
    }


def print_report(model, options, now):
    chosen.tell_unknown(model, options)
    names = [name for name in options.page or fitting.made(model, options) if not publishing.is_left_out(name, options)]
    pages = [fitting.PAGES[name](model, options) for name in names]
    head = head_of(model, options, now)
    if options.form == "html":
        extensions.question("html_door", "print_html")(head, pages, model)
    elif options.form == "json":
        text_output.print_json(head, pages)
    elif options.form in TABLES:
        text_output.print_table(head, pages[0], options.form)
    else:
        text_output.print_text(head, pages)


def main(own=None):
    """`own`: as in acct/main.py, with `summary`, the file of sums, or None, and is_seen(user, account), or None for all."""
    now = time.time()
    store = None
    options = parser(own).parse_args()
    try:
        check_options(options, own)
    except program.Failure as failure:
        raise program.Failure("jobtrail-report: %s" % failure) from None
    if ask_service(options, "report"):
        return
    try:
        families = Families(options.families)
        store = own.open() if own else open_store(options.store)
        zone = days.use_zone_of(store)
        read_times(options, now)
        path = options.summary if own else options.summary or default_path(options.store)
        summary = Summary(store, options.store, path, options.update, own and own.is_seen, options.node)
        if options.update and options.routine_logs:
            extensions.question("update_door", "update")(store, options.store, options.routine_logs, days.zone_of(store))
        if not options.update:
            with Replacing(options.output):
                print_report(Model(store, summary, options, families, zone), options, now)
    except program.Failure as failure:
        raise program.Failure("jobtrail-report: %s" % failure) from None
    except Exception as error:
        if store is None or not isinstance(error, store.errors):
            raise
        raise program.Failure("jobtrail-report: %s" % trouble(options.store, error)) from None
