# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports the packages that a Python run imports, as it imports them.

Python finds this file as its sitecustomize: by PYTHONPATH, which the SPANK plugin sets. It leaves
no trace in sys.path and sys.modules, and goes on with the site's own sitecustomize.

A module file is executed by exec_module() of one of three classes, whoever found it; these methods
are what we stand in front of. So a package is told once it has been imported, not when somebody
looked for it, with what it says of its version.

Nothing is imported here that Python has not imported before us, no descriptor is kept, and what
goes wrong is counted and swallowed. Any Python since 2.7 may come here: it watches from 3.6 on.
See ../packages.h for what is written, ../../preload/ledger.h for what is read.
"""
import sys


def watch():
    import _frozen_importlib_external as external
    import posix

    SLOT_MAGIC = 0x32544C53544A0A7F
    HEADER_MAGIC = 0x3352474C544A0A7F
    OPEN, PKGS, PAGE = 1, 2, 4096
    LINE_MAX, FILE_MAX, NAMES_MAX = 4096, 16 << 20, 4096

    def read(path, size, offset):
        fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            return posix.pread(fd, size, offset)
        finally:
            posix.close(fd)

    def read_proc(path):
        parts = []
        fd = posix.open(path, posix.O_RDONLY | posix.O_CLOEXEC)
        try:
            while not parts or parts[-1]:
                parts.append(posix.read(fd, 65536))
        finally:
            posix.close(fd)
        return b"".join(parts)

    def number(head, start, end):
        return int.from_bytes(head[start:end], sys.byteorder)

    def find_run(ledger):
        """The uuid of the run that this process, or its parent before a fork, has a slot of."""
        for line in read_proc(b"/proc/self/maps").split(b"\n"):
            if not line.endswith(b"/ledger"):
                continue
            offset = int(line.split(None, 3)[2], 16)
            head = read(ledger, 120, offset)
            if number(head, 0, 8) == HEADER_MAGIC:  # and the slot behind it, in one mapping
                head = read(ledger, 120, offset + PAGE)
            if number(head, 0, 8) != SLOT_MAGIC or number(head, 20, 24) != OPEN:
                continue
            if number(head, 32, 36) in (posix.getpid(), posix.getppid()):
                return head[64:80].hex() if number(head, 28, 32) & PKGS else None
        return None

    spool = posix.environ[b"JOBTRAIL_SPOOL"]
    run = find_run(spool + b"/ledger")
    if run is None:
        return
    packages = spool + b"/packages"
    everything = posix.environ.get(b"JOBTRAIL_STANDARD_LIBRARY") == b"yes"
    library = [sys.modules["os"].__file__.rpartition("/")[0] + "/"]
    library += [entry + "/" for entry in sys.path if entry.endswith("/lib-dynload")]
    library = tuple(library)
    if hasattr(external.SourceFileLoader.exec_module, "jobtrail"):
        return  # by way of jobtrail.pth, too
    watched = (external.SourceFileLoader, external.SourcelessFileLoader,
               external.ExtensionFileLoader)
    known = set(sys.modules)
    told = {"sitecustomize", "usercustomize"}
    lost = [0]

    def may_write():
        """Python ignores SIGXFSZ; a program that embeds it may not."""
        signal = sys.modules.get("_signal")
        return signal and signal.getsignal(signal.SIGXFSZ) == signal.SIG_IGN or \
            b"Max file size             unlimited" in read_proc(b"/proc/self/limits")

    def write(*fields):
        line = "\t".join(fields).encode("utf-8", "surrogateescape") + b"\n"
        if len(line) > LINE_MAX or min(line[:-1].replace(b"\t", b" ")) < 32 \
                or line.count(b"\t") != len(fields) - 1 or not may_write():
            lost[0] += 1
            return
        fd = posix.open(packages, posix.O_WRONLY | posix.O_APPEND | posix.O_CLOEXEC)
        try:
            if posix.fstat(fd).st_size >= FILE_MAX or posix.write(fd, line) != len(line):
                lost[0] += 1
        finally:
            posix.close(fd)

    def tell(name, path, module):
        if name in told or len(told) > NAMES_MAX:
            return
        told.add(name)
        if not everything and path.startswith(library) and "-packages/" not in path:
            return
        if path and not path.startswith("/"):
            path = posix.getcwd() + "/" + path
        version = object.__getattribute__(module, "__dict__").get("__version__")
        write("pkg", run, "python", str(lost[0]), name,
              str.__getitem__(version, slice(128)) if isinstance(version, str) else "", path)

    def try_tell(name, path, module):
        try:
            tell(name, path, module)
        except Exception as error:
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            if trace.tb_frame.f_globals is not globals():
                raise  # not ours: a signal's handler raised it
            lost[0] += 1

    def hidden(function, like):
        """The function as one of importlib's own: import leaves those out of tracebacks."""
        code, name = function.__code__, "<frozen importlib._bootstrap_external>"
        if hasattr(code, "replace"):
            function.__code__ = code.replace(co_filename=name)
        else:  # before 3.8
            function.__code__ = type(code)(
                code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize,
                code.co_flags, code.co_code, code.co_consts, code.co_names, code.co_varnames, name,
                code.co_name, code.co_firstlineno, code.co_lnotab, code.co_freevars,
                code.co_cellvars)
        for key in ("__module__", "__qualname__", "__doc__"):
            setattr(function, key, getattr(like, key))
        return function

    def watch_class(loader):
        original = loader.exec_module

        def exec_module(self, module):
            name = self.name
            known.add(name)
            original(self, module)
            # A part of a package that was told goes without saying; one of a namespace does not.
            if name.rpartition(".")[0] not in known:
                try_tell(name, self.path, module)

        loader.exec_module = hidden(exec_module, original)
        exec_module.jobtrail = True

    def watch_built_ins(loader):
        original = loader.exec_module

        def exec_module(module):
            original(module)
            try_tell(module.__name__, "", module)

        loader.exec_module = staticmethod(hidden(exec_module, original))

    write("hook", run, "python", "%d.%d.%d" % sys.version_info[:3])
    for loader in watched:
        watch_class(loader)
    if everything:
        watch_built_ins(sys.modules["_frozen_importlib"].BuiltinImporter)
    for name, module in list(sys.modules.items()):
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        if "." not in name and name != "__main__" and (everything or isinstance(loader, watched)):
            try_tell(name, getattr(module, "__file__", None) or "", module)


def leave():
    here = __file__.rpartition("/")[0]
    sys.path.remove(here)
    sys.path_importer_cache.pop(here, None)
    del sys.modules["sitecustomize"]


try:
    if sys.version_info >= (3, 6):
        watch()
except Exception:
    pass
try:
    leave()
except Exception:
    pass
else:
    import sitecustomize  # the site's own; what it raises is for site.py
