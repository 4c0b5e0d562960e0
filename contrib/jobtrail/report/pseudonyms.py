# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pseudonyms, for a report that others may read.

A pseudonym is an HMAC of the name with a secret: of this report alone, or one that is given. Without the secret a list
of names does not tell whose it is. Users and accounts always have one. A program or a library keeps its name only if
one of its paths is public: the operating system's or a module's, and without a user's name. Everything else keeps its
name unless a user's or an account's name is in it.
"""

import os
import re
import unicodedata

from ..pattern import Pattern
from ..program import Failure, os_trouble
from ..text import escape

SECRET_BYTES = 16  # at the least
CHARACTERS = 10  # of base32, so 50 bits
SUBSTRING = 4  # a name of so many characters is looked for within words
SYSTEM = Pattern(r"/(?:usr/)?(?:s?bin|lib(?:32|64|x32|exec)?)/")


def secret(path):
    """None: one of this report alone"""
    if path is None:
        return os.urandom(32)
    try:
        with open(path, "rb") as file:
            found = file.read(4096)
    except OSError as error:
        raise Failure(os_trouble(error)) from None
    if len(found) < SECRET_BYTES:
        raise Failure("%s: a secret of at least %d bytes is needed" % (escape(path), SECRET_BYTES))
    return found


def folded(text):
    """Equal for texts that differ in case, in how letters are composed, or in their width alone"""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words_of(people):
    """What is looked for: each name, and of a name in a realm (NAME@REALM, REALM\\NAME) the name alone too"""
    names = {folded(name) for name in people if name}
    names |= {name.split("@")[0] for name in names} | {name.rsplit("\\", 1)[-1] for name in names}
    return names - {""}


def any_of(names):
    return "|".join(map(re.escape, sorted(names))) or "(?!)"


class Pseudonyms:
    """`people`: the names of users and accounts, of whatever is in the store; `programs`, `libraries`: {name: [(path,
    whether it has a module)]}; `unknown`: words that are no names"""

    def __init__(self, key, people, programs, libraries, unknown):
        self.key, self.unknown = key, (None, "") + unknown
        names = words_of(people)
        short = {name for name in names if len(name) < SUBSTRING}
        self.person_in = re.compile(r"%s|(?<![^\W_])(?:%s)(?![^\W_])" % (any_of(names - short), any_of(short)))
        self.known = {}
        self.public = {"program": self.public_names(programs), "library": self.public_names(libraries)}

    def public_names(self, places):
        return {name for name, paths in places.items() if any(self.is_public(*path) for path in paths)}

    def is_public(self, path, has_module):
        return (has_module or SYSTEM.match(path) is not None) and not self.has_person(path)

    def has_person(self, text):
        return self.person_in.search(folded(text)) is not None

    def of(self, kind, name):
        """user-..., account-..., program-..., library-..., name-..."""
        if name in self.unknown:
            return name
        at = kind, name
        if at not in self.known:
            import base64  # pylint: disable=import-outside-toplevel
            import hmac  # slow to load

            text = ("%s\0%s" % at).encode("utf-8", "surrogateescape")
            found = base64.b32encode(hmac.new(self.key, text, "sha256").digest()).decode().lower()
            self.known[at] = "%s-%s" % (kind, found[:CHARACTERS])
        return self.known[at]

    def person(self, user, account, *places):
        return (self.of("user", user), self.of("account", account)) + places

    def software(self, kind, name):
        """`kind`: program or library"""
        is_shown = name in self.unknown or name in self.public[kind] and not self.has_person(name)
        return name if is_shown else self.of(kind, name)

    def site_library(self, name, path):
        """Of a library as the site's list has it."""
        is_public = name in self.public["library"] or self.is_public(path, False)
        return name if is_public and not self.has_person(name) else self.of("library", name)

    def program(self, path):
        """The file's name, or its pseudonym: directories have names of users."""
        return self.software("program", path.rsplit("/", 1)[-1])

    def text(self, name):
        """Of a module, package, version, compiler, function or field"""
        return self.of("name", name) if name and self.has_person(name) else name
