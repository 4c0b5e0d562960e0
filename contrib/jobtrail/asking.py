# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who answers where no store is named: the service that jobtrail.conf(5) names, or a store.

An extension asks a service by its module ask_door, which has ask(options, name): see there."""

import sys

from . import conf, extensions
from .program import DEFAULT_STORE, Failure


def ask_service(options, name):
    """Where no store is named, lets a service answer instead of the program of this name (acct, job, report), and returns True; else the
    store to be read is set in `options`. Ends the program if the answer is a failure."""
    if options.store is not None:
        return False
    try:
        for door in extensions.doors("ask_door"):
            return door.ask(options, name)
        found = conf.section("answers") or {}
    except Failure as failure:
        raise Failure("jobtrail-%s: %s" % (name, failure)) from None
    if found.get("address") and not getattr(options, "update", False):
        text = "jobtrail-%s: this jobtrail is built without answers: it reads the store, and does not ask the service that jobtrail.conf names"
        print(text % name, file=sys.stderr)
    options.store = found.get("store", DEFAULT_STORE)
    return False
