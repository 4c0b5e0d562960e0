# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of links: who linked what, with which compiler and libraries."""

from . import days
from .chosen import program_test
from .columns import COUNT, DATE, TEXT, Page, day_of, top
from .model import UNKNOWN, form, known

LINKED_BY = ("compilers", "users", "executables", "libraries", "modules", "functions")
# what a record of a link does not have
UNFIT = ("account", "partition", "node", "pkg")
SINGULAR = {
    "compilers": "Compiler",
    "users": "User",
    "executables": "Executable",
    "libraries": "Library",
    "modules": "Module",
    "functions": "Function",
}
LINKS = (
    "SELECT link.build_epoch, link.build_user, link.build_syshost, link.executable_id, link.object_set_id,"
    " link.function_set_id, link.link_program, link.module_id, link.uuid FROM link"
    " WHERE link.build_epoch >= ? AND link.build_epoch < ?"
)
FUNCTIONS = (
    "SELECT member.function_set_id, function_name.name FROM function_set_member AS member"
    " JOIN function_name ON function_name.id = member.function_name_id"
)
OVERLAP = "A link counts in each row that it belongs to: the rows have no sum."


class Link:
    def __init__(self, epoch, user, syshost, executable, objects, functions, compiler, module, uuid):
        self.uuid = known(uuid)
        self.epoch, self.user, self.syshost, self.executable = epoch, known(user), syshost, executable
        self.objects, self.functions, self.compiler, self.module = objects, functions, known(compiler), module


def read_all(model, options):
    """[Link] of the period, of the users and clusters that are chosen."""
    rows = model.store.lookup(LINKS, (days.begin(model.first), days.begin(model.last + 1)))
    found = [Link(*row) for row in rows]
    if options.user is not None:
        found = [link for link in found if link.user in options.user]
    if options.cluster is not None:
        wanted = {form(1, name) for name in options.cluster}
        found = [link for link in found if form(1, link.syshost) in wanted]
    return found


def read(model, options):
    """[Link] of the period that are chosen. Options that do not choose links (UNFIT) are not given."""
    is_chosen, found = program_test(model, options), read_all(model, options)
    return [link for link in found if is_chosen((link.executable, link.objects, None, None, None))]


def namer(model, options, of):
    """A function of a link: the names under which it counts."""
    if of == "users":
        return lambda link: (model.builder(link.user) or UNKNOWN,)
    if of == "executables":
        return lambda link: (model.executable_name(link.executable),)
    if of == "libraries":
        return lambda link: model.library_names(link.objects) | model.system_names(link.objects)
    if of == "modules":
        modules = model.modules()
        return lambda link: model.module_names((link.executable, link.objects)) | (
            {modules[link.module]} if link.module in modules else set()
        )
    if of == "functions":
        names = {}
        for number, name in model.store.lookup(FUNCTIONS):
            names.setdefault(number, set()).add(model.text(name))
        return lambda link: names.get(link.functions, ())
    return lambda link: (model.text(link.compiler) or UNKNOWN,)


class Row:
    def __init__(self):
        self.links, self.users, self.executables, self.last = 0, set(), set(), None

    def add(self, link):
        self.links += 1
        self.users.add(link.user)
        self.executables.add(link.executable)
        self.last = link.epoch if self.last is None else max(self.last, link.epoch)

    def cells(self):
        return [self.links, len(self.users - {None}), len(self.executables - {None}), day_of(self.last)]


def links_page(model, options):
    of = options.of if options.of in LINKED_BY else "compilers"
    names_of, found, total = namer(model, options, of), {}, Row()
    for link in read(model, options):
        total.add(link)
        for name in names_of(link):
            found.setdefault(name, Row()).add(link)
    items, left_out = top(sorted(found.items(), key=lambda item: (-item[1].links, item[0])), options)
    columns = [
        (SINGULAR[of].lower(), SINGULAR[of], TEXT),
        ("links", "# Links", COUNT),
        ("users", "# Users", COUNT),
        ("executables", "# Execs", COUNT),
        ("last", "Last link", DATE),
    ]
    rows = [[name] + row.cells() for name, row in items]
    is_sum = of in ("compilers", "users", "executables")
    return Page("links", "Links by " + SINGULAR[of].lower(), columns, rows, "links", "" if is_sum else OVERLAP,
                left_out, ["Total"] + total.cells() if is_sum else None)  # fmt: skip
