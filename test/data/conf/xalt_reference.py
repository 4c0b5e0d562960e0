# SPDX-License-Identifier: LGPL-2.1-or-later
"""What XALT decides with a config.py, and texts to ask it about.

    xalt_reference.py generate SECTION COUNT    COUNT texts, the same ones every time
    xalt_reference.py decide SECTION CONFIG     the action for each line of stdin

SECTION is paths, hosts, environment or packages. A line of paths is a path and its arguments,
separated by tabs. The rules are applied one by one with Python's re, in the way that XALT's
documentation and its xalt_config.py describe: the first one that matches the whole text decides,
and where none does, what XALT has by default. An argument that names a file, looked for in the current
directory, is its real path (track_executable() of XALT 3.2.4). Unlike XALT, only relative arguments that
name no file are passed over, and only where there is no other ';', as in what import-xalt writes.
"""
import os
import random
import re
import sys

DIRECTORIES = [
    "/usr/bin", "/usr/local/bin", "/usr/local/site/bin", "/usr/lib/gcc/x86_64/12", "/bin", "/sbin",
    "/etc/init.d", "/root", "/root/.local/bin", "/opt/intel/bin", "/opt/apps/cuda/12/bin",
    "/opt/apps/lmod/lmod/libexec", "/opt/apps/xalt/bin", "/opt/apps/cmake/3.27/bin",
    "/opt/apps/intel19/mvapich2/2.3/bin", "/opt/apps/intel19_1/impi/bin", "/opt/apps/intel/impi",
    "/opt/apps/gcc9_1/mvapich2/bin", "/opt/apps/gcc/9/bin", "/opt/apps/gccx/bin", "/opt/apps",
    "/home/u1/bin", "/home/u1/.cargo/bin", "/home/u1/xcargo/bin", "/scratch/u2/run 1",
    "/project/l/pkg/lmod", "/project/u3/CMakeFiles/CMakeTmp", "/project/u3/build-2024-01", "/a/build-24-1/b",
    "/project/u3/share/app", "/proj/data/x", "/", "/tmp/.x/;y", "/opt/python3.11/bin",
    "/data/s\u00fcd",
]
NAMES = [
    "python", "python3", "python3.11", "python2.7", "python3-config", "R", "Rscript", "MATLAB",
    "workflow", "workflow-ng", "workflow-old", "cp", "mv", "gawk", "sed", "perl", "grep", "egrep",
    "bzip2", "gzip", "zip", "tar", "ls", "lmod", "g++", "gcc", "cc1", "cc1plus", "collect2", "as",
    "ld", "lto1", "lto-wrapper", "f951", "gfortran", "icc", "icpc", "ifort", "mpicc", "mpiCC",
    "mpicxx", "mpif77", "mpif90", "mpifort", "mpifc", "mpiicc", "mpiexec", "mpirun",
    "mpiexec.hydra", "mpiexecxhydra", "hydra_pmi_proxy", "ompi_info", "opal_wrapper", "orterun", "orted", "prterun",
    "vtwrapper", "ibrun", "charmrun", "ddt", "nsys", "perf", "conftest", "cmTryCompileExec",
    "cmTryCompileExec123", "cmTC_0a1b", "cmTC_xyz", "bash", "sh", "zsh", "logger", "my_uuidgen",
    "xalt_syshost", "xalt_extract_record.x", "namd2", "vasp_std", "lmp", "gmx_mpi", "a.out", "",
]
ARGUMENTS = [
    "-m", "-c", "-W", "-X", "-v", "-", "", "--pair", "--triple", "--four", "--opt", "--opt=1",
    "--help", "--version", "train.py", "/home/u1/train.py", "/usr/lib/python3/pdb.py", "x.pyc",
    "/opt/share/tool.py", "/proj/data/in.h5", "data/in.h5", "/proj/data/", "a;b", "8", "\u00e9.py",
]
VARIABLES = [
    "PATH", "PATHS", "LD_LIBRARY_PATH", "LOADEDMODULES", "_LMFILES_", "__LMOD", "__", "_",
    "MKLROOT", "MKL_DIR", "MKL_LIB", "MKL_INCLUDE", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "OMP_PLACES", "OMP",
    "PYTHONPATH", "PYTHON_TOKEN", "R_HOME", "R_", "R", "API_TOKEN", "DB_PASSWORD", "TOKEN", "HOME",
    "TACC_AFFINITY_ENABLED", "I_MPI_PIN_INFO", "I_MPI_THREAD_LEVEL", "I_MPI_PIN_", "I_MPI_pin_x",
]
HOSTS = ["c101-001.cluster", "c999-001.cluster", "c101-001", "c10-001.x", "nid00012", "nid0001",
         "nid000123", "gpu-a01", "gpu-b12", "gpu-c01", "gpu-a13", "login1.cluster", "xc101-001.x"]
