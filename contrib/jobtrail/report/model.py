# SPDX-License-Identifier: LGPL-2.1-or-later
"""The data of all pages: sums over programs, and the names that a program counts under."""

from .. import library
from . import days

PEOPLE = ("users", "accounts", "fields")
KINDS = ("executables", "families", "libraries", "modules", "compilers") + PEOPLE
UNKNOWN = "(unknown)"


class Sums:
    """The sums under one name. Sets of people are the bits of a number, which makes unions quick. With
    --raw the records are counted without weights."""

    __slots__ = ("runs", "runs_var", "hours", "hours_var", "uncertain", "last", "users", "accounts",
                 "jobs")  # fmt: skip

    def __init__(self):
        self.runs = self.runs_var = self.hours = self.hours_var = self.uncertain = 0.0
        self.last = None
        self.users = self.accounts = self.jobs = 0

    def add(self, other):
        self.runs += other.runs
        self.runs_var += other.runs_var
        self.hours += other.hours
        self.hours_var += other.hours_var
        self.uncertain += other.uncertain
        self.users |= other.users
        self.accounts |= other.accounts
        if other.last is not None and (self.last is None or other.last > self.last):
            self.last = other.last

    def add_row(self, people, runs, runs_var, hours, hours_var, uncertain, last):
        self.runs += runs
        self.runs_var += runs_var
        self.hours += hours
        self.hours_var += hours_var
        self.uncertain += uncertain
        self.users |= people[0]
        self.accounts |= people[1]
        if last is not None and (self.last is None or last > self.last):
            self.last = last


class SumsByName(dict):
    def __missing__(self, name):
        self[name] = Sums()
        return self[name]


