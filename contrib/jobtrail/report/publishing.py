# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a report that others may read leaves out, and which options go with that."""

from ..hints import hint
from ..program import Failure
from ..text import escape
from .allocation_pages import ALLOCATED_BY
from .calendar_pages import CALENDARS, rows_of
from .link_page import LINKED_BY
from .pages import OF_EXTENSION, PAGES

# pages that name what a page of the key's name is about
NAMED_IN = {
    "users": ("others", "changes", "removal"),
    "executables": ("families", "last", "others", "failures", "efficiency", "mpi", "removal"),
    "libraries": ("system", "changes", "unused", "removal", "routines", "uncalled"),
    "packages": ("together",),
}
PSEUDONYMS = (
    "Users, accounts, and programs and libraries outside of the system and of modules have pseudonyms; so has every name"
    " with a user's or an account's in it"
)
# options that stand at the head of the report
NAMES_OF = {"user": "--user", "account": "--account", "exec": "--exec"}


def check(options):
    """Failure where options do not fit together, as they are given."""
    for name in options.without:
        if name not in PAGES:
            more = hint(name, PAGES, of=OF_EXTENSION) or "; there are " + ", ".join(PAGES)
            raise Failure("there is no page %s to leave out%s" % (escape(name), more))
    for name in options.page:
        if is_left_out(name, options):
            raise Failure("the page %s is left out by --without" % name)
    if not options.pseudonyms:
        if options.pseudonym_key:
            raise Failure("--pseudonym-key goes with --pseudonyms")
        return
    if options.full_paths:
        raise Failure("--full-paths does not go with --pseudonyms: paths name users")
    for name, option in NAMES_OF.items():
        if getattr(options, name):
            raise Failure("%s does not go with --pseudonyms: the report would show that name" % option)


def is_left_out(page, options):
    """Whether --without leaves out the page: itself, or as it names what is left out."""
    without = options.without
    if page in without or any(page in NAMED_IN.get(name, ()) for name in without):
        return True
    if page in CALENDARS:
        kind = rows_of(page, options)
        return kind in without or kind in ("system", "routines") and "libraries" in without
    if page == "allocation":
        return options.of in ALLOCATED_BY and options.of in without
    if page == "routines":
        return options.of == "users" and "users" in without
    return page == "links" and (options.of if options.of in LINKED_BY else "compilers") in without


def without_line(options):
    """None: nothing is left out."""
    names = [name for name in PAGES if is_left_out(name, options)]
    return "Left out: " + ", ".join(names) if names else None
