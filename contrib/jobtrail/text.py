# SPDX-License-Identifier: LGPL-2.1-or-later
"""Text of the store made harmless: it is whatever users called their files."""

ESCAPES = {"\\": r"\\", "\n": r"\n", "\t": r"\t", "\r": r"\r"}


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
    if 0xEF80 <= code <= 0xEFFF:
        return "\\x%02x" % (code - 0xEF00)
    if character.isprintable() and character not in delimiter:
        return character
    if code < 0x80:
        return "\\x%02x" % code
    return "\\u%04x" % code if code < 0x10000 else "\\U%08x" % code


def cell(value, delimiter=""):
    """A value as a table shows it; None is nothing."""
    return "" if value is None else escape(str(value), delimiter)


def fit(text, width, mark="+"):
    """In `width` characters, to the left when it is negative; what is cut off leaves a mark."""
    size = abs(width)
    if len(text) > size:
        text = text[: size - len(mark)] + mark
    return text.ljust(size) if width < 0 else text.rjust(size)


def csv_cell(value):
    """A cell of RFC 4180. Text that a spreadsheet would take for a formula gets an apostrophe."""
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value)
    text = escape(value)
    if text[:1] in "=+-@" and text and not is_number(text):
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
