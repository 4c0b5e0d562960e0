# SPDX-License-Identifier: LGPL-2.1-or-later
"""A response of HTTP/1. It is complete before it is sent: its length is known, so a client notices a cut."""

import http

from ..page.frame import digest

# What is shown is of one user's rights, and no other site has a use for it.
FIELDS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("X-Frame-Options", "DENY"),
    ("Connection", "close"),
)
NOTHING = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
KINDS = {
    "html": "text/html; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "json": "application/json",
    "text": "text/plain; charset=utf-8",
}


def policy(styles=(), scripts=()):
    """A Content-Security-Policy by which these texts work inside of the page, and nothing else does."""
    found = NOTHING + "; img-src data:"
    for name, texts in (("style-src", styles), ("script-src", scripts)):
        if texts:
            found += "; %s %s" % (name, " ".join("'sha256-%s'" % digest(text) for text in texts))
    return found


class Response:
    """`body`: bytes. `policy`: the Content-Security-Policy. `fields`: more of (name, value)."""

    def __init__(self, status, kind, body, policy=NOTHING, fields=()):
        self.status, self.body = status, body
        self.fields = (("Content-Type", KINDS[kind]), ("Content-Security-Policy", policy), *fields, *FIELDS)

    def encode(self, method="GET", more=()):
        """Bytes. `more`: fields beside those of the response."""
        lines = ["HTTP/1.1 %d %s" % (self.status, http.HTTPStatus(self.status).phrase)]
        lines += ["%s: %s" % field for field in (*self.fields, *more, ("Content-Length", len(self.body)))]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        return head if method == "HEAD" else head + self.body


def plain(status, text, fields=()):
    """A short message."""
    if status == 405:
        fields = (("Allow", "GET, HEAD"), *fields)
    return Response(status, "text", (text + "\n").encode("utf-8", "backslashreplace"), fields=fields)
