# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of a site's libraries in a report: see pages.py and fitting.py."""

from . import changes_page, removal_page, unused_page

PAGES = {"changes": changes_page.changes_page, "unused": unused_page.unused_page, "removal": removal_page.removal_page}
NAMES = {"changes": "Changes of libraries", "unused": "Unused libraries", "removal": "Who would be affected"}
OF = {}
UNFIT = {"changes": changes_page.UNFIT, "unused": unused_page.UNFIT, "removal": removal_page.UNFIT}
WHY_UNFIT = {"changes": "it is of libraries", "unused": "it lists what is not used", "removal": "links and opens do not have it"}
WHY_NOT = {"unused": unused_page.why_not}
WITHOUT_RAW = ("changes", "unused")
NAMES_EXECUTABLES = ("removal",)


def named(model):
    """[(library, path)] of all records of jobtrail-libmon(8)."""
    return model.store.lookup("SELECT DISTINCT library, path FROM library_event")
