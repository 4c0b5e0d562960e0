# SPDX-License-Identifier: LGPL-2.1-or-later
"""What differs between two runs, in sections: see run_sections().

What one side does not have on record is no difference, and nor is what it may have lost. It is `unknown`, with the
reason why.
"""

import os
import re

from .. import extensions, library
from ..acct import fields
from ..pattern import Pattern
from ..times import format_time

REDACTED = "[redacted]"
# variables that say which job it is, and so differ in each
OF_EACH_JOB = Pattern(
    r"(SLURM_(JOB_?ID|STEP_?ID|TASK_PID|JOB_(START|END)_TIME|SRUN_COMM_(HOST|PORT)|STEP_LAUNCHER_PORT"
    r"|LAUNCH_NODE_IPADDR)|PBS_JOBID|JOB_ID|LSB_JOBID|PMIX?_.*)\Z"
)
# the file in which slurmd keeps the batch script of a job
SCRIPT = Pattern(r"(.*/)job0*(\d+)(/slurm_script)\Z", re.S)
# these two are in the section of modules
LOADED, LOADED_FILES = "LOADEDMODULES", "_LMFILES_"
NO_ACCOUNTING = "Slurm's accounting does not have it, or was not asked"
# ends of which the record does not say enough to compare them with these
VAGUE = {"RUNNING": None, "UNKNOWN": None, "EXITED": ("COMPLETED", "FAILED")}


def of_sides(missing_a, missing_b):
    """The reason for an unknown fact, by whether it is missing on each side."""
    return "not recorded" if missing_a and missing_b else "not recorded for %s" % ("A" if missing_a else "B")


def redacted_sides(a, b):
    """The reason for an unknown fact, by where a part of it is redacted; None: on neither side."""
    sides = [name for name, value in (("A", a), ("B", b)) if REDACTED in str(value)]
    return None if not sides else "redacted on both sides" if len(sides) == 2 else "redacted of " + sides[0]


class Section:
    """Facts of one kind. Each is a dict of `what`, `a` and `b`; in `unknown` with `why`."""

    def __init__(self, name):
        self.name, self.different, self.unknown, self.equal, self.notes = name, [], [], [], []

    def differ(self, what, a, b):
        self.different.append({"what": what, "a": a, "b": b})

    def same(self, what, value):
        self.equal.append({"what": what, "a": value, "b": value})

    def doubt(self, what, a, b, why):
        self.unknown.append({"what": what, "a": a, "b": b, "why": why})

    def texts(self, what, a, b):
        """Values that are on record, or None where there are none."""
        redacted = redacted_sides(a, b)
        if redacted and None not in (a, b):
            self.doubt(what, a, b, redacted)
        elif a != b:
            self.differ(what, a, b)
        elif a is not None:
            self.same(what, a)

    def facts(self, what, a, b, why=None):
        """Values that are not known where they are None. Of both sides: nothing is said."""
        if None in (a, b):
            if a != b:
                self.doubt(what, a, b, why or of_sides(a is None, b is None))
        else:
            self.texts(what, a, b)

    def data(self, with_equal):
        found = {"name": self.name, "different": self.different, "unknown": self.unknown}
        found.update(same=len(self.equal), notes=self.notes)
        if with_equal:
            found["equal"] = self.equal
        return found


# ---- What ran


def build(section, a, b):
    missing = [run["build_id"] is None for run in (a, b)]
    if any(missing):
        users = [None if run["build_id"] is None else run["build_user"] for run in (a, b)]
        section.doubt("build", *users, why=of_sides(*missing) + ": no watermark of a linker wrapper")
        return
    for what, name in (
        ("linked by", "build_user"),
        ("linked on", "build_host"),
        ("compiler", "build_compiler"),
        ("compiler's path", "build_compiler_path"),
        ("modules at the link", "build_modules"),
    ):
        section.facts(what, fields.known(a[name]), fields.known(b[name]))
    section.facts("linked at", *(format_time(run["build_epoch"]) for run in (a, b)))


def executable(a, b, _):
    section = Section("executable")
    section.facts("path", fields.known(a["exec_path"]), fields.known(b["exec_path"]))
    hashes = [fields.known(run["hash_id"], "0") if run["hash_id"] else None for run in (a, b)]
    if hashes == [None, None]:
        section.doubt("hash", None, None, "not recorded")
    section.facts("hash", *hashes)
    if None in hashes:
        section.facts("modified", *(format_time(run["exec_epoch"]) for run in (a, b)))
    section.texts("module", a["module"], b["module"])
    section.texts("container", fields.known(a["container"]), fields.known(b["container"]))
    build(section, a, b)
    return section


def is_captured(run):
    """Whether the process reported what it has loaded, and its environment. Each that did has a loader."""
    return bool(run["libs"]) and run["end_source"] != "not_started"


