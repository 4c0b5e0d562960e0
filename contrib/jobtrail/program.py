# SPDX-License-Identifier: LGPL-2.1-or-later
"""The start and the end of the programs, and their messages."""

import argparse
import io
import os
import signal
import sys

from .text import escape, stored

DEFAULT_STORE = "sqlite:/var/lib/jobtrail/jobtrail.db"


class Failure(Exception):
    """A message for stderr, with which the program ends with status 1."""


class Usage(Failure):
    """Wrong options; the message names the program."""


class Parser(argparse.ArgumentParser):
    """Ends with 1 on wrong usage, as Slurm's programs do."""

    def error(self, message):
        raise Usage("{0}: {1}\nTry '{0} --help'.".format(self.prog, message))


def os_trouble(error):
    """The system's message, with the name of the file."""
    words = escape(error.strerror or str(error))
    return words if error.filename is None else "%s: %s" % (escape(str(error.filename)), words)


def add_store_option(parser):
    parser.add_argument(
        "--store",
        metavar="ADDRESS",
        default=stored(os.environ.get("JOBTRAIL_STORE") or DEFAULT_STORE),
        help="sqlite:FILE or mariadb://[USER@][HOST[:PORT]]/DATABASE;"
        " default: $JOBTRAIL_STORE or " + DEFAULT_STORE,
    )


def utf8_output():
    if sys.stdout is None:  # closed: nothing else may get its descriptor
        return open(os.devnull, "w", encoding="utf-8")
    sys.stdout.flush()
    return io.TextIOWrapper(
        sys.stdout.buffer, encoding="utf-8", errors="backslashreplace", newline="\n"
    )


def discard_output():
    """Python would try again at the exit to write what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def run(main):
    """Calls main() as a program. Arguments and output are UTF-8 in each locale; a closed pipe ends the
    program."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout = utf8_output()
    sys.argv[1:] = map(stored, sys.argv[1:])
    try:
        main()
        sys.stdout.flush()
    except Failure as failure:
        sys.stdout.flush()
        sys.exit(str(failure))
    except OSError as error:
        discard_output()
        sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), os_trouble(error)))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
