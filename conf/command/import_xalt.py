# SPDX-License-Identifier: LGPL-2.1-or-later
"""import_xalt.py [--output FILE] [--cmdline-record yes|no] CONFIG.py: what `jobtrail-conf import-xalt` runs.

Writes a jobtrail.conf(5) that decides what XALT, built with CONFIG.py, does. Status 0; 1 when
something was left out or nothing could be written; 2 for wrong usage.
"""
import argparse
import os
import secrets
import sys
import tokenize

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))  # which python3 -I leaves out

# pylint: disable=wrong-import-position
from import_xalt_pattern import (FlexParser, Item, PythonParser, Unconvertible,  # noqa: E402
                                 name_of_variable, split)
from import_xalt_source import Problem, Source  # noqa: E402
from jobtrail.program import Failure  # noqa: E402
from jobtrail.trusted import TrustedPlace  # noqa: E402

LINE_MAX = 198  # bytes: libinih's limit, jobtrail.conf(5)
INTERVALS_MAX = 16  # POLICY_INTERVALS_MAX in policy.h

PATH_ACTIONS = {"KEEP": "keep", "SKIP": "skip", "PKGS": "pkgs", "SPSR": "pkgs", "CUSTOM": "custom"}
ARGUMENT_ACTIONS = {"KEEP": "keep", "SKIP": "skip", "PKGS": "pkgs", "CONTINUE": "continue",
                    "JUMP_1": "jump_1", "JUMP_2": "jump_2", "JUMP_3": "jump_3",
                    "JUMP_4": "jump_4"}
SIMPLE_ACTIONS = {"KEEP": "keep", "SKIP": "skip"}

# What XALT puts before a site's own rules, and jobtrail's programs in place of XALT's.
HEAD_PATHS = (
    "skip = .*/(sh|dash|bash|zsh|csh|tcsh|nu|fish|rc)",
    "skip = .*/(logger|bin/my_uuidgen|xalt_(print_os|syslog_to_db|syshost|record_pkg))",
    "skip = .*/xalt_(extract_record|configuration_report).x",
    "skip = .*/jobtrail-[^/]*",
)


