# SPDX-License-Identifier: LGPL-2.1-or-later
"""The service for answers: see jobtrail-answer(8), and protocol.py; web/proxy.py has what the site's web server asks.

One process listens, reads questions and counts; it never waits for a client. Each question gets a process of its own
(worker.py), which it ends after a bounded time, or when the client has gone. Another one asks Slurm, every few
minutes, what users may see (rights.py).
"""

import collections
import json
import os
import selectors
import signal
import socket
import sys
import time
import traceback

from ..program import Failure, Parser, add_version_option
from ..web import proxy
from . import protocol, rights, worker
from .munge import Munge, MungeError
from .settings import place, read

QUESTION_SECONDS = 10  # in which a question has to come in
READING_MAX = 128  # connections, by TCP and by the proxy each, whose question has not come in; of more, the oldest is closed
WAITING_MAX = 256  # questions that wait for their turn
USER_WAITING_MAX = 16
BACKLOG = 128
ANSWER_OF_SLURM_MAX = 64 << 20
LOG_MAX = 200  # characters of a line


class Connection:
    """A client. `until`: when its question, or its answer, is late. `who`: asks, for the log and by whom questions are
    counted."""

    failures = (protocol.Refused, MungeError)

    def __init__(self, client, peer):
        self.client, self.peer = client, peer
        self.data = bytearray()
        self.until = time.monotonic() + QUESTION_SECONDS
        self.question = self.uid = self.who = self.process = self.progress = None
        self.why = None

    def take(self, credential, server):
        """Decodes what feed() has returned: who asks, and what. Raises one of `failures`."""
        data, self.uid = server.munge.decode(credential)
        self.who = "uid %d" % self.uid
        self.question = protocol.decode_question(data)

    def refuse(self, error):
        """What is no question has no answer."""

    def finish(self, parts, why, server):
        """Ends an answer of which so many parts were sent with a message, as far as the client takes it at once."""
        texts = ((protocol.STDERR, b"jobtrail: %s\n" % why.encode()), (protocol.END, bytes([protocol.FAILED])))
        for number, (kind, data) in enumerate(texts, parts):
            part = protocol.encode_part(self.question.nonce, number, kind, data)
            self.client.send(protocol.frame(protocol.ANSWER, server.munge.encode(part, self.uid)))

    def work(self, server):
        """In the process that gives the answer; returns its exit status."""
        return worker.work(
            self.client, self.question, self.uid, server.directory, server.settings, server.munge, self.progress
        )

    def feed(self, data):
        """Adds what came in. Returns the credential when the question is complete."""
        self.data += data
        if len(self.data) < protocol.HEAD.size:
            return None
        head = bytes(self.data[: protocol.HEAD.size])
        size = protocol.HEAD.size + protocol.length_of(head, protocol.QUESTION, protocol.QUESTION_MAX)
        if len(self.data) > size:
            raise protocol.Refused("more bytes than a question")
        return bytes(self.data[protocol.HEAD.size :]) if len(self.data) == size else None


def log(connection, text):
    line = "%s: %s" % (connection.peer, text)
    print(line if len(line) <= LOG_MAX else line[:LOG_MAX] + "...", file=sys.stderr, flush=True)


