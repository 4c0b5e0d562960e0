# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes text of the store harmless, since users have chosen the names in it."""

import os
import unicodedata

# Bytes that are not UTF-8: from Python's form (surrogateescape) to the store's.
STORED = {0xDC00 + byte: 0xEF00 + byte for byte in range(0x80, 0x100)}
UNSTORED = {stored: byte for byte, stored in STORED.items()}

ESCAPES = {"\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r"}


def stored(argument):
    """An argument of the command line, in the form in which the store has text."""
    return os.fsencode(argument).decode("utf-8", "surrogateescape").translate(STORED)


def file_path(text):
    """The inverse of stored(), for names of files."""
    return os.fsdecode(text.translate(UNSTORED).encode("utf-8", "surrogateescape"))


def escape(text, delimiter=""):
    """The text with nothing in it that could break a row or drive a terminal.

    A byte that was not UTF-8 when it was recorded, stored as U+EF00 + byte, becomes \\xHH again.
    """
    if text.isprintable() and not any(c in text for c in "\\" + delimiter):
        return text
    return "".join(escape_character(c, delimiter) for c in text)


def escape_character(character, delimiter=""):
    code = ord(character)
    if character in ESCAPES:
        return ESCAPES[character]
    if code in STORED or code in UNSTORED:
        return "\\x%02x" % (code & 0xFF)
    if character.isprintable() and character not in delimiter:
        return character
    if code < 0x80:
        return "\\x%02x" % code
    return "\\u%04x" % code if code < 0x10000 else "\\U%08x" % code


def cell(value, delimiter=""):
    """A value for a table; None becomes an empty text."""
    return "" if value is None else escape(str(value), delimiter)


def places(text):
    """How many columns of a terminal the text takes."""
    if len(text) == len(text.encode("utf-8", "surrogatepass")):
        return len(text)
    return sum(map(places_of, text))


def places_of(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cut(text, size, mark="+"):
    """At the most `size` columns of a terminal; a text that is cut ends with the mark."""
    if places(text) <= size:
        return text
    room = size - len(mark)
    end = 0
    for character in text:
        room -= places_of(character)
        if room < 0:
            break
        end += 1
    return text[:end] + mark


def fit(text, width, mark="+"):
    """In `width` columns of a terminal, to the left when it is negative."""
    size = abs(width)
    text = cut(text, size, mark)
    blank = " " * (size - places(text))
    return text + blank if width < 0 else blank + text


def is_formula(text):
    """Whether a spreadsheet could take it for a formula: some ignore blanks and quotes before it, and
    Chinese or Japanese ones accept the wide and the small forms of its signs."""
    first = unicodedata.normalize("NFKC", text.lstrip(" '\"")[:1])[:1]
    return first != "" and first in "=+-@" and not is_number(text)


def csv_cell(value):
    """A cell of RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = escape(value)
    if is_formula(text):
        text = "'" + text
    if any(c in text for c in ',"'):
        text = '"' + text.replace('"', '""') + '"'
    return text


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def csv_row(values):
    return ",".join(csv_cell(value) for value in values)
