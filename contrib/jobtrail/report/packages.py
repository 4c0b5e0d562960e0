# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs by the packages of Python, R and others that they loaded, straight from the store.

The summary does not have them. Many runs load the same packages, so runs are added up by their set of
packages first, and each set is looked into once.
"""

from itertools import combinations

from . import gather
from .model import UNKNOWN, Sums


class Packages:
    """`by_name` is {(name, program): Sums}, `sets` [(frozenset of such keys, Sums)]."""

    def __init__(self, model, options):
        self.model = model
        self.of_id = {
            number: ((name or UNKNOWN, program or UNKNOWN), version)
            for number, program, name, version in model.store.lookup(
                "SELECT id, program, name, version FROM package"
            )
        }
        by_ids, jobs = self.read(options)
        versions_of = {ids: self.versions_in(ids) for ids in by_ids}
        self.by_name, self.versions, merged = {}, {}, {}
        for ids, sums in by_ids.items():
            merged.setdefault(frozenset(versions_of[ids]), Sums()).add(sums)
            for key, versions in versions_of[ids].items():
                counts = self.versions.setdefault(key, {})
                for version in versions:
                    counts[version] = counts.get(version, 0) + sums.runs
        self.sets = list(merged.items())
        for names, sums in self.sets:
            for key in names:
                self.by_name.setdefault(key, Sums()).add(sums)
        self.count_jobs(jobs, versions_of)

    def read(self, options):
        """{ids as text: Sums}, {job: set of such ids}"""
        model, by_ids, jobs = self.model, {}, {}
        for ids, job, user, account, start, p, hours in gather.packages(model.store, options):
            sums = by_ids.get(ids)
            if sums is None:
                sums = by_ids[ids] = Sums()
            sums.add_run(1.0 if model.raw else p, hours, start)
            sums.users |= model.user_bits.get(user, 0)
            sums.accounts |= model.account_bits.get(account, 0)
            if job is not None:
                jobs.setdefault(job, set()).add(ids)
        return by_ids, jobs

    def versions_in(self, ids):
        """{(name, program): set of versions that are known}"""
        found = {}
        for number in ids.split(","):
            key, version = self.of_id.get(int(number), ((UNKNOWN, UNKNOWN), None))
            versions = found.setdefault(key, set())
            if version:
                versions.add(version)
        return found

    def count_jobs(self, jobs, versions_of):
        """A job counts once under each package that one of its runs loaded."""
        counts = {}
        for members in jobs.values():
            members = frozenset(members)
            counts[members] = counts.get(members, 0) + 1
        for members, count in counts.items():
            for key in set().union(*(versions_of[ids] for ids in members)):
                self.by_name[key].jobs += count

    def versions_text(self, key):
        """The versions, that of most runs first; None where none is known."""
        counts = self.versions[key]
        return ", ".join(sorted(counts, key=lambda version: (-counts[version], version))) or None

    def pairs(self, count):
        """{(key, key): Sums} of pairs in the same run, among the `count` packages of most runs."""
        by_runs = sorted(self.by_name, key=lambda key: (-self.by_name[key].runs, key))[:count]
        # the rarer one comes first in its pair
        by_runs.sort(key=lambda key: (self.by_name[key].runs, key))
        rank = {key: at for at, key in enumerate(by_runs)}
        merged, found = {}, {}
        for names, sums in self.sets:
            merged.setdefault(names.intersection(rank), Sums()).add(sums)
        for names, sums in merged.items():
            for pair in combinations(sorted(names, key=rank.get), 2):
                found.setdefault(pair, Sums()).add(sums)
        return found
