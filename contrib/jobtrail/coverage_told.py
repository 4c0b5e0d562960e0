# SPDX-License-Identifier: LGPL-2.1-or-later
"""What an extension adds to the coverage of jobs. It has a module coverage_door with
  read(store, condition, values)  over jobs on nodes that fit the condition about `run`; None: nothing
  lines(told)                     sentences about that"""

from . import extensions


def read(store, condition, values):
    return next((door.read(store, condition, values) for door in extensions.doors("coverage_door")), None)


def lines(told):
    return next((door.lines(told) for door in extensions.doors("coverage_door")), [])
