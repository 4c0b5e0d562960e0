# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tests send to the service for answers, and answer in its place: hostile_client.py PACKAGES SOCKET COMMAND..."""

import collections
import itertools
import os
import random
import select
import socket
import struct
import sys

sys.path.insert(0, sys.argv[1])

from jobtrail.answers.service import protocol  # noqa: E402
from jobtrail.answers.ask_door import Answer  # noqa: E402
from jobtrail.answers.service.munge import Munge, MungeError  # noqa: E402

MUNGE = Munge(sys.argv[2])
NOBODYS = protocol.frame(protocol.QUESTION, b"MUNGE:nobody:")  # a question only by its form
WAIT = 20 * int(os.environ.get("JOBTRAIL_SLOW", "4"))  # seconds
NONCE = "00112233445566778899aabbccddeeff"


def connect(port):
    return socket.create_connection(("127.0.0.1", int(port)), WAIT)


def is_refused(connection):
    """Whether the service ends the connection and says nothing."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def question(uid, program="acct", arguments=("-a",), environment=None, nonce=NONCE):
    made = protocol.Question(nonce, program, list(arguments), environment or {})
    return protocol.frame(protocol.QUESTION, MUNGE.encode(made.encode(), int(uid)))


def print_answer(connection, uid):
    """The answer, with the status in the last line."""
    for kind, rest in Answer(connection, MUNGE, int(uid), NONCE).parts():
        if kind == protocol.END:
            print("status %d" % rest)
        else:
            print(rest.decode(), end="")


def ask(port, uid, program, *arguments):
    """Sends arguments that jobtrail-acct would not let through."""
    variables = dict(text.split("=", 1) for text in arguments if text.split("=")[0] in protocol.VARIABLES)
    arguments = [text for text in arguments if text.split("=")[0] not in protocol.VARIABLES]
    connection = connect(port)
    connection.sendall(question(uid, program, arguments, variables))
    print_answer(connection, uid)


def refused(port, uid):
    """Each of these questions is refused without an answer."""
    payloads = [
        b"", b"x", b"[]", b"{}", b"null", b"\xff", b'{"nonce": 1}', b"[" * 100000, b"9" * 100000,
        protocol.Question(NONCE, "conf", [], {}).encode(),
        protocol.Question("short", "acct", [], {}).encode(),
        protocol.Question(NONCE, "acct", "-a", {}).encode(),
        protocol.Question(NONCE, "acct", [1], {}).encode(),
        protocol.Question(NONCE, "acct", ["\0"], {}).encode(),
        protocol.Question(NONCE, "acct", ["\ud800"], {}).encode(),
        protocol.Question(NONCE, "acct", [], {"PATH": "/tmp"}).encode(),
        protocol.Question(NONCE, "acct", [], {"JOBTRAIL_STORE": "sqlite:/x"}).encode(),
        protocol.Question(NONCE, "acct", [], {"TZ": 1}).encode(),
        protocol.Question(NONCE, "acct", ["x"] * (protocol.ARGUMENTS_MAX + 1), {}).encode(),
    ]  # fmt: skip
    frames = [protocol.frame(protocol.QUESTION, MUNGE.encode(payload, int(uid))) for payload in payloads]
    good = question(uid)
    frames += [
        b"GET / HTTP/1.0\r\n\r\n", b"JTQ2" + good[4:], b"JTA1" + good[4:], good + b"x",
        protocol.QUESTION + struct.pack(">I", 0), protocol.QUESTION + struct.pack(">I", protocol.QUESTION_MAX + 1),
        protocol.frame(protocol.QUESTION, b"MUNGE:nonsense:"), protocol.frame(protocol.QUESTION, b"MUNGE:\0:"),
        protocol.frame(protocol.QUESTION, good[8:-20] + b"A" * 19 + b":"),
        question(int(uid) + 1),  # for another reader
    ]  # fmt: skip
    for number, data in enumerate(frames):
        connection = connect(port)
        connection.sendall(data)
        if not is_refused(connection):
            raise SystemExit("frame %d was not refused" % number)
    print("refused %d" % len(frames))


def replay(port, uid):
    data = question(uid, arguments=["-a", "-S", "2024-11-01", "-n", "-P", "-o", "user"])
    connection = connect(port)
    connection.sendall(data)
    print_answer(connection, uid)
    connection = connect(port)
    connection.sendall(data)
    print("replay refused" if is_refused(connection) else "replay answered")


def hold(port, count):
    """So many connections that send one byte and no more, until the standard input ends."""
    held = [connect(port) for _ in range(int(count))]
    for connection in held:
        connection.sendall(b"J")
    print("held", flush=True)
    sys.stdin.read()


def behind(port, uid, count, *arguments):
    """A question that is made now, and sent behind so many of nobody when the standard input has a line; then its answer."""
    data = question(uid, "acct", arguments)
    print("made", flush=True)
    sys.stdin.readline()
    held = [connect(port) for _ in range(int(count) + 1)]
    for connection in held[:-1]:
        connection.sendall(NOBODYS)
    held[-1].settimeout(None)
    held[-1].sendall(data)
    print("asked", flush=True)
    print_answer(held[-1], uid)


def flood(port, address):
    """400 connections from this address with a credential of nobody, and more until the standard input ends, of which as many
    stay open."""
    held = collections.deque(maxlen=400)
    for number in itertools.count(1):
        try:
            held.append(socket.create_connection(("127.0.0.1", int(port)), WAIT, (address, 0)))
            held[-1].sendall(NOBODYS)
        except OSError:  # closed, as they are too many
            pass
        if number == held.maxlen:
            print("asked", flush=True)
        if number >= held.maxlen and select.select([sys.stdin], [], [], 0)[0]:
            break


def unread(port, uid, count, *arguments):
    """So many questions whose answers are not read until the standard input ends; then what becomes of each."""
    held = [connect(port) for _ in range(int(count))]
    for connection in held:
        connection.sendall(question(uid, "acct", arguments))
    select.select(held, [], [], WAIT)  # the first of an answer
    print("asked", flush=True)
    sys.stdin.read()
    for connection in held:
        try:
            print_answer(connection, uid)
        except (protocol.Refused, MungeError) as error:
            print("cut: %s" % error)


def garbage(port, uid, count):
    """Frames of a fixed seed that are nearly right, cut at any byte."""
    chance = random.Random(1)
    good = question(uid)
    for _ in range(int(count)):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        connection = connect(port)
        try:
            connection.sendall(bytes(data[: chance.randrange(len(data))]))
        except ConnectionError:
            pass
        connection.close()
    print("sent")


def mutated(chance, data):
    """Some bytes of the data changed, left out, doubled or cut."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at, end = sorted((chance.randrange(len(data) + 1), chance.randrange(len(data) + 1)))
        how = chance.randrange(5)
        if how == 0 and at < len(data):
            data[at] = chance.randrange(256)
        elif how == 1:
            del data[at:end]
        elif how == 2:
            data[at:at] = data[at:end][:64]
        elif how == 3:
            data[at:at] = chance.choice([b'"', b"[", b"{", b",", b"9", b"\\ud800", b"\0", b"\xff", b"null", b"1e9"])
        else:
            data = data[: chance.randrange(len(data) + 1)]
    return bytes(data)


