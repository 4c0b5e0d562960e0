# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report, and which options fit them. An option without effect is an error."""

from ..hints import hint
from ..program import Failure
from ..text import escape
from . import chosen, link_page, use_parts
from .allocation_pages import ALLOCATED_BY
from .calendar_pages import CALENDARS
from .model import KINDS
from .pages import DOORS, OF_EXTENSION, PAGES

# Pages of an allocation as a whole, and what they cannot be of: the time that no program had is no program's.
OF_ALLOCATION = ("allocation", "coverage")
FORMS = {
    "by": "--by", "of": "--of", "use": "--use", "top": "--top", "raw": "--raw", "full_paths": "--full-paths",
    "families": "--families", "entries": "--entries",
}  # fmt: skip
BY = KINDS + ("packages", "others", "routines")
ORDERS_OF = {"others": ("hours", "runs")}
# of which the rows are what --of says
OF = {page: KINDS for page in CALENDARS}
OF.update(allocation=ALLOCATED_BY, links=link_page.LINKED_BY)
WITHOUT_RAW = OF_ALLOCATION + ("links",)
WITHOUT_TOP = ("endings",)
NAMES_EXECUTABLES = ("executables", "failures")
UPDATED = ("starttime", "endtime", "page", "form", "output", "by", "of", "use", "top", "raw", "full_paths", "families", "entries")
# what else pages cannot be of
OF_LIBRARIES = ("changes", "unused", "removal", "routines", "uncalled")
WHY_UNFIT = dict.fromkeys(OF_ALLOCATION, "idle and unseen time belong to no program")
UNFIT = {"links": link_page.UNFIT}
# why a page cannot be made, whatever is asked for: a function of the model with a sentence, or None
WHY_NOT = {}
for _door in DOORS:
    OF.update(_door.OF)
    UNFIT.update(_door.UNFIT)
    WHY_UNFIT.update(_door.WHY_UNFIT)
    WITHOUT_RAW += _door.WITHOUT_RAW
    NAMES_EXECUTABLES += _door.NAMES_EXECUTABLES
    ORDERS_OF.update(getattr(_door, "ORDERS_OF", {}))
    WHY_NOT.update(getattr(_door, "WHY_NOT", {}))
BY_USE = ("weekdays", "months")
OPTIONS = {"user": "--user", "cluster": "--cluster", "exec": "--exec", "lib": "--lib", "module": "--module", "pkg": "--pkg", "account": "--account",
           "partition": "--partition", "node": "--node"}  # fmt: skip


def of_choices(page, options):
    """What --of can be for the page."""
    return use_parts.OF_USE.get(options.use if page in BY_USE else None, OF.get(page, ()))


def of_what(page, options):
    """What its rows are."""
    return options.of or ("executables" if page == "trends" else None)


def takes(page, name, options):
    """Whether the option of this name does something for the page, as it is given."""
    value = getattr(options, name)
    if name == "by":
        return page in BY and value in ORDERS_OF.get(page, (value,))
    if name == "of":
        return value in of_choices(page, options)
    if name == "use":
        return page in BY_USE
    if name == "entries":
        return page == "uncalled"
    if name == "raw":
        return page not in WITHOUT_RAW
    if name == "top":
        return page not in WITHOUT_TOP and not (page == "allocation" and options.of == "days")
    if name == "full_paths":
        return page in NAMES_EXECUTABLES or page in OF and of_what(page, options) == "executables"
    return page == "families" or page in CALENDARS and options.of == "families"


def unfit(page, options):
    """The option that chooses what the page cannot be of; None: there is none."""
    if page in OF_ALLOCATION:
        return next((OPTIONS[name] for name in chosen.asked_software(options)), None)
    without = use_parts.UNFIT.get(options.use, ()) if page in BY_USE else UNFIT.get(page, ())
    return next((OPTIONS[name] for name in without if getattr(options, name)), None)


def why_unfit(page, options):
    """Why the page cannot be of what the options choose; None: it can."""
    option = unfit(page, options)
    if option is None:
        return None
    if page in WHY_UNFIT:
        return "%s does not go with the page %s: %s" % (option, page, WHY_UNFIT[page])
    things = "links" if page == "links" else use_parts.WORDS[options.use]
    return "%s does not choose %s: their records do not have it" % (option, things)


def made(model, options):
    """The names of the pages that are made where none is asked for."""
    fitting = [page for page in PAGES if unfit(page, options) is None and page != "removal"]
    return [page for page in fitting if page not in WHY_NOT or WHY_NOT[page](model) is None]


def check(options):
    """Failure where options do not fit together, as they are given."""
    for page in options.page:
        if page not in PAGES:
            more = hint(page, PAGES, of=OF_EXTENSION) or "; there are " + ", ".join(PAGES)
            raise Failure("there is no page " + escape(page) + more)
    if options.update:
        check_update(options)
    for page in options.page:
        why = why_unfit(page, options)
        if why:
            raise Failure(why)
    for page in options.page if options.of else ():
        if page in OF and options.of not in of_choices(page, options):
            raise Failure("there is no page %s of %s; there is --of %s" % (page, options.of, ", ".join(of_choices(page, options))))
    for name, option in FORMS.items():
        if getattr(options, name) in (None, False):
            continue
        fits = [page for page in options.page or PAGES if takes(page, name, options)]
        if not fits:
            raise Failure(no_fit(name, option, options))


def no_fit(name, option, options):
    value = " " + getattr(options, name) if name in ("by", "of", "use") else ""
    others = [page for page in PAGES if takes(page, name, options)]
    text = "%s%s has no effect on %s" % (option, value, " and ".join(options.page))
    return text + ("; it has on " + ", ".join(others) if others else "")


def check_update(options):
    names = UPDATED + chosen.PEOPLE + chosen.SOFTWARE + ("node",)
    if any(getattr(options, name) not in (None, False, []) for name in names):
        raise Failure(
            "--update makes no report, and goes only with --store, --summary and --routine-logs: call jobtrail-report again for one"
        )
