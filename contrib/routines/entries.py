# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which routines a library has: by the dynamic symbols of a shared library, or by a list as jobtrail-robj(1) has them, one a line.

The file is one that the asker names. Every number in it is checked: it may be damaged.
"""

import struct

from ..program import Failure, os_trouble
from ..text import escape, file_path

SIZE_MAX = 1 << 28
ELF, ARCHIVE = b"\x7fELF", b"!<arch>\n"
LITTLE_64 = b"\x02\x01"  # what follows ELF: class and byte order
DYNSYM, SYMBOL = 11, 24  # SHT_DYNSYM, sizeof (Elf64_Sym)
FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
GLOBAL, WEAK = 1, 2
HIDDEN = (1, 2)  # STV_INTERNAL, STV_HIDDEN
NAME_MAX = 255


def read(text):
    """{routine} of the file."""
    path = file_path(text)
    try:
        with open(path, "rb") as file:
            content = file.read(SIZE_MAX + 1)
    except OSError as error:
        raise Failure(os_trouble(error)) from None
    if len(content) > SIZE_MAX:
        raise Failure("%s: is larger than %d MiB" % (escape(text), SIZE_MAX >> 20))
    if content.startswith(ARCHIVE):
        raise Failure("%s: is an archive: make a list of its entries with jobtrail-robj --make" % escape(text))
    try:
        return set(exported(content) if content.startswith(ELF) else listed(content))
    except (struct.error, ValueError):
        raise Failure("%s: is no shared library of 64 bits, nor a list of routines" % escape(text)) from None


def listed(content):
    """Of each line the first word; behind a # is a remark."""
    if b"\0" in content:
        raise ValueError
    for line in content.decode("utf-8").splitlines():
        words = line.partition("#")[0].split()
        if words and len(words[0].encode()) <= NAME_MAX:
            yield words[0]


def exported(content):
    """The functions among the dynamic symbols that others can call."""
    if content[4:6] != LITTLE_64:
        raise ValueError
    sections, size, count = struct.unpack_from("<Q", content, 40) + struct.unpack_from("<HH", content, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", content, sections + at * size) for at in range(count)]
    symbols = next((head for head in heads if head[1] == DYNSYM), None)
    if symbols is None or symbols[6] >= count:
        raise ValueError
    offset, length, strings = symbols[4], symbols[5], heads[symbols[6]]
    names = content[strings[4] : strings[4] + strings[5]]
    for at in range(offset, min(offset + length, len(content)) - SYMBOL + 1, SYMBOL):
        name, info, other, section = struct.unpack_from("<IBBH", content, at)
        if section != 0 and info & 15 in FUNCTIONS and info >> 4 in (GLOBAL, WEAK) and other & 3 not in HIDDEN:
            text = names[name : names.index(b"\0", name)]
            if 0 < len(text) <= NAME_MAX:
                yield text.decode("utf-8", "replace")
