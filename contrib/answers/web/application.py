# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a request to a response, with the rights of who asks."""

import contextlib
import io
import sys
import time
import traceback

from ...hints import hint
from ...pattern import Pattern
from ...program import Failure
from ...report.pages import OF_EXTENSION
from ...text import escape
from . import layout, tables
from .pages import ROUTES
from .request import Page, Refused
from .response import Response, plain, policy

LINES_MAX, LINE_MAX = 20, 500  # of messages
PROGRAM = Pattern(r"jobtrail-[a-z]+: ")


def message(page, status, text):
    if page is None or page.form != "html":
        return plain(status, text)
    shown = layout.show_message(status, text)
    return Response(status, "html", shown.encode("utf-8", "backslashreplace"), policy(*layout.texts()))


def respond(asker, page, now):
    """The Response to who asks for a request.Page. `asker`: see data.Context."""
    try:
        return answer(asker, page, now)
    except Refused as refused:
        return message(page, refused.status, refused.why)
    except Failure as failure:
        return message(page, 500, str(failure))


def answer(asker, page, now):
    if page.route not in ROUTES:
        raise Refused(404, "There is no page %s%s" % (escape(page.route), hint(page.route, ROUTES, of=OF_EXTENSION) or "."))
    with contextlib.redirect_stderr(io.StringIO()) as said:
        sheet = ROUTES[page.route](asker, page, now)
    sheet.said += lines_of(said.getvalue())
    if page.form == "html":
        return Response(sheet.status, "html", layout.show(sheet).encode("utf-8", "backslashreplace"), policy(*layout.texts()))
    name = page.route or "overview"
    if page.form == "csv":
        if not sheet.tables:
            raise Refused(400, "There is no table here.")
        if not sheet.is_one:
            raise Refused(400, "There are several tables here: table= names the one for CSV.")
        text = tables.as_csv(sheet.tables[0])
    else:
        text = tables.as_json(head_of(sheet), sheet.tables)
    field = ("Content-Disposition", 'attachment; filename="%s.%s"' % (name, page.form))
    return Response(sheet.status, page.form, text.encode("utf-8", "backslashreplace"), fields=[field] if page.form == "csv" else ())


def lines_of(said):
    """What jobtrail-acct and jobtrail-report would print on the standard error, for people: without the program's name."""
    lines = [PROGRAM.sub("", line) for line in said.splitlines()[:LINES_MAX]]
    return [line if len(line) <= LINE_MAX else line[:LINE_MAX] + "..." for line in lines]


def head_of(sheet):
    """What JSON says beside the tables."""
    rights = sheet.context.asker.rights
    found = {"title": sheet.title, "of": "all" if rights.all else {"users": sorted(rights.users), "accounts": sorted(rights.accounts)}}
    if rights.lacking is not None:
        found["lacking"] = rights.lacking
    if sheet.head is not None:
        found.update({name: value for name, value in sheet.head.items() if name != "store"})
    if sheet.text is not None:
        found["text"] = sheet.text
    found.update(facts=dict(sheet.facts), messages=sheet.said)
    return found


def guarded(asker, page, now):
    """As respond(), also where the store or this program fails. The reason goes to the standard error."""
    try:
        return respond(asker, page, now)
    except MemoryError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc(file=sys.__stderr__)
        return message(page, 500, "The answer failed: %s" % type(error).__name__)


def main(own):
    """A page as the answer of the service to jobtrail-web(1): the whole response of HTTP is its standard output. `own`: as of acct.main(). The only argument is the target of the request."""
    try:
        if len(sys.argv) != 2:
            raise Refused(400, "The request names no path.")
        response = guarded(own, Page(sys.argv[1]), time.time())
    except Refused as refused:
        response = plain(refused.status, refused.why)
    sys.stdout.flush()
    sys.stdout.buffer.write(response.encode())
    sys.stdout.buffer.flush()