class Model:
    """The runs of one period, users, accounts and hosts."""

    def __init__(self, store, summary, options, families):
        self.store = store
        self.database = summary.database
        self.raw = options.raw
        self.full_paths = options.full_paths
        self.families = families
        self.first, self.last = options.first_day, options.last_day
        summary.limit(self.first, self.last)
        self.cache = {}
        self.people = {
            number: (user, account, syshost)
            for number, user, account, syshost in self.database.execute("SELECT * FROM all_who")
        }
        self.who_condition = self.condition(options)
        users, accounts = self.bits(0), self.bits(1)
        self.bits_of = {
            number: (users[user], accounts[account])
            for number, (user, account, _) in self.people.items()
        }

    def bits(self, at):
        """{name: a bit}; 0 for an unknown name"""
        names = sorted({person[at] for person in self.people.values() if person[at] is not None})
        found = {name: 1 << number for number, name in enumerate(names)}
        found[None] = 0
        return found

    def condition(self, options):
        """SQL for `who`."""
        asked = options.user, options.account, options.cluster
        wanted = [set(names) if names else None for names in asked]
        if not any(wanted):
            return "1"
        numbers = [
            number
            for number, person in self.people.items()
            if all(names is None or person[at] in names for at, names in enumerate(wanted))
        ]
        return "who IN (%s)" % (", ".join(map(str, numbers)) or "NULL")

    def once(self, name, make):
        if name not in self.cache:
            self.cache[name] = make()
        return self.cache[name]

    # ---- Names

    def table(self, sql):
        return {row[0]: row[1:] for row in self.store.lookup(sql)}

    def modules(self):
        return self.once(
            "modules", lambda: dict(self.store.lookup("SELECT id, name FROM module"))
        )

    def executables(self):
        """{id: (path, module id)}"""
        return self.once(
            "executables", lambda: self.table("SELECT id, path, module_id FROM executable")
        )

    def builds(self):
        """{id: (user, compiler, epoch, uuid)}"""
        return self.once(
            "builds",
            lambda: self.table(
                "SELECT id, build_user, build_compiler, build_epoch, build_uuid FROM build"
            ),
        )

    def fields(self):
        return self.once(
            "fields",
            lambda: dict(self.store.lookup("SELECT account, field_of_science FROM account_field")),
        )

    def libraries(self):
        """{id: (name and version, module id)}"""

        def make():
            names = {}
            modules = self.modules()
            for number, path, module in self.store.lookup("SELECT id, path, module_id FROM object"):
                version = library.version(path, modules.get(module))
                name = library.name(path)
                names[number] = ("%s %s" % (name, version) if version else name, module)
            return names

        return self.once("libraries", make)

    def members(self):
        """{object set: [object, ...]}"""

        def make():
            sets = {}
            for objects, member in self.store.lookup(
                "SELECT object_set_id, object_id FROM object_set_member"
            ):
                sets.setdefault(objects, []).append(member)
            return sets

        return self.once("members", make)

    def programs(self):
        """{program: (executable, object set, build, package set)}"""
        return self.once(
            "programs",
            lambda: {
                row[0]: row[1:] for row in self.database.execute("SELECT * FROM all_program")
            },
        )

    # ---- Names that a program counts under

    def executable_name(self, executable):
        path = self.executables().get(executable, (UNKNOWN,))[0]
        return path if self.full_paths else path.rsplit("/", 1)[-1]

    def family_name(self, executable):
        return self.families.of(self.executables().get(executable, (UNKNOWN,))[0])

    def library_names(self, objects):
        libraries = self.libraries()
        members = self.members().get(objects, ())
        return {libraries[member][0] for member in members if member in libraries}

    def module_names(self, executable_and_objects):
        executable, objects = executable_and_objects
        modules, libraries = self.modules(), self.libraries()
        members = self.members().get(objects, ())
        numbers = {libraries[member][1] for member in members if member in libraries}
        numbers.add(self.executables().get(executable, (None, None))[1])
        return {modules[number] for number in numbers if number in modules}

    def compiler_name(self, build):
        return self.builds().get(build, (None, None))[1] or UNKNOWN

    def names_of(self, kind):
        """(function from a program or person to a key, function from the key to names)."""
        if kind in PEOPLE:
            return (lambda person: person), lambda person: (self.person_name(kind, person),)
        if kind == "executables":
            return (lambda program: program[0]), lambda part: (self.executable_name(part),)
        if kind == "families":
            return (lambda program: program[0]), lambda part: (self.family_name(part),)
        if kind == "libraries":
            return (lambda program: program[1]), self.library_names
        if kind == "modules":
            return (lambda program: program[:2]), self.module_names
        return (lambda program: program[2]), lambda part: (self.compiler_name(part),)

    def person_name(self, kind, person):
        if kind == "users":
            return person[0] or UNKNOWN
        if kind == "accounts":
            return person[1] or UNKNOWN
        return self.fields().get(person[1]) or UNKNOWN

    # ---- Sums

    def columns(self):
        if self.raw:
            return "sum(n), 0.0, sum(hours), 0.0, sum(uncertain)"
        return "sum(weight), sum(weight_var), sum(hours_weight), sum(hours_var), sum(uncertain_weight)"

    def ask_usage(self, by, view="period_usage", which="1"):
        return self.database.execute(
            "SELECT {0}, {1}, max(last) FROM {2} WHERE {3} AND {4} GROUP BY {0}".format(
                by, self.columns(), view, self.who_condition, which
            )
        )

    def people_usage(self):
        """[(person, and the first values of Sums)]"""
        return self.once("people_usage", lambda: self.ask_usage("who", "period_people").fetchall())

    def usage(self, which="1"):
        """[(program, person, and the first values of Sums)]; `which` is SQL about `program`."""
        return self.once(
            ("usage", which), lambda: self.ask_usage("program, who", which=which).fetchall()
        )

    def by_program(self, which="1"):
        """{program: Sums}, without jobs"""

        def make():
            found = SumsByName()
            for program, who, *sums in self.usage(which):
                found[program].add_row(self.bits_of[who], *sums)
            return found

        return self.once(("by_program", which), make)

    def total(self):
        total = Sums()
        for who, *sums in self.people_usage():
            total.add_row(self.bits_of[who], *sums)
        total.jobs = sum(self.profile_jobs().values())
        return total

    def jobs_by(self, column):
        """{who or profile: number of jobs}"""
        return dict(
            self.database.execute(
                "SELECT {0}, sum(jobs) FROM period_job WHERE {1} GROUP BY {0}".format(
                    column, self.who_condition
                )
            )
        )

    def profile_jobs(self):
        return self.once("profile_jobs", lambda: self.jobs_by("profile"))

    def profile_programs(self):
        def make():
            sets = {}
            for profile, program in self.database.execute("SELECT * FROM all_profile_member"):
                sets.setdefault(profile, []).append(program)
            return sets

        return self.once("profile_programs", make)

    def by(self, kind):
        """{name: Sums} of one of KINDS."""
        make = self.by_people if kind in PEOPLE else self.by_software
        return self.once(("by", kind), lambda: make(kind))

    def by_people(self, kind):
        found = SumsByName()
        for who, *sums in self.people_usage():
            found[self.person_name(kind, self.people[who])].add_row(self.bits_of[who], *sums)
        for who, count in self.jobs_by("who").items():
            name = self.person_name(kind, self.people[who])
            if name in found:
                found[name].jobs += count
        return found

    def by_software(self, kind):
        decides, names = self.names_of(kind)
        parts = self.by_part(decides)
        found = SumsByName()
        for part, sums in parts.items():
            for name in names(part):
                found[name].add(sums)
        self.count_jobs(found, decides, names)
        return found

    def by_part(self, decides, which="1"):
        """{what `decides` makes of programs: Sums}"""
        programs = self.programs()
        parts = SumsByName()
        for program, sums in self.by_program(which).items():
            parts[decides(programs[program])].add(sums)
        return parts

    def count_jobs(self, found, decides, names):
        """A job counts once under each name of its programs."""
        programs, members = self.programs(), self.profile_programs()
        jobs = {}
        for profile, count in self.profile_jobs().items():
            parts = frozenset(decides(programs[program]) for program in members.get(profile, ()))
            jobs[parts] = jobs.get(parts, 0) + count
        known = {}
        for parts, count in jobs.items():
            every = set()
            for part in parts:
                if part not in known:
                    known[part] = names(part)
                every.update(known[part])
            for name in every:
                if name in found:
                    found[name].jobs += count

    # ---- Over time

    def days_condition(self):
        return "day BETWEEN %d AND %d AND %s" % (self.first, self.last, self.who_condition)

    def by_weekday(self, kind):
        """over(), by 0 to 6, from Sunday on"""
        return self.over(kind, "(day + 4) % 7", "all_usage", self.days_condition())

    def by_month(self, kind):
        """over(), by YYYYMM"""
        return self.over(kind, "month", "period_usage", self.who_condition)

    def over(self, kind, slot, view, condition):
        """[(names, {slot: runs})]: runs that count under each of these names."""
        people = kind in PEOPLE
        rows = self.database.execute(
            "SELECT {0}, {1}, sum({2}) FROM {3} WHERE {4} GROUP BY 1, 2".format(
                "who" if people else "program", slot, "n" if self.raw else "weight", view, condition
            )
        )
        things = self.people if people else self.programs()
        decides, names = self.names_of(kind)
        parts = {}
        for thing, at, runs in rows:
            slots = parts.setdefault(decides(things[thing]), {})
            slots[at] = slots.get(at, 0) + runs
        return [(names(part), slots) for part, slots in parts.items()]

    def hours_by_day(self):
        column = "hours" if self.raw else "hours_weight"
        return self.database.execute(
            "SELECT day, sum(%s) FROM all_usage WHERE %s GROUP BY day ORDER BY day"
            % (column, self.days_condition())
        ).fetchall()

    # ---- Endings and coverage

    def endings(self, column):
        """[(outcome, program or who, runs, hours, uncertain)]"""
        sums = "sum(n), sum(hours), sum(uncertain)"
        if not self.raw:
            sums = "sum(weight), sum(hours_weight), sum(uncertain_weight)"
        view = "period_people" if column == "who" else "period_usage"
        return self.database.execute(
            "SELECT outcome, {0}, {1} FROM {2} WHERE {3} GROUP BY outcome, {0}".format(
                column, sums, view, self.who_condition
            )
        )

    def coverage(self):
        """[(outcome, tasks, core hours, core hours that may be more)]"""
        return self.once(
            "coverage",
            lambda: self.database.execute(
                "SELECT outcome, sum(tasks), sum(hours), sum(uncertain) FROM all_coverage WHERE %s"
                " GROUP BY outcome ORDER BY 3 DESC, 1" % self.days_condition()
            ).fetchall(),
        )

    # ---- Linking

    def links(self):
        """[(epoch, executable path, link program)], of all times."""
        return self.once(
            "links",
            lambda: self.store.lookup(
                "SELECT link.build_epoch, executable.path, link.link_program FROM link"
                " LEFT JOIN executable ON executable.id = link.executable_id"
                " WHERE link.build_epoch IS NOT NULL"
            ),
        )

    def days_text(self):
        return days.text(self.first), days.text(self.last)