class Server:
    def __init__(self, settings, munge):
        self.settings, self.munge = settings, munge
        self.directory = rights.Directory(settings)
        self.selector = selectors.DefaultSelector()
        self.reading = collections.OrderedDict()  # connections, the oldest first; the values mean nothing
        self.waiting = []
        self.running = {}  # process: connection
        self.asking = None  # the process that asks Slurm, and what it has said up to now
        self.is_ending = False

    # ---- Start and end

    def listen(self):
        """Returns (host, port)."""
        self.listener = listening(*place(self.settings.listen))
        self.listener.setblocking(False)
        self.selector.register(self.listener, selectors.EVENT_READ, self.accept)
        if self.settings.web_socket:
            self.doorway = proxy.Doorway(self.settings)
            self.selector.register(self.doorway.listener, selectors.EVENT_READ, self.accept_proxy)
        return self.listener.getsockname()[:2]

    def watch_signals(self):
        """Signals wake the selector."""
        self.woken, waker = socket.socketpair()
        for end in (self.woken, waker):
            end.setblocking(False)
        self.waker = waker
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.end)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        self.selector.register(self.woken, selectors.EVENT_READ, self.wake)

    def end(self, *_):
        self.is_ending = True

    def wake(self):
        try:
            while self.woken.recv(4096):
                pass
        except BlockingIOError:
            pass

    def serve(self):
        """Until SIGTERM or SIGINT."""
        while not self.is_ending:
            for key, _ in self.selector.select(self.seconds_left()):
                key.data()
            self.reap()
            self.end_late()
            self.start_workers()
        for process in list(self.running) + ([self.asking[0]] if self.asking else []):
            kill(process)

    def seconds_left(self):
        """Until something is late."""
        moments = [connection.until for connection in self.reading]
        moments += [connection.until for connection in self.running.values()]
        return max(min(moments) - time.monotonic(), 0) + 0.01 if moments else None

    # ---- Questions

    def accept(self):
        try:
            client, address = self.listener.accept()
        except OSError:  # the client has gone, or there are no more descriptors
            return
        self.begin(Connection(client, address[0]))

    def accept_proxy(self):
        connection = self.doorway.accept()
        if connection is not None:
            self.begin(connection)

    def begin(self, connection):
        """Reads the question of a client who has connected."""
        client = connection.client
        client.setblocking(False)
        self.selector.register(client, selectors.EVENT_READ, lambda: self.read(connection))
        self.reading[connection] = None
        alike = [other for other in self.reading if type(other) is type(connection)]
        if len(alike) > READING_MAX:
            self.close(alike[0])

    def read(self, connection):
        """Called when there is something to read, or the client has gone."""
        if connection.client.fileno() < 0:
            return  # closed by an event before this one
        try:
            data = connection.client.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data or connection.question is not None:
            self.give_up(connection)
            return
        try:
            credential = connection.feed(data)
            if credential is not None:
                self.take(connection, credential)
        except connection.failures as error:
            log(connection, "refused: %s" % error)
            connection.refuse(error)
            self.close(connection)
        except Exception:  # a fault of this program: it ends this connection, and not the service
            log(connection, "a question is not understood")
            traceback.print_exc(file=sys.stderr)
            self.close(connection)

    def take(self, connection, credential):
        connection.take(credential, self)
        connection.data = None
        del self.reading[connection]
        ours = sum(other.who == connection.who for other in self.waiting)
        if ours >= USER_WAITING_MAX or len(self.waiting) >= WAITING_MAX:
            self.finish(connection, 0, "too many questions wait for an answer; ask again later")
        else:
            self.waiting.append(connection)

    def give_up(self, connection):
        """Of a client who has gone, or who sends more than a question."""
        if connection.process is not None:
            kill(connection.process)
        self.close(connection)

    def close(self, connection):
        if connection.client.fileno() >= 0:
            self.selector.unregister(connection.client)
            connection.client.close()
        self.reading.pop(connection, None)
        if connection in self.waiting:
            self.waiting.remove(connection)

    def finish(self, connection, parts, why):
        """Ends an answer of which so many parts were sent with a message."""
        if connection.client.fileno() < 0:
            return
        log(connection, "%s: %s" % (connection.who, why))
        try:
            connection.finish(parts, why, self)
        except (OSError, MungeError):
            pass
        self.close(connection)

    # ---- Processes

    def start_workers(self):
        if self.waiting and self.settings.see == rights.SEE_SLURM and not self.directory.is_fresh():
            self.ask_slurm()
            if not self.directory.is_usable():
                return
        busy = collections.Counter(connection.who for connection in self.running.values())
        for connection in list(self.waiting):
            if len(self.running) >= self.settings.requests:
                return
            if busy[connection.who] < self.settings.user_requests:
                busy[connection.who] += 1
                self.waiting.remove(connection)
                self.start_worker(connection)

    def start_worker(self, connection):
        try:
            connection.progress = worker.Progress()
            process = self.fork(connection.client)
        except OSError as error:
            self.finish(connection, 0, "the service can start no process now (%s); ask again later" % error.strerror)
            return
        connection.until = time.monotonic() + self.settings.time
        if process == 0:
            leave(lambda: connection.work(self))
        connection.process = process
        self.running[process] = connection

    def fork(self, kept):
        """As os.fork(). The child is the leader of a group, and has of our sockets this one alone."""
        process = os.fork()
        if process != 0:
            return process
        os.setpgid(0, 0)
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_DFL)
        for key in list(self.selector.get_map().values()):
            if key.fileobj is not kept:
                key.fileobj.close()
        self.waker.close()
        self.selector.close()
        return 0

    def reap(self):
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            if self.asking and process == self.asking[0]:
                self.take_rights()
            else:
                self.end_worker(self.running.pop(process), status)

    def end_worker(self, connection, status):
        """Its answer is complete if it ended well. Otherwise it gets an end here, unless its last part may be cut."""
        parts, is_sending = connection.progress.load()
        if status != 0 and not is_sending:
            self.finish(connection, parts, connection.why or self.reason(status))
        self.close(connection)
        connection.progress.shared.close()

    def reason(self, status):
        """Why a worker ended so."""
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return "the answer takes more than %d s of processor time; ask for less" % self.settings.time
        if os.WIFSIGNALED(status):
            return "the answer was ended by signal %d" % os.WTERMSIG(status)
        if os.WEXITSTATUS(status) == worker.NO_MEMORY:
            return "the answer needs too much memory; ask for less"
        return "the service for answers has a fault; its log has more"

    def end_late(self):
        now = time.monotonic()
        for connection in [connection for connection in self.reading if connection.until <= now]:
            self.close(connection)
        for process, connection in self.running.items():
            if connection.until <= now:
                connection.why = "the answer takes more than %d s; ask for less" % self.settings.time
                connection.until = now + 1
                kill(process)

    # ---- What users may see

    def ask_slurm(self):
        if self.asking:
            return
        pair = ()
        try:
            pair = ours, theirs = socket.socketpair()
            process = self.fork(theirs)
        except OSError as error:
            for end in pair:
                end.close()
            self.lack_rights(error.strerror)
            return
        if process == 0:
            ours.close()
            leave(lambda: say_rights(theirs))
        theirs.close()
        ours.setblocking(False)
        self.asking = process, ours, bytearray()
        self.selector.register(ours, selectors.EVENT_READ, self.hear_rights)

    def hear_rights(self):
        """Up to its end, which comes with that of the process."""
        process, ours, said = self.asking
        try:
            data = ours.recv(1 << 20)
        except OSError:
            data = b""
        said += data
        if len(said) > ANSWER_OF_SLURM_MAX:
            kill(process)
        if not data:
            self.selector.unregister(ours)

    def take_rights(self):
        _, ours, said = self.asking
        while ours in (key.fileobj for key in self.selector.get_map().values()):
            self.hear_rights()
        ours.close()
        self.asking = None
        try:
            found = json.loads(said.decode())
        except ValueError:
            found = {"failure": "no answer"}
        if "failure" in found:
            self.lack_rights(found["failure"])
        else:
            self.directory.take(found)

    def lack_rights(self, why):
        print("Slurm: %s" % why, file=sys.stderr, flush=True)
        self.directory.fail(why)