def lib_value(lib):
    if lib is None:
        return None
    version = library.version(lib["path"], lib["module"])
    return {"path": lib["path"], "version": version, "module": lib["module"], "hash": lib["hash"],
            "build_id": lib["build_id"]}  # fmt: skip


def paired_libraries(a, b):
    """(name, library of A or None, of B or None): of one path; then of one file name; then of one name."""
    left, right, pairs = list(a), list(b), []
    keys = (lambda lib: lib["path"], lambda lib: os.path.basename(lib["path"]), lambda lib: library.name(lib["path"]))
    for key in keys:
        by_key, rest = {}, []
        for lib in right:
            by_key.setdefault(key(lib), []).append(lib)
        for lib in left:
            others = by_key.get(key(lib))
            if others:
                pairs.append((lib, others.pop(0)))
            else:
                rest.append(lib)
        left, right = rest, [lib for libs in by_key.values() for lib in libs]
    pairs += [(lib, None) for lib in left] + [(None, lib) for lib in right]
    named = ((library.name((one or other)["path"]), one, other) for one, other in pairs)
    return sorted(named, key=lambda pair: (pair[0], (pair[1] or pair[2])["path"]))


def is_same_file(one, other):
    """Of libraries of one path; None: their content is not known."""
    for name in ("hash", "build_id"):
        if one[name] is not None and other[name] is not None:
            return one[name] == other[name]
    return None


def libraries(a, b, _):
    section = Section("libraries")
    missing = [not is_captured(run) for run in (a, b)]
    if any(missing):
        section.doubt("libraries", None, None, of_sides(*missing))
        return section
    lacking = [library.lacking(run) for run in (a, b)]
    section.notes += ["%s: %s" % (side, text) for side, text in zip("AB", lacking) if text]
    by_path = 0
    for name, one, other in paired_libraries(a["libs"], b["libs"]):
        values = lib_value(one), lib_value(other)
        late = [(side, text) for side, lib, text in zip("AB", (one, other), lacking) if lib is None and text]
        if late:
            section.doubt(name, *values, why="%s: %s" % late[0])
        elif None in values or one["path"] != other["path"]:
            section.differ(name, *values)
        elif is_same_file(one, other) is False:
            section.differ(name, *values)
        else:
            by_path += is_same_file(one, other) is None
            section.same(name, values[0])
    if by_path:
        section.notes.append("%d by path alone: their content is not recorded" % by_path)
    return section


def compare_versions(section, a, b):
    """Of two dicts of names and versions."""
    for name in sorted(set(a) | set(b)):
        one, other = (side.get(name, None) for side in (a, b))
        if one == other:
            section.same(name, one)
        else:
            section.differ(name, one, other)


def versions_of(pairs):
    """{name: version, or several with commas}"""
    found = {}
    for name, version in pairs:
        found.setdefault(name, set()).add(version or "?")
    return {name: ",".join(sorted(versions)) for name, versions in found.items()}


def packages(a, b, _):
    section = Section("packages")
    missing = [not run["packages"] for run in (a, b)]
    if all(missing):
        return section
    if any(missing):
        section.doubt("packages", *(len(run["packages"]) or None for run in (a, b)), why=of_sides(*missing))
        return section
    compare_versions(section, *(versions_of(run["packages"]) for run in (a, b)))
    return section


def split_module(name):
    stem, _, version = name.rpartition("/")
    return (stem, version) if stem else (name, "")


def modules_of(run, environment):
    """{name: version} of those that were loaded; None: not recorded."""
    loaded = environment.get(LOADED) if environment else None
    if loaded is None or REDACTED in loaded:
        return None
    return versions_of(split_module(name) for name in loaded.split(":") if name)


def modules_of_files(run):
    names = [run["module"]] + [lib["module"] for lib in run["libs"] or []]
    return versions_of(split_module(name) for name in names if name)


def modules(a, b, environments):
    """Those that were loaded, or where a side has not recorded that, those that its files belong to."""
    section = Section("modules")
    loaded = [modules_of(run, environment) for run, environment in zip((a, b), environments)]
    if None not in loaded:
        compare_versions(section, *loaded)
        return section
    if loaded != [None, None]:
        section.doubt(LOADED, *(value and len(value) for value in loaded), why=of_sides(*(x is None for x in loaded)))
    if is_captured(a) and is_captured(b):
        files = [modules_of_files(run) for run in (a, b)]
        if any(files):
            section.notes.append("of the files that were loaded")
        compare_versions(section, *files)
    return section


# ---- How it was started


