# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a report is of: people, places, and the programs that --exec, --lib, --module and --pkg choose.

An option that is given more than once chooses what fits one of its patterns; of `A & B` both must fit. What is chosen
fits all options. The patterns are those of jobtrail-acct.
"""

import re

from .. import extensions, glob, library
from ..acct.select import Selection, ids, library_ids, module_ids, package_ids, parts_of, select_nodes
from ..hints import hint, tell
from ..pattern import Pattern
from ..program import Failure
from ..text import escape
from .division import OTHERS
from .gather import PARTITION
from .model import PEOPLE_AT

SOFTWARE = ("exec", "lib", "module", "pkg")
PEOPLE = ("user", "account", "cluster", "partition")
# how a head names them: (name in `options`, one, several)
FILTERS = (
    ("user", "user", "users"),
    ("account", "account", "accounts"),
    ("cluster", "cluster", "clusters"),
    ("partition", "partition", "partitions"),
    ("node", "node", "nodes"),
    ("exec", "executable", "executables"),
    ("lib", "library", "libraries"),
    ("module", "module", "modules"),
    ("pkg", "package", "packages"),
)
NODE = Pattern(r"[A-Za-z0-9._-]+\Z")


def runs_of(options):
    """The runs that are counted."""
    selection = Selection()
    if options.user is not None:
        selection.add_list("run.user", options.user)
    for column, names in (("run.account", options.account), ("run.syshost", options.cluster), (PARTITION, options.partition)):
        if names is not None:
            selection.add_list("lower(%s)" % column, [name.lower() for name in names])
    if options.node is not None:
        select_nodes(selection, options.node, True)
    return selection


def filters(options):
    """{name in FILTERS, of several: [what was asked for]}"""
    return {several: getattr(options, name) for name, _, several in FILTERS if getattr(options, name) is not None}


def check_nodes(names):
    """They become a part of statements."""
    for name in names:
        if not NODE.match(name):
            raise Failure("Invalid hostlist: " + escape(name))


def asked_software(options, among=SOFTWARE):
    """[name in SOFTWARE]"""
    return [name for name in among if getattr(options, name)]


def programs(options):
    """None: all; else what Model takes as options.programs."""
    return chosen_programs if asked_software(options) else None


def chosen_programs(model, options):
    """({number}, whether runs that sampling left out, of which the path alone is known, can be among them)"""
    is_chosen = program_test(model, options)
    found = {number for number, program in model.programs().items() if is_chosen(program)}
    return found, asked_software(options) == ["exec"]


def program_test(model, options, among=SOFTWARE):
    """A function of (executable, object set, build, package set, path), as model.programs() has them. `among`: by these options."""

    def make():
        tests = [any_of(MAKERS[name], model, getattr(options, name)) for name in asked_software(options, among)]
        return lambda program: all(test(program) for test in tests)

    return model.once(("program test", among), make)


def any_of(make, model, texts):
    """A function of a program: whether it fits one of the texts."""
    alternatives = [[make(model, part) for part in parts_of(text)] for text in texts]
    return lambda program: any(all(test(program) for test in tests) for tests in alternatives)


def of_executable(model, text):
    pattern = re.compile(glob.path(text))
    known = {number: bool(pattern.search(path)) for number, (path, _) in model.executables().items()}
    paths = {path: bool(pattern.search(path)) for _, _, _, _, path in model.programs().values() if path}
    paths[OTHERS] = False
    if not any(known.values()) and not any(paths.values()):
        names = {path.rsplit("/", 1)[-1] for path, _ in model.executables().values()}
        tell("--exec %s: the store has none%s" % (escape(text), hint(text, names)))
    return lambda program: known.get(program[0], False) if program[4] is None else paths[program[4]]


def sets_with(model, objects):
    """{set that has one of these objects}"""
    sql = "SELECT DISTINCT object_set_id FROM object_set_member WHERE object_id IN (%s)" % ids(objects)
    return {row[0] for row in model.store.lookup(sql)}


def objects_of(model, text):
    """The numbers of the objects that --lib means, also by the name that they have in the site's list. Says once if there are none, nor a
    file in the list, nor a record of jobtrail-libmon(8)."""
    site = model.site

    def is_listed(path):
        return path in site.files and site.fits(text, site.files[path].library, path)

    def is_elsewhere():
        records = [one for door in extensions.doors("report_door") if hasattr(door, "named") for one in door.named(model)]
        paths = (path for door in extensions.doors("library_door") for path in door.designated(model))
        designated = ((library.name(path), path) for path in paths)
        return any(map(is_listed, site.files)) or any(site.fits(text, *one) for one in (*records, *designated))

    return model.once(("--lib", text), lambda: library_ids(model.store, text, is_listed, is_elsewhere))


def of_library(model, text):
    sets = sets_with(model, objects_of(model, text))
    return lambda program: program[1] in sets


def of_module(model, text):
    modules = set(module_ids(model.store, text))
    executables = {number for number, (_, module) in model.executables().items() if module in modules}
    found = model.store.lookup("SELECT id FROM object WHERE module_id IN (%s)" % ids(modules))
    sets = sets_with(model, [row[0] for row in found])
    return lambda program: program[0] in executables or program[1] in sets


def of_package(model, text):
    packages = {str(number) for number in package_ids(model.store, text)}
    sets = {
        number
        for number, members in model.database.execute("SELECT id, packages FROM all_package_set")
        if not packages.isdisjoint(members.split(","))
    }
    return lambda program: program[3] in sets


MAKERS = {"exec": of_executable, "lib": of_library, "module": of_module, "pkg": of_package}


def tell_unknown(model, options):
    """Says which names of people and places the store does not have."""
    for name in PEOPLE:
        at = PEOPLE_AT[name + "s"]
        have = {person[at] for person in model.people.values()} - {None}
        forms = have if name == "user" else {text.lower() for text in have}
        for word in getattr(options, name) or ():
            if (word if name == "user" else word.lower()) not in forms:
                tell("no runs of the %s %s are known%s" % (name, escape(word), hint(word, have)))
    if options.node:
        have = {row[0] for row in model.store.lookup("SELECT DISTINCT node FROM job_part")}
        have |= {row[0] for row in model.store.lookup("SELECT DISTINCT node FROM coverage")}
        have.discard(None)
        for word in options.node:
            if word not in have:
                tell("no runs of the node %s are known%s" % (escape(word), hint(word, have)))
