# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a job ran, how it ended and why, and what it used of what it had asked for. See jobtrail-job(1)."""

import json
import sys
import time

from .. import program
from ..acct import main as acct
from ..asking import ask_service
from ..store import SCHEMA_VERSION, reading
from ..text import cell, escape
from . import diff, mail, repeat, wording
from .summary import IN_VAIN, summary

# {first word: (how many follow, what they are)}
COMMANDS = {"diff": (2, "two jobs, steps or runs"), "repeat": (1, "a job")}


def parser(own=None):
    """`own`: as of acct.main()."""
    parser = program.Parser(prog="jobtrail-job", description=__doc__,
                            usage="%(prog)s [OPTION]... JOB\n       %(prog)s [OPTION]... diff A B\n       %(prog)s [OPTION]... repeat JOB")  # fmt: skip
    add = parser.add_argument
    add("words", nargs="+", metavar="JOB", help="a job: 12, 6_1, 8+1, 12@2026-11-28; diff: what differs between two jobs, steps or"
        " runs; repeat: a script that does it again")  # fmt: skip
    add("-u", "--user", metavar="LIST", help="of these users")
    add("-a", "--allusers", action="store_true", help="of all users; root's default")
    add("-M", "--cluster", "--clusters", metavar="LIST", help="on these")
    add("-D", "--duplicates", action="store_true", help="of diff: also earlier attempts of requeued jobs")
    add("--json", action="store_true", help="for programs")
    add("--mail", metavar="ADDRESS")
    add("--subject", metavar="TEXT", help="the page as a mail, for sendmail -t; its subject")
    program.add_version_option(parser, parser.prog)
    if own:
        parser.set_defaults(store=own.address)
        own.add_options(parser, "job")
        return parser
    add("--no-sacct", action="store_true", help="do not ask Slurm's accounting")
    program.add_store_option(parser)
    return parser


def of_acct(given, own):
    """The options of jobtrail-acct, which choose runs, with those that are given, and `command`, `job` and `diff`."""
    options = acct.parser(own).parse_args([])
    vars(options).update(vars(given))
    options.command = given.words[0] if given.words[0] in COMMANDS else None
    words = given.words[1:] if options.command else given.words
    count, what = COMMANDS.get(options.command, (1, "one job"))
    if len(words) != count:
        raise program.Usage("jobtrail-job: %s takes %s\nTry 'jobtrail-job --help'." % (options.command or "the page", what))
    options.job, options.diff = words[0], words
    if options.command and options.mail is not None or options.subject is not None and options.mail is None:
        raise program.Failure("jobtrail-job: --subject goes with --mail only, and --mail with the page of a job", status=IN_VAIN)
    if options.mail is not None and not mail.MAIL_ADDRESS.match(options.mail):
        raise program.Failure("jobtrail-job: --mail: %s is no address" % escape(options.mail), status=IN_VAIN)
    acct.use_asker(options, own)
    return options


def print_page(store, options, now):
    found = summary(store, options, now)
    if options.mail and found["job"]["state"] in wording.LIVE:
        raise program.Failure("jobtrail-job: --mail: the job has not ended")
    if options.json:
        meta = {"store": options.store, "schema": SCHEMA_VERSION, "time": now}
        print(json.dumps(dict(meta=meta, **found), indent=1))
    elif options.mail:
        title = mail.subject(found) if options.subject is None else cell(options.subject)
        print(mail.mail(found, options.mail, title, wording.text_of(found)), end="")
    else:
        print(wording.text_of(found), end="")


def main(own=None):
    """`own`: as of acct.main()."""
    if "diff" in sys.argv[1:]:
        program.failure_status = diff.TROUBLE
    options = of_acct(parser(own).parse_args(), own)
    if ask_service(options, "job"):
        return
    now = time.time()
    answer = {"diff": diff.run, "repeat": repeat.run}.get(options.command, print_page)
    with reading("jobtrail-job", options.store, own) as store:
        answer(store, options, now)
