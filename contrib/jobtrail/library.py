# SPDX-License-Identifier: LGPL-2.1-or-later
"""The name and the version of a shared object, as people ask for them, from its path and module.

/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0 is hdf5, 1.14.3. The version is that of its module
(hdf5/1.14.3) where it has one, else the last directory that is one (1.14.3, hdf5-1.14.3), else what
follows .so (310.3.0), else what the file's name ends in (libopenblasp-r0.3.21.so).
"""

import re

DIRECTORY = re.compile(
    r"(?:^|[-_a-z])v?(\d+(?:\.\d+)+(?:[-._]?(?:rc|alpha|beta|p|u)\d+)?[a-z]?)(?:[-_].*)?$"
)
FILE = re.compile(r"^(?P<stem>.+?)(?:[-_.]?r?(?P<inner>\d+(?:\.\d+)+))?\.so(?:\.(?P<soname>[\d.]+))?$")
COMPARISON = re.compile(r"^(?P<name>.*?)(?:(?P<sign>>=|<=|==|=|>|<)(?P<version>[^<>=]+))?$", re.S)


def file_parts(path):
    """(name, version within the name, version after .so) of the file."""
    base = path.rsplit("/", 1)[-1]
    match = FILE.match(base)
    if match is None:
        return base, None, None
    stem = match.group("stem")
    if stem.startswith("lib") and len(stem) > 3:
        stem = stem[3:]
    return stem, match.group("inner"), match.group("soname")


def name(path):
    """hdf5 for .../libhdf5.so.310"""
    return file_parts(path)[0]


def version(path, module=None):
    """As text; None: unknown."""
    if module and "/" in module:
        last = module.rsplit("/", 1)[-1]
        if re.match(r"v?\d", last):
            return last.lstrip("v")
    for part in reversed(path.split("/")[:-1]):
        match = DIRECTORY.search(part)
        if match:
            return match.group(1)
    _, inner, soname = file_parts(path)
    return soname or inner


def key(text):
    """The key that sorts versions: numbers by value, 1.10 after 1.9; letters before numbers, so that
    1.2rc1 is before 1.2.0; a longer version after its beginning."""
    parts = re.findall(r"\d+|[a-z]+", (text or "").lower())
    return [(1, int(part), "") if part.isdigit() else (0, 0, part) for part in parts]


def satisfies(have, sign, want):
    """Whether the version `have` has this relation to `want`. = compares the parts of `want` alone:
    1.14.3 = 1.14"""
    if have is None:
        return False
    have, want = key(have), key(want)
    if sign in ("=", "=="):
        return have[: len(want)] == want
    if sign == ">=":
        return have >= want
    if sign == "<=":
        return have[: len(want)] <= want
    return have > want and have[: len(want)] != want if sign == ">" else have < want


def parse(text):
    """(NAME, sign or None, version) of NAME[>=VERSION]."""
    match = COMPARISON.match(text)
    return match.group("name").strip(), match.group("sign"), (match.group("version") or "").strip()
