# SPDX-License-Identifier: LGPL-2.1-or-later
"""The process of the service for answers that makes one page for the site's web server."""

import socket
import time

from ..program import Failure
from ..service import worker
from ..text import escape
from .application import guarded
from .request import Refused
from .response import plain

SEND_SECONDS = 60


def work(connection, server):
    """As service/worker.work(): sends the response, and returns the exit status of this process."""
    try:
        worker.limit(server.settings)
        worker.use_environment({})
        try:
            asker = worker.asker_of(connection.uid, server.directory, server.settings)
            response = guarded(asker, connection.question, time.time())
        except Refused as refused:
            response = plain(refused.status, refused.why)
        except Failure as failure:
            response = plain(403, escape(str(failure)))
        if len(response.body) > server.settings.size:
            response = plain(413, "The page has more than %d bytes. Ask for less." % server.settings.size)
        connection.progress.store(0, True)
        connection.client.settimeout(SEND_SECONDS)
        connection.client.sendall(response.encode(connection.method))
        return 0
    except MemoryError:
        return worker.NO_MEMORY
    except (ConnectionError, socket.timeout):
        return worker.GONE
