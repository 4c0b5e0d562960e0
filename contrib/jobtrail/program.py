# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the programs start, end and complain."""

import argparse
import io
import os
import signal
import sys

DEFAULT_STORE = "sqlite:/var/lib/jobtrail/jobtrail.db"


class Failure(Exception):
    """What the user is told on stderr before the program ends with 1."""


class Usage(Failure):
    """Wrong options; the message names the program."""


class Parser(argparse.ArgumentParser):
    """Ends with 1 on wrong usage, as Slurm's programs do."""

    def error(self, message):
        raise Usage("{0}: {1}\nTry '{0} --help'.".format(self.prog, message))


def add_store_option(parser):
    parser.add_argument(
        "--store",
        metavar="ADDRESS",
        default=os.environ.get("JOBTRAIL_STORE") or DEFAULT_STORE,
        help="sqlite:FILE or mariadb://[USER@][HOST[:PORT]]/DATABASE;"
        " default: $JOBTRAIL_STORE or " + DEFAULT_STORE,
    )


def run(main):
    """Calls main() as a program. Output is UTF-8 whatever the locale; a closed pipe ends it."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout.flush()
    sys.stdout = io.TextIOWrapper(
        sys.stdout.buffer, encoding="utf-8", errors="backslashreplace", newline="\n"
    )
    try:
        main()
        sys.stdout.flush()
    except Failure as failure:
        sys.stdout.flush()
        sys.exit(str(failure))
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
