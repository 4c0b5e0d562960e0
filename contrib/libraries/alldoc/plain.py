# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of share/doc: text, and HTML without its marks."""

import html

from ...pattern import Pattern
from .extract import document

NUMBER = Pattern(r"&#[0-9A-Fa-fXx]{9,};?")  # of no character; Python's limit of digits is an error
PACKAGE = Pattern(r"(.+?)-(\d[\w.]*)\Z")


def without_marks(text):
    """The text of HTML; scripts and styles stay out."""
    first, *pieces = text.split("<")
    out, hidden = [first], ""
    for piece in pieces:
        mark, _, words = piece.partition(">")
        name = mark[:8].lower()
        if hidden:
            if not name.startswith("/" + hidden):
                continue
            hidden = ""
        elif name.startswith(("script", "style")):
            hidden = "script" if name.startswith("script") else "style"
            continue
        out.append(words)
    return html.unescape(NUMBER.sub(" ", " ".join(out)))


def documents(text, path, file_name):
    """path: below the tree, which begins with the package's name."""
    if file_name.lower().endswith((".html", ".htm", ".xhtml")):
        text = without_marks(text)
    package = path.split("/")[0] if "/" in path else ""
    match = PACKAGE.match(package)
    name, version = match.groups() if match else (package, "")
    first = next((line for line in text[:4000].split("\n") if any(c.isalnum() for c in line)), "")
    return [document(file_name, text, libraries=[name] if name else [], version=version, summary=first)]
