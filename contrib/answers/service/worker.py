# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process that gives one answer: it runs the main() of jobtrail-acct, jobtrail-job or jobtrail-report over the rows that the asker
may see. There is no option by which an asker could name a file, a store or a program."""

import argparse
import io
import mmap
import os
import pwd
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback

from ... import program
from ...acct import main as acct
from ...job import main as job
from ...report import days
from ...report import main as report
from ...report.summary import default_path
from ...store import let_go
from ...text import escape
from ..web import application
from . import protocol
from .munge import MungeError
from .restricted import open_for

SEND_SECONDS = 60  # that a client may read nothing
MAINS = {"acct": acct.main, "job": job.main, "report": report.main, "web": application.main}
STATE = struct.Struct("=I?")
FAULT, GONE, NO_MEMORY, NO_MUNGE = 1, 2, 3, 4  # exit statuses
acct.rows_module("coverage")  # loads what jobtrail-acct loads when it is asked for: once, and not in each process


class TooLong(Exception):
    """The answer is longer than the site wants."""


class Gone(Exception):
    """The client does not take the answer."""


class Progress:
    """What the service sees of a worker: how many parts it has sent, and whether it is sending one."""

    def __init__(self):
        self.shared = mmap.mmap(-1, STATE.size)

    def store(self, parts, is_sending):
        STATE.pack_into(self.shared, 0, parts, is_sending)

    def load(self):
        return STATE.unpack_from(self.shared)


class Channel:
    """The way to the client. What is written is kept, in a file without a name, until give() sends it."""

    def __init__(self, connection, munge, uid, nonce, progress, left):
        self.connection, self.munge, self.uid, self.nonce = connection, munge, uid, nonce
        self.progress, self.left, self.parts = progress, left, 0
        self.kept, self.written = tempfile.TemporaryFile(), []  # (kind, bytes)

    def write(self, kind, data):
        self.left -= len(data)
        if self.left < 0 and kind == protocol.STDOUT:
            raise TooLong
        self.kept.write(data)
        self.written.append((kind, len(data)))

    def give(self):
        self.kept.seek(0)
        for kind, size in self.written:
            self.send(kind, self.kept.read(size))

    def send(self, kind, data):
        part = protocol.encode_part(self.nonce, self.parts, kind, data)
        credential = self.munge.encode(part, self.uid)
        self.progress.store(self.parts, True)
        try:
            self.connection.sendall(protocol.frame(protocol.ANSWER, credential))
        except OSError:
            raise Gone from None
        self.parts += 1
        self.progress.store(self.parts, False)


class Stream(io.RawIOBase):
    """The standard output, or the standard error."""

    def __init__(self, channel, kind):
        super().__init__()
        self.channel, self.kind = channel, kind

    def writable(self):
        return True

    def write(self, data):
        data = bytes(data[: protocol.DATA_MAX])
        if data:
            self.channel.write(self.kind, data)
        return len(data)


def text_stream(channel, kind):
    """As program.utf8_output() makes it."""
    buffer = io.BufferedWriter(Stream(channel, kind), protocol.DATA_MAX)
    return io.TextIOWrapper(
        buffer, encoding="utf-8", errors="backslashreplace", newline="\n", line_buffering=kind == protocol.STDERR
    )


class Ignored(argparse.Action):
    """Of an option that the client has done already."""

    def __call__(self, *_):
        pass


class Asker:
    """Who asks, and the store: see the parameter `own` of acct.main() and report.main()."""

    def __init__(self, uid, user, rights, settings):
        self.uid, self.user, self.rights = uid, user, rights
        self.address, self.seconds = settings.store, settings.time
        self.everybody = uid == 0  # without -a and -u, as when they ask the store
        self.summary = default_path(self.address)
        self.is_seen = None if rights.all else rights.may_see

    def open(self):
        return open_for(self.address, self.rights, self.seconds)

    def add_options(self, parser, name):
        if name != "report":
            parser.add_argument("--no-sacct", action="store_true")
            parser.set_defaults(no_sacct=False)
        else:
            parser.add_argument("-o", "--output", action=Ignored)

    def scopes(self):
        """Options of sacct by which it shows jobs that may be seen, and no others: what it shows of all."""
        if self.rights.all:
            return (("--allusers",),)
        scopes = [("--user=" + ",".join(sorted(self.rights.users)),)]
        if self.rights.accounts:
            scopes.append(("--allusers", "--accounts=" + ",".join(sorted(self.rights.accounts))))
        return scopes


def name_of(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        raise program.Failure("the service for answers knows no user of your uid, %d" % uid) from None


def use_environment(variables):
    """The asker's, and none that were the service's own."""
    for name in protocol.VARIABLES:
        os.environ.pop(name, None)
    for name, value in variables.items():
        if name != "TZ" or days.ZONE.match(value) and ".." not in value:
            os.environ[name] = value
    time.tzset()


def limit(settings):
    """Processor time and memory. The service ends what takes too long."""
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    # at the hard limit comes SIGKILL, and never SIGXCPU, which says why: setrlimit(2)
    resource.setrlimit(resource.RLIMIT_CPU, (settings.time, settings.time + 1))
    resource.setrlimit(resource.RLIMIT_AS, (settings.memory, settings.memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def asker_of(uid, directory, settings):
    user = name_of(uid)
    return Asker(uid, user, directory.known(user), settings)


def answer(question, uid, directory, settings):
    """Writes the answer to the standard output and the standard error."""
    asker = asker_of(uid, directory, settings)
    rights = asker.rights
    if rights.lacking is not None:
        text = "jobtrail: you see your own runs only, since Slurm's accounting does not answer: %s"
        print(text % escape(rights.lacking), file=sys.stderr)
    sys.argv = ["jobtrail-" + question.program] + question.arguments
    MAINS[question.program](asker)


def status_of_answer(question, uid, directory, settings):
    """Calls answer(), and says why there is none."""
    try:
        return program.status_of(lambda: answer(question, uid, directory, settings))
    except TooLong:
        print("jobtrail: the answer has more than %d bytes; ask for less" % settings.size, file=sys.stderr)
    except (Gone, MungeError, MemoryError):
        raise
    except Exception:
        traceback.print_exc(file=sys.__stderr__)
        print("jobtrail: the service for answers has failed; its log says why", file=sys.stderr)
    return program.failure_status


def work(connection, question, uid, directory, settings, munge, progress):
    """Gives the answer to the client and returns the exit status of this process."""
    try:
        limit(settings)
        use_environment(question.environment)
        connection.settimeout(SEND_SECONDS)
        channel = Channel(connection, munge, uid, question.nonce, progress, settings.size)
        sys.stdout, sys.stderr = (text_stream(channel, kind) for kind in (protocol.STDOUT, protocol.STDERR))
        status = status_of_answer(question, uid, directory, settings)
        sys.stderr.flush()
        let_go()
        channel.give()
        channel.send(protocol.END, bytes([status & 0xFF]))
        return 0
    except MemoryError:
        return NO_MEMORY
    except Gone:
        return GONE
    except MungeError:
        return NO_MUNGE
