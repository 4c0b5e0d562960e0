# SPDX-License-Identifier: LGPL-2.1-or-later
"""The start and the end of the programs, and their messages."""

import argparse
import io
import os
import signal
import sys
import tempfile
import textwrap

from . import extensions
from .hints import hint, tell
from .pattern import Pattern
from .text import escape, stored

try:
    from .paths import VERSION
except ImportError:
    VERSION = "of the sources, which are not installed"

DEFAULT_STORE = "sqlite:/var/lib/jobtrail/jobtrail.db"

# argparse's message
UNKNOWN = Pattern(r"unrecognized arguments: --([^\s=]+)")


# Exit status of a program that failed. Another one where 1 says something else.
failure_status = 1


class Failure(Exception):
    """A message for stderr, with which the program ends with `status`, else with `failure_status`."""

    def __init__(self, *words, status=None):
        super().__init__(*words)
        self.status = status


class Usage(Failure):
    """Wrong options; the message names the program."""


HELP_COLUMN, HELP_WIDTH = 26, 100
ANSWER_KEPT = 1 << 28  # bytes


class Parser(argparse.ArgumentParser):
    """Ends with 1 on wrong usage, as Slurm's programs do. In --help an option without words shares the line of the next one of
    its group, whose words are about both."""

    def format_help(self):
        words = ["[%s]..." % action.metavar if action.nargs == "*" else action.metavar for action in self._positionals._group_actions]
        usage = self.usage or " ".join(["%(prog)s [OPTION]...", *words])
        parts = ["Usage: " + usage.replace("%(prog)s", self.prog), textwrap.fill(self.description or "", HELP_WIDTH)]
        parts.append("\n".join(help_lines(self._positionals._group_actions)))
        groups = self._action_groups[2:] + [self._optionals]
        for group in groups:
            title = group.title if group is not self._optionals else "other options" if groups[1:] else "options"
            found = list(help_lines(group._group_actions))
            parts.append("\n".join([title.capitalize() + ":", *found]) if found else "")
        return "\n\n".join(filter(None, parts)) + "\n"

    def long_options(self):
        """Those that --help has, without the hyphens."""
        shown = (action for action in self._actions if action.help != argparse.SUPPRESS)
        return [option[2:] for action in shown for option in action.option_strings if option.startswith("--")]

    def error(self, message):
        unknown = UNKNOWN.match(message)
        if unknown:
            message += hint(unknown.group(1), self.long_options(), "--")
        raise Usage("{0}: {1}\nTry '{0} --help'.".format(self.prog, message if message.isprintable() else escape(message)))


def help_lines(actions):
    names = ""
    for action in actions:
        if action.help == argparse.SUPPRESS:
            continue
        value = "" if action.nargs == 0 else action.metavar or action.dest.upper()
        value = " ".join(value) if isinstance(value, tuple) else value
        names += ("; " if names else "  ") + " ".join(filter(None, [", ".join(action.option_strings), value]))
        if action.help:
            first = names.ljust(HELP_COLUMN) + "  " + " ".join(action.help.replace("%%", "%").split())
            yield from textwrap.wrap(first, HELP_WIDTH, subsequent_indent=" " * (HELP_COLUMN + 2), break_long_words=False)
            names = ""
    if names:
        yield names


class Refused(argparse.Action):
    """An option that is not answered."""

    def __init__(self, *names, reason, **others):
        super().__init__(*names, **others)
        self.reason = reason

    def __call__(self, parser, options, value, option=None):
        parser.error("%s cannot be answered: %s" % (option, self.reason))


def tell_without_effect(extension, variable):
    """One sentence where the variable of the environment is set, and the extension that it is for is not here."""
    lacking = extensions.lacking(extension)
    if lacking and variable and os.environ.get(variable):
        tell("%s has no effect: %s" % (variable, lacking))


def add_of(add, extension, option, variable=None, **words):
    """An option that the extension answers. `variable`: of the environment, what the option is by default."""
    lacking = extensions.lacking(extension)
    if lacking:
        tell_without_effect(extension, variable)
        words = {"action": Refused, "nargs": 0 if "action" in words else 1, "reason": lacking, "help": argparse.SUPPRESS}
    add(option, **words)


def os_trouble(error):
    """The system's message, with the name of the file."""
    words = escape(error.strerror or str(error))
    return words if error.filename is None else "%s: %s" % (escape(str(error.filename)), words)


def add_version_option(options, name):
    """`options`: a parser, or a group of one."""
    options.add_argument("-V", "--version", action="version", version="%s %s" % (name, VERSION), help="show the version and exit")


def add_store_option(parser):
    parser.add_argument(
        "--store",
        metavar="ADDRESS",
        default=stored(os.environ.get("JOBTRAIL_STORE") or "") or None,
        help="sqlite:FILE or mariadb://[USER@][HOST[:PORT]]/DATABASE; default: $JOBTRAIL_STORE, else by jobtrail.conf(5)",
    )


def utf8_output():
    if sys.stdout is None:  # closed: nothing else may get its descriptor
        return open(os.devnull, "w", encoding="utf-8")
    sys.stdout.flush()
    return io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="backslashreplace", newline="\n")


class Kept(io.RawIOBase):
    """An answer that nobody reads yet, in a file without a name. What is larger than ANSWER_KEPT is printed as it comes."""

    def __init__(self, output):
        super().__init__()
        self.output = output
        try:
            self.file = tempfile.TemporaryFile(buffering=0)
        except OSError:  # no room anywhere: as it comes
            self.file = None

    def writable(self):
        return True

    def write(self, data):
        if self.file is not None and self.file.tell() + len(data) > ANSWER_KEPT:
            self.give()
        try:
            if self.file is not None:
                return self.file.write(data)
        except OSError:
            self.give()
        return self.output.write(data)

    def give(self):
        if self.file is not None:
            self.file.seek(0)
            for data in iter(lambda: self.file.read(1 << 16), b""):
                self.output.write(data)
            self.file = None
        self.output.flush()


def status_of(main):
    """Calls main(). Returns its exit status, and says on stderr why it failed."""
    try:
        main()
        sys.stdout.flush()
        return 0
    except Failure as failure:
        sys.stdout.flush()
        print(failure, file=sys.stderr)
        return failure_status if failure.status is None else failure.status
    except SystemExit as end:
        sys.stdout.flush()
        return end.code if isinstance(end.code, int) else int(end.code is not None)


def run(main, let_go=None):
    """Calls main() as a program. Arguments and output are UTF-8 in each locale; a closed pipe ends the
    program. `let_go`: called before the output is printed, which is kept until then."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout = utf8_output()
    sys.argv[1:] = map(stored, sys.argv[1:])
    try:
        if let_go is None:
            sys.exit(status_of(main))
        output = sys.stdout  # it would close its buffer
        kept = Kept(output.buffer)
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(kept, 1 << 16), encoding="utf-8", errors="backslashreplace", newline="\n")
        status = status_of(main)
        let_go()
        kept.give()
        sys.exit(status)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would try again at the exit to write
        print("%s: %s" % (os.path.basename(sys.argv[0]), os_trouble(error)), file=sys.stderr)
        sys.exit(failure_status)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
