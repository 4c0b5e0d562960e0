#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What Python programs import, and that they do not notice being asked.
#
# JOBTRAIL_TEST_PYTHON names another CPython than Debian's. Tests of what that does not have (numpy,
# subinterpreters) fail there.
# shellcheck disable=SC2016 # for Python to expand

load ../fixture/job
load ../fixture/packages

setup() {
    new_job
    PYTHON=${JOBTRAIL_TEST_PYTHON:-/usr/bin/python3}
    PYTHON=$("$PYTHON" -c 'import os, sys; print(os.path.realpath(sys.executable))')
    PYTHON_LIB=$("$PYTHON" -c 'import os; print(os.path.dirname(os.__file__))')
    VERSION=${PYTHON_LIB##*/}
    LIB=$BATS_TEST_TMPDIR/lib
    HOOKS=$JOBTRAIL_STAGE/share/jobtrail/hooks
    make_module "$LIB" alpha '__version__ = "1.5"'
    make_module "$LIB" beta 'import gamma'
    make_module "$LIB" gamma
    make_module "$LIB/beta" part
    mkdir -p "$LIB/space/one"
    touch "$LIB/space/one/__init__.py" "$LIB/space/one/two.py"
}

# with_lib COMMAND...: hooked, with $LIB in PYTHONPATH behind the hook
with_lib() {
    hooked PYTHONPATH="$HOOKS/python:$LIB" "$@"
}

@test "each package is told once, with version, path and run, and nothing of the standard library" {
    with_lib "$PYTHON" -c 'import json, alpha, beta.part, decimal, alpha, space.one.two, xml.dom.minidom'
    flush
    [[ $(package_names) == "alpha beta gamma space.one" ]]
    [[ $(package alpha package_version) == 1.5 ]]
    [[ $(package gamma package_version) == "" ]]
    [[ $(package alpha package_path) == "$LIB/alpha/__init__.py" ]]
    [[ $(package alpha program) == python ]]
    [[ $(package alpha xalt_run_uuid) == "$(one .userT.run_uuid)" ]]
    [[ $(one '.XALT_qaT | "\(.JOBTRAIL_PKGS) \(.JOBTRAIL_PKGS_HOOK) \(.JOBTRAIL_PKGS_LOST)"') == "yes yes 0" ]]
}

@test "the record has XALT's form: its name, its keys, its CRC" {
    with_lib "$PYTHON" -c 'import alpha'
    flush
    uuid=$(one .userT.run_uuid)
    name=$(cd "$RECORDS" && echo pkg.*)
    [[ $name =~ ^pkg\.lab\.[0-9]{4}(_[0-9]{2}){5}_[0-9]{4}\.$(id -un)\.$uuid\.[0-9a-f]{12}\.json$ ]]
    [[ $(jq -c keys_unsorted "$RECORDS/$name") == '["crc","ownerT","package_name","package_path","package_version","program","xalt_run_uuid"]' ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/*
}

@test "parts of a package that another loader has made are no packages" {
    make_module "$LIB" real
    make_module "$LIB/real" thing
    make_module "$LIB/real/thing" part
    # as setuptools' loaders make distutils and pkg_resources.extern
    with_lib "$PYTHON" -c '
import importlib.util, sys
class Alias:
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name == "thing" else None
    def create_module(self, spec):
        return importlib.import_module("real.thing")
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Alias())
import thing.part'
    flush
    [[ $(package_names) == real ]]
}

@test "numpy, scipy and mpi4py are told with their versions" {
    hooked "$PYTHON" -c 'import numpy, scipy.linalg, mpi4py, yaml'
    flush
    for name in numpy scipy mpi4py yaml; do
        [[ $(package "$name" package_version) == "$("$PYTHON" -c "import $name; print($name.__version__)")" ]]
    done
}

@test "the version of a package that does not say it comes from what its installer left" {
    touch "$LIB/delta.py"
    mkdir -p "$LIB/Gamma-2.0.dist-info" "$LIB/The_Delta-3.1rc1-py3.11.egg-info" "$LIB/space_one-9.dist-info"
    echo delta >"$LIB/The_Delta-3.1rc1-py3.11.egg-info/top_level.txt"
    with_lib "$PYTHON" -c 'import gamma, delta, beta, space.one'
    flush
    [[ $(package gamma package_version) == 2.0 ]]
    [[ $(package delta package_version) == 3.1rc1 ]]
    [[ $(package beta package_version) == "" ]]
    [[ $(package space.one package_version) == 9 ]]
}

@test "editable installs have their versions where their sources have them, and what is damaged has none" {
    "$PYTHON" -m venv --without-pip "$BATS_TEST_TMPDIR/venv"
    packages=$BATS_TEST_TMPDIR/venv/lib/$VERSION/site-packages
    for name in linked found other; do
        make_module "$BATS_TEST_TMPDIR/$name" "$name"
        mkdir "$BATS_TEST_TMPDIR/$name/$name.egg-info"
    done
    # setup.py develop; a finder, as pip install -e has it; and without a version
    echo "$BATS_TEST_TMPDIR/linked" >"$packages/easy-install.pth"
    printf 'Metadata-Version: 2.1\nName: linked\nVersion: 1.1.dev3\n\nVersion: text\n' >"$BATS_TEST_TMPDIR/linked/linked.egg-info/PKG-INFO"
    printf 'Name: found\nVersion:2.5' >"$BATS_TEST_TMPDIR/found/found.egg-info/PKG-INFO"
    echo 'Name: other' >"$BATS_TEST_TMPDIR/other/other.egg-info/PKG-INFO"
    cat >"$packages/finder.py" <<PY
import importlib.util, sys
class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in ("found", "other"):
            return importlib.util.spec_from_file_location(name, "$BATS_TEST_TMPDIR/%s/%s/__init__.py" % (name, name))
sys.meta_path.append(Finder)
PY
    echo 'import finder' >"$packages/finder.pth"
    for name in control long device pipe; do
        make_module "$packages" "$name"
        mkdir "$packages/$name.egg-info"
    done
    mkdir "$packages/control-1"$'\n'"2.dist-info" "$packages/long-$(printf '9%.0s' {1..200}).dist-info" "$packages/.egg-info"
    ln -s /dev/zero "$packages/device.egg-info/PKG-INFO"
    mkfifo "$packages/pipe.egg-info/PKG-INFO"
    hooked "$BATS_TEST_TMPDIR/venv/bin/python" -c 'import linked, found, other, control, long, device, pipe'
    flush
    [[ $(packages | jq -r 'map("\(.package_name)=\(.package_version)") | sort | join(" ")') == \
        "control= device= found=2.5 linked=1.1.dev3 long= other= pipe=" ]]
}

@test "more packages than a run may have are counted" {
    with_lib "$PYTHON" - "$LIB" <<'PY'
import sys
for i in range(4100):
    open("%s/m%d.py" % (sys.argv[1], i), "w").close()
for i in range(4100):
    __import__("m%d" % i)
PY
    flush
    # of 4096 lines one is the hook's, and one may be a package that the rules skip
    recorded=$(packages | jq length) lost=$(one .XALT_qaT.JOBTRAIL_PKGS_LOST)
    ((recorded >= 4094 && lost > 0 && recorded + lost == 4100))
}

@test "the policy's package rules decide, by name and by path, the first that matches" {
    RULES+=$'\n[packages]\nkeep = python:name:gamma\nskip = python:path:.*/gamma/.*\nskip = python:path:.*/alpha/.*\nkeep = python:name:alpha\nskip = python:name:num.*'
    make_module "$LIB" numbered
    new_job
    with_lib "$PYTHON" -c 'import alpha, beta, gamma, numbered'
    flush
    [[ $(package_names) == "beta gamma" ]]
}

@test "the standard library and built-ins are told where the site asks for them" {
    with_lib JOBTRAIL_STANDARD_LIBRARY=yes "$PYTHON" -c 'import json, alpha, _csv, _datetime'
    flush
    names=" $(package_names) "
    for name in alpha json os sys builtins _datetime; do
        [[ $names == *" $name "* ]]
    done
    [[ $(package json package_path) == "$PYTHON_LIB/json/__init__.py" ]]
}

@test "what was imported is known of a run that os._exit or SIGKILL ended" {
    with_lib "$PYTHON" -c 'import os, alpha; os._exit(3)' || [[ $? == 3 ]]
    with_lib "$PYTHON" -c 'import os, beta; os.kill(os.getpid(), 9)' || [[ $? == 137 ]]
    flush
    [[ $(package_names) == "alpha beta gamma" ]]
    [[ $(packages | jq 'map(.xalt_run_uuid) | unique | length') == 2 ]]
    [[ $(records | jq -c 'map(.slurmT.end_source) | sort') == '["epilog","epilog"]' ]]
}

@test "imports in threads, reloads, lazy imports and those of a zip file: once each, or not at all" {
    make_module "$LIB" delta '__version__ = "4"'
    "$PYTHON" -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1], "w").writestr("zipped.py", "import gamma")' "$LIB/zip"
    with_lib "$PYTHON" - "$LIB/zip" <<'PY'
import importlib.util, sys, threading
threads = [threading.Thread(target=__import__, args=(name,)) for name in ["alpha", "beta", "gamma"] * 10]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for i in range(100):
    importlib.reload(sys.modules["alpha"])
spec = importlib.util.find_spec("delta")
spec.loader = importlib.util.LazyLoader(spec.loader)
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
assert module.__version__ == "4"
sys.path.append(sys.argv[1])
import zipped
PY
    [[ $(grep -cE $'\t(alpha|beta|gamma|delta)\t' "$SPOOL/$JOB.0/user/packages") == 4 ]]
    flush
    [[ $(package_names) == "alpha beta delta gamma" ]]
}

@test "a program that is not let write files does not notice, nor one whose directory is gone" {
    cat >"$BATS_TEST_TMPDIR/filter.py" <<'PY'
import ctypes, platform, struct
number = {"x86_64": 257, "aarch64": 56}[platform.machine()]
code = [(0x20, 0, 0, 0), (0x15, 0, 3, number),   # openat
        (0x20, 0, 0, 32), (0x45, 0, 1, 3),        # its flags: O_WRONLY or O_RDWR
        (6, 0, 0, 0x00050001), (6, 0, 0, 0x7fff0000)]  # EPERM, else as ever
text = b"".join(struct.pack("HBBI", *line) for line in code)
buffer = ctypes.create_string_buffer(text, len(text))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(len(code), ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
import gamma
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0
import alpha
print(alpha)
try:
    open("/dev/null", "w")
except PermissionError as error:
    print(error)
PY
    observe without "${TRACKED[@]}" PYTHONPATH="$LIB" "$PYTHON" "$BATS_TEST_TMPDIR/filter.py"
    observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" "$PYTHON" "$BATS_TEST_TMPDIR/filter.py"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    [[ $(<"$BATS_TEST_TMPDIR/with/stdout") == *alpha*"not permitted"* ]]
    mkdir "$BATS_TEST_TMPDIR/gone"
    cd "$BATS_TEST_TMPDIR/gone"
    rmdir "$BATS_TEST_TMPDIR/gone"
    with_lib "$PYTHON" -c 'import beta'
    cd /proc # where nobody can write
    with_lib "$PYTHON" -c 'import beta'
    flush
    [[ $(package_names) == "beta beta gamma gamma gamma" ]]
}

@test "a package whose import fails is none, and its traceback is as ever" {
    make_module "$LIB" broken $'import alpha\nraise ValueError("broken")'
    make_module "$LIB" half 'import missing'
    make_module "$LIB" wrong 'def'
    for name in broken half wrong missing; do
        observe without "${TRACKED[@]}" PYTHONPATH="$LIB" "$PYTHON" -c "import $name"
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" "$PYTHON" -c "import $name"
        grep -q Traceback "$BATS_TEST_TMPDIR/with/stderr"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    flush
    [[ $(package_names) == alpha ]]
}

@test "sys.path, sys.modules in their order, meta_path, descriptors, threads and flags are as ever" {
    cat >"$BATS_TEST_TMPDIR/look.py" <<'PY'
import sys, os
before = list(sys.modules)
import numpy, threading, gc, inspect, importlib.machinery, warnings
print(before, list(sys.modules), sys.path, [getattr(f, "__name__", f.__class__) for f in sys.meta_path + sys.path_hooks], sep="\n")
print(sorted(sys.path_importer_cache))
print(sorted(os.listdir("/proc/self/fd")), threading.active_count(), sys.flags, warnings.filters)
print(inspect.signature(importlib.machinery.SourceFileLoader.exec_module), numpy.__loader__.__class__)
print(numpy.__spec__.loader.__dict__.keys(), sys.gettrace(), sys.getprofile(), gc.get_count()[2:])
print({name for name in vars(__builtins__)})
try:
    import sitecustomize
    print(sitecustomize.__file__)
except ImportError as error:
    print(error)
PY
    for options in "" -O -B -s "-X dev" "-W error" -bb -q -u; do
        # shellcheck disable=SC2086
        unnoticed_hook PYTHONHASHSEED=0 "$PYTHON" $options "$BATS_TEST_TMPDIR/look.py"
    done
}

@test "a user's usercustomize runs as ever, and what it imports is told" {
    user=$BATS_TEST_TMPDIR/home/.local/lib/$VERSION/site-packages
    make_module "$user" personal
    echo 'import personal; print("the user", __name__, __file__)' >"$user/usercustomize.py"
    code='import sys; print(sys.path, list(sys.modules))'
    observe without "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" PYTHONPATH="$LIB" "$PYTHON" -c "$code"
    observe with "${TRACKED[@]}" HOME="$BATS_TEST_TMPDIR/home" PYTHONPATH="$HOOKS/python:$LIB" "$PYTHON" -c "$code"
    grep -q "the user" "$BATS_TEST_TMPDIR/with/stdout"
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    flush
    [[ $(package_names) == personal ]]
}

@test "the site's own sitecustomize runs as ever, and may fail as ever" {
    mkdir "$BATS_TEST_TMPDIR/site"
    for text in 'print("the site", __name__, __file__)' 'raise ValueError("no")' 'import nothing_there' \
        'import sys; sys.path.insert(0, "/there"); import json'; do
        echo "$text" >"$BATS_TEST_TMPDIR/site/sitecustomize.py"
        code='import sys; print(sys.path, [name for name in sys.modules], sys.modules.get("sitecustomize"))'
        observe without "${TRACKED[@]}" PYTHONPATH="$BATS_TEST_TMPDIR/site" "$PYTHON" -c "$code"
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$BATS_TEST_TMPDIR/site" "$PYTHON" -c "$code"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
}

@test "virtual environments and layouts of their own are watched, from any place in PYTHONPATH" {
    "$PYTHON" -m venv --without-pip "$BATS_TEST_TMPDIR/venv"
    make_module "$BATS_TEST_TMPDIR/venv/lib/$VERSION/site-packages" inside '__version__ = "7"'
    hooked "$BATS_TEST_TMPDIR/venv/bin/python" -c 'import inside'
    hooked PYTHONPATH="$LIB:$HOOKS/python" "$BATS_TEST_TMPDIR/venv/bin/python3" -c 'import alpha'
    # as conda has it: a whole prefix of its own
    mkdir -p "$BATS_TEST_TMPDIR/conda/bin" "$BATS_TEST_TMPDIR/conda/lib"
    cp "$PYTHON" "$BATS_TEST_TMPDIR/conda/bin"
    cp -R "$PYTHON_LIB" "$BATS_TEST_TMPDIR/conda/lib"
    make_module "$BATS_TEST_TMPDIR/conda/lib/$VERSION/$(basename "$("$PYTHON" -c 'import site; print(site.getsitepackages()[-1])')")" condaed
    hooked "$BATS_TEST_TMPDIR/conda/bin/${PYTHON##*/}" -c 'import condaed, sys, json; assert json.__file__.startswith(sys.argv[1])' "$BATS_TEST_TMPDIR"
    flush
    [[ $(package_names) == "alpha condaed inside" ]]
    [[ $(package inside package_version) == 7 ]]
}

@test "where Python does not look for the hook, that is counted" {
    for option in -I -E -S; do
        with_lib "$PYTHON" "$option" -c 'import json'
    done
    run --separate-stderr flush
    [[ $output == *"unhooked 3"* ]]
    [[ $(records | jq -c 'map(.XALT_qaT.JOBTRAIL_PKGS_HOOK)') == '["no","no","no"]' ]]
}

@test "with the .pth file in a Python's site-packages -I and -E are watched too, and twice is once" {
    "$PYTHON" -m venv --without-pip "$BATS_TEST_TMPDIR/venv"
    packages=$BATS_TEST_TMPDIR/venv/lib/$VERSION/site-packages
    make_module "$packages" inside
    code='import inside, sys; print(sys.path, list(sys.modules))'
    for option in -I -E -s; do
        echo "# none" >"$packages/jobtrail.pth" # Python 3.13 loads a codec for any such file
        observe without "${TRACKED[@]}" "$BATS_TEST_TMPDIR/venv/bin/python" "$option" -c "$code"
        sed "s|'[^']*/hooks/python'|'$HOOKS/python'|g" "$HOOKS/python/jobtrail.pth" >"$packages/jobtrail.pth"
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python" "$BATS_TEST_TMPDIR/venv/bin/python" "$option" -c "$code"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    [[ $(grep -c inside "$SPOOL/$JOB.0/user/packages") == 3 ]]
}

@test "what .pth files import is no package of the run, before the hook and behind it, but where the site asks for all" {
    "$PYTHON" -m venv --without-pip "$BATS_TEST_TMPDIR/venv"
    packages=$BATS_TEST_TMPDIR/venv/lib/$VERSION/site-packages
    make_module "$packages" inside '__version__ = "7"'
    make_module "$packages/inside" part
    make_module "$packages" behind
    make_module "$packages" wanted
    echo 'import inside.part, colorsys' >"$packages/any.pth"
    echo 'import behind' >"$packages/last.pth"
    sed "s|'[^']*/hooks/python'|'$HOOKS/python'|g" "$HOOKS/python/jobtrail.pth" >"$packages/jobtrail.pth"
    for everything in no yes; do
        hooked JOBTRAIL_STANDARD_LIBRARY="$everything" "$BATS_TEST_TMPDIR/venv/bin/python" -c 'import wanted'
        flush
        [[ $everything == yes || $(package_names) == wanted ]]
        [[ $everything == no || $(package_names) == *" colorsys "*" inside "* ]]
        [[ $everything == no || $(package inside package_version) == 7 ]]
        rm -r "$RECORDS"
        new_job
    done
}

@test "multiprocessing's workers are watched, with fork, spawn and forkserver" {
    cat >"$BATS_TEST_TMPDIR/pool.py" <<'PY'
import multiprocessing, sys

def load(name):
    return __import__(name).__name__

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    with multiprocessing.Pool(2) as pool:
        print(sorted(pool.map(load, ["alpha", "beta", "gamma"])))
PY
    for method in fork spawn forkserver; do
        with_lib "$PYTHON" "$BATS_TEST_TMPDIR/pool.py" "$method"
        flush
        # Workers of fork belong to the run that forked; each of spawn is a run of its own.
        [[ $(packages | jq -r 'map(.package_name) | unique | join(" ")') == "alpha beta gamma" ]]
        [[ $(packages | jq -c 'map([.package_name, .xalt_run_uuid]) | (length == (unique | length))') == true ]]
        rm -r "$RECORDS"
        new_job
    done
}

@test "subinterpreters and programs that embed Python are watched" {
    with_lib "$PYTHON" -c '
try:
    import _xxsubinterpreters as interpreters
except ImportError:
    import _interpreters as interpreters # since 3.13
one = interpreters.create()
interpreters.run_string(one, "import beta")
interpreters.destroy(one)
import alpha'
    make_module "$LIB" delta
    cat >"$BATS_TEST_TMPDIR/embed.c" <<'C'
#include <Python.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 2 && fork() != 0)
        return wait(NULL) < 0;
    Py_InitializeEx(0);
    int failed = PyRun_SimpleString(argv[1]);
    return Py_FinalizeEx() != 0 || failed;
}
C
    # shellcheck disable=SC2046
    gcc -o "$BATS_TEST_TMPDIR/python_embed" "$BATS_TEST_TMPDIR/embed.c" $("$PYTHON-config" --includes --ldflags --embed)
    with_lib "$BATS_TEST_TMPDIR/python_embed" 'import space.one'
    with_lib "$BATS_TEST_TMPDIR/python_embed" 'import alpha, delta' fork
    # SIGXFSZ is not ignored here: better no packages than the end of the program
    (ulimit -f 0 && with_lib "$BATS_TEST_TMPDIR/python_embed" 'import alpha')
    flush
    [[ $(package_names) == "alpha alpha beta delta gamma space.one" ]]
}

@test "no room, no descriptors, no spool, no ledger: the program does not notice" {
    cat >"$BATS_TEST_TMPDIR/hard.py" <<'PY'
import os, resource, sys
how = sys.argv[1]
if how == "size":
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
elif how == "descriptors":
    taken = []
    try:
        while True:
            taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        os.close(taken.pop())
import alpha, beta
print(alpha, sorted(n for n in sys.modules if n in ("alpha", "beta", "gamma")))
PY
    ulimit -n 64
    for how in size descriptors; do
        written=0
        [[ $how == size ]] || written=1
        observe without "${TRACKED[@]}" PYTHONPATH="$LIB" "$PYTHON" "$BATS_TEST_TMPDIR/hard.py" "$how"
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" "$PYTHON" "$BATS_TEST_TMPDIR/hard.py" "$how"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
        # one descriptor is left, and enough
        [[ $(grep -c alpha "$SPOOL/$JOB.0/user/packages") == "$written" ]]
    done
    : >"$SPOOL/$JOB.0/user/packages"
    for bad in JOBTRAIL_SPOOL=/nowhere JOBTRAIL_SPOOL= LD_PRELOAD=; do
        observe without "${TRACKED[@]}" PYTHONPATH="$LIB" "$bad" "$PYTHON" -c 'import beta; print(beta)'
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" "$bad" "$PYTHON" -c 'import beta; print(beta)'
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    run ! grep -E "alpha|beta|gamma" "$SPOOL/$JOB.0/user/packages"
}

@test "the file of packages is not made larger than its bound" {
    truncate --size=$((16 << 20)) "$SPOOL/$JOB.0/user/packages"
    with_lib "$PYTHON" -c 'import alpha'
    [[ $(stat -c %s "$SPOOL/$JOB.0/user/packages") == $((16 << 20)) ]]
}

@test "packages that could not be written down are counted" {
    with_lib "$PYTHON" -c '
import os, resource
old = resource.getrlimit(resource.RLIMIT_NOFILE)
import alpha
import importlib.machinery
loader = importlib.machinery.SourceFileLoader("tab\tbed", alpha.__file__)
import importlib.util
importlib.util.module_from_spec(importlib.util.spec_from_loader("tab\tbed", loader))
import types; loader.exec_module(types.ModuleType("tab\tbed"))
import gamma'
    flush
    [[ $(package_names) == "alpha gamma" ]]
    [[ $(one .XALT_qaT.JOBTRAIL_PKGS_LOST) == 1 ]]
}

@test "a signal's handler that raises while a package is told is not swallowed" {
    cat >"$BATS_TEST_TMPDIR/alarm.py" <<'PY'
import importlib.machinery, itertools, signal, sys, types

class Late(Exception):
    pass

raised = caught = 0
def late(number, frame):
    global raised
    if frame.f_code.co_filename.endswith("/sitecustomize.py"):
        raised += 1
        raise Late

signal.signal(signal.SIGALRM, late)
for i in itertools.count():
    name = "m%d" % i
    module = types.ModuleType(name)
    loader = importlib.machinery.SourceFileLoader(name, sys.argv[1])
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.00001 + (i % 30) * 0.00001)
        loader.exec_module(module)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except Late:
        caught += 1
    if raised == 5 or i == 4000:
        break
print(raised, caught)
PY
    touch "$BATS_TEST_TMPDIR/empty.py"
    run env "${TRACKED[@]}" PYTHONPATH="$HOOKS/python" "$PYTHON" "$BATS_TEST_TMPDIR/alarm.py" "$BATS_TEST_TMPDIR/empty.py"
    [[ $output == "5 5" ]]
}