PACKAGES = ["os", "re", "_io", "numpy", "a.b", "test", "tests", "testing", "stats", "base",
            "statsx"]
PACKAGE_PATHS = ["built-in", "/home/u/x.py", "/home/u/.local/x.py", "/opt/matlab/toolbox/x",
                 "/opt/py/x.py", "/homework/x.py"]


def altered(text):
    """The text, or one that differs by a character or two."""
    if random.random() < 0.7:
        return text
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(["", "x", "3", ".", "-", "/", "_"]) + \
        text[at + random.randrange(2):]


def generate(section, count):
    random.seed(section)
    for _ in range(count):
        if section == "paths":
            path = "/" + altered(f"{random.choice(DIRECTORIES)}/{random.choice(NAMES)}").lstrip("/")
            arguments = [altered(random.choice(ARGUMENTS)) for _ in range(random.randrange(7))]
            yield "\t".join([path] + arguments)
        elif section == "packages":
            kind, values = random.choice([("name", PACKAGES), ("path", PACKAGE_PATHS)])
            program = random.choice(["python", "R", "MATLAB"])
            yield f"{program}:{kind}:{altered(random.choice(values))}"
        else:
            yield altered(random.choice(VARIABLES if section == "environment" else HOSTS))


def first(rules, text, otherwise):
    for action, pattern in rules:
        if re.fullmatch(pattern, text):
            return action
    return otherwise


# XALT's own rules before a site's, and jobtrail's programs where XALT has its own.
HEAD = [["SKIP", r".*/(sh|dash|bash|zsh|csh|tcsh|nu|fish|rc)"],
        ["SKIP", r".*/(logger|bin/my_uuidgen|xalt_print_os|xalt_syslog_to_db|xalt_syshost)"],
        ["SKIP", r".*/(xalt_record_pkg|xalt_extract_record.x|xalt_configuration_report.x)"],
        ["SKIP", r".*/jobtrail-[^/]*"]]


def decide_process(config, line):
    path, *arguments = line.split("\t")
    action = first(HEAD + config["path_patterns"], path, "KEEP")
    if action != "CUSTOM":
        return action
    rules = config["path_arg_patterns"]
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        if argument[:1] not in ("", "-") and os.path.exists(argument):
            argument = os.path.realpath(argument)
        if argument[:1] not in ("", "-", "/") and ";" not in path + argument:
            at += 1
            continue
        action = first(rules, f"{path};{argument}", "CONTINUE")
        if action in ("KEEP", "SKIP", "PKGS"):
            return action
        at += 1 + (int(action[5:]) if action.startswith("JUMP_") else 0)
    action = first(rules, f"{path};", "SKIP")
    return action if action in ("KEEP", "PKGS") else "SKIP"


def decide_package(config, text):
    program, kind, value = text.split(":", 2)
    if first(config["pkg_patterns"], text, "KEEP") == "SKIP":
        return "SKIP"
    if program != "python":
        return "KEEP"
    for rule in config["python_pkg_patterns"]:
        if rule["kind"] == kind and re.match(rule["patt"], value):
            return rule["k_s"]
    return "SKIP" if kind == "name" and value in ("os", "re", "sys", "subprocess") else "KEEP"


def decide(section, config, line):
    if section == "paths":
        return decide_process(config, line)
    if section == "packages":
        return decide_package(config, line)
    if section == "hosts":
        return first(config["hostname_patterns"], line, "SKIP")
    return first(config["env_patterns"], line + "=value", "SKIP")


def main():
    command, section, what = sys.argv[1:]
    if command == "generate":
        for line in generate(section, int(what)):
            print(line)
        return
    config = {}
    with open(what, encoding="utf-8") as file:
        exec(file.read(), config)  # pylint: disable=exec-used # our own test data
    for line in sys.stdin:
        print(decide(section, config, line.removesuffix("\n")).lower())


main()
