# SPDX-License-Identifier: LGPL-2.1-or-later
"""The columns of jobtrail-acct: name, width (negative: left-aligned) and value of a run."""

import os
import re
import shlex

from .. import extensions, library
from ..hints import hint
from ..program import Failure
from ..text import escape
from ..times import format_elapsed, format_time
from . import amounts, ending, used as decided

DEFAULT = "JobID,JobName,User,Exec,Start,Elapsed,State,ExitCode"
BRIEF = "JobID,Exec,State,ExitCode"
LONG = (
    "JobID,JobIDRaw,UUID,JobName,User,Account,Partition,QOS,Cluster,Node,NodeList,ExecPath,Module,"
    "Compiler,BuiltBy,NTasks,NNodes,NCPUS,NGPUS,Start,End,Elapsed,CoreSeconds,State,ExitCode,EndSource,SlurmState,"
    "SlurmExit,TotalCPU,MaxRSS,AveRSS,MaxVMSize,ReqMem,AllocTRES,NLibs,Cwd,Cmdline"
)


def known(text, *placeholders):
    """Records have "unknown" in texts that cannot be left out."""
    return None if text in ("unknown", "") + placeholders else text


def first_known(*values):
    return next((value for value in values if value is not None), None)


def job_id(run, raw=False):
    """12.0, 12.batch, 6_1.0 for an array task, 8+1.0 for a component of a heterogeneous job, 12@2026-11-28.0 if another job has the number."""
    job = run["job_id"] if run["job_id_raw"] is None else run["job_id_raw"]
    if not raw and run["array_job_id"] is not None and run["array_task_id"] is not None:
        job = "%d_%d" % (run["array_job_id"], run["array_task_id"])
    elif not raw and run["het_job_id"] is not None and run["het_offset"] is not None:
        job = "%d+%d" % (run["het_job_id"], run["het_offset"])
    if not raw and run.get("job_day"):
        job = "%s@%s" % (job, run["job_day"])
    if known(run["step_id"]):
        return "%s.%s" % (job, run["step_id"])
    return None if job is None else str(job)


def elapsed(run):
    if run["truncated"] is not None:
        return run["truncated"]
    if run["is_start_only"] and run["start_time"] is not None:
        return max(run["now"] - run["start_time"], 0.0)
    return run["run_time"]


def end_bound(run):
    """">=" if the end may be a second or more after end_time, as that of a process that still ran after its job's
    epilog, else "<=" if it may be as long before; times are shown to the second."""
    if run["outlived"]:
        return ">="
    least, told, most = run["end_time_min"], run["end_time"], run["end_time_max"]
    if None in (least, told, most):
        return ""
    return ">=" if most - told >= 1 else "<=" if told - least >= 1 else ""


def end(run):
    """sacct's word where it is not known."""
    return "Unknown" if end_bound(run) else format_time(run["end_time"])


def elapsed_text(run):
    text = format_elapsed(elapsed(run))
    return text if text is None else end_bound(run) + text


def end_max(run):
    return None if run["outlived"] else run["end_time_max"]


def elapsed_max(run):
    """Of a run that has ended; in seconds."""
    if run["outlived"]:
        return None
    if run["end_time_max"] is None or run["start_time"] is None:
        return elapsed(run)
    return max(run["end_time_max"] - run["start_time"], 0.0)


def elapsed_raw(run):
    seconds = elapsed(run)
    return None if seconds is None else bounded(int(seconds), end_bound(run))


def bounded(number, bound):
    return bound + str(number) if bound else number


def core_time(run):
    """Whether its core time is known: "exclusive"; "inclusive" where the record has none, and others may have had
    what its time and CPUs make; "Unknown" while it runs; None outside of a job."""
    if run["core_seconds"] is not None:
        return "exclusive"
    if run["job_id_raw"] is None and not known(run["job_id"]):
        return None
    return "Unknown" if run["is_start_only"] else "inclusive"


def core_bound(run):
    """">=" if it may have had a second more."""
    least, most = run["core_seconds"], run["core_seconds_max"]
    return ">=" if least is not None and (most is None or most - least >= 1) else ""


def core_seconds(run):
    least = run["core_seconds"]
    return None if least is None else bounded(round(least), core_bound(run))


def command_line(run):
    words = run["cmdline"]
    return " ".join(shlex.quote(str(word)) for word in words) if words else None


def executables(run):
    """One name, or with -X those of the job."""
    return ",".join(os.path.basename(path) for path in run["exec_paths"])


