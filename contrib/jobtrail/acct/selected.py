# SPDX-License-Identifier: LGPL-2.1-or-later
"""The runs that the options of jobtrail-acct select."""

from .. import extensions, slurm
from ..hints import tell
from ..hostlist import split
from ..program import Failure
from . import fields, runs
from .allocations import allocations
from .select import Selection, select_place, select_sizes, select_software, select_window, window
from .state import REASONS, parse_states


def fitting(options):
    """(functions of a run that are all true of what is selected by Slurm's accounting, the option that needs it)"""
    if not options.name:
        return [], None
    wanted = set(split(options.name))
    return [lambda run: run["job_name"] in wanted], "--name"


def accounting(options, facts, is_named, states, more, needed_by):
    """None where neither Slurm's facts are wanted, nor the states that need them. `is_named`: whether the facts are
    missed where a site has none."""
    if options.no_sacct and needed_by:
        raise Failure("%s needs Slurm's accounting: leave out --no-sacct" % needed_by)
    if options.no_sacct or not (facts or states):
        return None
    unit = "K" if options.csv or options.jsonl else options.units  # exact ones
    units = ["--units=" + unit] if unit else []
    return slurm.Accounting(units, is_named, options.scopes, more, needed_by)


class Wanted:
    """Arguments of runs.read()."""

    def __init__(self, options, columns, now, states):
        names = {name for name, _, _ in columns}
        if options.sort:
            names |= {fields.find_field(word.lstrip("+-"), fields.FIELDS)[0] for word in split(options.sort)}
        of_kernel = ", ".join(sorted(name for name in names if name.startswith("Run")))
        if of_kernel and not extensions.is_here("witness"):
            tell("%s: %s" % (of_kernel, extensions.lacking("witness")))
        self.now = now
        self.duplicates = options.duplicates
        self.divided = bool(options.json or options.allocations or names & fields.DIVIDED)
        self.packages = options.json or "Packages" in names
        self.names = options.json or "JobName" in names
        if names & {"Cause", "UsedCPU", "UsedMemory"} or options.allocations and names & {"RunCPU", "RunMaxRSS"}:
            names.add("Ranks")  # what makes these
        self.doors = [door for door in fields.DOORS if options.json or names & {name for name, _, _ in door.FIELDS}]
        self.qos = {name.lower() for name in split(options.qos)} if options.qos else None
        self.fitting, needed_by = fitting(options)
        from_slurm = options.json or options.allocations or options.qos or needed_by
        named = names & fields.FROM_SLURM
        self.facts = bool(from_slurm or named)
        # nobody has asked for them
        self.is_extra = self.facts and not (from_slurm or options.format or options.sort or named - fields.IN_DEFAULT)
        is_of_slurm = bool(REASONS & (states or set()))
        if is_of_slurm and options.no_sacct:
            tell("-s: only Slurm's accounting has %s: leave out --no-sacct" % ", ".join(sorted(REASONS & states)))
        is_named = is_of_slurm or options.allocations or options.qos or named - fields.IN_DEFAULT
        is_named = bool(is_named) and not options.json
        states = bool(names & {"State", "ExitCode"}) or states is not None
        more = sorted(named & set(fields.OF_SACCT))
        self.accounting = accounting(options, self.facts, is_named, states or options.json, more, needed_by)


def selected_runs(store, options, columns, now):
    """Each a dict, see runs.read(); with -X those of allocations. `columns`: the fields that are wanted, as of
    fields.parse_format()."""
    named = bool(options.jobs or options.uuid)
    period = window(options, now, named)
    states = None if options.states is None else parse_states(options.states)
    selection = Selection()
    select_place(selection, options)
    select_sizes(selection, options)
    select_window(selection, period)
    select_software(selection, options, store)
    if options.changed:
        for door in fields.DOORS:
            if hasattr(door, "of_changed"):
                selection.add(door.of_changed(store, options.changed, now))
    wanted = Wanted(options, columns, now, states)
    found = runs.read(store, selection, wanted)
    if options.allocations:
        found = allocations(found, wanted)
    return (run for run in found if states is None or run["state"] in states)
