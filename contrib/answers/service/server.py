# SPDX-License-Identifier: LGPL-2.1-or-later
"""The service for answers: see jobtrail-answer(8), and protocol.py; web/proxy.py has what the site's web server asks.

One process listens, reads questions and counts; it waits for nobody, neither for a client nor for munged nor for the site's
directory of users nor for Slurm. What these have to say is found out by a few processes that are there from the start, one
question after another (helpers.py); a process of its own gives each answer (worker.py). Both are ended after a bounded time, and
a worker when its client has gone, too.
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

from ...program import Failure, Parser, add_version_option, tell_without_effect
from ...store import prepare
from ..web import proxy
from . import protocol, rights, worker
from .helpers import Errand, Helpers, Work, kill
from .munge import ENCODED_AT_MOST, PREFIX, Munge, MungeError, of_form
from .notices import Notices, log
from .settings import SOCKET, place, read
from .sockets import Doorway, listening

QUESTION_SECONDS = 10  # in which a question has to come in
ERRAND_SECONDS = 10  # in which a helper has to find out who asks
HELPERS = 4  # of TCP and of the proxy each
SLURM_SECONDS = 60
READING_MAX = 128  # connections, by TCP and by the proxy each, whose question is not complete; of more, one is closed
LINE_MAX = 128  # connections, by TCP and by the proxy each, that wait for a helper; of more, one is refused
WAITING_MAX = 256  # questions that wait for their turn
USER_WAITING_MAX = 16
SLURM_MAX = 64 << 20  # bytes of what Slurm says
LINES_MAX = 10  # in the log in a minute: of what is refused, by TCP and by the proxy each, and of answers that are ended


class Connection:
    """A client. `until`: when its question, or its answer, is late. `uid`: by whom questions are counted; `who`: the same
    for the log."""

    failures = (protocol.Refused, MungeError)

    def __init__(self, client, peer):
        self.client, self.peer = client, peer
        self.data = bytearray()
        self.until = time.monotonic() + QUESTION_SECONDS
        self.question = self.uid = self.who = self.process = self.progress = self.errand = None
        self.why = None

    @staticmethod
    def work(server):
        """Of its helpers: what take() takes of what feed() has returned, and what finish() sends of what it asks for."""

        def do(asked):
            if not asked.startswith(PREFIX):
                return b"".join(last_frames(server.munge, *json.loads(asked.decode())))
            data, uid = server.munge.decode(asked)
            return b"%d %s" % (uid, data)

        return Work(do, (MungeError,), ERRAND_SECONDS, "munged does not answer", 2 * ENCODED_AT_MOST)

    def take(self, found):
        """Raises one of `failures`."""
        uid, _, data = found.partition(b" ")
        self.uid = int(uid)
        self.who = "uid %d" % self.uid
        self.question = protocol.decode_question(data)
        self.data = None

    def trouble(self, why):
        """One of `failures`, where it was not found out."""
        return MungeError(why)

    def refuse(self, error):
        """What is no question has no answer."""

    def finish(self, parts, why, server):
        """Ends an answer of which so many parts were sent with a message, as far as the client takes it at once."""

        def send(data):
            self.client.send(data)
            server.close(self)

        server.send(self, json.dumps([self.uid, self.question.nonce, parts, why]).encode(), send)

    def answer(self, server):
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
        return of_form(bytes(self.data[protocol.HEAD.size :])) if len(self.data) == size else None


def last_frames(munge, uid, nonce, parts, why):
    texts = ((protocol.STDERR, b"jobtrail: %s\n" % why.encode()), (protocol.END, bytes([protocol.FAILED])))
    for number, (kind, data) in enumerate(texts, parts):
        yield protocol.frame(protocol.ANSWER, munge.encode(protocol.encode_part(nonce, number, kind, data), uid))


def oldest_of_most(connections):
    """The oldest one of whose who has most of them: nobody takes the place of others by having many. The oldest come first."""
    (whose, _), *_ = collections.Counter(other.who or other.peer for other in connections).most_common(1)
    return next(other for other in connections if (other.who or other.peer) == whose)


class Server:
    def __init__(self, settings, munge):
        self.settings, self.munge = settings, munge
        self.directory = rights.Directory(settings)
        self.selector = selectors.DefaultSelector()
        self.reading = collections.OrderedDict()  # connections, the oldest first; the values mean nothing
        self.waiting = []
        self.running = {}  # process: connection
        self.helpers = {kind: Helpers(self, HELPERS, kind.work(self)) for kind in (Connection, proxy.Connection)}
        self.helpers[None] = Helpers(self, 1, SLURM_WORK)
        self.is_asking = False  # Slurm
        self.refusals = {Connection: Notices(LINES_MAX), proxy.Connection: Notices(LINES_MAX)}
        self.ended = Notices(LINES_MAX)
        self.doorways = []
        self.is_ending = False

    # ---- Start and end

    def listen(self):
        """Returns where, for people."""
        where, runtime = [], os.environ.get("RUNTIME_DIRECTORY")
        if runtime:
            self.add_doorway(Doorway(os.path.join(runtime, os.path.basename(SOCKET))), self.accept_here)
        if self.settings.web_socket:
            self.add_doorway(proxy.Doorway(self.settings), self.accept_proxy)
        if self.settings.listen:
            listener = listening(*place(self.settings.listen))
            listener.setblocking(False)
            self.selector.register(listener, selectors.EVENT_READ, lambda: self.accept(listener))
            where.append("port %d of %s" % listener.getsockname()[1::-1])
        return where + [doorway.path for doorway in self.doorways]

    def add_doorway(self, doorway, accept):
        self.doorways.append(doorway)
        self.selector.register(doorway.listener, selectors.EVENT_READ, lambda: accept(doorway))

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
            self.end_late()
            self.reap()
            self.start_workers()
            for helpers in self.helpers.values():
                helpers.go_on()
        for processes in [self.running] + [helpers.helpers for helpers in self.helpers.values()]:
            for process in processes:
                kill(process)
        for doorway in self.doorways:
            doorway.close()

    def start_helpers(self):
        for helpers in self.helpers.values():
            helpers.start()

    def seconds_left(self):
        """Until something is late."""
        moments = [connection.until for connection in self.reading]
        moments += [connection.until for connection in self.running.values()]
        moments += [moment for helpers in self.helpers.values() for moment in helpers.moments()]
        return max(min(moments) - time.monotonic(), 0) + 0.01 if moments else None

    # ---- Questions

    def accept(self, listener):
        try:
            client, address = listener.accept()
        except OSError:  # the client has gone, or there are no more descriptors
            return
        self.begin(Connection(client, address[0]))

    def accept_here(self, doorway):
        """Who has many connections is a user here, and not a host."""
        client, uid = doorway.accept() or (None, None)
        if client is not None:
            self.begin(Connection(client, "uid %d here" % uid))

    def accept_proxy(self, doorway):
        connection = doorway.accept()
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
            self.close(oldest_of_most(alike))

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
        self.guard(connection, lambda: self.feed(connection, data))

    def guard(self, connection, step):
        """Does a step with a question; one that fails ends this connection, and not the service."""
        if connection.client.fileno() < 0:
            return  # closed while a helper had it
        try:
            step()
        except connection.failures as error:
            self.refuse(connection, error)
        except OSError:  # the client has gone
            self.close(connection)
        except Exception:  # a fault of this program
            log("%s: a question is not understood" % connection.peer)
            traceback.print_exc(file=sys.stderr)
            self.close(connection)

    def refuse(self, connection, error):
        if connection.client.fileno() < 0:
            return
        self.refusals[type(connection)].log("%s: refused: %s" % (connection.peer, error))
        connection.refuse(error)
        self.close(connection)

    def feed(self, connection, data):
        asked = connection.feed(data)
        if asked is not None:
            del self.reading[connection]
            self.send(connection, asked, lambda found: self.take(connection, found))

    def send(self, connection, asked, then):
        """Lets a helper do this for the connection."""
        connection.errand = Errand(
            connection,
            asked,
            lambda found: self.guard(connection, lambda: then(found)),
            lambda why: self.refuse(connection, connection.trouble(why)),
        )
        line = self.helpers[type(connection)].line
        line.append(connection.errand)
        if len(line) > LINE_MAX:
            crowding = oldest_of_most([errand.connection for errand in line])
            self.refuse(crowding, crowding.trouble("too many questions wait for authentication"))

    def take(self, connection, found):
        connection.take(found)
        ours = sum(other.uid == connection.uid for other in self.waiting)
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
        line = self.helpers[type(connection)].line
        if connection.errand in line:
            line.remove(connection.errand)
        self.reading.pop(connection, None)
        if connection in self.waiting:
            self.waiting.remove(connection)

    def finish(self, connection, parts, why):
        """Ends an answer of which so many parts were sent with a message."""
        if connection.client.fileno() < 0:
            return
        self.ended.log("%s: %s: %s" % (connection.peer, connection.who, why))
        connection.finish(parts, why, self)

    # ---- Processes

    def start_workers(self):
        if self.waiting and self.settings.see == rights.SEE_SLURM and not self.directory.is_fresh():
            self.ask_slurm()
            if not self.directory.is_usable():
                return
        busy = collections.Counter(connection.uid for connection in self.running.values())
        for connection in list(self.waiting):
            if len(self.running) >= self.settings.requests:
                return
            if busy[connection.uid] < self.settings.user_requests:
                busy[connection.uid] += 1
                self.waiting.remove(connection)
                self.start_worker(connection)

    def start_worker(self, connection):
        try:
            connection.progress = worker.Progress()
            process = self.fork(connection.client, lambda: connection.answer(self))
        except OSError as error:
            self.finish(connection, 0, "the service can start no process now (%s); ask again later" % error.strerror)
            return
        connection.until = time.monotonic() + self.settings.time
        connection.process = process
        self.running[process] = connection

    def fork(self, kept, work):
        """Starts a process that does the work, and returns it. It is the leader of a group, and has of our sockets this one
        alone, and of the helpers' memory nothing. Raises OSError."""
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
        for helper in [helper for helpers in self.helpers.values() for helper in helpers.helpers.values()]:
            helper.close()
        self.waker.close()
        self.selector.close()
        leave(work)

    def reap(self):
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if process == 0:
                return
            if process in self.running:
                self.end_worker(self.running.pop(process), status)
            for helpers in self.helpers.values():
                if process in helpers.helpers:
                    helpers.end(process)

    def end_worker(self, connection, status):
        """Its answer is complete if it ended well. Otherwise it gets an end here, unless its last part may be cut."""
        parts, is_sending = connection.progress.load()
        connection.progress.shared.close()
        connection.process = None
        if status != 0 and not is_sending:
            self.finish(connection, parts, connection.why or self.reason(status))
        else:
            self.close(connection)

    def reason(self, status):
        """Why a worker ended so."""
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            return "the answer takes more than %d s of processor time; ask for less" % self.settings.time
        if os.WIFSIGNALED(status):
            return "the answer was ended by signal %d" % os.WTERMSIG(status)
        if os.WEXITSTATUS(status) == worker.NO_MEMORY:
            return "the answer needs too much memory; ask for less"
        if os.WEXITSTATUS(status) == worker.NO_MUNGE:
            return "munged does not encode the answer"
        return "the service for answers has failed; its log says why"

    def end_late(self):
        now = time.monotonic()
        for connection in [connection for connection in self.reading if connection.until <= now]:
            self.close(connection)
        for helpers in self.helpers.values():
            helpers.end_late(now)
        for process, connection in self.running.items():
            if connection.until <= now:
                connection.why = "the answer takes more than %d s; ask for less" % self.settings.time
                connection.until = now + 1
                kill(process)

    # ---- What users may see

    def ask_slurm(self):
        if not self.is_asking:
            self.is_asking = True
            self.helpers[None].line.append(Errand(None, b"", self.take_rights, self.lack_rights, self.lack_process))

    def take_rights(self, said):
        self.is_asking = False
        self.directory.take(json.loads(said.decode()))

    def lack_rights(self, why):
        self.is_asking = False
        log("Slurm: %s" % why)
        self.directory.fail(why)

    def lack_process(self, why):
        """Who waits for what Slurm says is told that it was not asked."""
        self.is_asking = False
        waiting, self.waiting = self.waiting, []
        for connection in waiting:
            self.finish(connection, 0, why)


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


SLURM_WORK = Work(
    lambda _: json.dumps(rights.ask_slurm()).encode(), (rights.Unavailable,), SLURM_SECONDS, "no answer in time", SLURM_MAX
)


def check(settings):
    """Failure where the configuration does not let this process serve."""
    if not settings.listen and not os.environ.get("RUNTIME_DIRECTORY"):
        raise Failure(
            "jobtrail-answer: set `listen` in [answers] of jobtrail.conf(5), or let systemd start it, which makes a directory for the"
            " socket of this host"
        )
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
    tell_without_effect("libraries", "JOBTRAIL_LIBRARIES")
    settings = read(options.conf)
    check(settings)
    prepare(settings.store)
    try:
        server = Server(settings, Munge(settings.munge_socket))
        where = server.listen()
        server.watch_signals()
        server.start_helpers()
    except (MungeError, OSError) as error:
        raise Failure("jobtrail-answer: %s" % error) from None
    for place_here in where:
        print("jobtrail-answer listens on " + place_here, flush=True)
    server.serve()
