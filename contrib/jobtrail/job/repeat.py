# SPDX-License-Identifier: LGPL-2.1-or-later
"""jobtrail-job repeat JOB: a script that does once more what the job's main program did, as far as the records tell. It checks
where it runs that the program is the same file. What users' programs wrote is no word of the shell's in it, and no option."""

import shlex
import sys

from .. import program
from ..acct.details import environments
from ..pattern import Pattern
from ..text import UNSTORED, escape
from .changes import main_run
from .compare import LOADED, REDACTED
from .summary import of_job, runs_of

# what a run takes from its environment, beside modules
EXPORTED = ("OMP_", "OPENBLAS_", "MKL_", "GOMP_", "KMP_", "OMPI_MCA_", "I_MPI_", "MPICH_", "UCX_", "LD_LIBRARY_PATH", "PYTHONPATH")
NAME, WORD = Pattern(r"[A-Za-z_][A-Za-z0-9_]*\Z"), Pattern(r"[A-Za-z0-9_.,:+@%-]+\Z")
MODULE, TIME = Pattern(r"[A-Za-z0-9_.+][A-Za-z0-9_.+/-]*\Z"), Pattern(r"UNLIMITED\Z|(?:\d+-)?[\d:]+\Z")
SHA1 = Pattern(r"[0-9a-f]{40}\Z")


def quoted(text):
    """As a word of bash's that shows what it is on a terminal."""
    text = str(text)
    if text.isprintable() and not any(char in UNSTORED for char in map(ord, text)):
        return shlex.quote(text)
    data = text.translate(UNSTORED).encode("utf-8", "surrogateescape")
    return "$'%s'" % "".join(chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else "\\%03o" % byte for byte in data)


def lines(run, variables, lacks):
    """The script, a line at a time. Adds to `lacks` what is not in it."""
    path, words = run["exec_path"], run["cmdline"]
    limit = (run["slurm"] or {}).get("Timelimit")
    yield "#!/bin/bash"
    yield "# program %s of job %s; by jobtrail-job repeat" % (escape(path), escape(run["job"]))
    for option, value, form in (("nodes", run["num_nodes"], WORD), ("ntasks", run["num_tasks"], WORD), ("time", limit, TIME),
                                ("partition", run["partition"], WORD), ("account", run["account"], WORD)):  # fmt: skip
        if value not in (None, 0, "unknown") and form.match(str(value)):
            yield "#SBATCH --%s=%s" % (option, value)
    if variables is None:
        lacks.append("modules and variables: its environment was not recorded")
    modules = [name for name in (variables or {}).get(LOADED, "").split(":") if MODULE.match(name)]
    if modules:
        yield "module purge"
        yield "module load " + " ".join(modules)
    for name, value in sorted((variables or {}).items()):
        if name.startswith(EXPORTED) and NAME.match(name):
            if REDACTED in value:
                lacks.append("the value of %s: it is redacted" % name)
            else:
                yield "export %s=%s" % (name, quoted(value))
    if run["cwd"]:
        yield "cd -- %s || exit" % quoted(run["cwd"])
    if SHA1.match(run["hash_id"] or "") and path.isprintable() and "\\" not in path:
        yield "sha1sum --check --quiet <<<%s || exit" % quoted("%s  %s" % (run["hash_id"], path))
    else:
        lacks.append("a check of the program: its sha1 was not recorded")
    is_step = (run["step_id"] or "").isdecimal() or (run["num_tasks"] or 1) > 1
    command = ("srun " if is_step else "") + " ".join(map(quoted, [path, *(words or [])[1:]]))
    is_whole = words is not None and not any(REDACTED in str(word) for word in words)
    if not is_whole:
        lacks.append("the command: its arguments are redacted, or were not recorded")
    yield command if is_whole else "# " + command


def run(store, options, now):
    runs, _ = runs_of(store, of_job(options), now)
    found = main_run(runs)
    if found is None or not found["exec_path"].startswith("/"):
        raise program.Failure("jobtrail-job: the store has no program of job %s" % escape(options.job))
    lacks = []
    for line in lines(found, environments(store, [found]).get(found["environment_id"]), lacks):
        print(line)
    for text in lacks:
        print("jobtrail-job: the script lacks %s" % text, file=sys.stderr)
