# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the processes of the service end."""

import os
import signal
import sys
import traceback

from . import worker


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
