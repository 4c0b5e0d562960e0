# SPDX-License-Identifier: LGPL-2.1-or-later
"""Credentials of munge(7), by libmunge. A credential is a text that says which uid made it, and holds data that
nobody but one uid can read. munged(8) decodes each credential once, and only for some minutes after it was made."""

import ctypes

from ...pattern import Pattern

ENCODED_AT_MOST = 1 << 20  # munged refuses what is longer
PREFIX = b"MUNGE:"
FORM = Pattern(PREFIX + rb"[A-Za-z0-9+/=]*:\Z")

# numbers of libmunge
SUCCESS = 0
OPTION_SOCKET, OPTION_UID_RESTRICTION = 8, 9
UID_ANY = 0xFFFFFFFF


class MungeError(Exception):
    """What munge says."""


def library():
    try:
        found = ctypes.CDLL("libmunge.so.2")
    except OSError:
        raise MungeError("there is no libmunge.so.2 here (Debian: libmunge2)") from None
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    found.munge_ctx_create.restype = pointer
    found.munge_ctx_create.argtypes = ()
    found.munge_ctx_destroy.restype = None
    found.munge_ctx_destroy.argtypes = (pointer,)
    found.munge_ctx_set.argtypes = (pointer, ctypes.c_int)  # and one more, of a type by the option
    found.munge_ctx_strerror.restype = text
    found.munge_ctx_strerror.argtypes = (pointer,)
    found.munge_strerror.restype = text
    found.munge_strerror.argtypes = (ctypes.c_int,)
    found.munge_encode.argtypes = (ctypes.POINTER(pointer), pointer, text, ctypes.c_int)
    found.munge_decode.argtypes = (
        text,
        pointer,
        ctypes.POINTER(pointer),
        ctypes.POINTER(ctypes.c_int),
        ctypes.POINTER(ctypes.c_uint32),
        ctypes.POINTER(ctypes.c_uint32),
    )
    libc = ctypes.CDLL(None)
    libc.free.restype = None
    libc.free.argtypes = (pointer,)
    found.free = libc.free
    return found


def of_form(credential):
    """The credential, which may be one by its form. MungeError, if not."""
    if len(credential) > 2 * ENCODED_AT_MOST or not FORM.match(credential):
        raise MungeError("not a credential of munge")
    return credential


class Munge:
    """munged at the socket; "": where libmunge looks for it."""

    def __init__(self, socket=""):
        self.library = library()
        self.socket = socket

    def context(self):
        made = self.library.munge_ctx_create()
        if not made:
            raise MungeError("out of memory")
        if self.socket:
            self.set(made, OPTION_SOCKET, ctypes.c_char_p(self.socket.encode()))
        return made

    def set(self, context, option, value):
        error = self.library.munge_ctx_set(context, option, value)
        if error != SUCCESS:
            raise self.trouble(context, error)

    def trouble(self, context, error):
        text = self.library.munge_ctx_strerror(context) or self.library.munge_strerror(error)
        return MungeError(text.decode(errors="replace"))

    def encode(self, data, uid):
        """A credential with these bytes that only this uid can decode."""
        context, found = self.context(), ctypes.c_void_p()
        try:
            self.set(context, OPTION_UID_RESTRICTION, ctypes.c_uint32(uid))
            error = self.library.munge_encode(ctypes.byref(found), context, data, len(data))
            if error != SUCCESS:
                raise self.trouble(context, error)
            return ctypes.string_at(found.value)
        finally:
            self.release(found, context)

    def decode(self, credential):
        """(data, uid of who made it) of a credential for us that was not decoded before. Raises MungeError."""
        of_form(credential)
        context, found = self.context(), ctypes.c_void_p()
        length, uid, gid = ctypes.c_int(), ctypes.c_uint32(UID_ANY), ctypes.c_uint32(UID_ANY)
        try:
            error = self.library.munge_decode(
                credential, context, ctypes.byref(found), ctypes.byref(length), ctypes.byref(uid), ctypes.byref(gid)
            )
            if error != SUCCESS:  # also where the data are given all the same: expired, replayed
                raise self.trouble(context, error)
            return ctypes.string_at(found.value, length.value) if found.value else b"", uid.value
        finally:
            self.release(found, context)

    def release(self, found, context):
        if found.value:
            self.library.free(found)
        self.library.munge_ctx_destroy(context)
