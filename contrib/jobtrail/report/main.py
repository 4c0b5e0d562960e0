# SPDX-License-Identifier: LGPL-2.1-or-later
"""What software a cluster runs, in tables. See jobtrail-report(1)."""

import argparse
import time

from .. import program
from ..hostlist import split
from ..replacing import Replacing
from ..store import open_store, trouble
from ..text import escape, file_path
from ..times import format_time, parse_time
from . import days, html_output, text_output
from .families import Families
from .model import KINDS, Model
from .numbers import EXACT_PLACES
from .pages import ALLOCATED_BY, CALENDARS, ORDERS, PAGES
from .summary import Summary, default_path


def parser(own=None):
    """`own`: for jobtrail-own, without the options that name a file."""
    parser = program.Parser(prog="jobtrail-report", description=__doc__)
    add = parser.add_argument
    add("page", nargs="*", metavar="PAGE", help="; ".join(PAGES) + ". Default: all")
    add("-S", "--starttime", metavar="TIME", help="first day; default: a year before the last one")
    add("-E", "--endtime", metavar="TIME", help="last day; default: today")
    add("-u", "--user", metavar="LIST", help="runs of these users only")
    add("-A", "--account", "--accounts", metavar="LIST", help="runs in these accounts only")
    add("-M", "--cluster", "--clusters", metavar="LIST", help="runs on these clusters (syshost) only")
    add("--by", choices=sorted(ORDERS), default="hours", help="order of the tables; default: hours")
    add("--of", choices=list(dict.fromkeys(KINDS + ALLOCATED_BY)),
        help="rows of weekdays, months (default: libraries) and allocation (default: clusters)")  # fmt: skip
    add("--top", type=count, default=25, metavar="N", help="rows of a table; 0: all; default: 25")
    add("--raw", action="store_true", help="count records, without weights by sampling probability")
    add("--full-paths", action="store_true", help="executables by path instead of name")
    add("--csv", dest="form", action="store_const", const="csv", help="comma-separated values")
    add("--json", dest="form", action="store_const", const="json")
    add("--html", dest="form", action="store_const", const="html", help="one page for a browser")
    if own:
        parser.set_defaults(store=own.address, families=None, output=None, summary=None, update=False)
        return parser
    add("--families", metavar="FILE", type=file_path, help="map of executables to program families")
    add("-o", "--output", metavar="FILE", type=file_path,
        help="instead of standard output; replaced when whole")  # fmt: skip
    add("--summary", metavar="FILE", type=file_path, help="cache of sums; default: beside a SQLite store,"
        " else /var/cache/jobtrail/summary.db")  # fmt: skip
    add("--update", action="store_true", help="bring the cache up to date, and report nothing")
    program.add_store_option(parser)
    return parser


def count(text):
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be a number from 0 on")
    return int(text)


def check_options(options):
    for name in options.page:
        if name not in PAGES:
            raise program.Failure("there is no page %s; there are %s" % (escape(name), ", ".join(PAGES)))
    if options.update and (options.page or options.form or options.output):
        raise program.Failure("--update makes no report: call jobtrail-report once more for that")
    for name in options.page if options.of else ():
        if name == "allocation" and options.of not in ALLOCATED_BY or name in CALENDARS and options.of not in KINDS:
            raise program.Failure("there is no page %s of %s" % (name, options.of))
    for name in ("user", "account", "cluster"):
        text = getattr(options, name)
        setattr(options, name, split(text) if text else None)


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
    low, high = runs_range or (None, None)
    return {
        "store": options.store,
        "made": format_time(now),
        "raw": options.raw,
        "sampled": bool(estimates.largest) or estimates.left_runs > 0,
        "runs": round(runs, 1),
        "runs_low": low if low is None else round(low, 1),
        "runs_high": high if high is None else round(high, 1),
        "jobs": total.jobs,
        "users": bin(total.users).count("1"),
        "accounts": bin(total.accounts).count("1"),
        "numbers": numbers_of(model, total, first, last),
    }


def numbers_of(model, total, first, last):
    """What stands at the head of each page."""
    numbers = model.numbers()
    inclusive, interval = model.estimates().inclusive(total)
    low, high = interval or (None, None)
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
    }


def print_report(model, options, now):
    pages = [PAGES[name](model, options) for name in options.page or PAGES]
    head = head_of(model, options, now)
    if options.form == "html":
        html_output.print_html(head, pages, model.hours_by_day())
    elif options.form == "json":
        text_output.print_json(head, pages)
    elif options.form == "csv":
        text_output.print_csv(head, pages)
    else:
        text_output.print_text(head, pages)


def main(own=None):
    now = time.time()
    store = None
    try:
        options = parser(own).parse_args()
        check_options(options)
        families = Families(options.families)
        store = own.open() if own else open_store(options.store)
        zone = days.use_zone_of(store)
        read_times(options, now)
        path = None if own else options.summary or default_path(options.store)
        summary = Summary(store, options.store, path, options.update)
        if not options.update:
            with Replacing(options.output):
                print_report(Model(store, summary, options, families, zone), options, now)
    except program.Usage:
        raise
    except program.Failure as failure:
        raise program.Failure("jobtrail-report: %s" % failure) from None
    except Exception as error:
        if store is None or not isinstance(error, store.errors):
            raise
        raise program.Failure("jobtrail-report: %s" % trouble(options.store, error)) from None
