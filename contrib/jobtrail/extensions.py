# SPDX-License-Identifier: LGPL-2.1-or-later
"""Extensions: which are here, and their doors, the modules by which they enter the tables of the core."""

import importlib
import os

try:
    from .paths import LEFT_OUT
except ImportError:  # in the checkout, where tests say it
    LEFT_OUT = os.environ.get("JOBTRAIL_LEFT_OUT", "").split()

NAMES = ("libraries", "routines", "profile", "witness", "answers")
# as people say them
WORDS = {"profile": "profiles", "witness": "the kernel witness"}
_BESIDE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))


def is_here(name):
    """Also None, what is no extension."""
    return name not in LEFT_OUT


def doors(door):
    """The modules jobtrail.NAME.DOOR of those extensions that are here and have one, in the order of NAMES. The core says
    which names such a module must have."""
    for name in NAMES:
        if is_here(name) and os.path.exists(os.path.join(_BESIDE, name, door + ".py")):
            yield importlib.import_module("jobtrail.%s.%s" % (name, door))


def question(door, name):
    """The function `name` of the door that has it, which is loaded when it is called."""

    def ask(*arguments):
        return next(getattr(module, name) for module in doors(door) if hasattr(module, name))(*arguments)

    return ask


def lacking(name):
    """A sentence where the extension is not here, else None."""
    return None if is_here(name) else "this jobtrail is built without " + WORDS.get(name, name)
