# SPDX-License-Identifier: LGPL-2.1-or-later
"""A page as the answer of the service to jobtrail-web(1): the whole response of HTTP is its standard output."""

import sys
import time

from .application import guarded
from .request import Page, Refused
from .response import plain


def main(own):
    """`own`: as of acct.main(). The only argument is the target of the request."""
    try:
        if len(sys.argv) != 2:
            raise Refused(400, "The request names no path.")
        response = guarded(own, Page(sys.argv[1]), time.time())
    except Refused as refused:
        response = plain(refused.status, refused.why)
    sys.stdout.flush()
    sys.stdout.buffer.write(response.encode())
    sys.stdout.buffer.flush()