class Converter:
    """Collects the lines of the new file, and what was left out."""

    def __init__(self, source):
        self.source = source
        self.lines = []
        self.problems = list(source.problems)
        self.notes = []

    def comment(self, text):
        """A comment, cut where the line would be too long. It is one line whatever is in it."""
        text = "# " + "".join(c if c.isprintable() else "?" for c in text)
        self.lines.append(text.encode()[:LINE_MAX].decode(errors="ignore"))

    def leave_out(self, entry, reason):
        self.problems.append(Problem(entry.line, reason))
        self.comment(f"left out, line {entry.line}: {reason}: {entry.value!r}")

    def section(self, name):
        self.lines += ["", f"[{name}]"]

    def entries(self, table):
        """A table's entries. One that is there, but no list, is a problem."""
        if table in self.source.values:
            self.leave_out(self.source.values[table], f"{table} is not a list")
        return self.source.lists.get(table, [])

    def rules(self, table, actions, convert):
        """The rules of a table of [ACTION, PATTERN]."""
        for entry in self.entries(table):
            try:
                action, pattern = entry.value
                if not isinstance(action, str) or not isinstance(pattern, str):
                    raise ValueError
            except (TypeError, ValueError):
                self.leave_out(entry, "not [ACTION, PATTERN]")
                continue
            if action not in actions:
                self.leave_out(entry, f"there is no {action} here")
            else:
                self.rule(entry, actions[action], FlexParser(pattern), convert)

    def rule(self, entry, action, parser, convert):
        try:
            tree = convert(parser.parse())
            patterns = split(tree, LINE_MAX - len(f"{action} = ") - 2)
        except Unconvertible as reason:
            self.leave_out(entry, str(reason))
            return
        for note in (Problem(entry.line, text) for text in parser.notes):
            if note not in self.notes:  # of a line once
                self.notes.append(note)
                self.comment(f"line {note.line}: {note.reason}")
        for pattern in patterns:  # a ';' in front would start a comment
            self.lines.append(f"{action} = {pattern}" if pattern[:1] != ";" else f"{action} = [;]{pattern[1:]}")

    def hosts(self):
        self.section("hosts")
        before = len(self.lines)
        self.rules("hostname_patterns", SIMPLE_ACTIONS, lambda tree: tree)
        if any(not line.startswith("#") for line in self.lines[before:]):
            self.comment("XALT skips the hosts that no rule matches.")
            self.lines.append("skip = .*")

    def paths(self):
        self.section("paths")
        self.comment("XALT's own rules, which come before a site's")
        self.lines += HEAD_PATHS
        self.comment("the site's")
        self.rules("path_patterns", PATH_ACTIONS, lambda tree: tree)

    def environment(self):
        self.section("environment")
        self.rules("env_patterns", SIMPLE_ACTIONS, lambda tree: [name_of_variable(items) for items in tree])
        self.lines.append("skip = .*")

    def pre_ingest(self):
        """Rows [PROBABILITY, PATTERN], which change nothing where all are 1."""
        entries = self.entries("pre_ingest_patterns")
        if all(isinstance(entry.value, list) and entry.value[:1] == [1] for entry in entries):
            return
        for entry in entries:
            self.leave_out(entry, "records are not sampled by path when they are loaded")

    def sampling(self):
        self.section("sampling")
        self.comment("XALT samples only where XALT_SAMPLING=yes is set; this is the site's switch.")
        self.lines.append("enabled = yes")
        always = self.source.values.get("MPI_ALWAYS_RECORD")
        if always is not None and not isinstance(always.value, int):
            self.leave_out(always, "MPI_ALWAYS_RECORD is not a number")
        elif always is None:
            self.lines.append("always_ranks = 1")
        else:
            self.lines.append(f"always_ranks = {max(always.value, 1)}")
        scalar = self.intervals(self.entries("interval_array"))
        mpi = self.intervals(self.entries("mpi_interval_array"))
        self.lines += [f"scalar = {row}" for row in scalar or ["0 1"]]
        self.lines += [f"mpi = {row}" for row in mpi or scalar or ["0 1"]]
        if "SPSR_sampling" in self.source.values:
            self.leave_out(self.source.values["SPSR_sampling"], "PKGS programs are sampled like any other")

    def intervals(self, entries):
        """XALT's rows [FROM, PROBABILITY]; the last one, at the end of time, only ends the list.
        A table is converted as a whole or not at all."""
        rows = {}
        for entry in entries[:-1]:
            try:
                start, probability = entry.value
                if start != int(start) or not 0 <= start <= 10**9 or not 0 <= probability <= 1:
                    raise ValueError
            except (TypeError, ValueError, OverflowError):
                self.leave_out(entry, "not [SECONDS, PROBABILITY] with whole seconds")
                return []
            text = f"{probability:.9f}".rstrip("0").rstrip(".")
            if text == "0":
                self.leave_out(entry, "every run needs a chance, as reports weigh by it; one in a million here")
                text = "0.000001"
            rows[int(start)] = text
        if len(rows) > INTERVALS_MAX or rows and 0 not in rows:
            self.leave_out(entries[0], f"it starts after 0 or has more than {INTERVALS_MAX} rows")
            return []
        return [f"{start} {probability}" for start, probability in sorted(rows.items())]

    def packages(self):
        self.section("packages")
        table = self.entries("pkg_patterns")
        self.rules("pkg_patterns", SIMPLE_ACTIONS, lambda tree: tree)
        python = self.entries("python_pkg_patterns")
        if python and any(entry.value[:1] == ["KEEP"] for entry in table if isinstance(entry.value, list)):
            self.notes.append(Problem(table[0].line, "XALT records a Python package that both "
                                      "tables keep; here the first rule that matches decides"))
            self.comment(self.notes[-1].reason)
        for entry in python:
            self.python_rule(entry)
        self.lines.append("skip = python:name:(os|re|sys|subprocess)")

    def python_rule(self, entry):
        try:
            action = SIMPLE_ACTIONS[entry.value["k_s"]]
            kind = {"name": "name", "path": "path"}[entry.value["kind"]]
            parser = PythonParser(entry.value["patt"])
        except (KeyError, TypeError):
            self.leave_out(entry, "not {'k_s': ACTION, 'kind': 'name' or 'path', 'patt': PATTERN}")
            return

        def convert(tree):
            start = [Item(character) for character in f"python:{kind}:"]
            return [start + (tree[0] if len(tree) == 1 else [Item(tree)])]
        self.rule(entry, action, parser, convert)

    def tracking(self, record):
        """`record`: XALT's configure switch --with-cmdlineRecord, "" where nobody says it."""
        self.section("tracking")
        self.comment("XALT has no list of its own: a site's rules decide about the system's tools.")
        self.lines.append("system_tools = yes")
        if record:
            self.lines.append(f"command_line = {record}")
        else:
            self.comment("XALT's --with-cmdlineRecord is not in its config.py: if it was no, say so here.")
            self.lines.append("#command_line = no")

    def convert(self, record):
        self.tracking(record)
        self.sampling()
        self.hosts()
        self.paths()
        self.section("arguments")
        self.comment("XALT ignores arguments that are neither files nor options: so does this, if they are relative.")
        self.lines.append("continue = [^;]*;[^/;-][^;]*")
        self.rules("path_arg_patterns", ARGUMENT_ACTIONS, lambda tree: tree)
        self.environment()
        self.packages()
        self.pre_ingest()

    def text(self, name):
        """The whole file."""
        body, self.lines = self.lines, []
        self.comment(f"From {name}, by jobtrail-conf import-xalt. See jobtrail.conf(5).")
        for problem in self.source.problems:
            self.comment(f"left out, line {problem.line}: {problem.reason}")
        return "\n".join(self.lines + body) + "\n"