def listed(run, names):
    """Names of libraries, and what the list lacks."""
    lacking = library.lacking(run)
    return ",".join([*names, "(%s)" % lacking] if lacking else names)


def library_versions(run):
    """hdf5/1.14.3, ... of the libraries that have a version, each once."""
    names = {
        "%s/%s" % (library.name(lib["path"]), version)
        for lib in run["libs"] or []
        for version in [library.version(lib["path"], lib["module"])]
        if version
    }
    return listed(run, sorted(names))


def modules(run):
    """Of the executable first, then of its libraries."""
    names = [run["module"]] + sorted({lib["module"] or "" for lib in run["libs"] or []})
    return ",".join(dict.fromkeys(name for name in names if name))


def packages(run):
    return ",".join("%s/%s" % (name, version or "?") for name, version in run["packages"])


def column(name):
    return lambda run: run[name]


def slurm(name):
    """A fact of the run's step as Slurm accounts it; of the job with -X."""
    return lambda run: (known(run["slurm"][name]) if run["slurm"] else None)


def cpus(run):
    return first_known(run["cpus_alloc"], run["num_cores"])


def cpu_seconds(run):
    """As sacct's CPUTime: elapsed time times CPUs."""
    seconds, number = elapsed(run), cpus(run)
    return None if seconds is None or number is None else seconds * number


def cpu_time(run):
    text = format_elapsed(cpu_seconds(run))
    return text if text is None else end_bound(run) + text


def cpu_time_raw(run):
    seconds = cpu_seconds(run)
    return None if seconds is None else bounded(int(seconds), end_bound(run))


def used(name, text_of=str):
    """What the kernel reported of it; ">=" where there may have been more: with -X where not all runs or ranks are known."""

    def text(run):
        is_least = name.startswith("forked") and run["forked_least"]
        bound = ">=" if is_least else run.get("ranks_bound" if name in ("run_cpu", "max_rss") else "used_bound", "")
        return None if run[name] is None else bound + text_of(run[name])

    return text