@test "a version of a strange kind, a module of a strange kind: nothing of the user's is called" {
    make_module "$LIB" strange '
class Text(str):
    def __getitem__(self, at): raise ValueError("called")
    __str__ = __len__ = __getitem__
__version__ = Text("3.3")'
    make_module "$LIB" replaced '
import sys, types
class Module(types.ModuleType):
    def __getattribute__(self, name):
        if name not in ("__spec__", "__class__", "__path__", "__dict__"):
            print("asked for", name)
        return types.ModuleType.__getattribute__(self, name)
sys.modules[__name__].__class__ = Module'
    make_module "$LIB" tuple_version '__version__ = (1, 2)'
    for name in strange replaced tuple_version; do
        observe without "${TRACKED[@]}" PYTHONPATH="$LIB" "$PYTHON" -c "import $name"
        observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" "$PYTHON" -c "import $name"
        diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    done
    flush
    [[ $(package strange package_version) == 3.3 ]]
    [[ $(package_names) == "replaced strange tuple_version" ]]
}

@test "what a user writes into the file is bounded, counted and set aside, and the rest is used" {
    with_lib "$PYTHON" -c 'import alpha'
    file=$SPOOL/$JOB.0/user/packages
    uuid=$(sed -n 's/^hook\t\([0-9a-f]*\).*/\1/p' "$file")
    {
        printf 'pkg\t%s\tpython\t0\tgood\t1\t/x\n' "$uuid"
        printf 'pkg\t%s\tpython\t0\tother-run\t1\t/x\n' 00000000000000000000000000000000
        printf 'pkg\t%s\tpython\t0\t\t1\t/x\n' "$uuid"
        printf 'pkg\t%s\tpython\t-1\tx\t1\t/x\n' "$uuid"
        printf 'newer\tof another form\n'
        printf 'pkg\t%s\tpython\t0\tbytes\xff"\t1\t/\xe4\n' "$uuid"
        printf 'no newline'
    } >>"$file"
    run --separate-stderr flush
    ((status == 0))
    # shellcheck disable=SC2154 # run sets it
    [[ $stderr == *"damaged lines in the packages"* ]]
    [[ $output == *"damaged 3"* && $output == *"quarantined 1"* ]]
    grep -q "no newline" "$BATS_TEST_TMPDIR/state/quarantine/$JOB.0/packages"
    # The byte stands as U+EFFF, and the path is not UTF-8 either.
    [[ $(packages | jq -ac 'map([.package_name, .package_path]) | sort | .[1:]') == '[["bytes\uefff\"","/\uefe4"],["good","/x"]]' ]]
}

