# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports the packages that a Python run imports, while it imports them.

Python finds this file as its sitecustomize by PYTHONPATH, which the SPANK plugin sets. The file removes
itself from sys.path and sys.modules, and then imports the site's own sitecustomize.

All importers execute a module file by exec_module() of one of three classes. This file replaces these
methods. So a package is reported after it was imported, and with its __version__.

Nothing is imported here that Python has not imported before, and no descriptor is kept. Errors are
counted and ignored. Any Python since 2.7 may run this file; from 3.6 on it reports. See ../packages.h
for what is written, ../../preload/ledger.h for what is read.
"""
import sys


def watch():
    import _frozen_importlib_external as external
    import posix

    SLOT_MAGIC, PAGE, FIRST = 0x31544C53544A0A7F, 4096, 9 * 4096
    OPEN, PKGS = 1, 2
    LINE_MAX, FILE_MAX, NAMES_MAX = 4096, 16 << 20, 8192

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

    # The uuid of the run of this process, or of the process that has forked it. Where the kernel's pages
    # are larger, a mapping has other slots too: then it is the one that was claimed last.
    def find_run(ledger):
        maps = read_proc(b"/proc/self/maps")
        own, parent = posix.getpid(), posix.getppid()
        end, last, found = 0, (), None
        while True:
            end = maps.find(b"/ledger\n", end + 1)
            if end < 0:
                return found
            where, _, at, _ = maps[maps.rfind(b"\n", 0, end) + 1:end].split(None, 3)
            start, stop = (int(address, 16) for address in where.split(b"-"))
            at = int(at, 16)
            stop += at - start
            at = max(at, FIRST)
            while at < stop:
                head = read(ledger, 144, at)
                if number(head, 0, 8) != SLOT_MAGIC:
                    at += PAGE
                    continue
                at += max(number(head, 16, 20), PAGE)
                pid = number(head, 32, 36)
                if number(head, 20, 22) != OPEN or pid not in (own, parent):
                    continue
                claimed = (pid == own, number(head, 136, 144))
                if claimed > last:
                    last = claimed
                    found = head[64:80].hex() if number(head, 28, 32) & PKGS else None

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
        return  # it ran before, by jobtrail.pth
    watched = external.SourceFileLoader, external.SourcelessFileLoader, external.ExtensionFileLoader
    # Dictionaries, since the garbage collector does not track those of names alone, but tracks sets.
    known = dict.fromkeys(sys.modules)
    reported = dict.fromkeys(("sitecustomize", "usercustomize"))
    lost = [0]

    # Whether a write can end the process by SIGXFSZ: Python ignores it, an embedding program may not.
    def may_write():
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

    def report(name, path, module):
        if name in reported or len(reported) > NAMES_MAX:
            return
        reported[name] = None
        if not everything and (path.startswith(library) and "-packages/" not in path or is_of_site()):
            return
        if path and not path.startswith("/"):
            path = posix.getcwd() + "/" + path
        version = object.__getattribute__(module, "__dict__").get("__version__")
        write("pkg", run, "python", str(lost[0]), name,
              str.__getitem__(version, slice(128)) if isinstance(version, str) else "", path)

    def try_report(name, path, module):
        try:
            report(name, path, module)
        except Exception as error:
            trace = error.__traceback__
            while trace.tb_next is not None:
                trace = trace.tb_next
            if trace.tb_frame.f_globals is not globals():
                raise  # a signal's handler of the program has raised it
            lost[0] += 1

    # What .pth files and the site's own module bring, neither the program nor the user has imported.
    def is_of_site():
        frame = sys._getframe()
        while frame and frame.f_globals.get("__name__") != "site":
            frame = frame.f_back
        return frame and frame.f_code.co_name != "execusercustomize"

    # A part of a package; a part of a namespace package, which has no file, is a package itself.
    def is_part(name):
        parent = name.rpartition(".")[0]
        module = sys.modules.get(parent)
        return parent in known or isinstance(module, type(sys)) and \
            object.__getattribute__(module, "__dict__").get("__file__")

    # The same code with the name of importlib's file: import leaves such functions out of tracebacks.
    def hidden(code):
        name = "<frozen importlib._bootstrap_external>"
        if hasattr(code, "replace"):
            return code.replace(co_filename=name)
        return type(code)(  # before 3.8
            code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize,
            code.co_flags, code.co_code, code.co_consts, code.co_names, code.co_varnames, name,
            code.co_name, code.co_firstlineno, code.co_lnotab, code.co_freevars, code.co_cellvars)

    def dress(function, code, like):
        function.__code__ = code
        for key in ("__module__", "__qualname__", "__doc__"):
            setattr(function, key, getattr(like, key))
        return function

    def watch_class(loader, code):
        original = loader.exec_module

        def exec_module(self, module):
            name = self.name
            known[name] = None
            original(self, module)
            if not is_part(name):
                try_report(name, self.path, module)

        code = code or hidden(exec_module.__code__)  # made once for all classes, since it takes time
        loader.exec_module = dress(exec_module, code, original)
        exec_module.jobtrail = True
        return code

    def watch_built_ins(loader):
        original = loader.exec_module

        def exec_module(module):
            original(module)
            try_report(module.__name__, "", module)

        code = hidden(exec_module.__code__)
        loader.exec_module = staticmethod(dress(exec_module, code, original))

    write("hook", run, "python", "%d.%d.%d" % sys.version_info[:3])
    code = None
    for loader in watched:
        code = watch_class(loader, code)
    if everything:
        watch_built_ins(sys.modules["_frozen_importlib"].BuiltinImporter)
    for name in sorted(sys.modules) if everything else ():
        module = sys.modules[name]
        if "." not in name and name != "__main__" and isinstance(module, type(sys)):
            symbols = object.__getattribute__(module, "__dict__")
            try_report(name, symbols.get("__file__") or "", module)


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
    import sitecustomize  # the site's own; site.py handles its exceptions
