# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of calls of routines, in a report: see pages.py and fitting.py."""

from . import calls, routines_page, uncalled_page

PAGES = {"routines": routines_page.routines_page, "uncalled": uncalled_page.uncalled_page}
NAMES = {"routines": "Routines called", "uncalled": "Routines not called"}
OF = {"routines": routines_page.ROUTINES_OF}
ORDERS_OF = {"routines": tuple(routines_page.ORDERS)}
UNFIT = {"routines": calls.UNFIT, "uncalled": uncalled_page.UNFIT}
WHY_UNFIT = {"routines": "a call is of no package", "uncalled": "it lists what is not called"}
WHY_NOT = {"uncalled": lambda model: None if model.store.is_all else uncalled_page.NOT_ALL}
WITHOUT_RAW = ("routines", "uncalled")
NAMES_EXECUTABLES = ()
