# SPDX-License-Identifier: LGPL-2.1-or-later
"""The ids that the summary's file gives to people, sets of packages, programs and profiles."""


class SummaryNumbers:
    """Of the summary's file; what is new gets the next number, and is written by store()."""

    def __init__(self, database):
        self.database = database
        self.known = {table: self.read(table) for table in ("who", "package_set", "program")}
        self.last = {table: max(known.values(), default=0) for table, known in self.known.items()}
        self.people = {number: person for person, number in self.known["who"].items()}
        self.set_of_text = {None: None}
        self.next_profile = database.execute("SELECT coalesce(max(profile), 0) + 1 FROM main.profile_member").fetchone()[0]
        self.profiles = None
        self.new = {"who": [], "package_set": [], "program": [], "profile_member": []}

    def read(self, table):
        rows = self.database.execute("SELECT * FROM main." + table)
        return {row[1:]: row[0] for row in rows}

    def number(self, table, key):
        known = self.known[table]
        if key not in known:
            self.last[table] += 1
            known[key] = self.last[table]
            self.new[table].append((known[key],) + key)
        return known[key]

    def who(self, key):
        number = self.number("who", tuple(key))
        self.people[number] = key
        return number

    def person(self, number):
        return self.people[number]

    def program(self, key):
        """`key` is (executable, object set, build, whether the set lacks some, packages as the store gives them)."""
        return self.number("program", tuple(key[:3]) + (self.package_set(key[4]), None, key[3]))

    def path(self, text):
        """Of a program of which no more is known."""
        return self.number("program", (None, None, None, None, text, None))

    def package_set(self, text):
        if text not in self.set_of_text:
            numbers = sorted(map(int, text.split(",")))
            self.set_of_text[text] = self.number("package_set", (",".join(map(str, numbers)),))
        return self.set_of_text[text]

    def read_profiles(self):
        members = {}
        for profile, program in self.database.execute("SELECT * FROM main.profile_member"):
            members.setdefault(profile, set()).add(program)
        self.profiles = {frozenset(programs): profile for profile, programs in members.items()}
        self.by_number = members

    def profile(self, programs):
        """0: of jobs none of whose programs is known, which has no members."""
        if not programs:
            return 0
        if self.profiles is None:
            self.read_profiles()
        key = frozenset(programs)
        if key not in self.profiles:
            self.profiles[key] = self.next_profile
            self.new["profile_member"] += ((self.next_profile, program) for program in programs)
            self.next_profile += 1
        return self.profiles[key]

    def members(self, profile):
        if self.profiles is None:
            self.read_profiles()
        return self.by_number.get(profile, set())

    def store(self):
        for table, rows in self.new.items():
            if rows:
                marks = ", ".join("?" * len(rows[0]))
                self.database.executemany("INSERT INTO temp.new_%s VALUES (%s)" % (table, marks), rows)
                rows.clear()
