# SPDX-License-Identifier: LGPL-2.1-or-later
"""The data of all pages: sums over programs, and the names that a program counts under."""

from .. import coverage_told, library, site_libraries
from . import days
from .bounds import largest_possible
from .division import HAD_BY_PROGRAMS, OTHERS
from .gather import INCLUSIVE, LEFT_OUT
from .numbers import Numbers
from .pseudonyms import Pseudonyms, secret
from .sums import Estimates, OfPrograms, Sums, SumsByName

PEOPLE = ("users", "accounts", "fields")
# of which number and core time are known also where sampling left runs out
EXACT = ("executables", "families") + PEOPLE
# a run counts under one name of these
PARTITIONS = EXACT + ("compilers",)
KINDS = ("families", "executables", "libraries", "system", "modules", "compilers") + PEOPLE
PEOPLE_AT = {"users": 0, "accounts": 1, "clusters": 2, "partitions": 3}
UNKNOWN = "(unknown)"
# core hours of programs that have no row of their own
NOT_KNOWN = "(not known)"


def known(text):
    """A name of the store; None where it is not known."""
    return None if text in (None, "", "unknown") else text


def form(at, name):
    """By which a name is compared: upper and lower case are the same in Slurm but for users."""
    return name.lower() if name is not None and at > 0 else name


