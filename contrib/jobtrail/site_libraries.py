# SPDX-License-Identifier: LGPL-2.1-or-later
"""The site's list of libraries, and how its names are matched with those of the report. The list is read by the extension
libraries, whose module list_door has read(name): SiteLibraries."""

import collections
import os

from . import extensions, library
from .acct.select import parts_of, pattern_of
from .text import stored

# in records of uses, those of which no library is reported: more than there is room for, and of files that were gone
NO_LIBRARY = ("(others)", "(unseen)")
TEXTS = ("path", "library", "group", "package", "version", "soname", "build_id")

File = collections.namedtuple("File", TEXTS + ("size", "since", "cluster", "node"))


class SiteLibraries:
    """`files`: {path: File}; `made`: when the oldest part was, or None; `damaged`: lines that were left out."""

    def __init__(self):
        self.files, self.made, self.damaged = {}, None, 0

    def names(self, name, path):
        """All that a library may be called whose record has this name and this file."""
        if name in NO_LIBRARY:
            return {name}
        have = self.files.get(path)
        own = {name} | ({have.library} if have else set())
        return own | {text.partition("/")[0] for text in own} | {path.rsplit("/", 1)[-1], *library.names(path)}

    def fits(self, text, name, path, module=None):
        """Whether --lib NAME[>=VERSION] means it. `module`: the name of its module, where that is known."""
        wanted, sign, version = library.parse(text)
        pattern = pattern_of(wanted)
        have = self.files.get(path)
        if "/" in wanted and name not in NO_LIBRARY and pattern.search(path):
            is_named = True
        else:
            is_named = any(map(pattern.search, self.names(name, path)))
        if not is_named or sign is None:
            return is_named
        return library.satisfies(library.version(path, module) or have and have.version, sign, version)

    def chosen(self, texts):
        """A function of (name, path) and a module, as fits() has them: whether one of the --lib means it; None: all are meant."""
        if texts is None:
            return lambda name, path, module=None: True
        asked = [parts_of(text) for text in texts]
        known = {}

        def is_chosen(*of):
            if of not in known:
                known[of] = any(all(self.fits(part, *of) for part in parts) for parts in asked)
            return known[of]

        return is_chosen

    def shown(self, name, path, pseudonyms=None):
        """The name, or its pseudonym."""
        return name if pseudonyms is None or name in NO_LIBRARY else pseudonyms.site_library(name, path)


def default():
    """The list that the site names; None: none."""
    return stored(os.environ.get("JOBTRAIL_LIBRARIES") or "") or None


def named(options):
    """The list that is asked for; None: there is none."""
    return options.libraries or default()


def read(name):
    """SiteLibraries, without files where no list is named, or nobody here reads it."""
    for door in extensions.doors("list_door") if name is not None else ():
        return door.read(name)
    return SiteLibraries()
