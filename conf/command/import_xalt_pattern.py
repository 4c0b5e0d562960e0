# SPDX-License-Identifier: LGPL-2.1-or-later
"""From the patterns of an XALT config.py to those of jobtrail.conf(5).

XALT hands most of its patterns to flex (flex(1), Patterns) and those of python_pkg_patterns to
Python's re.match(). What flex makes of them is kept, also where it is not what was meant: `\\d` is
the letter d, and `/` is a separator that matches nothing.

A pattern is read into a tree: a list of alternatives, each a list of Items.
"""
import re

SPECIAL = set("\\^$.[]|(){}*+?")
BRACKET_SPECIAL = set("\\[]^-")
CONTROLS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
REPEAT_MAX = 255
DEPTH_MAX = 90


class Unconvertible(Exception):
    """Why a pattern has no counterpart; its text is the reason."""


class Item:
    """One byte, set or group, and how often. `atom` is text, or a list of alternatives."""

    def __init__(self, atom, repeat=""):
        self.atom = atom
        self.repeat = repeat

    def is_literal(self, character):
        return self.atom == character and self.repeat == ""

    def text(self):
        atom = self.atom if isinstance(self.atom, str) else f"({render(self.atom)})"
        return atom + self.repeat


def render(alternatives):
    return "|".join("".join(item.text() for item in items) for items in alternatives)


def mentions(alternatives, character):
    """Whether the character stands anywhere in the tree as itself."""
    return any(item.atom == character if isinstance(item.atom, str)
               else mentions(item.atom, character) for items in alternatives for item in items)


def literal(character, special=SPECIAL):
    """The character as it stands for itself in jobtrail.conf, where a blank before a ';' would
    start a comment and one at an end would be lost."""
    if ord(character) <= 32 or ord(character) == 127:
        return f"\\x{ord(character):02x}"
    return "\\" + character if character in special else character


class Parser:
    """What flex patterns and Python's have in common; the methods that differ are overridden."""

    def __init__(self, text):
        self.text = text
        self.at = 0
        self.depth = 0
        self.notes = []

    def peek(self, length=1):
        return self.text[self.at:self.at + length]

    def take(self):
        self.at += 1
        return self.text[self.at - 1]

    def parse(self):
        """The tree of the whole pattern."""
        if "\0" in self.text or any(0xd800 <= ord(c) < 0xe000 for c in self.text):
            raise Unconvertible("a character that no text file holds")
        if self.text == "":
            raise Unconvertible("an empty pattern")
        tree = self.whole()
        if self.at < len(self.text):
            raise Unconvertible("')' without '('")
        return tree

    def alternatives(self):
        if self.depth == DEPTH_MAX:
            raise Unconvertible("groups are nested too deep")
        self.depth += 1
        found = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            found.append(self.sequence())
        self.depth -= 1
        return found

    def sequence(self):
        items = []
        while self.at < len(self.text) and not self.ends_sequence():
            items.append(self.repeated(self.atom()))
        return items

    def ends_sequence(self):
        return self.peek() in ("|", ")")

    def group(self):
        """A group, its '(' taken."""
        if self.peek(2) == "?:":
            self.at += 2
        elif self.peek() == "?":
            raise Unconvertible("an option or look-around, '(?'")
        tree = self.alternatives()
        if self.peek() != ")":
            raise Unconvertible("'(' is not closed")
        self.at += 1
        return Item(tree)

    def repeat(self):
        """The next repeat, or ''."""
        if self.peek() != "" and self.peek() in "*+?":
            return self.take()
        braces = re.compile(r"\{([0-9]+)(,([0-9]*))?\}").match(self.text, self.at)
        if braces is None:
            return ""
        if max(int(number or 0) for number in braces.group(1, 3)) > REPEAT_MAX:
            raise Unconvertible(f"more than {REPEAT_MAX} repeats")
        self.at = braces.end()
        return braces.group()

    def repeated(self, item):
        item.repeat = self.repeat()
        return item

    def bracket(self):
        """A set, its '[' taken."""
        out = "[^" if self.peek() == "^" else "["
        self.at += len(out) - 1
        first = True
        while first or self.peek() != "]":
            first = False
            if self.peek() == "":
                raise Unconvertible("'[' is not closed")
            low, is_class = self.member()
            out += low
            if is_class or self.peek() != "-" or self.peek(2) in ("-]", "-"):
                continue
            self.at += 1
            high, is_class = self.member()
            if is_class or len(low + high) > 2 and not (low + high).isascii():
                raise Unconvertible("a range of what is not a byte")
            out += "-" + high
        self.at += 1
        return Item(out + "]")

    def member(self):
        """An element of a set, and whether it is a class."""
        named = re.compile(r"\[:([a-z]+):\]").match(self.text, self.at)
        if named is not None:
            self.at = named.end()
            return named.group(), True
        if self.peek(2) == "[:":
            raise Unconvertible("an unknown class of bytes")
        if self.peek() == "\\":
            return self.member_escape()
        return literal(self.take(), BRACKET_SPECIAL), False


