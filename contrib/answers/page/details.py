# SPDX-License-Identifier: LGPL-2.1-or-later
"""One by one, what the tables of an HTML page name: by month, and what it ran with. The tables link to these parts."""

import hashlib
import html

from ...report.calendar_pages import months
from ...report.columns import RANGE
from ...report.division import OTHERS
from ...report.gather import INCLUSIVE, LEFT_OUT
from ...report.model import EXACT, NOT_KNOWN, UNKNOWN
from ...report.package_pages import packages_of
from ...report.sums import Sums, SumsByName
from ...report.text_output import percent, written
from ...report.usage import TITLES, hours_column
from . import charts, frame
from .charts import compact
from .html_table import linked

KINDS = ("executables", "libraries", "modules", "packages", "users", "accounts")
MOST = 50  # of a kind
LISTED = 8  # of a relation
# columns of tables, by what stands in them
KIND_OF = {
    "executable": "executables", "library": "libraries", "module": "modules", "package": "packages", "with": "packages",
    "user": "users", "built_by": "users", "account": "accounts",
}  # fmt: skip
PROGRAM_OF = {"package": "program", "with": "with_program"}
NAMELESS = (UNKNOWN, NOT_KNOWN, OTHERS, None)


def name_id(kind, name):
    """Stays the same for a name, so that a link from elsewhere keeps its aim."""
    text = "\0".join(name) if isinstance(name, tuple) else name
    return "%s-%s" % (kind[:-1], hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:12])


