# SPDX-License-Identifier: LGPL-2.1-or-later
"""What clients and the service of answers send each other, by TCP.

A connection has one question and one answer. Both are made of frames, and a frame is

    4 bytes  b"JTQ1" of a question, b"JTA1" of an answer; the digit is the version of this protocol
    4 bytes  length of the rest, big endian; at most QUESTION_MAX or ANSWER_MAX
    a credential of munge(7), which says who made it; only the one whom it is for can decode it, and once only

The question is one frame. Its credential is for the uid of the service, and holds an object in JSON:

    "nonce"        32 hexadecimal digits that the client has chosen at random
    "program"      one of PROGRAMS
    "arguments"    list of texts: those of the program's command line
    "environment"  object of texts: the variables of VARIABLES that are set

The answer is a sequence of frames. Each credential is made by the uid of the service, is for the asker's uid, and holds

    16 bytes  the question's nonce
     4 bytes  number of the frame in the answer, big endian, from 0 on
     1 byte   STDOUT, STDERR: the rest, at most DATA_MAX bytes, is for the standard output, the standard error
              END: the rest is one byte, the exit status or FAILED, and this is the last frame

So nobody can pose as the service, ask as somebody else, repeat a question or an answer, or change, exchange, leave out
or cut a part of an answer unseen. Who listens to the network can see sizes and times. After its question a client sends
nothing more, and keeps the connection: when it closes it, the service gives up. What is not as it is said here is
refused without an answer, unless the question itself could be decoded.
"""

import json
import struct

from ...pattern import Pattern
from ...text import escape

QUESTION, ANSWER = b"JTQ1", b"JTA1"
HEAD = struct.Struct(">4sI")
QUESTION_MAX = 512 << 10
ANSWER_MAX = 512 << 10
DATA_MAX = 256 << 10
PART = struct.Struct(">16sIB")
STDOUT, STDERR, END = 1, 2, 3
FAILED = 0xFF  # there is no answer; the exit status is that which the program has for it

PROGRAMS = ("acct", "job", "report", "web")
# A time zone, and formats: what answers depend on.
VARIABLES = ("JOBTRAIL_ACCT_FORMAT", "SLURM_TIME_FORMAT", "TZ")
ARGUMENTS_MAX = 20000
VARIABLE_MAX = 4096  # characters
NONCE = Pattern(r"[0-9a-f]{32}\Z")


class Refused(Exception):
    """Why bytes are not what is said above."""


def frame(kind, credential):
    return HEAD.pack(kind, len(credential)) + credential


def length_of(head, kind, most):
    """The number of bytes that follow the 8 bytes of a frame's head."""
    found, length = HEAD.unpack(head)
    if found[:3] == kind[:3] and found != kind:
        raise Refused("the other side speaks version %s of the protocol" % escape(found[3:].decode("latin-1")))
    if found != kind:
        raise Refused("not a frame of this protocol")
    if not 0 < length <= most:
        raise Refused("a frame of %d bytes" % length)
    return length


class Question:
    def __init__(self, nonce, program, arguments, environment):
        self.nonce, self.program = nonce, program
        self.arguments, self.environment = arguments, environment

    def encode(self):
        return json.dumps(vars(self)).encode()


def is_text(value, most):
    """Whether it is a text without NUL and without what UTF-8 cannot have."""
    if not isinstance(value, str) or len(value) > most or "\0" in value:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def no_number(_):
    raise Refused("the question has a number")


def decode_question(data):
    """The Question of what a question's credential holds. Long numbers would take long to read, so there are none."""
    try:
        found = json.loads(data.decode("utf-8"), parse_int=no_number, parse_float=no_number)
    except (ValueError, RecursionError):
        raise Refused("the question is not JSON") from None
    if not isinstance(found, dict) or set(found) != {"nonce", "program", "arguments", "environment"}:
        raise Refused("the question has other members")
    question = Question(**found)
    if not isinstance(question.nonce, str) or not NONCE.match(question.nonce):
        raise Refused("the question has no nonce")
    if question.program not in PROGRAMS:
        raise Refused("the question is for another program")
    if not isinstance(question.arguments, list) or len(question.arguments) > ARGUMENTS_MAX:
        raise Refused("the question has no list of arguments")
    if not all(is_text(argument, QUESTION_MAX) for argument in question.arguments):
        raise Refused("the question has arguments that are no text")
    if not isinstance(question.environment, dict) or not set(question.environment) <= set(VARIABLES):
        raise Refused("the question has other variables")
    if not all(is_text(value, VARIABLE_MAX) for value in question.environment.values()):
        raise Refused("the question has variables that are no text")
    return question


def encode_part(nonce, number, kind, data):
    return PART.pack(bytes.fromhex(nonce), number, kind) + data


def decode_part(data, nonce, number):
    """(kind, data, or the exit status) of what a credential of an answer holds; Refused where it is not the one with
    this number of the answer to the question with this nonce."""
    if len(data) < PART.size:
        raise Refused("a part of %d bytes" % len(data))
    of, at, kind = PART.unpack_from(data)
    rest = data[PART.size :]
    if of != bytes.fromhex(nonce):
        raise Refused("a part of the answer to another question")
    if at != number:
        raise Refused("part %d of the answer where part %d is due" % (at, number))
    if kind == END and len(rest) == 1:
        return kind, rest[0]
    if kind in (STDOUT, STDERR) and 0 < len(rest) <= DATA_MAX:
        return kind, rest
    raise Refused("a part of an unknown kind")
