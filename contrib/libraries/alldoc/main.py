# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-alldoc(1)."""

import argparse
import json
import os
import sqlite3
import sys

from ... import hints, program
from ...conf import SIZES, size
from ...program import Failure, Parser
from ...text import escape, file_path, fit, stored
from . import command, database, search, show
from .indexing import TOLD, Run
from .sources import TREES, Sources

NOTHING, TROUBLE, INCOMPLETE = 1, 2, 4  # exit status; database.BUSY is 3
USAGE = """%(prog)s [OPTION]... WORD...
       %(prog)s [OPTION]... --routine NAME | --library NAME [WORD]...
       %(prog)s --show ID
       %(prog)s index [OPTION]..."""


def bytes_of(text):
    digits = text[:-1] if text[-1:] in SIZES else text
    if not digits.isdecimal() or not 0 < size(text) <= 1 << 30:
        raise argparse.ArgumentTypeError("%s is no number of bytes from 1 to 1G" % escape(text))
    return size(text)


def number_of(text):
    if not text.isdecimal() or not 0 < int(text) < 1 << 31:
        raise argparse.ArgumentTypeError("%s is no number above 0" % escape(text))
    return int(text)


def kinds_of(text):
    try:
        return search.checked_kinds(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_common(parser):
    parser.add_argument(
        "--index", metavar="FILE", default=stored(os.environ.get("JOBTRAIL_ALLDOC") or "") or database.DEFAULT,
        help="the index; default: $JOBTRAIL_ALLDOC, else " + database.DEFAULT,
    )
    program.add_version_option(parser, "jobtrail-alldoc")


def search_parser():
    parser = Parser(
        prog="jobtrail-alldoc", usage=USAGE, allow_abbrev=False,
        description="Finds documentation of libraries: man pages, share/doc, help of modules, pkg-config, comments of headers, and what commands"
        " of the site say.",
    )
    add = parser.add_argument
    add("words", nargs="*", metavar="WORD", help="the text has all of them; NAME* finds words that begin so")
    add("-r", "--routine", metavar="NAME", help="what describes or declares this routine")
    add("-l", "--library", metavar="NAME", help="what belongs to this library or module")
    add("--library-version", metavar="VERSION", help="of this version: 1.2 has 1.2.13, too")
    add("-k", "--kind", metavar="KIND,...", type=kinds_of, help="only of these: man, doc, module, pkgconfig, header, command")
    add("-n", "--limit", metavar="N", type=number_of, default=20, help="at most N documents; default: 20")
    add("-s", "--show", metavar="ID", type=number_of, help="open the document of this number")
    add("--json", action="store_true", help="JSON")
    add_common(parser)
    return parser


def index_parser():
    parser = Parser(prog="jobtrail-alldoc index", allow_abbrev=False, description="Makes the index, or brings it up to date.")
    add = parser.add_argument
    for kind in TREES:
        add("--" + kind, metavar="DIRECTORY", action="append", default=[], help="of this kind; may be repeated; none: leave the kind out")
    add("--sources", metavar="FILE", help="directories and commands of the site; default: alldoc.conf beside jobtrail.conf")
    add("--text-size", metavar="BYTES", type=bytes_of, default=4 << 20, help="read at most this much of a text; default: 4M")
    add("--command-time", metavar="SECONDS", type=number_of, default=10, help="stop a command after this time; default: 10")
    add("--user", default="nobody", help="the user that root runs commands as; default: nobody")
    add("--rebuild", action="store_true", help="read everything again")
    add("-q", "--quiet", action="store_true", help="print only what is wrong")
    add_common(parser)
    return parser


def make_index(arguments):
    options = index_parser().parse_args(arguments)
    trees = {kind: [os.path.abspath(file_path(path)) if path != "none" else path for path in getattr(options, kind)] for kind in TREES}
    sources = Sources(options.sources and file_path(options.sources), trees)
    user = command.account(options.user) if sources.commands else None
    path = os.path.abspath(file_path(options.index))
    limits = {"bytes": options.text_size, "seconds": options.command_time, "user": user}
    runs = []

    def run(base):
        runs.append(Run(base, sources, limits, 0 if runs else TOLD))
        runs[-1].make()
        return runs[-1].is_changed, runs[-1].has_closed

    database.Building(path, options.rebuild).make(run)
    if not options.quiet:
        why = "; rebuilt, since some documents are no longer readable for all" if len(runs) > 1 else ""
        print("%s: %s%s" % (escape(stored(path)), runs[-1].summary(), why))
    return INCOMPLETE if runs[-1].troubles else 0


def print_hits(hits, options):
    width = max(len(str(hit.id)) for hit in hits)
    for hit in hits:
        name = " ".join([hit.title] + hit.libraries[:3] + ([hit.version] if hit.version else []))
        print("%s %s %s" % (fit(str(hit.id), width), fit(hit.kind, -9), escape(name)))
        place = hit.command if hit.path is None else hit.path + (":%d" % hit.line if hit.line > 1 else "")
        print("%s %s" % (" " * width, escape(place)))
        snippet = hit.snippet(options.words, options.routine)
        if snippet:
            print("%s   %s" % (" " * width, escape(snippet)))


def find(base, options):
    question = search.Question(base, options)
    hits, number = question.hits()
    if options.json:
        rows = [hit.values(hit.snippet(options.words, options.routine)) for hit in hits]
        json.dump({"found": number, "documents": rows}, sys.stdout, indent=1)
        print()
    elif hits:
        print_hits(hits, options)
        if number > len(hits):
            hints.tell("%d of %d; --limit shows more" % (len(hits), number))
    if not hits:
        hints.tell("nothing was found" + question.hint())
    return 0 if hits else NOTHING


def main():
    program.failure_status = TROUBLE
    if sys.argv[1:2] == ["index"]:
        sys.exit(make_index(sys.argv[2:]))
    parser = search_parser()
    options = parser.parse_args()
    if options.show is None and not (options.words or options.routine or options.library or options.library_version or options.kind):
        parser.error("name words, --routine, --library or --show")
    base = database.open_index(options.index)
    try:
        if options.show is not None:
            sys.exit(show.show(search.by_id(base, options.show), options.index))
        sys.exit(find(base, options))
    except (sqlite3.Error, ValueError, TypeError) as error:  # the last two of what only a damaged one has
        raise Failure("%s: %s" % (escape(options.index), escape(str(error)))) from None
