# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changes of the site's libraries, as jobtrail-libmon(8) has found them, and the runs of before and after them.

For jobtrail-acct, reports and pages:

    rows = read(store, start, end, fits)      each a dict, see read()
    rows = events(rows)                       one for each installation instead
    rows = with_runs(store, rows, where)      of either: the same with `before` and `after`, see with_runs()
    sql = affected(store, rows)               about `run`: what has had a file as it was before a change, or as it is

Each makes some statements, however many changes there are.

A run is of before where it has loaded the file as it was, and began before the change was found; it is of after where it has
loaded the file as it is, and began after the last look that did not find the change. Which of both it has loaded is shown by the
sha1 or the build-id in the run's record. Where that has neither, only runs count whose times leave no doubt: those of before
began after the previous change of the file, and those of after before the next one.

Archives are not loaded: a run is of before, or of after, where its executable was linked with the archive as it was, or as it
is, by the record of the link, whenever the run began. After a removal are the runs that the loader did not start for want of
a library of that name, until the file is there again. Objects and links of another cluster are not those of the change.
"""

import collections
import itertools
import os
from bisect import bisect_left, bisect_right

from .. import library
from ..acct.runs import BUILD_ID
from ..acct.select import OF_OBJECTS, ids, pattern_of
from ..pattern import Pattern

COLUMNS = (
    "uuid event what library group_name path path_before files links first_scan found after_time before_time source uid"
    " login_uid user program command job_id_raw step_id cluster syshost node proven"
    " was_size was_mtime was_sha1 was_build_id was_soname was_package was_version was_owner"
    " is_size is_mtime is_sha1 is_build_id is_soname is_package is_version is_owner"
).split()
CHANGES = (
    "SELECT " + ", ".join("library_event.%s AS %s" % (name, name) for name in COLUMNS) + " FROM library_event"
    # a first scan only tells what was there
    " WHERE library_event.kind = 'change' AND coalesce(library_event.first_scan, 0) = 0 AND %s"
    " ORDER BY library_event.found, library_event.path, library_event.uuid"
)
OF_WAS, OF_IS = ([name for name in COLUMNS if name.startswith(side)] for side in ("was_", "is_"))
WHO = "source uid login_uid user program command job_id_raw step_id".split()
# what is the same in the records of several nodes about one change
SAME = (
    "cluster syshost proven what library path path_before files was_size was_sha1 was_build_id is_size is_sha1 is_build_id"
).split()
UNKNOWN = {None, "", "0"}
UNKNOWN_HOST = {None, "", "unknown"}
BEFORE, AFTER = "before", "after"
DAY = 86400
ALWAYS, NEVER = float("-inf"), float("inf")
EVER = ALWAYS, NEVER
LINKED = Pattern(r"\.(?:a|o|lo)\Z")
# neither a record of a run nor one of a link names them
COMPILED = Pattern(r"\.(?:mod|smod|h|hpp|hh|inc|la|pc)\Z")


# ---- Changes


def name_fits(text):
    """A function of a change: whether its library is meant by the text, as --lib has it: by its name there or as
    library.names() has it, or with a / in it by its path."""
    pattern = pattern_of(text)

    def fits(row):
        paths = paths_of(row)
        if "/" in text:
            return any(map(pattern.search, paths))
        names = {row["library"], row["library"].split("/")[0]}
        for path in paths:
            names.update((os.path.basename(path), *library.names(path)))
        return any(map(pattern.search, names))

    return fits


def before_path(row):
    return row["path_before"] or row["path"]


def paths_of(row):
    return {row["path"], before_path(row)}


def read(store, start=None, end=None, fits=None):
    """The changes that were found from `start` to `end` (seconds; None: any time) and that `fits`, a function of a row, takes;
    the oldest first. Each is a dict with COLUMNS and
        uuids   of the records that the row stands for
        nodes   names of those where it was found
    A removed and an added file of one soname, in one event and directory, are one row: `replaced`, where path_before is the
    old file's. What several nodes of a cluster have found is one row, too: they share a file system, or each had the same
    installation."""
    terms, values = ["1 = 1"], []
    for term, value in (("library_event.found >= ?", start), ("library_event.found <= ?", end)):
        if value is not None:
            terms.append(term)
            values.append(value)
    rows = by_node(pairs(list(map(from_store, store.lookup(CHANGES % " AND ".join(terms), values)))))
    return [row for row in rows if fits is None or fits(row)]


def from_store(values):
    row = dict(zip(COLUMNS, values))
    return dict(row, proven=bool(row["proven"]), first_scan=False, uuids=[row["uuid"]], nodes=[row["node"]])


def in_order(rows):
    return sorted(rows, key=lambda row: (row["found"], row["path"], row["uuid"]))


def pairs(rows):
    """With one `replaced` for a removed and an added file that are the old and the new one of a soname."""
    sides = collections.defaultdict(lambda: ([], []))
    for row in rows:
        soname = row["was_soname"] if row["what"] == "removed" else row["is_soname"]
        if row["what"] in ("removed", "added") and soname and row["files"] == 1:
            place = tuple(row[name] for name in ("event", "library", "proven", "cluster", "syshost", "node"))
            sides[(*place, soname, os.path.dirname(row["path"]))][row["what"] == "added"].append(row)
    found = [(old[0], new[0]) for old, new in sides.values() if len(old) == len(new) == 1]
    gone = {row["uuid"] for pair in found for row in pair}
    return in_order([row for row in rows if row["uuid"] not in gone] + [pair(old, new) for old, new in found])


def pair(old, new):
    row = dict(new, what="replaced", path_before=old["path"], uuids=new["uuids"] + old["uuids"])
    row.update((name, old[name]) for name in OF_WAS)
    return dict(one_of([row, dict(row, **{name: old[name] for name in WHO})]), **times([old, new]))


def by_node(rows):
    """With one row for what several nodes tell within a day. If one of them tells the same once more, it has happened again."""
    last, groups = {}, []
    for row in rows:
        key = tuple(row[name] for name in SAME)
        group = last.get(key)
        if group and row["found"] - group[0]["found"] <= DAY and all(row["node"] != other["node"] for other in group):
            group.append(row)
        else:
            last[key] = [row]
            groups.append(last[key])
    return in_order(map(of_nodes, groups))


def of_nodes(rows):
    if len(rows) == 1:
        return rows[0]
    rows = sorted(rows, key=lambda row: row["node"] or "")
    uuids = [uuid for row in rows for uuid in row["uuids"]]
    nodes = list(dict.fromkeys(node for row in rows for node in row["nodes"]))
    return dict(one_of(rows), uuids=uuids, nodes=nodes, **times(rows))


def one_of(rows):
    """The first that says who it was, else the first."""
    return next((row for row in rows if row["user"] or row["uid"] is not None), rows[0])


def times(rows):
    """Of several records of one change: none of them was before, and all were after."""
    after = [row["after_time"] for row in rows]
    return {
        "found": min(row["found"] for row in rows),
        "after_time": None if None in after else min(after),
        "before_time": max(found_before(row) for row in rows),
    }


def found_before(row):
    return row["found"] if row["before_time"] is None else row["before_time"]


def found_after(row):
    return found_before(row) if row["after_time"] is None else row["after_time"]


def events(rows):
    """One dict for the changes of each event, such as an installation, of the rows of read():
        event, proven, cluster, syshost
        changes     the rows themselves
        found, last_found
        files       how many
        libraries   their names, sorted
        whats       {what: how many files}
        nodes
        and WHO of the first change that tells it"""
    found = collections.defaultdict(list)
    for row in rows:
        found[row["event"], row["proven"], row["cluster"], row["syshost"]].append(row)
    return [event(changes) for changes in found.values()]


def event(changes):
    whats = collections.Counter()
    for row in changes:
        whats[row["what"]] += row["files"] or 1
    who = one_of(changes)
    return {
        **{name: who[name] for name in ["event", "proven", "cluster", "syshost", "node", *WHO]},
        "changes": changes,
        "found": min(row["found"] for row in changes),
        "last_found": max(row["found"] for row in changes),
        "files": sum(whats.values()),
        "libraries": sorted({row["library"] for row in changes}),
        "whats": dict(whats),
        "nodes": list(dict.fromkeys(node for row in changes for node in row["nodes"])),
    }


# ---- Which changes were before and after a change


class Neighbours:
    """The changes of each path of some rows, of all times. Where nothing but time tells which file was there, it was that of
    after a change until the next one, and that of before it since the previous one. What is not proven says nothing of what is."""

    def __init__(self, store, rows):
        self.at = {path: [] for row in rows for path in paths_of(row)}
        self.times = {}
        if self.at:
            _, found = store.query(CHANGES % "library_event.what <> 'touched'")  # that is the same file
            near = [row for row in map(from_store, found) if not paths_of(row).isdisjoint(self.at)]
            for row in sorted(by_node(near), key=time_of):
                for path in paths_of(row) & set(self.at):
                    self.at[path].append(row)
            self.times = {path: list(map(time_of, changes)) for path, changes in self.at.items()}

    def before(self, row, path):
        """The latest first."""
        found = self.at[path][: bisect_left(self.times[path], time_of(row))]
        return (other for other in reversed(found) if is_neighbour(other, row))

    def after(self, row, path):
        """The earliest first."""
        found = self.at[path][bisect_right(self.times[path], time_of(row)) :]
        return (other for other in found if is_neighbour(other, row))

    def since(self, row):
        """From when on the file of before it was there without doubt."""
        path = before_path(row)
        found = (other for other in self.before(row, path) if before_path(other) != path or not is_same(row, other, "was"))
        return next(map(found_before, found), ALWAYS)

    def until(self, row):
        """Until when the file of after it was there without doubt."""
        path = row["path"]
        found = (other for other in self.after(row, path) if other["path"] != path or not is_same(row, other, "is"))
        return next(map(found_after, found), NEVER)

    def back(self, row):
        """When there was a file again, at the latest, where the one of before it was."""
        path = before_path(row)
        for other in self.after(row, path):
            is_there = other["path"] == path and other["what"] != "removed"
            return found_before(other) if is_there else found_after(other)  # what goes once more was there until then
        return NEVER


def time_of(row):
    return row["found"], found_after(row)


def is_neighbour(other, row):
    is_itself = not set(other["uuids"]).isdisjoint(row["uuids"])
    return not is_itself and other["proven"] >= row["proven"] and same_host(other["syshost"], row["syshost"])


def is_same(one, other, side):
    """Whether both have a file of the same content on this side: it was there in both, as where it was installed again."""
    return one[side + "_sha1"] not in UNKNOWN and one[side + "_sha1"] == other[side + "_sha1"]


# ---- What a run must have had: an object, a link, no library of a name
# A claim is (key of an answer, BEFORE or AFTER, span): runs that began at the span's first time or later, and before its second.


def same_host(one, other):
    return one == other or one in UNKNOWN_HOST or other in UNKNOWN_HOST


def objects_at(store, rows):
    """{path: [(id, hash, syshost), ...]} of what runs have loaded and linkers have read where the changes were."""
    at = {path: [] for row in rows for path in (row["path"], before_path(row))}
    if at:
        # MariaDB would look for each of them among all paths of changes, as these are texts
        _, objects = store.query("SELECT object.id, object.path, object.hash, object.syshost FROM object")
        for number, path, have, syshost in objects:
            if path in at:
                at[path].append((number, have, syshost))
    return at


def files_of(row, neighbours):
    """(side, its path, its columns, span where a hash tells which file it was, span where nothing but the time tells it)"""
    if row["what"] != "added":
        span = neighbours.since(row), found_after(row)
        yield BEFORE, before_path(row), "was", (ALWAYS, found_before(row)), span
    if row["what"] != "removed":
        span = found_before(row), neighbours.until(row)
        yield AFTER, row["path"], "is", (ALWAYS if row["after_time"] is None else row["after_time"], NEVER), span


def object_claims(at, rows, keys, neighbours):
    """{id of an object: claims}"""
    found = collections.defaultdict(list)
    for row, key in zip(rows, keys):
        for side, path, file, known, unsure in files_of(row, neighbours):
            for number, have, syshost in at[path]:
                kind, word = ("_build_id", have[len(BUILD_ID) :]) if have.startswith(BUILD_ID) else ("_sha1", have)
                is_known = row[file + kind] and have not in UNKNOWN
                if not same_host(syshost, row["syshost"]) or (is_known and row[file + kind] != word):
                    continue
                is_told = is_known and row["was" + kind] != row["is" + kind]
                found[number].append((key, side, known if is_told else unsure))
    return found


def missing_claims(rows, keys, neighbours):
    """{name of a library: [(syshost, claim), ...]}: runs that could not start without what was removed, or moved away"""
    found = collections.defaultdict(list)
    for row, key in zip(rows, keys):
        if row["what"] in ("removed", "moved"):
            path = before_path(row)
            claim = key, AFTER, (found_after(row), neighbours.back(row))
            for name in {row["was_soname"], os.path.basename(path), path} - UNKNOWN:
                found[name].append((row["syshost"], claim))
    return found


MEMBERS = "SELECT member.object_set_id, member.object_id FROM object_set_member AS member WHERE member.object_id IN (%s)"
LINKS = (
    "SELECT build.id, link.proven, link.build_epoch, member.object_id FROM object_set_member AS member"
    " JOIN link ON link.object_set_id = member.object_set_id"
    " JOIN build ON build.build_uuid = link.uuid AND coalesce(build.build_user, '') = link.build_user"
    " WHERE member.object_id IN (%s)"
)


class Parts:
    """What runs have had that matters for changes: for each set of objects, link and missing library the claims.
    `keys`: of each row the key of the answer that it is a part of."""

    def __init__(self, store, rows, keys):
        at, neighbours = objects_at(store, rows), Neighbours(store, rows)
        claims = object_claims(at, rows, keys, neighbours)
        archives = {number for path in at if LINKED.search(path) for number, _, _ in at[path]} & set(claims)
        self.objects = set(claims) - archives
        self.sets, self.builds = collections.defaultdict(list), collections.defaultdict(list)
        self.missing = missing_claims(rows, keys, neighbours)
        for objects, number in store.lookup(MEMBERS % ids(sorted(self.objects))) if self.objects else ():
            self.sets[objects] += claims[number]
        for build, proven, time, number in store.lookup(LINKS % ids(sorted(archives))) if archives else ():
            self.builds[build, proven] += [at_any_time(claim) for claim in claims[number] if fits_time(claim, time)]
        self.builds = {part: found for part, found in self.builds.items() if found}

    def conditions(self):
        """SQL about `run`, each without values: runs that have loaded one of the objects; that were linked with one."""
        found = [OF_OBJECTS % ids(sorted(self.objects))] if self.objects else []
        if self.builds:
            links = ("(%s AND run.proven <= %d)" % (OF_BUILDS % ids(self.linked(proven)), proven) for proven in (0, 1))
            found.append("(%s)" % " OR ".join(links))
        return found

    def missing_condition(self):
        """[(SQL about `run`, values)] or []: runs that were not started, some of them for want of something else."""
        begins = [span[0] for claims in self.missing.values() for _, (_, _, span) in claims]
        return [("(run.missing_library IS NOT NULL AND run.start_time >= ?)", [min(begins)])] if begins else []

    def linked(self, proven):
        return sorted(build for build, link_proven in self.builds if link_proven == proven)

    def claims(self, objects, build, proven, missing, syshost):
        """{(key, BEFORE or AFTER): spans} of what a run had. A link that is not proven says nothing of a run that is."""
        lists = [self.sets.get(objects, ())]
        lists += [self.builds.get((build, link), ()) for link in (0, 1) if link >= proven]
        lists.append([claim for host, claim in self.missing.get(missing, ()) if same_host(host, syshost)])
        found = collections.defaultdict(list)
        for key, side, span in itertools.chain(*lists):
            found[key, side].append(span)
        found = {part: united(spans) for part, spans in found.items()}
        return {part: spans for part, spans in found.items() if spans}


OF_BUILDS = "run.build_id IN (%s)"


def united(spans):
    """The spans in order, none of which has a time of another."""
    found = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        elif begin < end:
            found.append((begin, end))
    return tuple(found)


def fits_time(claim, time):
    _, _, (begin, end) = claim
    return (begin, end) == EVER or (time is not None and begin <= time < end)


def at_any_time(claim):
    key, side, _ = claim
    return key, side, EVER


# ---- Runs


RUNS = (
    "SELECT run.object_set_id, run.build_id, run.proven, run.missing_library, run.syshost, run.user, run.start_time,"
    " CASE WHEN run.exit_code <> 0 OR run.signal <> 0 OR run.end_source = 'not_started' THEN 1"
    " WHEN run.exit_code IS NULL AND coalesce(run.signal, 0) = 0 THEN 2 ELSE 0 END FROM run WHERE %s AND (%s)"
)
OF_HAD = 5  # of the columns: what the run had
FAILED, UNKNOWN_END = 1, 2


class Runs:
    """Runs with the same claims, counted between the limits of these: however many runs there are, they need no more room."""

    def __init__(self, claims):
        self.claims = claims
        self.limits = sorted({limit for spans in claims.values() for span in spans for limit in span})
        self.numbers = [[0, 0, 0] for _ in range(len(self.limits) + 1)]  # ended well, failed, not known
        self.users = collections.defaultdict(int)  # a bit for each interval between limits

    def add(self, user, time, end):
        if time is None:
            return
        at = bisect_right(self.limits, time)
        self.numbers[at][end] += 1
        self.users[user] |= 1 << at

    def tell(self, answers):
        """Adds to answers[key][BEFORE or AFTER] what is of each claim."""
        sums = list(itertools.accumulate(self.numbers, lambda one, other: [a + b for a, b in zip(one, other)]))
        for (key, side), spans in self.claims.items():
            for span in spans:
                first, last = (bisect_left(self.limits, limit) for limit in span)
                numbers = [a - b for a, b in zip(sums[last], sums[first])]
                within = (1 << last + 1) - (1 << first + 1)
                answers[key][side].add(numbers, {user for user, at in self.users.items() if at & within})


class Counted:
    """What counts of runs are made of."""

    def __init__(self):
        self.numbers, self.users = [0, 0, 0], set()

    def add(self, numbers, users):
        self.numbers = [a + b for a, b in zip(self.numbers, numbers)]
        self.users |= users

    def answer(self, at_least):
        return {
            "runs": sum(self.numbers),
            "failed": self.numbers[FAILED],
            "unknown": self.numbers[UNKNOWN_END],
            "users": len(self.users),
            "at_least": at_least,
        }


def count(store, parts, where, values):
    """{key: {BEFORE or AFTER: Counted}}. A run counts once for a side of a key, whatever of it the run had."""
    runs, alike = {}, {}
    for condition, more in [*((sql, []) for sql in parts.conditions()), *parts.missing_condition()]:
        found = {}
        _, rows = store.query(RUNS % (where, condition), [*values, *more])
        for row in rows:
            had = row[:OF_HAD]
            if had not in found:
                claims = {} if had in runs else parts.claims(*had)  # an earlier condition has found all of those
                found[had] = alike.setdefault(frozenset(claims.items()), Runs(claims)) if claims else None
            if found[had]:
                found[had].add(*row[OF_HAD:])
        runs.update(found)
    answers = collections.defaultdict(lambda: {BEFORE: Counted(), AFTER: Counted()})
    for one in alike.values():
        one.tell(answers)
    return answers


def with_runs(store, rows, where="1 = 1", values=()):
    """The rows, of read() or of events(), with `before` and `after`: dicts of
        runs, failed    (another exit status than 0, a signal, not started)
        unknown         of how many runs it is not known how they ended, or they have not
        users
        at_least        whether there may be more: the row stands for files that are not named, or the links of others
                        cannot be read
    or None: no record names such files. `where`: SQL about `run`, with its values, for the runs that are counted."""
    rows = list(rows)
    changes, keys = [], []
    for key, row in enumerate(rows):
        for change in row.get("changes", [row]):
            changes.append(change)
            keys.append(key)
    answers = count(store, Parts(store, changes, keys), where, values) if rows else {}
    return [dict(row, **sides(row, answers.get(key), store.is_all)) for key, row in enumerate(rows)]


def sides(row, counted, is_all):
    changes = row.get("changes", [row])
    unseen = [change for change in changes if COMPILED.search(change["path"])]
    if len(unseen) == len(changes):
        return {BEFORE: None, AFTER: None}
    at_least = bool(unseen) or any((change["files"] or 1) > 1 for change in changes)
    at_least = at_least or (not is_all and any(LINKED.search(change["path"]) for change in changes))
    return {side: (counted[side] if counted else Counted()).answer(at_least) for side in (BEFORE, AFTER)}


def affected(store, rows):
    """SQL about `run`, without values: the runs that are of before or after one of the changes, or have had such a file at
    another time."""
    parts = Parts(store, rows, itertools.repeat(0))
    found = parts.conditions()
    for condition, values in parts.missing_condition():
        found.append("run.id IN (%s)" % ids(not_started(store, parts, condition, values)))
    return "(%s)" % (" OR ".join(found) or "1 = 0")


def not_started(store, parts, condition, values):
    """Ids of the runs that could not start without what was removed."""
    sql = "SELECT run.id, run.missing_library, run.syshost, run.start_time FROM run WHERE " + condition
    for number, name, syshost, time in store.lookup(sql, values):
        if any(same_host(host, syshost) and fits_time(claim, time) for host, claim in parts.missing.get(name, ())):
            yield number