class Model:
    """The runs of one period, of some people and places, and of some programs. `is_of_programs`: of these alone; then
    the numbers of an allocation are not known, as time that no program had is no program's."""

    def __init__(self, store, summary, options, families, zone):
        self.store = store
        self.database = summary.database
        self.raw = options.raw
        self.full_paths = options.full_paths
        self.families = families
        self.libraries_file = site_libraries.named(options)
        self.first, self.last = options.first_day, options.last_day
        self.zone = zone
        self.now = options.now
        self.running_runs = summary.running
        summary.limit(self.first, self.last)
        self.cache = {}
        self.names = None  # Pseudonyms
        self.people = {
            row[0]: row[1:]
            for row in self.database.execute("SELECT id, user, account, syshost, partition FROM all_who")
        }
        self.wanted = self.chosen(options)
        self.who_condition = "1"
        if self.wanted is not None:
            self.who_condition = "who IN (%s)" % (", ".join(map(str, sorted(self.wanted))) or "NULL")
        # of sums by program, and of jobs
        self.condition = self.job_condition = self.who_condition
        self.programs_wanted = None
        self.is_of_programs = options.programs is not None
        self.has_left_out = True  # runs of which sampling left the path alone are chosen as others are
        if self.is_of_programs:
            self.choose_programs(*options.programs(self, options))
        if options.pseudonyms:
            self.use_pseudonyms(secret(options.pseudonym_key))
        users, accounts = self.bits(0), self.bits(1)
        self.bits_of = {number: (users[user], accounts[account]) for number, (user, account, _, _) in self.people.items()}

    def use_pseudonyms(self, key):
        """To be called after what is chosen by names."""
        every = {name for person in self.people.values() for name in person[:2]}
        every.update(row[0] for row in self.builds().values())
        programs, libraries = {}, {}
        for path, module in self.executables().values():
            programs.setdefault(path.rsplit("/", 1)[-1], []).append((path, module is not None))
        for program in self.programs().values():
            if program[4] is not None:
                programs.setdefault(program[4].rsplit("/", 1)[-1], []).append((program[4], False))
        paths = dict(self.store.lookup("SELECT id, path FROM object"))
        for number, (name, module) in self.libraries().items():
            libraries.setdefault(name, []).append((paths[number], module is not None))
        names = self.names = Pseudonyms(key, every, programs, libraries, (UNKNOWN, NOT_KNOWN, OTHERS))
        self.people = {number: names.person(*person) for number, person in self.people.items()}
        shown = {number: (names.software("library", name), module) for number, (name, module) in self.libraries().items()}
        builds = {number: (names.of("user", row[0]), names.text(row[1])) + row[2:] for number, row in self.builds().items()}
        modules = {number: names.text(name) for number, name in self.modules().items()}
        fields = {names.of("account", account): names.text(field) for account, field in self.fields().items()}
        self.cache.update(libraries=shown, builds=builds, modules=modules, fields=fields)

    def bits(self, at):
        """{name: a bit}; 0 for an unknown name"""
        names = sorted({person[at] for person in self.people.values() if person[at] is not None})
        found = {name: 1 << number for number, name in enumerate(names)}
        found[None] = 0
        return found

    def chosen(self, options):
        """{who}; None: all"""
        asked = options.user, options.account, options.cluster, options.partition
        # as in Slurm, upper and lower case are the same but for users
        wanted = [None if names is None else {form(at, name) for name in names} for at, names in enumerate(asked)]
        if wanted == [None] * len(wanted):
            return None
        return {
            number
            for number, person in self.people.items()
            if all(names is None or form(at, person[at]) in names for at, names in enumerate(wanted))
        }

    def choose_programs(self, programs, has_left_out):
        """Of these numbers alone; `has_left_out`: they include what sampling left out, as far as its path is known."""
        run = self.database.execute
        self.programs_wanted, self.has_left_out = set(programs), has_left_out
        run("CREATE TEMP TABLE chosen_program (id INTEGER PRIMARY KEY)")
        self.database.executemany("INSERT INTO temp.chosen_program VALUES (?)", ((number,) for number in self.programs_wanted))
        run(
            "CREATE TEMP TABLE chosen_profile AS SELECT DISTINCT profile FROM all_profile_member"
            " WHERE program IN (SELECT id FROM temp.chosen_program)"
        )
        self.condition += " AND program IN (SELECT id FROM temp.chosen_program)"
        self.job_condition += " AND profile IN (SELECT profile FROM temp.chosen_profile)"

    @property
    def site(self):
        """The list of the site's libraries."""
        return self.once("site", lambda: site_libraries.read(self.libraries_file))

    def once(self, name, make):
        if name not in self.cache:
            self.cache[name] = make()
        return self.cache[name]

    # ---- Names

    def table(self, sql):
        return {row[0]: row[1:] for row in self.store.lookup(sql)}

    def modules(self):
        return self.once("modules", lambda: dict(self.store.lookup("SELECT id, name FROM module")))

    def executables(self):
        """{id: (path, module id)}"""
        return self.once("executables", lambda: self.table("SELECT id, path, module_id FROM executable"))

    def builds(self):
        """{id: (user, compiler, epoch, uuid)}"""
        return self.once(
            "builds",
            lambda: self.table(
                "SELECT id, build_user, build_compiler, build_epoch, build_uuid FROM build"
            ),
        )

    def fields(self):
        return self.once("fields", lambda: dict(self.store.lookup("SELECT account, field_of_science FROM account_field")))

    def libraries(self):
        """{id: (name and version, module id)}"""

        def make():
            names = {}
            modules = self.modules()
            for number, path, module in self.store.lookup("SELECT id, path, module_id FROM object"):
                names[number] = library.shown(path, modules.get(module)), module
            return names

        return self.once("libraries", make)

    def system_objects(self):
        """Of libraries(), those of the operating system."""
        return self.once(
            "system objects",
            lambda: {
                number
                for number, path, module in self.store.lookup("SELECT id, path, module_id FROM object")
                if library.is_of_system(path, module)
            },
        )

    def members(self):
        """{object set: [object, ...]}"""

        def make():
            sets = {}
            for objects, member in self.store.lookup("SELECT object_set_id, object_id FROM object_set_member"):
                sets.setdefault(objects, []).append(member)
            return sets

        return self.once("members", make)

    def programs(self):
        """{program: (executable, object set, build, package set, path where that is all)}"""
        return self.once(
            "programs",
            lambda: {
                row[0]: row[1:-1] for row in self.database.execute("SELECT * FROM all_program")
            },
        )

    # ---- Names that a program counts under

    @staticmethod
    def executable_of(program):
        """The executable's number, or its path where that is all that is known."""
        return program[0] if program[4] is None else program[4]

    def real_path(self, executable):
        if isinstance(executable, str):
            return executable
        return self.executables().get(executable, (UNKNOWN,))[0]

    def path(self, executable):
        """As it is shown."""
        path = self.real_path(executable)
        return self.names.program(path) if self.names else path

    def executable_name(self, executable):
        path = self.path(executable)
        return path if self.full_paths else path.rsplit("/", 1)[-1]

    def family_name(self, executable):
        path = self.real_path(executable)
        family = self.families.of(path)
        return self.path(executable) if self.names and family == path.rsplit("/", 1)[-1] else family

    def text(self, name):
        """As it is shown, of what belongs to nobody."""
        return self.names.text(name) if self.names else name

    def builder(self, user):
        return self.names.of("user", user) if self.names else user

    def library_names(self, objects, is_system=False):
        libraries, system = self.libraries(), self.system_objects()
        members = self.members().get(objects, ())
        found = (member for member in members if member in libraries and (member in system) == is_system)
        return library.without_unknown({libraries[member][0] for member in found})

    def system_names(self, objects):
        return self.library_names(objects, True)

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
            return self.executable_of, lambda part: (self.executable_name(part),)
        if kind == "families":
            return self.executable_of, lambda part: (self.family_name(part),)
        if kind == "libraries":
            return (lambda program: program[1]), self.library_names
        if kind == "system":
            return (lambda program: program[1]), self.system_names
        if kind == "modules":
            return (lambda program: program[:2]), self.module_names
        return self.build_of, lambda part: () if part == NOT_KNOWN else (self.compiler_name(part),)

    @staticmethod
    def build_of(program):
        return program[2] if program[4] is None else NOT_KNOWN

    def person_name(self, kind, person):
        if kind == "fields":
            return self.fields().get(person[1]) or UNKNOWN
        return known(person[PEOPLE_AT[kind]]) or UNKNOWN

    # ---- Sums

    def ask_usage(self, by, view="period_usage", which="1"):
        return self.database.execute(
            "SELECT {0}, basis, p, sum(n), sum(hours), sum(squares), sum(uncertain), max(last) FROM {1}"
            " WHERE {2} AND {3} GROUP BY {0}, basis, p HAVING sum(parts) > 0".format(by, view, self.condition, which)
        )

    def people_view(self):
        """Sums without programs, if none are chosen."""
        return "period_usage" if self.is_of_programs else "period_people"


    def estimates(self):
        def make():
            total, largest = Sums(), {}
            for who, basis, p, *sums in self.people_usage():
                total.add_row((0, 0), basis, p, *sums)
            for basis, p, runs, most in self.sampled():
                largest[basis, p] = largest_possible(runs, most)
            return Estimates(total, largest, self.others() if total.left_runs else 0, self.raw, self.has_left_out)

        return self.once("estimates", make)

    def sampled(self):
        """[(basis, p, runs, core hours of the largest)] of records that sampling kept"""
        if all(row[2] == 1 for row in self.people_usage()):
            return []
        return self.database.execute(
            "SELECT basis, p, sum(n), max(largest) FROM %s WHERE p < 1 AND %s GROUP BY basis, p"
            " HAVING sum(parts) > 0" % (self.people_view(), self.condition)
        )

    def others(self):
        """How many runs sampling left out of which no more is known than their number."""
        return self.database.execute(
            "SELECT coalesce(sum(n), 0) FROM period_usage WHERE basis = ? AND %s AND program IN"
            " (SELECT id FROM all_program WHERE path = ?)" % self.condition, (LEFT_OUT, OTHERS)
        ).fetchone()[0]  # fmt: skip

    def not_told(self):
        """How many runs of these people sampling left out of which it is not known whether they are chosen."""
        if not self.is_of_programs:
            return 0
        which = "program IN (SELECT id FROM all_program WHERE path = ?)" if self.has_left_out else "? = ?"
        values = (LEFT_OUT, OTHERS) if self.has_left_out else (LEFT_OUT, 1, 1)
        return self.database.execute(
            "SELECT coalesce(sum(n), 0) FROM period_usage WHERE basis = ? AND %s AND %s" % (self.who_condition, which), values
        ).fetchone()[0]

    def lists(self, of_others=False):
        """(how many records have a list of libraries that lacks some, of how many that is not known), of the runs of the
        programs that are chosen; `of_others`: of all that these people ran."""
        return self.database.execute(
            "SELECT coalesce(sum(CASE WHEN lacks THEN n END), 0), coalesce(sum(CASE WHEN lacks IS NULL THEN n END), 0)"
            " FROM period_usage JOIN all_program ON all_program.id = program WHERE basis <> ? AND %s"
            % (self.who_condition if of_others else self.condition), (LEFT_OUT,)
        ).fetchone()

    def people_usage(self):
        """[(person, and the arguments of Sums.add_row())]"""
        return self.once("people_usage", lambda: self.ask_usage("who", self.people_view()).fetchall())

    def usage(self, which="1"):
        """[(program, person, and the arguments of Sums.add_row())]; `which` is SQL about `program`."""
        return self.once(("usage", which), lambda: self.ask_usage("program, who", which=which).fetchall())

    def by_program(self, which="1"):
        """{program: Sums}, without jobs"""

        def make():
            found = SumsByName()
            for program, who, *sums in self.usage(which):
                found[program].add_row(self.bits_of[who], *sums)
            if which == "1":
                for who, program, hours in self.running():
                    found[program].running += hours
            return found

        return self.once(("by_program", which), make)

    def running(self):
        """[(person, program, core hours up to now in the period)] of runs that go on."""

        def make():
            begin = days.begin(self.first)
            end = min(self.now, days.begin(self.last + 1))
            wanted, programs = self.wanted, self.programs_wanted
            return [
                (who, program, (end - max(start, begin)) * cores / 3600)
                for who, program, start, cores in self.running_runs
                if max(start, begin) < end
                and (wanted is None or who in wanted)
                and (programs is None or program in programs)
            ]

        return self.once("running", make)

    def total_sums(self):
        """total(), of records alone"""
        total = Sums()
        for who, *sums in self.people_usage():
            total.add_row(self.bits_of[who], *sums)
        return total

    def total(self):
        total = self.total_sums()
        total.running = sum(hours for _, _, hours in self.running())
        total.jobs = self.all_jobs()
        return total

    def jobs_by(self, column):
        """{who or profile: number of jobs}"""
        return self.once(
            "jobs by " + column,
            lambda: dict(
                self.database.execute(
                    "SELECT {0}, sum(jobs) FROM period_job WHERE {1} GROUP BY {0}".format(
                        column, self.job_condition
                    )
                )
            ),
        )

    def all_jobs(self):
        """The number of jobs, from what has been asked for already."""
        return sum(self.jobs_by("profile" if "jobs by profile" in self.cache else "who").values())

    def told_jobs(self):
        """How many of them have the allocation of Slurm's accounting."""
        return self.database.execute(
            "SELECT coalesce(sum(told), 0) FROM period_job WHERE " + self.job_condition
        ).fetchone()[0]

    def usage_of(self, programs):
        """As usage(), of these programs, whether or not they are chosen."""
        return self.database.execute(
            "SELECT program, who, basis, p, sum(n), sum(hours), sum(squares), sum(uncertain), max(last) FROM period_usage"
            " WHERE %s AND program IN (%s) GROUP BY program, who, basis, p HAVING sum(parts) > 0"
            % (self.who_condition, ", ".join(map(str, sorted(programs))) or "NULL")
        ).fetchall()

    def jobs_of(self, programs):
        """[(programs of these, person, jobs that had them all, and of these no others)]"""
        profiles = {}
        for profile, program in self.database.execute("SELECT * FROM all_profile_member"):
            if program in programs:
                profiles.setdefault(profile, []).append(program)
        rows = self.database.execute(
            "SELECT profile, who, sum(jobs) FROM period_job WHERE %s GROUP BY profile, who" % self.who_condition
        )
        return [(profiles[profile], who, jobs) for profile, who, jobs in rows if profile in profiles]

    def profile_programs(self):
        def make():
            sets = {}
            wanted = self.programs_wanted
            for profile, program in self.database.execute("SELECT * FROM all_profile_member"):
                if wanted is not None and program not in wanted:
                    continue
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
        for who, _, hours in self.running():
            found[self.person_name(kind, self.people[who])].running += hours
        if not (self.raw or self.is_of_programs):
            self.add_divisions(found, kind)
        for who, count in self.jobs_by("who").items():
            name = self.person_name(kind, self.people[who])
            if name in found:
                found[name].jobs += count
        return found

    def add_divisions(self, found, kind):
        """The core hours and those that are uncertain are the people's own, whether or not their runs' records
        are here."""
        for name, numbers in self.numbers_by(lambda who: self.person_name(kind, self.people[who])).items():
            if numbers.programs > 0 or name in found:
                sums = found[name]
                sums.hours = numbers.programs - sums.left_hours
                sums.uncertain = numbers.uncertain

    def by_software(self, kind):
        decides, names = self.names_of(kind)
        parts = self.by_part(decides)
        found = SumsByName()
        for part, sums in parts.items():
            for name in names(part):
                found[name].add(sums)
        self.count_jobs(found, decides, names)
        most = self.numbers().uncertain
        for sums in found.values() if most is not None else ():
            sums.uncertain = min(sums.uncertain, most)
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
        for profile, count in self.jobs_by("profile").items():
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

    def hours_column(self):
        """The column of core hours that says most."""
        has_exclusive = self.numbers().programs > 0 or self.total().hours > 0
        return "core_hours" if has_exclusive else "inclusive_core_hours"

    # ---- Over time

    def days_condition(self):
        return "day BETWEEN %d AND %d AND %s" % (self.first, self.last, self.condition)

    def people_days_condition(self):
        """Of sums that have no program."""
        return "day BETWEEN %d AND %d AND %s" % (self.first, self.last, self.who_condition)

    def by_weekday(self, kind):
        """over(), by 0 to 6, from Sunday on"""
        return self.over(kind, "(day + 4) % 7", "all_usage", self.days_condition())

    def by_month(self, kind):
        """over(), by YYYYMM"""
        return self.over(kind, "month", "period_usage", self.condition)

    def over(self, kind, slot, view, condition):
        """[(names, {slot: Sums})]: runs that count under each of these names."""
        people = kind in PEOPLE
        rows = self.once(
            ("over", people, slot),
            lambda: self.database.execute(
                "SELECT {0}, {1}, basis, p, sum(n), sum(hours), sum(squares) FROM {2} WHERE {3} GROUP BY 1, 2, 3, 4"
                " HAVING sum(parts) > 0".format("who" if people else "program", slot, view, condition)
            ).fetchall(),
        )
        things = self.people if people else self.programs()
        decides, names = self.names_of(kind)
        parts = {}
        for thing, at, *sums in rows:
            slots = parts.setdefault(decides(things[thing]), SumsByName())
            slots[at].add_row((0, 0), *sums, 0.0, None)
        return [(names(part), slots) for part, slots in parts.items()]

    def known_months(self):
        """{YYYYMM} of the period of which there are data, of any user."""
        return self.once(
            "known months",
            lambda: {
                row[0]
                for row in self.database.execute(
                    "SELECT DISTINCT month FROM period_people UNION SELECT DISTINCT month FROM period_division"
                )
            },
        )

    def hours_by_day(self):
        """[(day, core hours of programs, core hours of records without exclusive ones)]"""
        hours = {}
        exclusive = (
            "SELECT day, outcome, sum(hours) FROM all_division WHERE %s GROUP BY day, outcome"
            % self.people_days_condition()
        )
        if self.is_of_programs:
            value = "hours" if self.raw or self.has_left_out else "hours / p"
            exclusive = "SELECT day, '%s', sum(%s) FROM all_usage WHERE basis <> %d AND %s GROUP BY day" % (
                HAD_BY_PROGRAMS[0], value, INCLUSIVE, self.days_condition()
            )  # fmt: skip
        for day, outcome, value in self.database.execute(exclusive):
            if outcome in HAD_BY_PROGRAMS:
                hours.setdefault(day, [0.0, 0.0])[0] += value
        for day, p, value in self.database.execute(
            "SELECT day, p, sum(hours) FROM all_usage WHERE %s AND basis = %d GROUP BY day, p"
            % (self.days_condition(), INCLUSIVE)
        ):
            hours.setdefault(day, [0.0, 0.0])[1] += value if self.raw else value / p
        return [(day, *values) for day, values in sorted(hours.items())]

    def last_left_out(self):
        """{path as it is shown: last day} of runs that sampling left out"""
        found = {}
        if self.estimates().left_runs:
            for path, day in self.database.execute(
                "SELECT path, max(day) FROM all_usage JOIN all_program ON all_program.id = program"
                " WHERE basis = %d AND n > 0 AND %s GROUP BY path" % (LEFT_OUT, self.days_condition())
            ):
                shown = self.path(path) if path is not None else None
                found[shown] = max(day, found.get(shown, day))
        return found

    # ---- Endings

    def endings(self, column):
        """[(outcome, program or who, and the arguments of Sums.add_row())], of records"""
        view = self.people_view() if column == "who" else "period_usage"
        return self.ask_usage("outcome, " + column, view, "basis <> %d" % LEFT_OUT)

    # ---- What was allocated

    def division(self):
        """[(who, outcome, core hours)]"""
        return self.once(
            "division",
            lambda: self.database.execute(
                "SELECT who, outcome, sum(hours) FROM period_division WHERE %s GROUP BY who, outcome"
                " HAVING sum(parts) > 0"
                % self.who_condition
            ).fetchall(),
        )

    def numbers(self):
        def make():
            if self.is_of_programs:
                return OfPrograms(self.estimates().hours(self.total_sums(), True))
            numbers = Numbers()
            for _, outcome, hours in self.division():
                numbers.add(outcome, hours)
            return numbers

        return self.once("numbers", make)

    def numbers_by(self, name_of):
        """{name: Numbers} of people"""
        found = {}
        for who, outcome, hours in self.division():
            found.setdefault(name_of(who), Numbers()).add(outcome, hours)
        return found

    def numbers_by_day(self):
        found = {}
        for day, outcome, hours in self.database.execute(
            "SELECT day, outcome, sum(hours) FROM all_division WHERE %s GROUP BY day, outcome HAVING sum(parts) > 0"
            % self.people_days_condition()
        ):
            found.setdefault(day, Numbers()).add(outcome, hours)
        return found

    def jobs_by_day(self):
        """{day: jobs that were active}"""
        found = dict(
            self.database.execute(
                "SELECT day, count(*) FROM all_job WHERE %s GROUP BY day" % self.people_days_condition()
            )
        )
        rows = self.database.execute(
            "SELECT first_day, last_day, begun FROM all_span JOIN all_job USING (name)"
            " WHERE first_day <= %d AND last_day >= %d AND %s" % (self.last, self.first, self.who_condition)
        )
        for first, last, begun in rows:
            for day in range(max(first, self.first), min(last, self.last) + 1):
                if day != begun:
                    found[day] = found.get(day, 0) + 1
        return found

    def coverage(self):
        """[(outcome, path of the program as it is shown, or None, tasks, core hours)]"""
        return self.once(
            "coverage",
            lambda: [
                (outcome, None if path is None else self.path(path), tasks, hours)
                for outcome, path, tasks, hours in self.database.execute(
                    "SELECT outcome, path, sum(tasks), sum(hours) FROM period_division"
                    " LEFT JOIN all_program ON all_program.id = period_division.program WHERE %s"
                    " GROUP BY outcome, path HAVING sum(parts) > 0" % self.who_condition
                )
            ],
        )

    def coverage_told(self):
        """What coverage_told.read() has of all jobs; None where some are chosen."""
        period = [days.text(self.first), days.text(self.last)]
        return self.once(
            "told of coverage",
            lambda: None if self.wanted is not None else coverage_told.read(self.store, "run.day BETWEEN ? AND ?", period),
        )

    # ---- Linking

    def links(self):
        """[(epoch, executable's path, link program)], of all times, as they are shown."""
        return self.once(
            "links",
            lambda: [
                (epoch, None if path is None else self.path(path), self.text(program))
                for epoch, path, program in self.store.lookup(
                    "SELECT link.build_epoch, executable.path, link.link_program FROM link"
                    " LEFT JOIN executable ON executable.id = link.executable_id"
                    " WHERE link.build_epoch IS NOT NULL"
                )
            ],
        )

    def days_text(self):
        return days.text(self.first), days.text(self.last)
