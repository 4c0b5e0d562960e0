# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-job diff A B: what differs between two jobs, steps or runs. compare.py compares two runs.

Runs of the two are paired by differences(), in this order. One run on each side makes a pair, whatever it ran.
Otherwise the runs of one step, one executable's name and the same arguments are paired in the order of their starts;
then what is left, of one step and name, whatever the arguments; then of one name in any steps;
then one run that is left in a step on each side, as its executable may have another name
now. Where A and B are steps, theirs count as the same. What is left is on one side only.
"""

import argparse
import collections
import itertools
import json
import os
import re
import sys

from .. import program
from ..acct import fields
from ..acct.details import environments
from ..acct.left_out import unseen, unseen_text
from ..acct.runs import latest
from ..acct.select import JOB
from ..acct.selected import selected_runs
from ..pattern import Pattern
from ..store import SCHEMA_VERSION
from ..text import cell, escape, fit, places
from ..times import format_elapsed, format_time
from .compare import run_sections, words_of

UUID = Pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z", re.I)
MOST_RUNS = 1000  # of a side that are compared
MOST_NAMES = 8  # in a sentence
SAME, DIFFERENT, TROUBLE = 0, 1, 2  # exit statuses, as of diff(1)


# ---- The two sides


def of_side(options, text):
    """The options that select the runs of A or B."""
    if not UUID.match(text) and not JOB.match(text):
        raise program.Failure("jobtrail-job: diff: %s is neither a job, a step nor a uuid" % escape(text))
    wanted = argparse.Namespace(**vars(options))
    wanted.json = True
    wanted.jobs, wanted.uuid = (None, text) if UUID.match(text) else (text, None)
    return wanted


def step_of(text):
    match = JOB.match(text)
    return match and match["step"]


def starts_first(run):
    return (run["start_time"] is None, run["start_time"], run["task_id"] or 0, run["uuid"])


class Side:
    """The runs of A or B, and what is not seen of it."""

    def __init__(self, store, options, text, now):
        wanted = of_side(options, text)
        self.text, self.step = text, step_of(text)
        found = list(itertools.islice(selected_runs(store, wanted, [], now), MOST_RUNS + 1))
        if getattr(options, "proven", None) is not None:
            found = [run for run in found if run["proven"] == options.proven]
        if wanted.uuid:  # others' claims have it, too
            found = found[:1]
        self.is_cut = len(found) > MOST_RUNS
        self.runs = sorted(latest(found[:MOST_RUNS]), key=starts_first)
        if wanted.uuid and self.runs and self.runs[0]["job_id_raw"] is not None:
            wanted.jobs = str(self.runs[0]["job_id_raw"])
        self.unseen = unseen(store, wanted, self.runs) if wanted.jobs else []
        if not self.runs:
            raise program.Failure("jobtrail-job: diff: " + nothing_of(self, options))

    def may_have(self, run):
        """Whether it may have had such a run, of which there is no record."""
        if self.is_cut or any(of["state"] == "RUNNING" or of["dropped"] for of in self.runs):
            return True
        if run["probability"] is not None and run["probability"] < 1:
            return True
        return any(of["step"] in (run["step_id"], None) or None not in (self.step, of["step"]) for of in self.unseen)

    def data(self):
        return {
            "asked": self.text,
            "jobs": list(dict.fromkeys(run["job"].split(".")[0] for run in self.runs)),
            "runs": len(self.runs),
            "cut": self.is_cut,
            "unseen": self.unseen,
        }


def nothing_of(side, options):
    """Why there is nothing to compare."""
    whose = "" if options.allusers or options.user else "of your own "
    text = "the store has no run %sof %s" % (whose, escape(side.text))
    if not side.unseen:
        return text + ("; -a is for those of all users" if whose else "")
    return text + ": " + "; ".join(map(unseen_text, side.unseen))


# ---- Pairs


def name_of(run):
    return os.path.basename(run["exec_path"] or "")


def paired(a, b):
    """([(run of A, run of B)], runs of A alone, runs of B alone)."""
    left, right = list(a.runs), list(b.runs)
    if len(left) == len(right) == 1:
        return [(left[0], right[0])], [], []
    are_steps = a.step is not None and b.step is not None
    pairs = []

    def step(run):
        return None if are_steps else run["step_id"]

    def pair(key, alone):
        """Pairs runs of one key; with `alone` where there is one on each side."""
        nonlocal left, right
        others = collections.defaultdict(collections.deque)
        for run in right:
            others[key(run)].append(run)
        counts = collections.Counter(map(key, left))
        rest = []
        for run in left:
            found = others.get(key(run))
            if found and (not alone or counts[key(run)] == len(found) == 1):
                pairs.append((run, found.popleft()))
            else:
                rest.append(run)
        left, right = rest, sorted(itertools.chain.from_iterable(others.values()), key=starts_first)

    pair(lambda run: (step(run), name_of(run), words_of(run)), False)
    pair(lambda run: (step(run), name_of(run)), False)
    pair(name_of, False)
    pair(step, True)
    return sorted(pairs, key=lambda pair: starts_first(pair[0])), left, right


def identity(run):
    """Which run it is, and what it took: facts that differ in any two runs, and are not compared."""
    names = ("job", "task_id", "uuid", "user", "exec_path", "node", "start_time", "state", "exit", "probability")
    found = {name: run[name] for name in names}
    found.update(
        step=run["step_id"], proven=bool(run["proven"]), elapsed=fields.elapsed(run),
        elapsed_bound=fields.end_bound(run), core_seconds=run["core_seconds"], core_seconds_max=run["core_seconds_max"],
        max_rss=fields.known(run["slurm"]["MaxRSS"]) if run["slurm"] else None,
    )  # fmt: skip
    return found


def leftover(run, other):
    """`certain`: the other side did not have such a run; else it may have had one without a record."""
    return dict(identity(run), certain=not other.may_have(run))


def differences(store, options, now):
    """What differs between the two that options.diff names:

        {"different": whether anything does,
         "a": {"asked": TEXT, "jobs": [TEXT], "runs": NUMBER, "cut": whether there are more, which are not compared,
               "unseen": [{"step", "outcome", "tasks", "runs"}]: what has no record}, "b": the same,
         "pairs": [{"a": RUN, "b": RUN, "different": NUMBER, "sections": see compare.run_sections()}],
         "only_a": [RUN with "certain"], "only_b": the same}

    RUN: see identity(). `options`: as main.of_acct() makes them. Failure where one of them has no runs."""
    a, b = (Side(store, options, text, now) for text in options.diff)
    pairs, only_a, only_b = paired(a, b)
    compared, found = [], environments(store, itertools.chain(*pairs))
    for one, other in pairs:
        sides = [found.get(run["environment_id"]) for run in (one, other)]
        sections = run_sections(one, other, sides, options.json)
        number = sum(len(section["different"]) for section in sections)
        compared.append({"a": identity(one), "b": identity(other), "different": number, "sections": sections})
    data = {"a": a.data(), "b": b.data(), "pairs": compared}
    data["only_a"] = [leftover(run, b) for run in only_a]
    data["only_b"] = [leftover(run, a) for run in only_b]
    alone = any(run["certain"] for run in data["only_a"] + data["only_b"])
    data["different"] = alone or any(pair["different"] for pair in compared)
    return data


# ---- Text

WIDTH = 20  # of names


def fact_text(name, values):
    """A fact: its name in a column, and what is said of it beside, one value below the other."""
    name, blank = escape(name), " " * (WIDTH + 3)
    first = "  " + fit(name, -WIDTH) + " " if places(name) <= WIDTH else "  " + name + "\n" + blank
    return first + ("\n" + blank).join(values) + "\n"


def value_text(value):
    """Of a fact; None: there is none."""
    if value is None:
        return "(none)"
    if isinstance(value, list):
        return " ".join(cell(word) for word in value)
    if isinstance(value, dict):
        words = [value["version"], value["path"], value["hash"] and "sha1 " + value["hash"],
                 value["build_id"] and "build-id " + value["build_id"]]  # fmt: skip
        return "  ".join(cell(word) for word in words if word)
    return cell(value)


def list_change(a, b):
    """What is gone from a list such as PATH, and what is new; None where that says less than the values."""
    if not isinstance(a, str) or not isinstance(b, str) or ":" not in a + b or "/" not in a + b:
        return None
    one, other = a.split(":"), b.split(":")
    gone = [word for word in one if word not in other]
    new = [word for word in other if word not in one]
    if not gone and not new:
        return ["the same entries in another order"]
    return ["A only: " + cell(word) for word in gone] + ["B only: " + cell(word) for word in new]


def run_text(run):
    took = None if run["elapsed"] is None else run["elapsed_bound"] + format_elapsed(run["elapsed"])
    words = [run["job"], os.path.basename(run["exec_path"] or "?"), run["state"], run["exit"], took,
             run["max_rss"] and "MaxRSS " + run["max_rss"], run["node"], format_time(run["start_time"]),
             None if run["proven"] else "(not proven)"]  # fmt: skip
    return "  ".join(cell(word) for word in words if word)


def change_of(fact, section):
    """The lines about a fact that differs."""
    a, b = fact["a"], fact["b"]
    if a is None:
        return ["B only: " + value_text(b)]
    if b is None:
        return ["A only: " + value_text(a)]
    change = list_change(a, b) if section == "environment" else None
    return change or ["A: " + value_text(a), "B: " + value_text(b)]


def notes(section):
    return "".join(" (%s)" % note for note in section["notes"])


def print_section(section):
    if section["different"]:
        numbers = len(section["different"]), section["same"]
        print("%s: %d different, %d the same%s" % ((section["name"],) + numbers + (notes(section),)))
    for fact in section["different"]:
        print(fact_text(fact["what"], change_of(fact, section["name"])), end="")


def unknown_texts(section):
    """A sentence for the facts that are not known for one reason."""
    reasons = {}
    for fact in section["unknown"]:
        reasons.setdefault(fact["why"], []).append(fact["what"])
    for why, names in reasons.items():
        shown = ", ".join(map(escape, names[:MOST_NAMES]))
        if len(names) > MOST_NAMES:
            shown += " and %d more" % (len(names) - MOST_NAMES)
        yield "%s: %s" % (shown if names == [section["name"]] else section["name"] + ": " + shown, why)


def print_pair(pair, count):
    print("\nA: " + run_text(pair["a"]))
    print("B: " + run_text(pair["b"]))
    if count > 1:
        print("   and %d more pairs with the same differences" % (count - 1))
    for section in pair["sections"]:
        print_section(section)
    same = ["%s (%d)%s" % (section["name"], section["same"], notes(section)) for section in pair["sections"]
            if section["same"] and not section["different"]]  # fmt: skip
    if same:
        print("the same: " + ", ".join(same))
    for section in pair["sections"]:
        for text in unknown_texts(section):
            print("not known: " + text)


def kind_of(pair):
    """Pairs of one kind are shown once."""
    facts = [(section["different"], section["unknown"], section["notes"]) for section in pair["sections"]]
    names = [os.path.basename(pair[side]["exec_path"] or "") for side in ("a", "b")]
    return json.dumps([names, facts])


def print_side(name, side):
    print("%s is %s: %d %s" % (name, escape(side["asked"]), side["runs"], "run" if side["runs"] == 1 else "runs"))
    if side["cut"]:
        print("   it has more, which are not compared: name a step")
    for row in side["unseen"]:
        print("   no record: " + unseen_text(row))


def print_alone(runs, name, other):
    if runs:
        print("\nonly in %s:" % name)
    for run in runs:
        print("  " + run_text(run) + ("" if run["certain"] else "  (%s may have no record of it)" % other))


def print_text(data):
    """Prints what differences() returned for people."""
    print_side("A", data["a"])
    print_side("B", data["b"])
    kinds = {}
    for pair in data["pairs"]:
        kinds.setdefault(kind_of(pair), []).append(pair)
    for pairs in kinds.values():
        print_pair(pairs[0], len(pairs))
    print_alone(data["only_a"], "A", "B")
    print_alone(data["only_b"], "B", "A")
    print("\nSomething differs." if data["different"] else "\nNo recorded fact differs.")


def run(store, options, now):
    data = differences(store, options, now)
    if options.json:
        meta = {"store": options.store, "schema": SCHEMA_VERSION, "time": now}
        print(json.dumps(dict(meta=meta, **data), indent=1))
    else:
        print_text(data)
    if data["different"]:
        sys.exit(DIFFERENT)
