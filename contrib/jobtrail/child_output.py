# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a child writes, with bounds on its time and on how much that is."""

import os
import selectors
import time

PART = 1 << 16  # bytes


def parts(child, seconds):
    """What it writes, as it comes; behind that the end of what it wrote to a pipe as stderr, as child.said. TimeoutError when the time is over."""
    end, child.said = time.monotonic() + seconds, b""
    with selectors.DefaultSelector() as selector:
        for pipe in filter(None, (child.stdout, child.stderr)):
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            left = end - time.monotonic()
            ready = selector.select(left) if left > 0 else []
            if not ready:
                raise TimeoutError()
            for key, _ in ready:
                data = os.read(key.fd, PART)
                if not data:
                    selector.unregister(key.fileobj)
                elif key.fileobj is child.stdout:
                    yield data
                else:
                    child.said = (child.said + data)[-PART:]


def collect(child, seconds, limit):
    """(what it wrote, up to limit + 1 bytes, whether the time was over)"""
    out, size = [], 0
    try:
        for part in parts(child, seconds):
            out.append(part)
            size += len(part)
            if size > limit:
                break
    except TimeoutError:
        return b"".join(out), True
    return b"".join(out), False
