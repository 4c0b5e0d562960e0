# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pages for the site's web server, which asks the service for answers by a Unix socket.

The web server has authenticated the user, whom it names in a field of HTTP. It is trusted because the kernel says that its
uid is that of `web_proxy_user` in jobtrail.conf(5); a connection of another uid is closed before anything is read.
"""

import pwd
import socket
import time

from ...pattern import Pattern
from ...program import Failure
from ...store import let_go
from ...text import escape
from ..service import sockets, worker
from ..service.helpers import Work
from ..service.notices import Notices
from .application import guarded
from .request import END, HEAD_MAX, Head, Page, Refused
from .response import plain

READ_SECONDS = 10
SEND_SECONDS = 60
LOOK_SECONDS = 10  # for an account
HEADER = "X-Remote-User"  # of HTTP: who asks
USER = Pattern(r"[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,255}\Z")


def check(settings):
    """Failure where the pages are wanted, and nobody may ask for them."""
    if not settings.web_socket:
        return
    if not settings.web_proxy_user:
        raise Failure("jobtrail-answer: web_socket needs web_proxy_user in [answers]: the user of the web server")
    proxy_uid(settings)


def proxy_uid(settings):
    try:
        return pwd.getpwnam(settings.web_proxy_user).pw_uid
    except KeyError:
        raise Failure(
            "jobtrail-answer: this host has no user %s, which is web_proxy_user in [answers]" % escape(settings.web_proxy_user)
        ) from None


class Doorway(sockets.Doorway):
    """The socket. Only the proxy is listened to."""

    def __init__(self, settings):
        super().__init__(settings.web_socket)
        self.uid = proxy_uid(settings)
        self.notices = Notices(1)

    def accept(self):
        """A connection of the proxy, or None."""
        client, uid = super().accept() or (None, None)
        if client is None or uid == self.uid:
            return client and Connection(client, self.path)
        self.notices.log("%s: refused: uid %d is not that of web_proxy_user" % (self.path, uid))
        client.close()
        return None


class Connection:
    """As server.Connection: a request of HTTP, and who asks."""

    failures = (Refused,)

    def __init__(self, client, peer):
        self.client, self.peer = client, peer
        self.data = bytearray()
        self.until = time.monotonic() + READ_SECONDS
        self.question = self.uid = self.who = self.process = self.progress = self.errand = None
        self.why = None
        self.method = "GET"

    def feed(self, data):
        """Adds what came in. Returns the name of who asks when it is complete."""
        self.data += data
        self.method = "HEAD" if self.data.startswith(b"HEAD ") else "GET"
        at = self.data.find(END)
        if at < 0:
            if len(self.data) > HEAD_MAX:
                raise Refused(431, "The request is too long.")
            return None
        if at + len(END) != len(self.data):
            raise Refused(400, "A request for a page has no body.")
        head = Head(bytes(self.data))
        self.who = name_of(head.field(HEADER))
        self.question = Page(head.target)
        return self.who.encode()

    @staticmethod
    def work(_):
        """As server.Connection.work(): the uid of the account of this name here, or nothing."""

        def do(name):
            try:
                return b"%d" % pwd.getpwnam(name.decode()).pw_uid
            except KeyError:
                return b""

        return Work(do, (), LOOK_SECONDS, "the site's directory of users does not answer", HEAD_MAX)

    def take(self, found):
        if not found:
            raise nobody(self.who)
        self.uid = int(found)

    def trouble(self, why):
        return Refused(503, "No answer: %s." % why)

    def refuse(self, error):
        self.send_once(plain(error.status, error.why))

    def send_once(self, response):
        try:
            self.client.send(response.encode(self.method))
        except OSError:
            pass

    def finish(self, _, why, server):
        self.send_once(plain(503, "No answer: %s." % why, (("Retry-After", "10"),)))
        server.close(self)

    def answer(self, server):
        return work(self, server)


def name_of(text):
    """By which the proxy names who asks."""
    if not text:
        raise Refused(401, "The web server did not name the user.")
    if not USER.match(text):
        raise nobody(text)
    return text


def nobody(name):
    return Refused(403, "There is no user %s here." % escape(name))


def work(connection, server):
    """As service/worker.work(), of a page for the site's web server: sends the response, and returns the exit status of this process."""
    try:
        worker.limit(server.settings)
        worker.use_environment({})
        try:
            asker = worker.asker_of(connection.uid, server.directory, server.settings)
            response = guarded(asker, connection.question, time.time())
        except Refused as refused:
            response = plain(refused.status, refused.why)
        except Failure as failure:
            response = plain(403, escape(str(failure)))
        if len(response.body) > server.settings.size:
            response = plain(413, "The page has more than %d bytes. Ask for less." % server.settings.size)
        let_go()
        connection.progress.store(0, True)
        connection.client.settimeout(SEND_SECONDS)
        connection.client.sendall(response.encode(connection.method))
        return 0
    except MemoryError:
        return worker.NO_MEMORY
    except (ConnectionError, socket.timeout):
        return worker.GONE
