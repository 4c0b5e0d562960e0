# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs by the packages of Python, R and others that they have loaded, and by pairs of packages."""

from .columns import BETWEEN, ESTIMATE, LIST, OVERLAP, RANGE, SHARE, TEXT, Page, top
from .model import UNKNOWN
from .sums import Sums, SumsByName
from .usage import USAGE_COLUMNS, chart_of, ordered, usage_cells

NAMELESS = (UNKNOWN, UNKNOWN)
WITH_PACKAGES = "program IN (SELECT id FROM all_program WHERE package_set_id IS NOT NULL)"


def package_set(program):
    return program[3]


class Packages:
    """`by_name` is {(name, program): Sums}, with jobs after count_jobs(). Sets of packages are merged by
    their names first, since many differ in versions and paths alone."""

    def __init__(self, model):
        self.model = model
        self.read_names(model)
        self.members = {number: text.split(",") for number, text in model.database.execute("SELECT * FROM all_package_set")}
        sums_of = model.by_part(package_set, WITH_PACKAGES)
        self.runs_of_id = {}
        merged = SumsByName()
        estimates = model.estimates()
        for number, sums in sums_of.items():
            runs = estimates.runs(sums, False)[0]
            for member in self.members[number]:
                self.runs_of_id[member] = self.runs_of_id.get(member, 0) + runs
            merged[frozenset(self.names_in(number))].add(sums)
        self.sets = list(merged.items())
        self.by_name = SumsByName()
        for names, sums in self.sets:
            for name in names:
                self.by_name[name].add(sums)

    def count_jobs(self):
        self.model.once("package jobs", lambda: self.model.count_jobs(self.by_name, package_set, self.names_in))

    def read_names(self, model):
        """One tuple is used for all versions of a package, which saves memory."""
        shared = {}
        self.name_of_id, self.versions = {}, {}
        for number, program, name, version in model.store.lookup("SELECT id, program, name, version FROM package"):
            name, program, version = map(model.text, (name, program, version))
            key = (name or UNKNOWN, program or UNKNOWN)
            self.name_of_id[str(number)] = shared.setdefault(key, key)
            if version:
                self.versions.setdefault(key, []).append((str(number), version))

    def names_in(self, package_set_id):
        members = self.members.get(package_set_id, ())
        return [self.name_of_id.get(member, NAMELESS) for member in members]

    def versions_text(self, key):
        """The versions, that of most runs first; None where none is known."""
        runs = {}
        for member, version in self.versions.get(key, ()):
            if member in self.runs_of_id:
                runs[version] = runs.get(version, 0) + self.runs_of_id[member]
        return ", ".join(sorted(runs, key=lambda version: (-runs[version], version))) or None

    def pairs(self, count):
        """{(key, key): Sums} of pairs in the same run, among the `count` packages of most runs."""
        estimates = self.model.estimates()
        runs = {key: estimates.runs(sums, False)[0] for key, sums in self.by_name.items()}
        by_runs = sorted(self.by_name, key=lambda key: (-runs[key], key))[:count]
        # the rarer one comes first in its pair
        by_runs.sort(key=lambda key: (runs[key], key))
        place = {key: at for at, key in enumerate(by_runs)}
        merged = SumsByName()
        for names, sums in self.sets:
            merged[frozenset(map(place.get, place.keys() & names))].add(sums)
        if not estimates.largest or self.model.raw:
            return self.plain_pairs(by_runs, merged)
        found = SumsByName()
        for some, sums in merged.items():
            some = sorted(some)
            for number, first in enumerate(some):
                for second in some[number + 1 :]:
                    found[by_runs[first], by_runs[second]].add(sums)
        return found

    @staticmethod
    def plain_pairs(by_runs, merged):
        """The same where nothing has to be estimated."""
        table = [[0.0] * len(by_runs) for _ in by_runs]
        for some, sums in merged.items():
            some = sorted(some)
            runs = sums.runs + sums.inclusive_runs
            for number, first in enumerate(some):
                row = table[first]
                for second in some[number + 1 :]:
                    row[second] += runs
        found = {}
        for first, row in enumerate(table):
            for second, runs in enumerate(row):
                if runs:
                    found[by_runs[first], by_runs[second]] = sums = Sums()
                    sums.runs = runs
        return found


# pairs are looked for among so many packages: at the most 4950
PAIRED = 100


def packages_of(model):
    return model.once("packages", lambda: Packages(model))


def packages_page(model, options):
    packages = packages_of(model)
    packages.count_jobs()
    found, left_out = top(ordered(packages.by_name, options, usage_cells(model, False)), options)
    columns = [("package", "Package", TEXT), ("program", "Program", TEXT)] + USAGE_COLUMNS
    columns.append(("versions", "Versions", LIST))
    rows = [list(key) + cells + [packages.versions_text(key)] for key, _, cells in found]
    return Page("packages", "Packages", columns, rows, chart_of(model, options), OVERLAP, left_out)


def together_page(model, options):
    packages = packages_of(model)
    estimates = model.estimates()
    runs_of = {}
    items = []
    for (rarer, other), sums in packages.pairs(PAIRED).items():
        if rarer not in runs_of:
            runs_of[rarer] = estimates.runs(packages.by_name[rarer], False)[0]
        items.append((rarer, other) + estimates.runs(sums, False))
    items.sort(key=lambda item: (-item[2],) + item[:2])
    items, left_out = top(items, options)
    columns = [
        ("package", "Package", TEXT),
        ("program", "Program", TEXT),
        ("with", "With", TEXT),
        ("with_program", "Program", TEXT),
        ("runs", "# Runs", ESTIMATE),
        ("runs", BETWEEN, RANGE),
        ("share", "Of its runs", SHARE),
    ]
    rows = [
        list(rarer + other) + [runs, interval, min(runs / runs_of[rarer], 1.0) if runs_of[rarer] else 0.0]
        for rarer, other, runs, interval in items
    ]
    return Page("together", "Packages in the same run", columns, rows, left_out=left_out,
                note="The rarer one of a pair comes first. Only the %d packages with most runs are"
                " compared. %s" % (PAIRED, OVERLAP))  # fmt: skip