class Details:
    """Of the things in those of `pages` that are named like KINDS."""

    def __init__(self, model, pages, without=()):
        """`without`: pages that are left out, of which no names are told"""
        self.model, self.without = model, without
        self.wanted = {}
        for page in pages:
            if page.name in KINDS:
                self.add_page(page)
        self.is_inclusive = hours_column(model) == "inclusive_core_hours"
        self.relations = {}
        if self.wanted:
            self.relate()

    def add_page(self, page):
        keys = [key if kind != RANGE else None for key, _, kind in page.columns]
        for row in page.rows[:MOST]:
            facts = dict(zip(keys, row))
            name = (row[0], row[1]) if page.name == "packages" else row[0]
            if row[0] not in NAMELESS:
                self.wanted.setdefault(page.name, {})[name] = facts

    def link(self, key, value, row):
        """To be given to html_table.table()."""
        kind = KIND_OF.get(key)
        name = (value, row.get(PROGRAM_OF[key])) if key in PROGRAM_OF else value
        return self.href(kind, name) or (kind == "executables" and self.href(kind, value.rsplit("/", 1)[-1])) or None

    def href(self, kind, name):
        return "#" + name_id(kind, name) if name in self.wanted.get(kind, ()) else None

    def contents(self):
        return [("#each-" + kind, TITLES.get(kind, "Packages").split(" and ")[0]) for kind in self.kinds()]

    def kinds(self):
        return [kind for kind in KINDS if kind in self.wanted]

    # ---- What ran with what

    def add(self, kind, name, of, other, hours):
        if of not in self.without and name in self.wanted.get(kind, ()):
            found = self.relations.setdefault((kind, name), {}).setdefault(of, {})
            found[other] = found.get(other, 0.0) + hours

    def hours(self, basis, p, hours, is_exact):
        """Of a row of Model.usage(): as it is, or as an estimate of all runs"""
        if self.is_inclusive != (basis == INCLUSIVE):
            return 0.0
        if self.model.raw:
            return hours if basis != LEFT_OUT else 0.0
        if is_exact and self.model.estimates().knows_left_out and basis != INCLUSIVE:
            return hours
        return 0.0 if basis == LEFT_OUT else hours / p

    def relate(self):
        programs = self.model.programs()
        people, modules, of_program, of_packages = {}, {}, {}, {}
        for number, who, basis, p, _, hours, *_ in self.model.usage():
            program = programs[number]
            exact, weighted = self.hours(basis, p, hours, True), self.hours(basis, p, hours, False)
            for sums, key, value in (
                (people, (self.model.executable_of(program), who), exact),
                (modules, (program[:2], who), weighted),
                (of_program, program[:4], weighted),
            ):
                sums[key] = sums.get(key, 0.0) + value
            if program[3] is not None:
                of_packages[program[3], who] = of_packages.get((program[3], who), 0.0) + weighted
        self.relate_people(people)
        self.relate_software(of_program)
        names_of = self.once_for(self.model.module_names)
        for (part, who), hours in modules.items():
            user = self.model.person_name("users", self.model.people[who])
            for name in names_of(part):
                self.add("modules", name, "users", user, hours)
                self.add("users", user, "modules", name, hours)
        if "packages" in self.wanted:
            for (number, who), hours in of_packages.items():
                user = self.model.person_name("users", self.model.people[who])
                for name in set(packages_of(self.model).names_in(number)):
                    self.add("packages", name, "users", user, hours)

    @staticmethod
    def once_for(function):
        known = {}

        def call(part):
            if part not in known:
                known[part] = function(part)
            return known[part]

        return call

    def relate_people(self, people):
        for (executable, who), hours in people.items():
            name = self.model.executable_name(executable)
            user, account = (self.model.person_name(kind, self.model.people[who]) for kind in ("users", "accounts"))
            self.add("executables", name, "users", user, hours)
            self.add("executables", name, "accounts", account, hours)
            self.add("users", user, "executables", name, hours)
            self.add("users", user, "accounts", account, hours)
            self.add("accounts", account, "users", user, hours)
            self.add("accounts", account, "executables", name, hours)

    def relate_software(self, of_program):
        names_of = self.once_for(self.model.library_names)
        modules_of = self.once_for(self.model.module_names)
        packages_in = self.once_for(lambda number: set(packages_of(self.model).names_in(number)))
        for (executable, objects, build, packages), hours in of_program.items():
            name = self.model.executable_name(executable)
            libraries, modules = names_of(objects), modules_of((executable, objects))
            for library in libraries:
                self.add("executables", name, "libraries", library, hours)
                self.add("libraries", library, "executables", name, hours)
            for module in modules:
                self.add("executables", name, "modules", module, hours)
                self.add("modules", module, "executables", name, hours)
            if packages is not None and "packages" in self.wanted:
                for package in packages_in(packages):
                    self.add("executables", name, "packages", package, hours)
                    self.add("packages", package, "executables", name, hours)

    # ---- As HTML

    def trends(self, kind):
        """{name: [core hours of each month, or None where there are no data]}, and the months' titles"""
        slots, parts = months(self.model), self.model.by_month(kind)
        found = {}
        for names, sums in parts:
            for name in self.wanted[kind].keys() & set(names):
                have = found.setdefault(name, SumsByName())
                for slot, _, _ in slots:
                    if slot in sums:
                        have[slot].add(sums[slot])
        estimates, known = self.model.estimates(), self.model.known_months()

        def value(sums):
            of = estimates.inclusive(sums) if self.is_inclusive else estimates.hours(sums, kind in EXACT)
            return of[0]

        return {
            name: [value(sums.get(slot, Sums())) if slot in known else None for slot, _, _ in slots]
            for name, sums in found.items()
        }, [text for _, _, text in slots]

    def sections(self):
        return [self.section(kind) for kind in self.kinds()]

    def section(self, kind):
        title = TITLES.get(kind, "Packages").split(" and ")[0]
        trends, labels = self.trends(kind) if kind != "packages" else ({}, [])
        parts = [
            self.thing(kind, name, facts, trends.get(name), labels) for name, facts in self.wanted[kind].items()
        ]
        return '<div class="things">%s</div>' % frame.section("each-" + kind, "%s, one by one" % title, *parts)

    def thing(self, kind, name, facts, trend, labels):
        hours = facts["inclusive_core_hours" if self.is_inclusive else "core_hours"] or 0.0
        inner = ""
        if trend and any(trend):
            inner += charts.trends([("a month", None, trend)], labels, "Core hours a month")
        for of, found in self.relations.get((kind, name), {}).items():
            inner += self.relation(of, found, hours)
        title = "%s (%s)" % name if isinstance(name, tuple) else name
        return (
            '<details class="thing"><summary><b>%s</b><span>%s core hours, %s runs</span></summary>'
            '<div class="relations" id="%s">%s</div></details>'
            % (html.escape(written(title, 0)), html.escape(compact(hours)), html.escape(compact(facts["runs"] or 0)),
               name_id(kind, name), inner or frame.note("No more is known."))  # fmt: skip
        )

    def relation(self, of, found, whole):
        order = sorted(found, key=lambda other: (-found[other], other))
        items = ""
        for other in order[:LISTED]:
            hours = found[other]
            text = "%s (%s)" % other if isinstance(other, tuple) else other
            share = ", " + percent(min(hours / whole, 1.0)) if whole > 0 else ""
            items += "<li><span>%s</span><span>%s%s</span></li>" % (
                linked(html.escape(written(text, 0)), self.href(of, other)), html.escape(compact(hours)), share)  # fmt: skip
        more = frame.note("and %d more" % (len(order) - LISTED)) if len(order) > LISTED else ""
        title = TITLES.get(of, "Packages").split(" and ")[0]
        return "<div><h3>%s, by core hours</h3><ol>%s</ol>%s</div>" % (title, items, more)
