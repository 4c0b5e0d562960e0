# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which libraries are the operating system's: nearly every run loads libc, libm and others, so they have pages of their
own."""


from .. import library
from ..pattern import Pattern

PLACES = Pattern(r"/(?:usr/)?lib(?:32|64|x32)?/")


def is_of_system(path, module):
    """`module`: that of the library, or None. The site's map may say the version of the C library by a module."""
    return PLACES.match(path) is not None and (module is None or library.glibc(path) is not None)
