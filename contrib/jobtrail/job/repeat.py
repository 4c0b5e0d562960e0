# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-job repeat JOB: a script that does once more what the job's main program did, as far as the records tell."""

import hashlib
import os
import shlex
import sys

from .. import program
from ..acct.details import environments
from ..pattern import Pattern
from ..text import escape
from .changes import main_run
from .compare import LOADED, REDACTED
from .summary import of_job, runs_of

# what a run takes from its environment, beside modules
EXPORTED = ("OMP_", "OPENBLAS_", "MKL_", "GOMP_", "KMP_", "OMPI_MCA_", "I_MPI_", "MPICH_", "UCX_", "LD_LIBRARY_PATH", "PYTHONPATH")

# what users' programs wrote is no word of the shell's, nor an option of sbatch's
NAME, WORD = Pattern(r"[A-Za-z_][A-Za-z0-9_]*\Z"), Pattern(r"[A-Za-z0-9_.,:-]+\Z")
MODULE = Pattern(r"[A-Za-z0-9_.+][A-Za-z0-9_.+/-]*\Z")


def same_file(run):
    """Why the program is not known to be the same; None: it is."""
    path, told = run["exec_path"], run["hash_id"]
    if not told or told in ("0", "unknown"):
        return "its sha1 was not recorded"
    try:
        with open(path, "rb") as file:
            digest = hashlib.sha1()
            for block in iter(lambda: file.read(1 << 20), b""):
                digest.update(block)
    except OSError as error:
        return program.os_trouble(error)
    return None if digest.hexdigest() == told else "the file has changed since: its sha1 was %s" % told


def lines(run, variables, slurm):
    """The script, a line at a time."""
    yield "#!/bin/bash"
    yield "# %s of job %s, started %s" % (escape(os.path.basename(run["exec_path"])), escape(run["job"]), "by jobtrail-job repeat")
    for option, value in (("nodes", run["num_nodes"]), ("ntasks", run["num_tasks"]), ("partition", run["partition"]),
                          ("account", run["account"]), ("time", slurm and slurm.get("Timelimit"))):  # fmt: skip
        if WORD.match(str(value or "")) and value != "unknown":
            yield "#SBATCH --%s=%s" % (option, value)
    modules = [name for name in (variables or {}).get(LOADED, "").split(":") if MODULE.match(name)]
    if modules:
        yield "module purge"
        yield "module load " + " ".join(modules)
    for name, value in sorted((variables or {}).items()):
        if name.startswith(EXPORTED) and NAME.match(name):
            redacted = "# not recorded: " if REDACTED in value else ""
            yield "%sexport %s=%s" % (redacted, name, shlex.quote(value))
    if run["cwd"]:
        yield "cd -- " + shlex.quote(run["cwd"])
    words = run["cmdline"] or [run["exec_path"]]
    command = " ".join(shlex.quote(str(word)) for word in [run["exec_path"], *words[1:]])
    is_step = (run["step_id"] or "").isdecimal()
    yield ("srun " if is_step or (run["num_tasks"] or 1) > 1 else "") + command


def run(store, options, now):
    runs, _ = runs_of(store, of_job(options), now)
    found = main_run(runs)
    if found is None:
        raise program.Failure("jobtrail-job: the store has no program of job %s" % escape(options.job), status=program.failure_status)
    variables = environments(store, [found]).get(found["environment_id"])
    if variables is None:
        print("jobtrail-job: its environment was not recorded: modules and exports are missing", file=sys.stderr)
    for line in lines(found, variables, found["slurm"]):
        print(line.replace("\n", "\\n") if line.startswith("#") else line)
    why = same_file(found)
    if why is not None:
        print("jobtrail-job: %s: %s" % (escape(found["exec_path"]), why), file=sys.stderr)
        sys.exit(1)