def write(path, text):
    """Replaces the file at once; '-' is stdout."""
    if path == "-":
        sys.stdout.buffer.write(text.encode())
        sys.stdout.flush()
        return
    directory, name = os.path.split(path)
    beside = f"{name}.{secrets.token_hex(8)}"
    try:  # what stands at the name itself is replaced, also a link
        place = TrustedPlace(os.path.join(os.getcwd(), directory, beside)).fd
    except Failure as failure:
        raise Failure(str(failure).replace(beside, name)) from None
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with open(os.open(beside, flags, 0o600, dir_fd=place), "wb") as file:
        try:
            file.write(text.encode())
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.rename(beside, name, src_dir_fd=place, dst_dir_fd=place)
        except OSError:
            os.unlink(beside, dir_fd=place)
            raise


def say(name, problem, what):
    place = f"{name}:{problem.line}" if problem.line else name
    print(f"{place}: {what}{problem.reason}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(prog="jobtrail-conf import-xalt")
    parser.add_argument("--output", default="-")
    parser.add_argument("--cmdline-record", default="", choices=("", "yes", "no"))
    parser.add_argument("config")
    options = parser.parse_args()
    name = options.config
    try:
        with tokenize.open(name) as file:
            converter = Converter(Source(file.read()))
        converter.convert(options.cmdline_record)
        write(options.output, converter.text(os.path.basename(name)))
    except SyntaxError as error:
        place = f"{name}:{error.lineno}:{error.offset}" if error.lineno else name
        print(f"{place}: not Python 3: {error.msg}", file=sys.stderr)
        return 1
    except Failure as failure:
        print(f"jobtrail-conf: {failure}", file=sys.stderr)
        return 1
    except (OSError, ValueError, RecursionError) as error:
        print(f"jobtrail-conf: {name}: {error}", file=sys.stderr)
        return 1
    for note in converter.notes:
        say(name, note, "note: ")
    for problem in sorted(converter.problems, key=lambda problem: problem.line):
        say(name, problem, "left out: ")
    return 1 if converter.problems else 0


if __name__ == "__main__":
    sys.exit(main())
