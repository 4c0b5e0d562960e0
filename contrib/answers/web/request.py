# SPDX-License-Identifier: LGPL-2.1-or-later
"""A request of HTTP/1, and which page it asks for.

Only GET and HEAD are known, and no request has a body. The form of the whole head is checked before the standard
library reads the fields: no folded lines, no control characters, no line that is not a field.
"""

import contextlib
import http.client
import io
import re
import urllib.parse

from ...pattern import Pattern
from ...program import Failure
from ...text import STORED, escape, file_path

HEAD_MAX = 32 << 10
FIELDS_MAX = 99  # the standard library takes 100 lines with the empty one
END = b"\r\n\r\n"
HEAD = Pattern(
    rb"([A-Z]{1,16}) ([!-~]{1,16384}) HTTP/1\.[01]\r\n"
    rb"((?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*\r\n)\Z"
)
METHODS = ("GET", "HEAD")
PARAMETERS_MAX = 40
FORMS = ("csv", "json")


class Refused(Exception):
    """Why a request gets no page: `status` of HTTP and a sentence."""

    def __init__(self, status, why):
        super().__init__(why)
        self.status, self.why = status, why


@contextlib.contextmanager
def as_asked():
    """What fails inside is the fault of what was asked for."""
    try:
        yield
    except Failure as failure:
        raise Refused(getattr(failure, "http_status", 400), str(failure)) from None
    except (ValueError, OverflowError, RecursionError, re.error) as error:
        raise Refused(400, "Bad request: %s." % escape(str(error))) from None


class Head:
    """Method, target and fields of a request's head, which are bytes up to and with the empty line."""

    def __init__(self, data):
        match = HEAD.match(data)
        if match is None:
            raise Refused(400, "This is not an HTTP/1 request.")
        method, target, fields = match.groups()
        self.method, self.target = method.decode(), target.decode()
        if fields.count(b"\r\n") - 1 > FIELDS_MAX:
            raise Refused(431, "The request has too many fields.")
        try:
            self.fields = http.client.parse_headers(io.BytesIO(fields))
        except http.client.HTTPException:
            raise Refused(431, "The request's fields cannot be read.") from None
        if self.method not in METHODS:
            raise Refused(405, "Only GET and HEAD are supported.")
        if "Transfer-Encoding" in self.fields or self.field("Content-Length") not in (None, "0"):
            raise Refused(400, "A request for a page has no body.")

    def field(self, name):
        """The value of a field; None if there is none. One that is there twice says nothing for certain."""
        values = self.fields.get_all(name, [])
        if len(values) > 1:
            raise Refused(400, "The request has the field %s twice." % name)
        return values[0].strip() if values else None


class Page:
    """What a target names: `route`, the last part of its path; `form`: html, csv or json; `values`: its parameters, in
    the form in which the store has text. Sites may put the pages below any path, so that what is before is not looked at."""

    def __init__(self, target):
        if not target.startswith("/") or "#" in target:
            raise Refused(400, "The request names no path.")
        path, _, query = target.partition("?")
        name = text_of(path.rsplit("/", 1)[1])
        self.route, dot, self.form = name.rpartition(".")
        if not dot or self.form not in FORMS:
            self.route, self.form = name, "html"
        parts = [part for part in query.split("&") if part]
        if len(parts) > PARAMETERS_MAX:
            raise Refused(400, "The request has too many parameters.")
        self.values = {}
        for part in parts:
            key, _, value = part.partition("=")
            key = text_of(key)
            if key in self.values:
                raise Refused(400, "The request has the parameter %s twice." % escape(key))
            self.values[key] = text_of(value)


def text_of(quoted):
    """The inverse of quote()."""
    found = urllib.parse.unquote_to_bytes(quoted.replace("+", " "))
    return found.decode("utf-8", "surrogateescape").translate(STORED)


def quote(text):
    """A text of the store for a URL. Names may have any bytes."""
    return urllib.parse.quote(file_path(text).encode("utf-8", "surrogateescape"), safe="")


def url(route, values=(), form="html"):
    """A relative one: all pages lie beside each other. `values`: (name, text), in order; those without text are left out."""
    query = "&".join("%s=%s" % (quote(name), quote(str(text))) for name, text in values if text not in (None, ""))
    path = quote(route if form == "html" else "%s.%s" % (route or "overview", form))
    return (path or ".") + ("?" + query if query else "")