def fuzz(rounds):
    """Both sides' parsers, by a fixed seed: they take it, or raise Refused."""
    chance = random.Random(2)
    counts = [0, 0, 0, 0]
    variables = {"TZ": "Europe/Berlin", "SLURM_TIME_FORMAT": "%s"}
    question = protocol.Question(NONCE, "report", ["-S", "2024-11-01", "caf\u00e9"], variables).encode()
    parts = [protocol.encode_part(NONCE, 3, protocol.STDOUT, b"x" * 40), protocol.encode_part(NONCE, 3, protocol.END, b"\1")]
    for _ in range(int(rounds)):
        try:
            taken = protocol.decode_question(mutated(chance, question))
            assert taken.program in protocol.PROGRAMS and set(taken.environment) <= set(protocol.VARIABLES)
            counts[0] += 1
        except protocol.Refused:
            counts[1] += 1
        try:
            kind, rest = protocol.decode_part(mutated(chance, chance.choice(parts)), NONCE, 3)
            assert kind in (protocol.STDOUT, protocol.STDERR, protocol.END) and (kind != protocol.END or 0 <= rest < 256)
            counts[2] += 1
        except protocol.Refused:
            counts[3] += 1
        try:
            size = protocol.length_of(bytes(chance.randrange(256) for _ in range(8)), protocol.ANSWER, 100)
            assert 0 < size <= 100
        except protocol.Refused:
            pass
    assert all(counts), counts
    print("questions: %d taken, %d refused; parts: %d taken, %d refused" % tuple(counts))


# ---- In the place of the service


def pose(port_file, *lines):
    """Answers questions in the service's place, with parts of its own uid: one connection for each line."""
    listener = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    for asker in lines:
        connection, _ = listener.accept()
        connection.recv(1 << 20)
        part = protocol.encode_part(NONCE, 0, protocol.STDOUT, b"forged\n")
        connection.sendall(protocol.frame(protocol.ANSWER, MUNGE.encode(part, int(asker))))
        connection.close()


def frames_of(connection):
    while True:
        head = connection.recv(8, socket.MSG_WAITALL)
        if len(head) < 8:
            return
        yield head + connection.recv(struct.unpack(">I", head[4:])[0], socket.MSG_WAITALL)


def between(port, port_file, *kinds):
    """Stands between clients and the service, and changes one answer for each kind."""
    listener = socket.create_server(("127.0.0.1", 0))
    with open(port_file + ".new", "w") as file:
        file.write(str(listener.getsockname()[1]))
    os.rename(port_file + ".new", port_file)
    last = []
    for kind in kinds:
        client, _ = listener.accept()
        service = connect(port)
        service.sendall(client.recv(1 << 20))
        frames = list(frames_of(service))
        changed = {
            "same": frames,
            "without-end": frames[:-1],
            "without-first": frames[1:],
            "twice": frames[:1] + frames,
            "exchanged": frames[::-1],
            "cut": frames[:-1] + [frames[-1][:-9]],
            "of-before": last,
            "flipped": [frames[0][:40] + bytes([frames[0][40] ^ 1]) + frames[0][41:]] + frames[1:],
            "long": [protocol.ANSWER + struct.pack(">I", 0xFFFFFFFF)],
            "junk": [b"HTTP/1.1 200 OK\r\n\r\n"],
            "nothing": [],
        }[kind]
        client.sendall(b"".join(changed))
        client.close()
        last = frames


globals()[sys.argv[3]](*sys.argv[4:])
