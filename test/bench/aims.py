# SPDX-License-Identifier: LGPL-2.1-or-later
"""Limits that the benches of profiles compare what they find with. They are of the machine that docs/sizing.md names."""

import sys


def add_option(parser):
    parser.add_argument("--aims", action="store_true", help="end with 1 where an aim is not met")


def judge(aims, options):
    """Prints a line for each (name, limit, found), all in nanoseconds; beside JSON on stderr."""
    for name, limit, found in aims:
        verdict = "met" if found <= limit else f"not met by {found - limit:.1f}"
        print(f"{name}: {found:.1f} ns added, aim {limit}: {verdict}", file=sys.stderr if options.json else sys.stdout)
    if options.aims and any(found > limit for _, limit, found in aims):
        sys.exit(1)
