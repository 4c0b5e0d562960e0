# SPDX-License-Identifier: LGPL-2.1-or-later
"""Headers of C and C++: the comments, and the functions that they stand at.

This is no compiler. A statement outside of braces that has a parenthesis declares the word before it; macros around
declarations are known by their form. What it takes for a function and is none costs a row of the index.
"""

import collections
import re

from ...pattern import Pattern
from .extract import document

TOKEN = Pattern(
    r"(?P<comment>/\*.*?(?:\*/|\Z)|//[^\n]*)"
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"?|'(?:\\.|[^'\\\n])*'?)"
    r"|(?P<directive>^[ \t]*\#(?:[^\n\\/]|\\.|/(?![*/]))*)"
    r"|(?P<mark>[;{}\n])",
    re.S | re.M,
)
DEFINE = Pattern(r"[ \t]*\#[ \t]*define[ \t]+([A-Za-z_]\w*)\(")
WORD = Pattern(r"([A-Za-z_]\w{0,199})\s*(\(\s*\(|\()")
MACRO = Pattern(r"\s*([A-Z_][A-Z0-9_]{0,199})\s*\(")
LAST_WORD = Pattern(r"([A-Za-z_]\w{0,199})\s*\Z")
EXPORTED = Pattern(r"([A-Za-z_]\w{0,199})\s*,\s*\(")
TRANSPARENT = Pattern(r"\s*(?:extern\s+\"\"|(?:inline\s+)?namespace\b[\w\s:]*)\s*\Z")
NOT_FUNCTIONS = set(
    """if for while switch return sizeof typedef struct union enum int char void long short unsigned signed float double defined
    alignas decltype noexcept static_assert _Static_assert operator throw catch bool requires template const""".split()
)
AROUND = Pattern(r"\b(?:__attribute__|__attribute|__declspec|_Pragma|__asm__|__asm|_Alignas)(?=\s{0,4}\()")
PROTOTYPES = {"OF", "__P", "PROTO", "PROTOTYPE", "_ANSI_ARGS_", "JPP", "_PROTO", "PARAMS", "__PROTO"}
STATEMENT_MAX = 4000
MACROS_MAX = 20  # before one statement
DOCUMENTS_MAX = 5000  # of one header; the routines behind have no comments of their own
DECORATION = Pattern(r"^[ \t]*(?:/\*+!?<?|//+[!/<]*|\*+/?)?[ \t]?|\*+/[ \t]*$", re.M)

Comment = collections.namedtuple("Comment", "first last text")
Declaration = collections.namedtuple("Declaration", "name first last")


def without_attributes(statement):
    """The statement without __attribute__((...)) and its like."""
    match = AROUND.search(statement)
    while match:
        statement = statement[: match.start()] + " " + statement[closing(statement, match.end()) :]
        match = AROUND.search(statement, match.start())
    return statement


def closing(text, at):
    """Where the parenthesis ends that begins at `at`, after blanks."""
    depth = 0
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
        if depth <= 0 and not text[at - 1].isspace():
            break
    return at


def without_macros(statement):
    """The statement without what stands before it as DECLARE_THING(x) and has no semicolon. LZMA_API(type) is a part of it."""
    for _ in range(MACROS_MAX):
        match = MACRO.match(statement)
        if match is None:
            break
        rest = statement[closing(statement, match.end(1)) :]
        following = WORD.search(rest)
        if following is None or (not rest[: following.start()].strip() and not following.group(1).isupper()):
            break
        statement = rest
    return statement


