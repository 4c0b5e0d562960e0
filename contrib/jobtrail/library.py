# SPDX-License-Identifier: LGPL-2.1-or-later
"""The name and the version of a shared object, as people ask for them, from its path and module.

/sw/hdf5/1.14.3/lib/libhdf5.so.310.3.0 is hdf5, 1.14.3. The version is that of its module
(hdf5/1.14.3) where it has one, else the last directory that is one (1.14.3, hdf5-1.14.3), else what
follows .so (310.3.0), else what the file's name ends in (libopenblasp-r0.3.21.so).

The files of the GNU C library are glibc: libc.so.6, libm.so.6, ld-linux-x86-64.so.2. What follows their .so has been the
same for 25 years, so the version is that of a module of this name (glibc/2.36, libc/2.36), of a directory (glibc-2.36), or in the
file's name (libc-2.31.so, until 2.33); else it is not known.
"""

import re

from .pattern import Pattern

DIRECTORY = Pattern(r"(?:^|[-_a-z])v?(\d+(?:\.\d+)+(?:[-._]?(?:rc|alpha|beta|p|u)\d+)?[a-z]?)(?:[-_].*)?$")
FILE = Pattern(r"^(?P<stem>.+?)(?:[-_.]?r?(?P<inner>\d+(?:\.\d+)+))?\.so(?:\.(?P<soname>[\d.]+))?$")
# the sonames and, until 2.33, the names of the files
GLIBC = Pattern(
    r"(?:ld-linux[^/]*\.so\.[123]|ld(?:64|32)?\.so\.[12]|libc\.so\.6|libm\.so\.6|libmvec\.so\.1|libpthread\.so\.0"
    r"|libdl\.so\.2|librt\.so\.1|libresolv\.so\.2|libutil\.so\.1|libanl\.so\.1|libnsl\.so\.1|libBrokenLocale\.so\.1"
    r"|libthread_db\.so\.1|libnss_(?:files|dns|compat|hesiod|db)\.so\.2"
    r"|(?:ld|lib(?:c|m|mvec|pthread|dl|rt|resolv|util|anl|nsl|nss_\w+))-(?P<version>2\.\d+(?:\.\d+)?)\.so)\Z"
)
GLIBC_NAME = Pattern(r"(?:^|[-_/])g?libc[-_/]v?(\d+\.\d+(?:\.\d+)?)")
# a module of Python's: numpy/_core/_simd.cpython-311-x86_64-linux-gnu.so
EXTENSION = Pattern(r"\.(?:cpython-\d|pypy\d|graalpy\d|abi3[.])[^/]*\Z")
OF_SYSTEM = Pattern(r"/(?:usr/)?lib(?:32|64|x32)?/")
COMPARISON = Pattern(r"^(?P<name>.*?)(?:(?P<sign>>=|<=|==|=|>|<)(?P<version>[^<>=]+))?$", re.S)


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


def glibc(path):
    """The match of GLIBC; None: another library's file."""
    return GLIBC.match(path.rsplit("/", 1)[-1])


def name(path):
    """hdf5 for .../libhdf5.so.310, and glibc for libm.so.6"""
    return "glibc" if glibc(path) else file_parts(path)[0]


def names(path):
    """All that people may call it, name() first: glibc, m and libm; hdf5 and libhdf5; libfft.a, fft and libfft."""
    stem = file_parts(path)[0]
    if stem.endswith(".a"):
        bare = stem[3:-2] if stem.startswith("lib") else stem[:-2]
        return tuple(dict.fromkeys((name(path), bare, "lib" + bare)))
    return tuple(dict.fromkeys((name(path), stem, "lib" + stem)))


def shown(path, module=None):
    """hdf5 1.14.3, or the name alone"""
    have = version(path, module)
    return "%s %s" % (name(path), have) if have else name(path)


def without_unknown(texts):
    """shown() of what one program has loaded: the files of glibc that do not tell its version have that of the others."""
    if any(text.startswith("glibc ") for text in texts):
        texts = texts - {"glibc"}
    return texts


def lacking(run):
    """What a run's `libs` lack, by its `unlisted`, in words; "": nothing, or there is no list."""
    count = run["unlisted"]
    if count == 0 or not (count or run["libs"]):
        return ""
    return "complete list not known" if count is None else "%d more were loaded" % count


def glibc_version(path, module):
    """What is called after something else has another version: that of a distribution or of a compiler."""
    directories = path.rsplit("/", 1)[0]
    found = GLIBC_NAME.findall(module or "") or GLIBC_NAME.findall(directories)
    return found[-1] if found else glibc(path).group("version")


def version(path, module=None):
    """As text; None: unknown."""
    if glibc(path):
        return glibc_version(path, module)
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
    parts = re.findall(r"0*([0-9]+)|([a-z]+)", (text or "").lower())
    # of two numbers the longer one is larger: Python reads no number of thousands of digits
    return [(1, len(digits), digits) if digits else (0, 0, letters) for digits, letters in parts]


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


def is_of_system(path, module):
    """Whether it is the operating system's: nearly every run loads libc, libm and others; or a part of a package of Python's. `module`:
    that of the library, or None; the site's map may say the version of the C library by one."""
    if EXTENSION.search(path):
        return True
    return OF_SYSTEM.match(path) is not None and (module is None or glibc(path) is not None)