def environment(a, b, environments):
    section = Section("environment")
    missing = [not of for of in environments]
    if any(missing):
        section.doubt("environment", None, None, of_sides(*missing))
        return section
    one, other = environments
    own = 0
    same_modules = one.get(LOADED) == other.get(LOADED)
    for name in sorted(set(one) | set(other)):
        if OF_EACH_JOB.match(name):
            own += 1
        elif name != LOADED and (name != LOADED_FILES or same_modules):
            section.texts(name, one.get(name), other.get(name))
    if own:
        section.notes.append("%d that differ in each job are not compared" % own)
    return section


def words_of(run):
    """The arguments, with the same name for each job's batch script; None: not recorded."""
    words = run["cmdline"]
    if not words or run["end_source"] == "not_started":
        return None
    own = str(run["job_id_raw"])

    def neutral(match):
        return match.group(0) if match.group(2) != own else match.group(1) + "job%j" + match.group(3)

    return tuple(SCRIPT.sub(neutral, str(word)) for word in words)


def arguments(a, b, _):
    section = Section("arguments")
    words = [value and list(value) for value in map(words_of, (a, b))]
    if None in words:
        section.doubt("arguments", *(run["cmdline"] or None for run in (a, b)),
                      why=of_sides(*(value is None for value in words)))  # fmt: skip
        return section
    one, other = ([os.path.basename(value[0])] + value[1:] for value in words)  # the path is the executable's
    certain = len(one) != len(other) or any(x != y and not redacted_sides(x, y) for x, y in zip(one, other))
    if certain:
        section.differ("arguments", *words)
    elif redacted_sides(one, other):
        section.doubt("arguments", *words, why=redacted_sides(one, other))
    else:
        section.same("arguments", words[0])
    return section


def slurm_fact(run, name):
    return fields.known(run["slurm"].get(name, "")) if run["slurm"] else None


def place(a, b, _):
    section = Section("place")
    for what, name in (("user", "user"), ("account", "account"), ("cluster", "cluster"), ("node", "node"),
                       ("directory", "cwd"), ("submitted on", "submit_host")):  # fmt: skip
        section.facts(what, fields.known(a[name] or ""), fields.known(b[name] or ""))
    section.facts("partition", *(fields.known(run["partition"] or run["queue"] or "") for run in (a, b)))
    if max(run["num_nodes"] or 1 for run in (a, b)) > 1:
        section.facts("nodes", *(slurm_fact(run, "NodeList") for run in (a, b)), why=NO_ACCOUNTING)
    return section


def limits(a, b, _):
    section = Section("limits")
    for what, name in (("CPUs", "cpus_alloc"), ("nodes", "num_nodes"), ("tasks", "num_tasks"),
                       ("threads", "num_threads"), ("GPUs", "gpus_alloc")):  # fmt: skip
        section.facts(what, a[name], b[name])
    missing = [run["slurm"] is None for run in (a, b)]
    if all(missing):
        section.doubt("time and memory", None, None, NO_ACCOUNTING)
        return section
    for what, name in (("time", "Timelimit"), ("memory", "ReqMem"), ("QOS", "QOS")):
        section.facts(what, slurm_fact(a, name), slurm_fact(b, name), why=NO_ACCOUNTING)
    return section


def is_vague(state, other):
    against = VAGUE.get(state, ())
    return against is None or other in against


def end(a, b, _):
    section = Section("end")
    states = a["state"], b["state"]
    if states[0] != states[1] and (is_vague(*states) or is_vague(*reversed(states))):
        vague = [name for name, pair in (("A", states), ("B", states[::-1])) if is_vague(*pair)]
        section.doubt("state", *states, why="how %s ended is not known" % " and ".join(vague))
        return section
    section.texts("state", *states)
    codes = [None if "?" in run["exit"] else run["exit"] for run in (a, b)]
    section.facts("exit code", *codes)
    return section


def sections():
    """Of extensions, modules compare_door with a function `section`, behind the libraries."""
    more = [door.section for door in extensions.doors("compare_door")]
    return (executable, libraries, *more, packages, modules, environment, arguments, place, limits, end)


def run_sections(a, b, environments, with_equal=False):
    """What two runs, dicts of runs.read(), have in common and what not: a list of dicts, in the order of sections(),

        {"name": "libraries",
         "different": [{"what": "hdf5", "a": VALUE or None, "b": VALUE or None}, ...],
         "unknown":   [{"what": ..., "a": ..., "b": ..., "why": TEXT}, ...],
         "same": NUMBER of facts that are equal,
         "notes": [TEXT, ...],
         "equal": [{"what": ..., "a": VALUE, "b": VALUE}, ...]}       with `with_equal` alone

    VALUE is a text or a number; of routines that of calls_text(); of arguments a list of texts; of a library {"path",
    "version", "module", "hash", "build_id"}. In
    `different`, None means that the side has none. `environments`: {variable: value} of each, None: no record."""
    return [section(a, b, environments).data(with_equal) for section in sections()]
