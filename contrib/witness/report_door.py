# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of what programs used, in a report: see pages.py and fitting.py."""

from . import efficiency_page

PAGES = {"efficiency": efficiency_page.efficiency_page}
NAMES = {"efficiency": "Used of given"}
OF = {}
UNFIT = {"efficiency": efficiency_page.UNFIT}
WHY_UNFIT = {"efficiency": "it is by program"}
WITHOUT_RAW = NAMES_EXECUTABLES = ("efficiency",)
