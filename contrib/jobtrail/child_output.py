# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a child writes, with bounds on its time and on how much that is."""

import os
import selectors
import time


def collect(child, seconds, limit):
    """(what it wrote, up to limit + 1 bytes, whether the time was over)"""
    out, size, end = [], 0, time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        selector.register(child.stdout, selectors.EVENT_READ)
        while size <= limit:
            left = end - time.monotonic()
            if left <= 0 or not selector.select(left):
                return b"".join(out), True
            data = os.read(child.stdout.fileno(), 1 << 16)
            if not data:
                break
            out.append(data)
            size += len(data)
    return b"".join(out), False