def declared(statement):
    """The name of the function that a statement declares, or None."""
    statement = without_macros(without_attributes(statement))
    if statement.lstrip().startswith(("typedef", "using", "return", "friend")):
        return None
    match = WORD.search(statement)
    if match is None:
        return None
    name, before = match.group(1), statement[: match.start()]
    if name in PROTOTYPES or (len(match.group(2)) > 1 and not before.strip() == ""):
        former = LAST_WORD.search(before)
        name = former.group(1) if former else name
    elif name.isupper() and WORD.match(statement[closing(statement, match.end(1)) :].lstrip()):
        name = WORD.match(statement[closing(statement, match.end(1)) :].lstrip()).group(1)  # LZMA_API(type) name(...)
    elif not before.strip() and name.isupper():
        inner = EXPORTED.search(statement)
        return inner.group(1) if inner else None
    if name in NOT_FUNCTIONS or "=" in before or (not before.strip() and not name.isupper()):
        return None
    return name


class Scan:
    """Comments and declarations of a text, with their lines."""

    def __init__(self, text):
        self.comments, self.declarations = [], []
        self.line, self.depth, self.transparent = 1, 0, 0
        self.statement, self.size, self.first = [], 0, 0
        at = 0
        for match in TOKEN.finditer(text):
            self.code(text[at : match.start()])
            getattr(self, match.lastgroup)(match.group())
            at = match.end()

    def code(self, text):
        if self.depth or not text or text.isspace():
            return
        if not self.first:
            self.first = self.line
        if self.size < STATEMENT_MAX:
            self.statement.append(text[:STATEMENT_MAX])
            self.size += len(text)

    def comment(self, text):
        lines = text.count("\n")
        self.comments.append(Comment(self.line, self.line + lines, text))
        self.line += lines

    def string(self, text):
        self.code('""')
        self.line += text.count("\n")

    def directive(self, text):
        defined = DEFINE.match(text)
        last = self.line + text.count("\n")
        if defined and not self.depth:
            self.declarations.append(Declaration(defined.group(1), self.line, last))
        self.line = last

    def mark(self, text):
        if text == "\n":
            self.line += 1
            if self.statement and not self.depth:
                self.statement.append(" ")
        elif text == "}":
            if self.depth:
                self.depth -= 1
            self.finish()
        else:
            statement = "".join(self.statement)
            if text == "{" and (self.depth or not TRANSPARENT.match(statement)):
                self.depth += 1
            if self.depth <= (text == "{"):
                name = declared(statement)
                if name:
                    self.declarations.append(Declaration(name, self.first, self.line))
            self.finish()

    def finish(self):
        self.statement, self.size, self.first = [], 0, 0


def attached(scan):
    """The text of the comments at each declaration, by its place in the list; and of the other comments."""
    of, rest, following = {}, [], 0
    declarations = sorted(range(len(scan.declarations)), key=lambda index: scan.declarations[index].first)
    for comment in scan.comments:
        while following < len(declarations) and scan.declarations[declarations[following]].first <= comment.first:
            following += 1
        after = declarations[following] if following < len(declarations) else None
        before = declarations[following - 1] if following else None
        touches_after = after is not None and scan.declarations[after].first - comment.last <= 1
        touches_before = before is not None and comment.first - scan.declarations[before].last <= 1
        chosen = after if touches_after else before if touches_before else None
        if chosen is None:
            rest.append(comment)
        else:
            of.setdefault(chosen, []).append(comment)
    return of, rest


def bare(comments):
    return "\n".join(DECORATION.sub("", comment.text).strip() for comment in comments)


def documents(text, path, file_name):
    """The header, with all of its functions, and one Document for each function with a comment."""
    scan = Scan(text)
    of, rest = attached(scan)
    found, plain = [], []
    for index, declaration in enumerate(scan.declarations):
        comments = bare(of.get(index, ()))
        if comments and len(found) < DOCUMENTS_MAX:
            first = min([declaration.first] + [comment.first for comment in of[index]])
            found.append(
                document(declaration.name, comments, summary=comments, line=first, routines=[(declaration.name, declaration.first)])
            )
        else:
            plain.append((declaration.name, declaration.first))
    names = " ".join(dict.fromkeys(name for name, _ in plain))
    words = bare(rest)
    return [document(file_name, words + "\n" + names, summary=words, routines=plain)] + found