class FlexParser(Parser):
    """Patterns as flex reads them."""

    def whole(self):
        if self.peek() == "^":
            self.at += 1
        if self.peek() == "<":
            raise Unconvertible("a start condition, '<', of flex")
        tree = self.alternatives()
        if self.peek() != "/":
            return tree
        self.at += 1
        self.notes.append("flex takes '/' without a backslash for a separator that matches nothing; so does this rule")
        tree = [[Item(tree), Item(self.alternatives())]]
        if self.peek() == "/":
            raise Unconvertible("two '/' without backslashes, which flex refuses")
        return tree

    def ends_sequence(self):
        return self.peek() in ("|", ")", "/")

    def atom(self):
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            item = self.bracket()
            if self.peek(2) in ("{-", "{+"):
                raise Unconvertible("'{-}' or '{+}' between sets")
            return item
        if character == ".":
            return Item(".")
        if character == '"':
            return self.quoted()
        if character == "\\":
            return Item(literal(self.escape()))
        if character.isspace():
            raise Unconvertible("a blank, which ends a pattern in flex")
        if character in "*+?":
            raise Unconvertible(f"nothing to repeat before '{character}'")
        if character in "{}":
            raise Unconvertible("a brace that is no repeat: flex replaces a {NAME}")
        if character == "$" and self.at == len(self.text):
            raise Unconvertible("'$' at the end never matches in XALT; remove it if it should")
        if character in "^$":
            self.notes.append(f"flex takes '{character}' within a pattern for the character; so does this rule")
        return Item(literal(character))

    def quoted(self):
        items = []
        while self.peek() != '"':
            if self.peek() == "":
                raise Unconvertible("a quote is not closed")
            character = self.take()
            items.append(Item(literal(self.escape() if character == "\\" else character)))
        self.at += 1
        return items[0] if len(items) == 1 else Item([items])

    def escape(self):
        """The character that an escape stands for, its backslash taken."""
        number = re.compile(r"x([0-9a-fA-F]{1,2})|([0-7]{1,3})").match(self.text, self.at)
        if number is not None:
            self.at = number.end()
            value = int(number.group(1), 16) if number.group(1) else int(number.group(2), 8)
            if not 0 < value < 128:
                raise Unconvertible("an escape for a byte that is not ASCII")
            return chr(value)
        if self.peek() == "":
            raise Unconvertible("nothing after the backslash")
        letter = self.take()
        if letter in CONTROLS:
            return chr(CONTROLS[letter])
        if letter.isalpha():
            self.notes.append(f"flex takes \\{letter} for the letter; so does this rule")
        return letter

    def repeated(self, item):
        """flex applies a repeat to what has one already; jobtrail wants a group for that."""
        repeat = self.repeat()
        while repeat != "":
            if item.repeat != "":
                item = Item([[item]])
            item.repeat = repeat
            repeat = self.repeat()
        return item

    def member_escape(self):
        self.at += 1
        return literal(self.escape(), BRACKET_SPECIAL), False


class PythonParser(Parser):
    """Patterns as re.match() reads them, which matches at the start of the text only."""

    def whole(self):
        tree = self.alternatives()
        for items in tree:
            if items and items[-1].atom == "$":
                items.pop()
            else:
                items.append(Item(".", "*"))
        if any(item.atom in ("^", "$") for items in tree for item in items):
            raise Unconvertible("'^' or '$' within the pattern")
        return tree

    def sequence(self):
        if self.depth == 1 and self.peek() == "^":
            self.at += 1
        return super().sequence()

    def atom(self):
        character = self.take()
        if character == "(":
            return self.group()
        if character == "[":
            return self.bracket()
        if character == ".":
            return Item(".")
        if character == "\\":
            return Item(self.escape(SPECIAL))
        if character in "^$" and self.depth == 1:
            return Item(character)
        if character in "^$*+?":
            raise Unconvertible(f"'{character}' where jobtrail has none")
        return Item(literal(character))

    def escape(self, special):
        letter = self.take() if self.peek() != "" else ""
        if letter != "" and letter in "dDwWsS":
            return "\\" + letter
        if letter != "" and letter in "tnrfv":
            return literal(chr(CONTROLS[letter]))
        if letter == "" or letter.isalnum():
            raise Unconvertible(f"the escape \\{letter}")
        return literal(letter, special)

    def repeated(self, item):
        """A lazy repeat matches the same texts."""
        item = super().repeated(item)
        if item.repeat != "" and self.peek() == "?":
            self.at += 1
        elif item.repeat != "" and self.peek() == "+":
            raise Unconvertible("a possessive repeat")
        return item

    def member_escape(self):
        self.at += 1
        text = self.escape(BRACKET_SPECIAL)
        return text, len(text) == 2 and text[1].isalpha()


def name_of_variable(items):
    """What a pattern for NAME=VALUE says about the name, when it says nothing about the value."""
    if items and items[-1].atom == "." and items[-1].repeat in ("*", "+"):
        before = items[:-1]
        if before and before[-1].is_literal("="):
            before = before[:-1]
            if before and not mentions([before], "="):
                return before
        elif not mentions([before], "="):
            return before + [Item(".", "*")]
        raise Unconvertible("it decides by the variable's value, too")
    if mentions([items], "="):
        raise Unconvertible("it decides by the variable's value")
    raise Unconvertible("it never matches in XALT, which matches NAME=VALUE")


def split(tree, room):
    """Patterns of at most `room` bytes each that match, together, what the tree does."""
    found = []
    for items in tree:
        found += _split_items(items, room)
    return _join(found, room)


def _size(text):
    return len(text.encode())


def _join(texts, room):
    """Joins neighbours with '|' while there is room."""
    joined = []
    for text in texts:
        if joined and _size(joined[-1]) + 1 + _size(text) <= room:
            joined[-1] += "|" + text
        else:
            joined.append(text)
    return joined


def _split_items(items, room):
    text = render([items])
    if _size(text) <= room:
        return [text]
    for index, item in enumerate(items):
        if isinstance(item.atom, str) or item.repeat != "" or len(item.atom) < 2:
            continue
        rest = _size(render([items[:index]])) + _size(render([items[index + 1:]])) + 2
        parts = _join([render([alternative]) for alternative in item.atom], room - rest)
        if rest < room and all(_size(part) <= room - rest for part in parts):
            return [render([items[:index] + [Item(f"({part})")] + items[index + 1:]]) for part in parts]
    raise Unconvertible(f"it is longer than {room} bytes and cannot be split")
