# SPDX-License-Identifier: LGPL-2.1-or-later
"""The sockets on which the service listens."""

import errno
import os
import socket
import stat
import struct

BACKLOG = 128
CREDENTIALS = struct.Struct("=iII")  # struct ucred: pid, uid, gid


def listening(host, port):
    """A socket that listens there; without a host on all addresses, of IPv6 too where this system has it."""
    if not host and socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    family, _, _, _, address = socket.getaddrinfo(host or None, port, 0, socket.SOCK_STREAM, 0, socket.AI_PASSIVE)[0]
    return socket.create_server(address, family=family, backlog=BACKLOG)


class Doorway:
    """A Unix socket, to which everybody of this host may connect."""

    def __init__(self, path):
        self.path = path
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.remove_old()
        mask = os.umask(0o111)
        try:
            self.listener.bind(self.path)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self.path) from None
        finally:
            os.umask(mask)
        self.facts = os.lstat(self.path)
        self.listener.listen(BACKLOG)
        self.listener.setblocking(False)

    def remove_old(self):
        """A socket of ours on which nobody listens any more."""
        try:
            facts = os.lstat(self.path)
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(facts.st_mode) or facts.st_uid != os.geteuid():
            return  # bind() fails
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
            error = other.connect_ex(self.path)
        if error == errno.ECONNREFUSED:
            os.unlink(self.path)

    def close(self):
        """Removes the socket, unless another service has replaced it."""
        try:
            facts = os.lstat(self.path)
            if (facts.st_dev, facts.st_ino) == (self.facts.st_dev, self.facts.st_ino):
                os.unlink(self.path)
        except FileNotFoundError:
            pass

    def accept(self):
        """(connection, uid of who has connected), or None: they have gone, or there are no more descriptors."""
        try:
            client, _ = self.listener.accept()
        except OSError:
            return None
        return client, CREDENTIALS.unpack(client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))[1]
