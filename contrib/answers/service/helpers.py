# SPDX-License-Identifier: LGPL-2.1-or-later
"""Processes that do what may take long, one errand after another, so that the listening process never waits. They start
with the service, so a client that is not authenticated yet cannot make it start one."""

import mmap
import os
import selectors
import signal
import socket
import struct
import time

TOLD = struct.Struct("=?Q")  # whether the errand is done; how many bytes are in the memory


class Errand:
    """`asked`: bytes. `then`: called with the bytes of the answer; `other`: called with the reason where there is none; `lack`:
    the same where no process can be started. `connection`: for whom; None: for the service."""

    def __init__(self, connection, asked, then, other, lack=None):
        self.connection, self.asked = connection, asked
        self.then, self.other, self.lack = then, other, lack or other


class Work:
    """What the helpers of one kind do. `do`: makes an answer of what is asked, or fails with one of `failures`; `seconds`: that
    it may take, and `slow`: the reason where it takes longer; `size`: bytes of what is asked and of an answer, at most."""

    def __init__(self, do, failures, seconds, slow, size):
        self.do, self.failures, self.seconds, self.slow, self.size = do, failures, seconds, slow, size

    def answer(self, asked):
        """(whether it is done, the answer or the reason)"""
        try:
            found = True, self.do(asked)
        except self.failures as error:
            found = False, str(error).encode("utf-8", "replace")
        return found if len(found[1]) <= self.size else (False, b"the answer is longer than %d bytes" % self.size)


class Helper:
    """One process. What it is asked and answers is in memory that both have, and a socket tells how long it is. `errand`: what
    it does now; `until`: when that is late; `is_ending`: it was killed, or has ended, and was not waited for."""

    errand = until = None
    is_ending = False

    def __init__(self, work, fork):
        self.memory = mmap.mmap(-1, work.size)
        self.told, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                self.process = fork(theirs, lambda: self.serve(theirs, work))
            except OSError:
                self.close()
                raise
        self.told.setblocking(False)

    def serve(self, theirs, work):
        """In the process: until the service has ended. Returns the exit status."""
        self.told.close()
        for head in iter(lambda: theirs.recv(TOLD.size), b""):
            is_done, answer = work.answer(self.memory[: TOLD.unpack(head)[1]])
            self.memory[: len(answer)] = answer
            theirs.sendall(TOLD.pack(is_done, len(answer)))
        return 0

    def close(self):
        self.told.close()
        self.memory.close()

    def take(self, errand, seconds):
        self.errand, self.until = errand, time.monotonic() + seconds
        self.memory[: len(errand.asked)] = errand.asked
        try:
            self.told.send(TOLD.pack(True, len(errand.asked)))
        except OSError:  # it has ended, which its parent will be told
            pass

    def hear(self):
        """Gives the answer to who waits for it."""
        try:
            head = self.told.recv(TOLD.size)
        except OSError:
            head = b""
        if not head:
            self.is_ending = True
        elif self.errand is not None:
            is_done, size = TOLD.unpack(head)
            answer, errand = self.memory[:size], self.give_back()
            if is_done:
                errand.then(answer)
            else:
                errand.other(answer.decode("utf-8", "replace"))

    def give_back(self):
        errand, self.errand, self.until = self.errand, None, None
        return errand


class Helpers:
    """Up to `most` processes that do one kind of work. The Server `server` starts them and hears them."""

    def __init__(self, server, most, work):
        self.server, self.most, self.work = server, most, work
        self.line = []  # Errands that no process has yet
        self.helpers = {}  # process: Helper

    def start(self):
        """Those that are lacking. OSError where no process can be started."""
        while len(self.helpers) < self.most:
            helper = Helper(self.work, self.server.fork)
            self.helpers[helper.process] = helper
            self.server.selector.register(helper.told, selectors.EVENT_READ, helper.hear)

    def go_on(self):
        """Gives what waits in the line to those that are free."""
        try:
            self.start()
        except OSError as error:
            if not self.helpers:
                line, self.line = self.line, []
                for errand in line:
                    errand.lack("the service can start no process now (%s); ask again later" % error.strerror)
        for helper in self.helpers.values():
            if self.line and helper.errand is None and not helper.is_ending:
                helper.take(self.line.pop(0), self.work.seconds)

    def moments(self):
        """When something is late."""
        return [helper.until for helper in self.helpers.values() if helper.until is not None]

    def end_late(self, now):
        for helper in self.helpers.values():
            if helper.until is not None and helper.until <= now:
                helper.is_ending = True
                kill(helper.process)
                helper.give_back().other(self.work.slow)

    def end(self, process):
        """Of a process that was waited for."""
        helper = self.helpers.pop(process)
        self.server.selector.unregister(helper.told)
        helper.close()
        if helper.errand is not None:
            helper.give_back().other("no answer")


def kill(process):
    """The process, which was not waited for, and what it has started."""
    for end in (os.killpg, os.kill):
        try:
            end(process, signal.SIGKILL)
        except ProcessLookupError:  # it is not the leader of its group yet
            pass