# Fields of sacct that are not made of the run's own facts, and their widths there
OF_SACCT = {
    "AdminComment": 19, "AllocNodes": 10, "AllocTRES": 20, "AssocID": 7, "AveCPU": 10, "AveCPUFreq": 10, "AveDiskRead": 14,
    "AveDiskWrite": 14, "AvePages": 10, "AveRSS": 10, "AveVMSize": 10, "Comment": 14, "Constraints": 19,
    "ConsumedEnergy": 14, "ConsumedEnergyRaw": 17, "DerivedExitCode": 15, "Extra": 14, "FailedNode": 20, "Flags": 20,
    "GID": 6, "Group": 9, "Layout": 9, "Licenses": 20, "MaxDiskRead": 12, "MaxDiskReadNode": 15, "MaxDiskReadTask": 15,
    "MaxDiskWrite": 12, "MaxDiskWriteNode": 16, "MaxDiskWriteTask": 16, "MaxPages": 8, "MaxPagesNode": 12,
    "MaxPagesTask": 14, "MaxRSS": 10, "MaxRSSNode": 10, "MaxRSSTask": 10, "MaxVMSize": 10, "MaxVMSizeNode": 14,
    "MaxVMSizeTask": 14, "McsLabel": 9, "MinCPU": 10, "MinCPUNode": 10, "MinCPUTask": 10, "NodeList": 15, "Planned": 10,
    "PlannedCPU": 10, "PlannedCPURAW": 13, "Priority": 10, "QOSRAW": 10, "QOSREQ": 10, "Reason": 20, "ReqCPUFreq": 10,
    "ReqCPUFreqGov": 13, "ReqCPUFreqMax": 13, "ReqCPUFreqMin": 13, "ReqCPUS": 8, "ReqMem": 10, "ReqNodes": 8,
    "ReqTRES": 20, "Reservation": 20, "ReservationId": 15, "StdErr": 20, "StdIn": 20, "StdOut": 20, "SubmitLine": 20,
    "Suspended": 10, "SystemComment": 20, "SystemCPU": 10, "Timelimit": 10, "TimelimitRaw": 12, "TotalCPU": 10,
    "TRESUsageInAve": 14, "TRESUsageInMax": 14, "TRESUsageInMaxNode": 18, "TRESUsageInMaxTask": 18, "TRESUsageInMin": 14,
    "TRESUsageInMinNode": 18, "TRESUsageInMinTask": 18, "TRESUsageInTot": 14, "TRESUsageOutAve": 15,
    "TRESUsageOutMax": 15, "TRESUsageOutMaxNode": 19, "TRESUsageOutMaxTask": 19, "TRESUsageOutMin": 15,
    "TRESUsageOutMinNode": 19, "TRESUsageOutMinTask": 19, "TRESUsageOutTot": 15, "UID": 6, "UserCPU": 10, "WCKey": 10,
    "WCKeyID": 10, "WorkDir": 20,
}  # fmt: skip
OURS = [
    ("Account", 10, lambda run: known(run["account"])),
    ("AllocCPUS", 10, cpus),
    ("BuiltBy", 9, column("built_by")),
    ("CapturedBy", 10, column("captured_by")),
    ("Cause", 40, ending.cause),
    ("Cluster", 10, column("cluster")),
    ("Cmdline", 30, command_line),
    ("Compiler", 10, column("compiler")),
    ("Container", 20, lambda run: known(run["container"])),
    ("CoreSeconds", 12, core_seconds),
    ("CoreSecondsMax", 14, lambda run: None if run["core_seconds_max"] is None else round(run["core_seconds_max"])),
    ("CoreTime", 9, core_time),
    ("CPUTime", 10, cpu_time),
    ("CPUTimeRAW", 10, cpu_time_raw),
    ("Cwd", 20, column("cwd")),
    ("Eligible", 19, lambda run: format_time(slurm_time(run, "Eligible"))),
    ("Elapsed", 10, elapsed_text),
    ("ElapsedMax", 10, lambda run: format_elapsed(elapsed_max(run))),
    ("ElapsedRaw", 10, elapsed_raw),
    ("End", 19, end),
    ("EndError", 9, lambda run: None if run["outlived"] else run["end_time_error"]),
    ("EndMax", 19, lambda run: format_time(end_max(run))),
    ("EndMin", 19, lambda run: format_time(run["end_time_min"])),
    ("EndSource", 10, column("end_source")),
    ("Exec", 20, executables),
    ("ExecPath", 40, lambda run: ",".join(run["exec_paths"])),
    ("ExitCode", 8, lambda run: run["exit"]),
    ("Hash", 40, lambda run: known(run["hash_id"], "0")),
    ("JobID", -16, lambda run: run["job"]),
    ("JobIDRaw", -16, lambda run: job_id(run, raw=True)),
    ("JobName", 10, lambda run: known(run["job_name"] or "")),
    ("Libs", 40, lambda run: listed(run, [lib["path"] for lib in run["libs"] or []])),
    ("LibVersions", 40, library_versions),
    ("MissingLib", 20, column("missing_library")),
    ("Module", 20, column("module")),
    ("Modules", 40, modules),
    ("NCPUS", 10, cpus),
    ("NGPUS", 8, lambda run: first_known(run["gpus_alloc"], run["num_gpus"])),
    ("NLibs", 6, lambda run: None if run["libs"] is None else bounded(len(run["libs"]), library.lacking(run) and ">=")),
    ("NNodes", 8, column("num_nodes")),
    ("Node", 15, column("node")),
    ("NRuns", 6, column("runs")),
    ("NTasks", 8, column("num_tasks")),
    ("Packages", 40, packages),
    ("Partition", 10, lambda run: first_known(known(run["partition"]), known(run["queue"]))),
    ("Probability", 11, column("probability")),
    ("Proven", 6, lambda run: "yes" if run["proven"] else "no"),
    ("QOS", 10, lambda run: known(run["qos"])),
    ("RestartCount", 12, column("restart_count")),
    ("Signal", 6, column("signal")),
    ("SlurmExit", 9, slurm("ExitCode")),
    ("SlurmState", 13, slurm("State")),
    ("Start", 19, lambda run: format_time(run["start_time"])),
    ("State", 10, lambda run: run["state"]),
    ("StepName", 10, lambda run: None if run["step_id"] is None else slurm("JobName")(run)),
    ("Step", 11, lambda run: known(run["step_id"])),
    ("Submit", 19, lambda run: format_time(slurm_time(run, "Submit"))),
    ("Task", 6, column("task_id")),
    ("UsedCPU", 13, decided.cpu_text),
    ("UsedMemory", 10, decided.memory_text),
    ("User", 9, column("user")),
    ("UUID", 36, column("uuid")),
]
# what the kernel reported of a run's process, and of processes that it forked and that executed nothing
USE = (
    ("RunCPU", 13, "run_cpu", amounts.cpu_time), ("RunUserCPU", 13, "user_cpu", amounts.cpu_time),
    ("RunSystemCPU", 13, "system_cpu", amounts.cpu_time), ("RunMaxRSS", 10, "max_rss", amounts.size_text),
    ("RunDiskRead", 11, "disk_read", amounts.size_text), ("RunDiskWrite", 12, "disk_write", amounts.size_text),
    ("RunForked", 9, "forked", str), ("RunForkedSignaled", 17, "forked_signaled", str),
    ("RunForkedCPU", 13, "forked_cpu", amounts.cpu_time), ("RunForkedMaxRSS", 15, "forked_max_rss", amounts.size_text),
    ("RunForkedRead", 13, "forked_read", amounts.size_text), ("RunForkedWrite", 14, "forked_write", amounts.size_text),
)  # fmt: skip
OURS += [(name, width, used(key, text_of)) for name, width, key, text_of in USE]
# What extensions add, by modules acct_door:
#   FIELDS     as in OURS
#   SORTED_BY  as below
#   KEY        one of KEYS below: what a run gets for them; None where it has nothing. Or None: there are no fields
#   of_runs    a function of (store, runs): {id of a run: what it has of that}
#   merged     a function of what the runs of a job have of that: what the job has
#   of_changed a function of (store, text, now), of one of them alone: the condition about `run` of --changed
#   ROWS       {option: the module beside it with rows of its own instead of runs, as main.rows_module() has it}
DOORS = list(extensions.doors("acct_door"))
OURS += [field for door in DOORS for field in door.FIELDS]
# of which extension they are
OF_EXTENSION = dict.fromkeys(("mpiimbalance", "mpiranks", "mpiroutines", "mpishare", "profile"), "profile")
OF_EXTENSION.update(dict.fromkeys(("ranks", "ranksfailed", "ranksfirstfailed"), "witness"))
OF_EXTENSION.update(nroutines="routines", routines="routines")
KEYS = ("profile", "ranks", "routines")
# In the order of --helpformat, which is the order of sacct: of the alphabet.
FIELDS = sorted(OURS + [(name, width, slurm(name)) for name, width in OF_SACCT.items()], key=lambda field: field[0].lower())
# what the rows of these fields are sorted by, where that is not their text
SORTED_BY = {
    "CoreSeconds": column("core_seconds"), "CoreSecondsMax": column("core_seconds_max"), "CPUTime": cpu_seconds,
    "CPUTimeRAW": cpu_seconds, "Elapsed": elapsed, "ElapsedMax": elapsed_max, "ElapsedRaw": elapsed,
    "End": column("end_time"), "EndMax": end_max, "EndMin": column("end_time_min"),
    "JobID": column("job_id_raw"), "JobIDRaw": column("job_id_raw"), "Start": column("start_time"),
    "Eligible": lambda run: slurm_time(run, "Eligible"), "Submit": lambda run: slurm_time(run, "Submit"),
    "UsedCPU": lambda run: decided.of_row(run)[1]["seconds"], "UsedMemory": lambda run: decided.of_row(run)[0]["used"],
}  # fmt: skip
SORTED_BY.update((name, column(key)) for name, _, key, _ in USE)
for _door in DOORS:
    SORTED_BY.update(_door.SORTED_BY)
