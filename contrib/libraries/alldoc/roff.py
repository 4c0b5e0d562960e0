# SPDX-License-Identifier: LGPL-2.1-or-later
"""Man pages, without running anything: macros and escapes of man(7) and mdoc(7) are taken out, which is enough for words."""

import collections
import re

from ...pattern import Pattern
from .extract import document, version_in

ESCAPE = Pattern(
    r"\\(?:"
    r"[fFmMk](?:\(..|\[[^]\n]{0,64}\]|.)"
    r"|s(?:[+-]?\d|\([+-]?..|\[[^]\n]{0,8}\])"
    r"|\*?\((..)|\*?\[([^]\n]{0,64})\]"
    r"|\*."
    r"|[hvwLlDoXZb]'[^'\n]{0,64}'"
    r"|(\"|\#).*"
    r"|(.)|\Z)"
)
SPECIAL = {
    "aq": "'", "cq": "'", "oq": "'", "lq": '"', "rq": '"', "dq": '"', "en": "-", "em": "--", "hy": "-", "bu": "*", "mi": "-", "rs": "\\",
    "co": "(c)", "ti": "~", "ha": "^", "R": "(R)", "T": "(TM)", "Tm": "(TM)", "L\"": '"', "R\"": '"', "ga": "`", "C`": '"', "C'": '"',
    "lt": "<", "gt": ">",
}
PLAIN = {"-": "-", "e": "\\", " ": " ", "~": " ", "0": " ", "\\": "\\", ".": ".", "'": "'", "`": "`", "t": " ", "_": "_"}
ARGUMENT = Pattern(r'"((?:[^"]|"")*)"?|(\S+)')
# macros whose arguments are no text
SILENT = set(
    """ad bp br cc ce ch c2 cf ds ec el eo ev fi ft hw hy ie if in it ll ls lt mc na ne nf nh nr ns nx pl pm pn po ps rd rm
    rn rr rs rt sp ss sv sy ta tc ti tl tr uf ul vs wh PD DT PP P LP RS RE UC AT TS TE EQ EN Bl El Bd Ed Pp Bk Ek Os Dd UE ME EE EX
    YS hcode de1 als am tm""".split()
)
CALL = Pattern(r"\b([A-Za-z_][A-Za-z0-9_]{1,99})\s{0,4}\(")
LINK_OPTION = Pattern(r"(?:\A|[\s(,\"'])-l([A-Za-z0-9_][A-Za-z0-9_.+-]{0,60})")
PAGE = Pattern(r"(.{1,200})\.([0-9nl][A-Za-z0-9]{0,20})\Z", re.S)
ROUTINE_SECTION = Pattern(r"[23](?!perl|pm)")
DASH = Pattern(r"\s(?:--?|\\-|\u2013|\u2014)\s")
KEYWORDS = {"if", "while", "for", "switch", "return", "sizeof", "defined", "attribute"}


def bare(line):
    """Without a comment."""
    return line.partition('\\"')[0].strip()


def plain(text):
    return ESCAPE.sub(replacement, text) if "\\" in text else text


def replacement(match):
    special = match.group(1) or match.group(2)
    if special:
        return SPECIAL.get(special, " ")
    return PLAIN.get(match.group(4) or "", "")


def arguments(text):
    """Of a macro's line; at most 200, since more are no page for people."""
    found = []
    for match in ARGUMENT.finditer(text):
        quoted, word = match.groups()
        found.append(plain(quoted.replace('""', '"') if word is None else word))
        if len(found) == 200:
            break
    return found


class Page:
    """The text of a page by its headings, in order, and what its title says."""

    def __init__(self, text):
        self.title, self.heading, self.sections, self.target = [], "", {}, ""
        self.out, self.functions, self.libraries = [], [], []
        self.end = ""  # of a macro that is defined, whose lines are no text
        lines = text.split("\n")
        self.ahead = collections.Counter(bare(line[1:]) for line in lines if line[:1] == ".")  # lines that could be such an end
        for line in lines:
            request = bare(line[1:]) if line[:1] == "." else None
            self.ahead[request] -= 1
            if self.end:
                if request == self.end:
                    self.end = ""
            elif line[:1] in (".", "'"):
                self.macro(line)
            else:
                self.add(plain(line))

    def add(self, line):
        self.out.append(line)
        lines = self.sections.setdefault(self.heading, [])
        if len(lines) < 400:
            lines.append(line)

    def macro(self, line):
        name, _, rest = line[1:].strip().partition(" ")
        if name.startswith("\\") or not name:
            return
        if name in ("de", "ig", "am"):
            words = bare(rest).split()[name != "ig" :]
            end = words[0] if words else "."
            self.end = end if self.ahead[end] > 0 else ""  # a page is not lost over a definition without an end
        elif name == "so":
            self.target = rest.strip()
        elif name not in SILENT:
            self.words(name, arguments(rest))

    def words(self, name, words):
        """A macro with text."""
        if name in ("TH", "Dt"):
            self.title = words
        elif name in ("SH", "Sh"):
            self.heading = " ".join(words).upper()
            self.out.append(" ".join(words))
        elif name == "Nd":
            self.add("- " + " ".join(words))
        elif name == "Lb":
            self.libraries += words[:1]
        elif name == "Fn" or name == "Fo":
            self.functions += [word.split()[-1] for word in words[:1] if word.split()]
            self.add(" ".join(words[:1]) + "(" + ", ".join(words[1:]) + ")")
        elif name in ("BR", "IR", "RB", "RI", "BI", "IB"):
            self.add("".join(words))
        else:
            self.add(" ".join(word for word in words if len(word) != 2 or word not in SILENT))

    def section(self, name):
        return "\n".join(self.sections.get(name, ()))


def page_name(file_name):
    """(name, section) of a file's name without .gz; None where it is no page."""
    match = PAGE.match(file_name)
    return match and match.groups()


def documents(text, path, file_name):
    """The one Document of a page."""
    name, section = page_name(file_name)
    page = Page(text)
    if page.target and not page.sections.get("NAME"):
        return [alias(name, section, page.target.rpartition("/")[2])]
    line = " ".join(page.section("NAME").split())
    before = DASH.split(" " + line + " ", 1)
    names, summary = (before + [""])[:2] if len(before) > 1 else ("", line)
    routines = []
    if ROUTINE_SECTION.match(section):
        routines = [word.strip().rstrip("()") for word in names.split(",")] + [name] + page.functions
        routines += [found for found in CALL.findall(page.section("SYNOPSIS")) if found not in KEYWORDS]
    body = "\n".join(page.out)
    about = "\n".join(map(page.section, ("SYNOPSIS", "LIBRARY", "DESCRIPTION")))
    libraries = page.libraries + [name.rstrip(".-+") for name in LINK_OPTION.findall(about)]
    source = page.title[3] if len(page.title) > 3 else ""
    named = dict.fromkeys(routine for routine in routines if routine and " " not in routine)
    return [
        document(
            name, body, section=section, libraries=libraries[:20], version=version_in(source), summary=summary,
            routines=[(routine, 1) for routine in named],
        )
    ]


def alias(name, section, target):
    """A name of another page: a link, or a file that has only .so."""
    routines = [(name, 1)] if ROUTINE_SECTION.match(section) else []
    return document(name, name, section=section, summary="see " + target, routines=routines)
