# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is said beside the coverage of jobs. An extension adds to it by a module coverage_door with
  read(store, condition, values)  over jobs on nodes that fit the condition about `run`; None: nothing
  lines(told)                     sentences about that"""

from . import extensions
from .acct.select import WITH_RECORDS, ids
from .store import again

# of the jobs that fit
SSH = (
    "SELECT count(*) FROM run AS ours WHERE ours.executable_id IN ({}) AND EXISTS"
    " (SELECT 1 " + WITH_RECORDS + "job_id_raw = ours.job_id_raw AND run.user = ours.user AND coalesce(run.cluster, '') ="
    " coalesce(ours.cluster, '') AND coalesce(run.restart_count, 0) = coalesce(ours.restart_count, 0) AND " + again("run", "job_start")
    + " = " + again("ours") + " AND "
)  # fmt: skip


def read(store, condition, values):
    """{"witness": what the door has, "ssh": how many runs of ssh the jobs have}"""
    programs = ids(number for number, in store.lookup("SELECT id FROM executable WHERE path LIKE '%/ssh'"))
    (number,), = [(0,)] if programs == "NULL" else store.lookup(SSH.format(programs) + condition + ")", values)
    witness = next((door.read(store, condition, values) for door in extensions.doors("coverage_door")), None)
    return {"witness": witness, "ssh": number}


def lines(told):
    """Sentences about what read() has; None: nothing was read."""
    if told is None:
        return []
    runs = "1 run of ssh: what it" if told["ssh"] == 1 else "%d runs of ssh: what they" % told["ssh"]
    found = next((door.lines(told["witness"]) for door in extensions.doors("coverage_door")), [])
    return found + ([runs + " started on other nodes is not seen"] if told["ssh"] else [])