@test "PyPy is watched, too" {
    observe without "${TRACKED[@]}" PYTHONPATH="$LIB" pypy3 -c 'import json, alpha, beta, sys; print(sys.path, list(sys.modules)); import none'
    observe with "${TRACKED[@]}" PYTHONPATH="$HOOKS/python:$LIB" pypy3 -c 'import json, alpha, beta, sys; print(sys.path, list(sys.modules)); import none'
    diff -r "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    with_lib pypy3 -c 'import os, beta; os.kill(os.getpid(), 9)' || [[ $? == 137 ]]
    flush
    [[ $(package_names) == "alpha beta beta gamma gamma" ]]
    [[ $(package alpha package_version) == 1.5 ]]
    [[ $(package alpha program) == python ]]
}

@test "the hook is in the language of Python 3.6, and other Pythons of the site can read it" {
    "$PYTHON" -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="ascii").read(), feature_version=(3, 6))' \
        "$HOOKS/python/sitecustomize.py"
}

@test "a run that was sampled out has no packages, however it ended" {
    printf '[sampling]\nenabled = yes\nscalar = 0 0.0000001\n' >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    with_lib XALT_SAMPLING=yes "$PYTHON" -c 'import alpha'
    with_lib XALT_SAMPLING=yes "$PYTHON" -c 'import os, alpha; os.kill(os.getpid(), 9)' || [[ $? == 137 ]]
    [[ $(grep -c alpha "$SPOOL/$JOB.0/user/packages") == 2 ]]
    with_lib XALT_SAMPLING=no "$PYTHON" -c 'import beta'
    flush
    [[ $(package_names) == "beta gamma" ]]
    [[ $(package beta xalt_run_uuid) == "$(one .userT.run_uuid)" ]]
}

@test "a flush that is repeated gives the same names" {
    with_lib "$PYTHON" -c 'import alpha, beta'
    cp -a "$SPOOL/$JOB.0" "$BATS_TEST_TMPDIR/copy"
    flush
    first=$(cd "$RECORDS" && ls)
    cp -a "$BATS_TEST_TMPDIR/copy" "$SPOOL/$JOB.0"
    flush
    [[ $(cd "$RECORDS" && ls) == "$first" ]]
}

@test "a package's path is without secrets" {
    LIB="$BATS_TEST_TMPDIR/a token=hunter2"
    make_module "$LIB" mine
    with_lib "$PYTHON" -c 'import mine'
    flush
    [[ $(package mine package_path) == "$BATS_TEST_TMPDIR/a token=[redacted]" ]]
    ! grep -rqa hunter2 "$RECORDS" || false
}
