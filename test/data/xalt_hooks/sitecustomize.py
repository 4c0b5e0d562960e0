# SPDX-License-Identifier: LGPL-2.1-or-later
"""Stands in for the hook for Python that sites have of XALT 3.2.4 (py_src/xalt_sitecustomize.py).

It calls xalt_record_pkg for each module that is looked for, with the arguments, by the shell and under the
conditions of that one. It has no filter.
"""
import os
import subprocess
import sys


class Finder:
    busy = False

    def __init__(self, uuid, version):
        self.command = "XALT_EXECUTABLE_TRACKING=no %s -u %s program python xalt_run_uuid %s package_version %s" % (
            os.path.join(os.environ["XALT_DIR"], "libexec/xalt_record_pkg"), uuid, uuid, version)

    def find_spec(self, name, path, target=None):
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(name, path, target)
            if spec:
                if not self.busy:
                    self.busy = True
                    os.environ["LD_PRELOAD"] = ""
                    subprocess.call("%s package_name %s package_path %s" % (self.command, name, spec.origin or "'<unknown>'"), shell=True)
                    self.busy = False
                return spec
        return None


if os.environ.get("XALT_RUN_UUID") and os.environ.get("XALT_DIR"):
    sys.meta_path.insert(0, Finder(os.environ["XALT_RUN_UUID"], "%d.%d.%d" % sys.version_info[:3]))
