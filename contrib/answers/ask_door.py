# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks the service for answers (service/protocol.py), and prints what it says: the door by which jobtrail-acct, jobtrail-job and jobtrail-report do so."""

import os
import pwd
import secrets
import socket
import sys

from .. import program
from ..pattern import Pattern
from ..program import Failure
from ..replacing import Replacing
from ..text import escape
from .service import protocol, settings
from .service.munge import Munge, MungeError

CONNECT_SECONDS = 10
MARGIN_SECONDS = 60  # that an answer may take beside the time of the service's own bound: it may wait in a queue
LOCALTIME = "/etc/localtime"
ZONES = Pattern(r".*/zoneinfo/(.+)\Z")


def environment():
    """Of VARIABLES those that are set here, and the time zone also where no variable says so."""
    found = {name: os.environ[name] for name in protocol.VARIABLES if os.environ.get(name)}
    if "TZ" not in found:
        zone = ZONES.match(os.path.realpath(LOCALTIME))
        if zone:
            found["TZ"] = zone.group(1)
    return {name: value for name, value in found.items() if protocol.is_text(value, protocol.VARIABLE_MAX)}


def words_of(error):
    return getattr(error, "strerror", None) or str(error)


CUT = (
    "the answer ended before it was complete; its log has the reason"
    " (a question is refused where munge's keys or the clocks of the two hosts differ)"
)


def connect(found):
    """A connection on which what is sent and received is waited for as long as an answer may take."""
    where = found.asked()
    try:
        if where == settings.SOCKET:
            connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            connection.connect(where)
        else:
            connection = socket.create_connection(settings.place(where), CONNECT_SECONDS)
    except (OSError, OverflowError, UnicodeError) as error:
        raise protocol.Refused(words_of(error)) from None
    connection.settimeout(found.time + MARGIN_SECONDS)
    return connection


def send(connection, data):
    try:
        connection.sendall(data)
    except OSError as error:
        raise protocol.Refused(words_of(error)) from None


def read(connection, size):
    data = bytearray()
    while len(data) < size:
        try:
            more = connection.recv(min(size - len(data), 1 << 16))
        except OSError as error:
            raise protocol.Refused(words_of(error)) from None
        if not more:
            raise protocol.Refused(CUT)
        data += more
    return bytes(data)


class Answer:
    """The parts of one answer, each checked."""

    def __init__(self, connection, munge, uid, nonce):
        self.connection, self.munge, self.uid, self.nonce = connection, munge, uid, nonce

    def parts(self):
        """(kind, data) up to and with END."""
        number, kind = 0, None
        while kind != protocol.END:
            head = read(self.connection, protocol.HEAD.size)
            credential = read(self.connection, protocol.length_of(head, protocol.ANSWER, protocol.ANSWER_MAX))
            data, uid = self.munge.decode(credential)
            if uid != self.uid:
                raise protocol.Refused("it was made by uid %d, not by the service's uid, %d" % (uid, self.uid))
            kind, rest = protocol.decode_part(data, self.nonce, number)
            number += 1
            yield kind, rest


def show(answer):
    """Writes the answer where it belongs, and returns the exit status."""
    for kind, rest in answer.parts():
        sys.stdout.flush()
        if kind == protocol.STDERR:
            sys.stderr.write(rest.decode("utf-8", "replace"))
            sys.stderr.flush()
        elif kind == protocol.STDOUT:
            sys.stdout.buffer.write(rest)
        else:
            return rest
    return None


def service_uid(name):
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        raise Failure("this host has no user %s, which is `user` in [answers]" % escape(name)) from None


def check(options):
    """Failure where the options name files of this host for what the service does."""
    for name in ("families", "summary", "libraries", "entries"):
        if getattr(options, name, None):
            raise Failure("--%s needs --store, as the service for answers is asked here" % name)


def ask(options, name):
    """Lets the service that jobtrail.conf names, or that of this host, answer instead of the program of this name (acct, job, report), and returns True; ends the
    program, or raises Failure, if the answer is a failure. --update is for the host that has the store. Where nothing is asked, the
    store is set in `options`."""
    found = settings.read()
    if not found.asked() or getattr(options, "update", False):
        options.store = found.store
        return False
    check(options)
    with Replacing(getattr(options, "output", None)):
        status = exchange(found, name, sys.argv[1:])
        if status != 0:
            sys.exit(program.failure_status if status == protocol.FAILED else status)
    return True


def exchange(found, name, arguments):
    """Asks the service of these Settings what the program of this name with these arguments would say, and prints it. Returns its exit
    status."""
    where = "the service for answers at %s" % escape(found.asked())
    uid = service_uid(found.user)
    try:
        munge = Munge(found.munge_socket)
        question = protocol.Question(secrets.token_hex(16), name, list(arguments), environment())
        credential = munge.encode(question.encode(), uid)
        if len(credential) > protocol.QUESTION_MAX:
            raise Failure("the question is too long")
        with connect(found) as connection:
            send(connection, protocol.frame(protocol.QUESTION, credential))
            return show(Answer(connection, munge, uid, question.nonce))
    except (MungeError, protocol.Refused) as error:
        raise Failure("%s: %s" % (where, escape(str(error)))) from None
