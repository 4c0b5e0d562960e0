# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages for who starts this program, on the loopback of this host: see jobtrail-web(1).

Every user of the host can connect to its loopback, and so can what runs in a browser. So a connection is listened to
only if the kernel says that it is of this user's; the address has a path and a secret that nobody can guess; the browser
keeps the secret as a cookie that it sends to this path alone, and for no other site; and a request has to name this host
as such, so that a name of another site cannot be made to mean it.
"""

import hmac
import io
import os
import secrets
import signal
import socket
import struct
import sys
import time

from ... import program, slurm
from ...report.summary import default_path
from ...store import let_go, open_store, prepare
from ...text import escape
from .. import ask_door
from ..service import settings
from ..service.rights import Rights
from .application import guarded
from .request import END, HEAD_MAX, Head, Page, Refused, url
from .response import Response, plain

LOOPBACK = "127.0.0.1"
NAMES = (LOOPBACK, "localhost")
ESTABLISHED = "01"  # TCP_ESTABLISHED
COOKIE = "jobtrail"
CHILDREN_MAX = 8
PAUSE_SECONDS = 0.1  # after a failure
SECONDS = 10  # for a request to come in, or for the browser to take what was sent


class Direct:
    """A store that this user can read: all of it. See data.Context."""

    everybody = True
    is_seen = None

    def __init__(self, address):
        self.user = "uid %d" % os.geteuid()
        self.rights = Rights(everything=True)
        self.address, self.summary = address, default_path(address)
        prepare(address)

    def open(self):
        return open_store(self.address)

    def scopes(self):
        return slurm.ALL_JOBS

    def add_options(self, parser, name):
        if name == "acct":
            parser.set_defaults(no_sacct=False)

    def get(self, target):
        """The response to a request for the target, in bytes."""
        return guarded(self, Page(target), time.time()).encode()


class Asked:
    """The service for answers, with the rights that this user has there."""

    def __init__(self, found):
        self.settings = found

    def get(self, target):
        """As Direct.get()."""
        output, errors = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace") for _ in range(2))
        why = ""
        try:
            ask_door.exchange(self.settings, "web", [target])
        except program.Failure as failure:
            why = str(failure)
        finally:
            answer, said = sys.stdout, sys.stderr
            sys.stdout, sys.stderr = output, errors
        for stream in (answer, said):
            stream.flush()
        data = answer.buffer.getvalue()
        if why or not data.startswith(b"HTTP/1.1 "):
            text = why or escape(said.buffer.getvalue().decode("utf-8", "replace").strip()) or "no answer"
            return plain(502, text).encode()
        return data


def source(store):
    """What answers: the store where one is named, else the service that jobtrail.conf names, or that of this host, else its store."""
    if store is not None:
        return Direct(store)
    found = settings.read()
    return Asked(found) if found.asked() else Direct(found.store)


def peer_uid(peer, here):
    """The uid of who has the other end of a connection on this host; None: not known, or they have closed it: the kernel
    says then that it is root's. By proc(5), /proc/net/tcp."""
    ends = ["%08X:%04X" % (struct.unpack("=I", socket.inet_aton(host))[0], port) for host, port in (peer, here)]
    with open("/proc/net/tcp", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[1:3] == ends and words[3] == ESTABLISHED and words[9] != "0":
                return int(words[7])
    return None


def is_same(text, secret):
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


class Door:
    """Who is let in. The secret of the address works once, for the browser that gets the cookie for it: addresses are kept in
    histories and are seen in lists of processes."""

    def __init__(self):
        self.path = "/%s/" % secrets.token_hex(8)
        self.secret, self.cookie = secrets.token_hex(16), secrets.token_hex(16)
        # requests are answered by processes of their own: who reads the only byte has used the secret
        self.unused, writer = os.pipe()
        os.write(writer, b"1")
        os.close(writer)

    def address(self, port):
        return "http://%s:%d%s?secret=%s" % (LOOPBACK, port, self.path, self.secret)

    def may_enter(self, text):
        """Whether this is the secret, which nobody has used."""
        return is_same(text, self.secret) and os.read(self.unused, 1) != b""

    def has_cookie(self, head):
        cookies = [text.strip().partition("=") for text in (head.field("Cookie") or "").split(";")]
        return any(name == COOKIE and is_same(value, self.cookie) for name, _, value in cookies)

    def check(self, head):
        """A Response where the browser is to come again, with the cookie; None: it may come in. Raises Refused."""
        host = (head.field("Host") or "").rpartition(":")
        if (host[0] if host[1] else host[2]) not in NAMES:
            raise Refused(403, "This is not the name of this host: use the address that jobtrail-web has printed.")
        if not head.target.startswith(self.path):
            raise Refused(404, "There is no such page.")
        page = Page(head.target)
        if "secret" in page.values:
            if not self.has_cookie(head) and not self.may_enter(page.values["secret"]):
                raise Refused(403, "The secret is wrong, or was used before: start jobtrail-web again.")
            cookie = "%s=%s; Path=%s; HttpOnly; SameSite=Strict" % (COOKIE, self.cookie, self.path)
            more = [(name, text) for name, text in page.values.items() if name != "secret"]
            there = self.path + url(page.route, more, page.form).lstrip(".")
            return Response(303, "text", b"", fields=(("Location", there), ("Set-Cookie", cookie)))
        if not self.has_cookie(head):
            raise Refused(403, "Use the address that jobtrail-web has printed, in this browser.")
        return None


def read_head(connection):
    end = time.monotonic() + SECONDS
    data = b""
    while not data.endswith(END):
        connection.settimeout(max(end - time.monotonic(), 0.001))
        more = connection.recv(1 << 14)
        data += more
        if not more or len(data) > HEAD_MAX or END in data[: -len(END)]:
            raise Refused(400, "This is not a request for a page.")
    return data


def serve_one(connection, door, pages):
    """Reads a request and sends the response."""
    method = "GET"
    try:
        data = read_head(connection)
        method = "HEAD" if data.startswith(b"HEAD ") else "GET"
        head = Head(data)
        response = door.check(head)
        answer = response.encode() if response else pages.get("/" + head.target[len(door.path) :])
    except Refused as refused:
        answer = plain(refused.status, refused.why).encode()
    if method == "HEAD":
        answer = answer[: answer.index(END) + len(END)]
    let_go()
    connection.settimeout(SECONDS)
    connection.sendall(answer)


def reap(children, is_full):
    """Forgets children that have ended; waits for one if there are as many as there may be."""
    while children:
        child, _ = os.waitpid(-1, 0 if is_full else os.WNOHANG)
        if child == 0:
            return
        children.discard(child)
        is_full = False


def serve(listener, door, pages):
    """Until SIGINT or SIGTERM."""
    here, children = listener.getsockname(), set()
    while True:
        try:
            connection, peer = listener.accept()
        except OSError:  # the browser has gone, or there are no more descriptors
            time.sleep(PAUSE_SECONDS)
            continue
        with connection:
            reap(children, len(children) >= CHILDREN_MAX)
            try:
                if peer_uid(peer, here) != os.geteuid():
                    continue
                child = os.fork()
            except OSError:
                continue
            if child == 0:
                status = 1
                try:
                    listener.close()
                    serve_one(connection, door, pages)
                    status = 0
                except OSError:
                    pass
                finally:
                    os._exit(status)
            children.add(child)


def stop(*_):
    raise SystemExit(0)


def main():
    parser = program.Parser(prog="jobtrail-web", description="Shows the reports in a browser. See jobtrail-web(1).")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the loopback; default: one that is free")
    program.add_version_option(parser, parser.prog)
    program.add_store_option(parser)
    options = parser.parse_args()
    program.tell_without_effect("libraries", "JOBTRAIL_LIBRARIES")
    pages = source(options.store)
    listener, door = socket.socket(socket.AF_INET, socket.SOCK_STREAM), Door()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((LOOPBACK, options.port))
    except (OSError, OverflowError) as error:
        raise program.Failure("jobtrail-web: port %d: %s" % (options.port, getattr(error, "strerror", None) or error)) from None
    listener.listen(32)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    print(door.address(listener.getsockname()[1]), flush=True)
    serve(listener, door, pages)
