# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report by name, and how they are grouped. Each is made of (model, options)."""

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
# What extensions add, by modules report_door: PAGES and NAMES as here, and what fitting.py has of each page.
DOORS = list(extensions.doors("report_door"))
for _door in DOORS:
    PAGES.update(_door.PAGES)
PAGES = {name: page for name, page in PAGES.items() if page is not None}
# of which extension they are
OF_EXTENSION = {"mpi": "profile", "efficiency": "witness", "changes": "libraries", "unused": "libraries", "removal": "libraries",
                "routines": "routines", "uncalled": "routines"}  # fmt: skip
# The navigation of HTML pages, and what the pages are called there.
GROUPS = [
    ("What", ["executables", "families", "libraries", "system", "modules", "packages", "together", "compilers", "links"]),
    ("Who", ["users", "accounts", "fields", "others"]),
    ("When", ["trends", "months", "weekdays", "last"]),
    ("The site's libraries", ["changes", "unused", "removal", "routines", "uncalled"]),
    ("How it ended", ["endings", "failures"]),
    ("How well", ["efficiency", "mpi"]),
    ("How much we see", ["allocation", "coverage"]),
]
GROUPS = [(title, [name for name in names if name in PAGES]) for title, names in GROUPS]
NAMES = {name: name.capitalize() for name in PAGES}
NAMES.update(
    system="System libraries", together="In the same run", fields="Fields of science", others="Built by others",
    last="Last run", endings="How runs ended", failures="What failed", coverage="Coverage by outcome",
)  # fmt: skip
for _door in DOORS:
    NAMES.update(_door.NAMES)
