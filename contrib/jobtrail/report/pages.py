# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report by name. Each is made of (model, options)."""

from .. import extensions
from .allocation_pages import allocation_page, coverage_page
from .calendar_pages import calendar_page, months, trends_page, weekdays
from .ending_pages import endings_page, failures_page
from .link_page import links_page
from .model import KINDS
from .package_pages import packages_page, together_page
from .programs_pages import last_page, others_page
from .usage import usage_page

# Those of extensions have their place here.
PAGES = {kind: usage_page(kind) for kind in KINDS}
PAGES.update(
    weekdays=calendar_page("weekdays", "weekday", weekdays),
    months=calendar_page("months", "month", months),
    trends=trends_page,
    last=last_page,
    others=others_page,
    endings=endings_page,
    failures=failures_page,
    efficiency=None,
    mpi=None,
    packages=packages_page,
    together=together_page,
    allocation=allocation_page,
    coverage=coverage_page,
    links=links_page,
    changes=None,
    unused=None,
    removal=None,
    routines=None,
    uncalled=None,
)
# What extensions add, by modules report_door: PAGES as here, what fitting.py has of each page, and NAMES in a browser.
DOORS = list(extensions.doors("report_door"))
for _door in DOORS:
    PAGES.update(_door.PAGES)
PAGES = {name: page for name, page in PAGES.items() if page is not None}
# of which extension they are
OF_EXTENSION = {"mpi": "profile", "efficiency": "witness", "changes": "libraries", "unused": "libraries", "removal": "libraries",
                "routines": "routines", "uncalled": "routines"}  # fmt: skip