def listening(host, port):
    """A socket that listens there; without a host on all addresses, of IPv6 too where this system has it."""
    if not host and socket.has_dualstack_ipv6():
        return socket.create_server(("", port), family=socket.AF_INET6, backlog=BACKLOG, dualstack_ipv6=True)
    family, _, _, _, address = socket.getaddrinfo(host or None, port, 0, socket.SOCK_STREAM, 0, socket.AI_PASSIVE)[0]
    return socket.create_server(address, family=family, backlog=BACKLOG)


def say_rights(connection):
    """In a process of its own: sends what Slurm says, as JSON."""
    try:
        found = rights.ask_slurm()
    except rights.Unavailable as reason:
        found = {"failure": str(reason)}
    connection.sendall(json.dumps(found).encode())
    return 0


def leave(work):
    """Ends this process with the result of work()."""
    status = worker.FAULT
    try:
        status = work()
    except MemoryError:
        status = worker.NO_MEMORY
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        sys.__stderr__.flush()
        os._exit(status)


def kill(process):
    """The process, which was not waited for, and what it has started."""
    for end in (os.killpg, os.kill):
        try:
            end(process, signal.SIGKILL)
        except ProcessLookupError:  # it is not the leader of its group yet
            pass


def check(settings):
    """Failure where the configuration does not let this process serve."""
    if settings is None or not settings.listen:
        raise Failure("jobtrail-answer: jobtrail.conf has no `listen` in [answers]; see jobtrail.conf(5)")
    if os.geteuid() == 0 or rights.user_id(settings.user) != os.geteuid():
        raise Failure(
            "jobtrail-answer: start it as the user %s, which is `user` in [answers], and not as root" % settings.user
        )
    proxy.check(settings)


def main():
    parser = Parser(prog="jobtrail-answer", description="Gives users answers about runs. See jobtrail-answer(8).")
    parser.add_argument("--conf", metavar="FILE", help="the configuration")
    add_version_option(parser, parser.prog)
    options = parser.parse_args()
    settings = read(options.conf)
    check(settings)
    try:
        server = Server(settings, Munge(settings.munge_socket))
        host, port = server.listen()
    except (MungeError, OSError) as error:
        raise Failure("jobtrail-answer: %s" % error) from None
    server.watch_signals()
    print("jobtrail-answer listens on port %d of %s" % (port, host), flush=True)
    if settings.web_socket:
        print("jobtrail-answer listens on %s" % settings.web_socket, flush=True)
    server.serve()
    if settings.web_socket:
        server.doorway.close()