DIVIDED = {"CoreSeconds", "CoreSecondsMax"}
FROM_SLURM = set(OF_SACCT) | {"Eligible", "JobName", "QOS", "SlurmExit", "SlurmState", "StepName", "Submit"}
# what is asked for by default, and is left empty without a word where a site has no accounting
IN_DEFAULT = {"JobName"}


def slurm_time(run, name):
    text = run["slurm"][name] if run["slurm"] else ""
    return float(text) if text.isdecimal() else None


def find_field(name, fields):
    """The field of that name, else the first that begins so, as in sacct."""
    wanted = name.lower()
    found = [field for field in fields if wanted and field[0].lower().startswith(wanted)]
    if not found:
        whole = next((each for each in OF_EXTENSION if wanted and each.startswith(wanted)), name)
        more = hint(whole, [field[0] for field in fields], of=OF_EXTENSION)
        raise Failure('Invalid field requested: "%s"%s' % (escape(name), more))
    return next((field for field in found if field[0].lower() == wanted), found[0])


def parse_format(text, fields):
    """The columns of FIELD[%[-]WIDTH],... as (name, width, value) like those of `fields`."""
    columns = []
    for word in filter(None, (word.strip() for word in text.split(","))):
        name, percent, width = word.partition("%")
        field = find_field(name, fields)
        if percent:
            if not re.match(r"-?[1-9]\d{0,3}\Z", width):
                raise Failure('Invalid field requested: "%s"' % escape(word))
            field = (field[0], int(width), field[2])
        columns.append(field)
    if not columns:
        raise Failure("No field requested")
    return columns
