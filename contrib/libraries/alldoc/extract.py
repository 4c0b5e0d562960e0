# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the readers of man pages, headers and other kinds return for a text. Texts are foreign: a reader's time is in
proportion to their size, and nothing in them raises an exception."""

import collections

from ...pattern import Pattern

# One thing to find. name: of the page, file or routine. section: of a man page. libraries: names, as library_name() makes
# them. version, summary: texts, "" where not known. line: where it begins. routines: (name, line) of what it describes.
# text: what is searched, in a form for people; the index does not keep it.
Document = collections.namedtuple("Document", "name section libraries version summary line routines text")

SUMMARY_MAX = 160
NAME_MAX = 200
ROUTINES_MAX = 20000  # of one file
VERSION = Pattern(r"\d{1,9}(?:\.\d{1,9}){1,6}")
SONAME = Pattern(r"\.(?:so|a)(?:\.[0-9.]{1,40})?\Z")
PARTS = Pattern(r"-(?:dev|devel|doc|docs|common)\Z")


def document(name, text, section="", libraries=(), version="", summary="", line=1, routines=()):
    names = dict.fromkeys(library_name(library) for library in libraries if library)
    return Document(
        name[:NAME_MAX], section, list(names), version[:NAME_MAX], one_line(summary), line, list(routines)[:ROUTINES_MAX], text
    )


def one_line(text):
    return " ".join(text[: 4 * SUMMARY_MAX].split())[:SUMMARY_MAX]


def library_name(text):
    """The name of a library, as people and linkers have it: of libz.so.1, zlib1g-dev, -lz."""
    name = SONAME.sub("", text[:NAME_MAX].lower())
    name = PARTS.sub("", name)
    return name[3:] if name.startswith("lib") and len(name) > 3 else name


def version_in(text):
    found = VERSION.search(text[:NAME_MAX])
    return found.group() if found else ""
