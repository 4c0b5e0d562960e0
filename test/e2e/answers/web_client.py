# SPDX-License-Identifier: LGPL-2.1-or-later
"""A client of the pages of the service for answers: web.bats says how it is used.

    fetch SOCKET TARGET [FIELD: VALUE]...   prints the body; status and fields go to the standard error; TARGET -: each line of the
                                            standard input, with a line below each body
    head SOCKET TARGET [FIELD: VALUE]...    the same by HEAD
    raw SOCKET                              sends the standard input, prints what comes back
    refused SOCKET HEADER                   sends what is no request of ours, and expects that no page comes back
    garbage SOCKET COUNT                    random heads; prints how many of them got which status
    slow SOCKET                             half of a request, and waits for the end of the connection
    flood SOCKET PORT                       half of a request, more connections to PORT than are kept, and the other half
    beside SOCKET                           a request that waits, and beside it one that is refused; prints the status of this one
    closed LIBRARY                          whether peer_uid() below LIBRARY is None after the peer has closed its end
    fuzz LIBRARY COUNT                      Head and Page of the package below LIBRARY, with damaged requests
"""

import collections
import os
import random
import socket
import sys

HEAD = b"GET /users HTTP/1.1\r\nHost: x\r\n%s: carol\r\n\r\n"


def connect(path):
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(30 * int(os.environ.get("JOBTRAIL_SLOW", "4")))
    client.connect(path)
    return client


def read_all(client):
    data = b""
    while True:
        try:
            more = client.recv(1 << 16)
        except ConnectionResetError:
            more = b""
        if not more:
            return data
        data += more


def exchange(path, request):
    with connect(path) as client:
        try:
            client.sendall(request)
        except BrokenPipeError:
            pass
        return read_all(client)


def fetch(method, path, target, *fields):
    lines = ["%s %s HTTP/1.1" % (method, target), "Host: pages.example", "Connection: close", *fields]
    head, _, body = exchange(path, "\r\n".join(lines).encode() + b"\r\n\r\n").partition(b"\r\n\r\n")
    print(head.decode(errors="replace"), file=sys.stderr)
    sys.stdout.buffer.write(body)
    sys.stdout.buffer.flush()
    length = [line for line in head.split(b"\r\n") if line.startswith(b"Content-Length: ")]
    if head and method == "GET":
        assert int(length[0].split()[1]) == len(body), (length, len(body))


def bad_heads(header):
    """Requests that a proxy may pass on, in which somebody has hidden another user, or a second request."""
    name = header.encode()
    good = b"GET /users HTTP/1.1\r\n"
    us, them = name + b": alice\r\n", name + b": carol\r\n"
    return [
        good + us + them + b"\r\n",
        good + us + name.lower() + b": carol\r\n\r\n",
        good + b"X: a\r" + them + b"\r\n",
        good + b"X: a\n" + them + us + b"\r\n",
        good + b"X: a\x0b" + them + us + b"\r\n",
        good + b"X: a\x00b\r\n" + us + b"\r\n",
        good + b"X: a\r\n " + them + us + b"\r\n",
        good + b"no field\r\n" + us + b"\r\n",
        good + name + b" : carol\r\n" + us + b"\r\n",
        good + b"Content-Length: 5\r\n" + us + b"\r\nhello",
        good + b"Content-Length: 0\r\nContent-Length: 0\r\n" + us + b"\r\n",
        good + b"Transfer-Encoding: chunked\r\n" + us + b"\r\n",
        good + us + b"\r\n" + good + them + b"\r\n",
        good + b"\r\n",
        good + name + b":\r\n\r\n",
        good + name + b": carol alice\r\n\r\n",
        good + name + b": nobody-here\r\n\r\n",
        good + name + b": ../carol\r\n\r\n",
        good + name + b": 6103\r\n\r\n",
        good + b"X-Remote-User-Not: carol\r\nX_Remote_User: carol\r\n\r\n",
        good + b"\r\n".join(b"X: a" for _ in range(200)) + b"\r\n" + us + b"\r\n",
        good + b"X: " + b"a" * (1 << 16) + b"\r\n" + us + b"\r\n",
        b"GET http://elsewhere/users HTTP/1.1\r\n" + us + b"\r\n",
        b"GET users HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users#x HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /us ers HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users HTTP/2.0\r\n" + us + b"\r\n",
        b"GET /users\r\n" + us + b"\r\n",
        b"POST /users HTTP/1.1\r\n" + us + b"\r\n",
        b"CONNECT c:80 HTTP/1.1\r\n" + us + b"\r\n",
        b"get /users HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users?from=x&from=y HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users?" + b"&".join(b"a%d=1" % at for at in range(100)) + b" HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users?usr=alice HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users?rows=100000 HTTP/1.1\r\n" + us + b"\r\n",
        b"GET /users?page=-1 HTTP/1.1\r\n" + us + b"\r\n",
        b"\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\r\n\r\n",
        b"\xff" * 70000,
    ]


