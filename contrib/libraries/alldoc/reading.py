# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the text of a file where it lies, compressed files as they are, up to a limit of bytes."""

import codecs
import os
import zlib

PIECE = 1 << 18
LZMA_MEMORY = 128 << 20
COMPRESSED = (".gz", ".xz", ".lzma", ".bz2")


def as_latin(error):
    """For what is not UTF-8: old pages are in Latin-1."""
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("jobtrail.latin", as_latin)


def text_of(data, limit):
    """(text, whether it was cut) of up to `limit` bytes. A character that the limit divides is left out."""
    is_cut = len(data) > limit
    text = codecs.getincrementaldecoder("utf-8")("jobtrail.latin").decode(data[:limit], not is_cut)
    return text.replace("\r\n", "\n"), is_cut


class Unreadable(Exception):
    """The content is no text, or damaged; says why."""


def base_name(name):
    """The name without the ending of a compressed file."""
    for ending in COMPRESSED:
        if name.endswith(ending):
            return name[: -len(ending)]
    return name


class Inflate:
    """zlib's, with the interface of the other two."""

    def __init__(self):
        self.object = zlib.decompressobj(47)  # gzip or zlib, by its head
        self.pending = b""

    def decompress(self, data, limit):
        out = self.object.decompress(self.pending + data, limit)
        self.pending = self.object.unconsumed_tail
        return out

    @property
    def needs_input(self):
        return not self.pending

    @property
    def eof(self):
        return self.object.eof

    @property
    def unused_data(self):
        return self.object.unused_data


def decompressor(name):
    """What makes one for each member of the file; None: the file is not compressed."""
    try:
        if name.endswith(".gz"):
            return Inflate
        if name.endswith((".xz", ".lzma")):
            import lzma  # pylint: disable=import-outside-toplevel

            return lambda: lzma.LZMADecompressor(memlimit=LZMA_MEMORY)
        if name.endswith(".bz2"):
            import bz2  # pylint: disable=import-outside-toplevel

            return bz2.BZ2Decompressor
    except ImportError:
        raise Unreadable("this Python cannot decompress it") from None
    return None


def expanded(fd, make, limit):
    """Up to limit + 1 bytes of a compressed file. As many compressed bytes are read at the most: members that are
    empty have no end."""
    out, size, taken = [], 0, 0
    member = make()
    while size <= limit and taken <= limit:
        data = os.read(fd, PIECE) if member.needs_input else b""
        taken += len(data)
        if not data and member.needs_input:
            if not member.eof:
                raise Unreadable("is cut off")
            break
        while size <= limit:
            piece = member.decompress(data, limit + 1 - size)
            out.append(piece)
            size += len(piece)
            data = b""
            if member.eof and member.unused_data:
                data, member = member.unused_data, make()
            elif member.eof or member.needs_input:
                break
        if member.eof:
            break
    return b"".join(out)


def raw(fd, limit):
    out, size = [], 0
    while size <= limit:
        data = os.read(fd, min(PIECE, limit + 1 - size))
        if not data:
            break
        out.append(data)
        size += len(data)
    return b"".join(out)


def read_text(fd, name, limit):
    """(text, whether it was cut at `limit` bytes) of an open file. Raises Unreadable, OSError."""
    make = decompressor(name)
    try:
        data = raw(fd, limit) if make is None else expanded(fd, make, limit)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # what the three raise of damaged data; bz2: OSError without a number
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise Unreadable("is damaged") from None
    if b"\0" in data[:PIECE]:
        raise Unreadable("is no text")
    return text_of(data, limit)