def refused(path, header):
    heads = bad_heads(header)
    for request in heads:
        answer = exchange(path, request)
        assert answer.startswith(b"HTTP/1.1 4"), (request[:200], answer[:200])
        assert b"<table>" not in answer and b"SECRET" not in answer
    print("refused", len(heads))


def damaged(rng, good):
    data = bytearray(good)
    for _ in range(rng.randrange(1, 8)):
        kind, at = rng.randrange(5), rng.randrange(len(data))
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randrange(1, 5)))
        elif kind == 3 and b"\r\n" in data:
            at = data.index(b"\r\n")
            data[at:at] = b"\r\nX: a" * rng.choice((1, 95, 96, 97, 98, 99, 100, 1000))
        else:
            data[at:at] = rng.choice((b"%", b"%00", b"%ff", b"&", b"=", b"\r\n", b"+", b"/", b"?", b".csv", b"%2e"))
    return bytes(data)


def garbage(path, count):
    rng, found = random.Random(1), collections.Counter()
    for _ in range(int(count)):
        request = damaged(rng, HEAD % b"X-Nobody") + b"\r\n\r\n"
        found[exchange(path, request)[9:12].decode(errors="replace")] += 1
    print(*sorted(found))


def slow(path):
    with connect(path) as client:
        client.sendall(b"GET /users HTTP/1.1\r\nX-Remote")
        print(len(read_all(client)))


def flood(path, port):
    with connect(path) as client:
        client.sendall(b"GET /users HTTP/1.1\r\n")
        others = [socket.create_connection(("127.0.0.1", int(port))) for _ in range(200)]
        assert others[0].recv(1) == b""  # the oldest was closed
        client.sendall(b"X-Remote-User: alice\r\n\r\n")
        print(read_all(client)[:12].decode())


def beside(path):
    with connect(path) as waits:
        waits.sendall(b"GET /users HTTP/1.1\r\nX-Remote-User: alice\r\n\r\n")
        print(exchange(path, b"GET /users HTTP/1.1\r\n\r\n")[:12].decode())
        print(read_all(waits)[:12].decode())


def closed(library):
    sys.path.insert(0, library)
    from jobtrail.answers.web.local import peer_uid

    with socket.create_server(("127.0.0.1", 0)) as listener:
        client = socket.create_connection(listener.getsockname())
        connection, peer = listener.accept()
        with connection:
            before = peer_uid(peer, listener.getsockname())
            client.close()
            assert connection.recv(1) == b""
            print(before, peer_uid(peer, listener.getsockname()))


def fuzz(library, count):
    sys.path.insert(0, library)
    from jobtrail.answers.web.request import Head, Page, Refused, quote, text_of

    rng, found = random.Random(2), collections.Counter()
    for _ in range(int(count)):
        try:
            good = b"GET /executable?name=%2Fsw%2Fa+b&from=2024-11-01 HTTP/1.1\r\nHost: x\r\nX-Remote-User: alice\r\n\r\n"
            head = Head(damaged(rng, good))
            users = head.fields.get_all("X-Remote-User", [])
            assert all("\r" not in user and "\n" not in user for user in users)
            page = Page(head.target)
            for text in (page.route, *page.values, *page.values.values()):
                assert text_of(quote(text)) == text
            found["taken"] += 1
        except Refused as refused_:
            assert 400 <= refused_.status < 500
            found["refused"] += 1
    print("%d taken, %d refused" % (found["taken"], found["refused"]))


def main():
    command, *words = sys.argv[1:]
    if command == "fetch" and words[1] == "-":
        for target in sys.stdin:
            fetch("GET", words[0], target.rstrip("\n"), *words[2:])
            print(flush=True)
    elif command in ("fetch", "head"):
        fetch("GET" if command == "fetch" else "HEAD", *words)
    elif command == "raw":
        sys.stdout.buffer.write(exchange(words[0], sys.stdin.buffer.read()))
    else:
        {"refused": refused, "garbage": garbage, "slow": slow, "flood": flood, "beside": beside, "closed": closed, "fuzz": fuzz}[command](*words)


main()
