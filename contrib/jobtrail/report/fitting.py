# SPDX-License-Identifier: LGPL-2.1-or-later
"""The pages of the report, and which options fit them. An option that nothing would come of is an error."""

from ..hints import hint
from ..program import Failure
from ..text import escape
from . import chosen, link_page
from .allocation_pages import ALLOCATED_BY
from .calendar_pages import CALENDARS
from .model import KINDS
from .pages import PAGES

# Pages of an allocation as a whole, and what they cannot be of: the time that no program had is no program's.
OF_ALLOCATION = ("allocation", "coverage")
FORMS = {
    "by": "--by",
    "of": "--of",
    "top": "--top",
    "raw": "--raw",
    "full_paths": "--full-paths",
    "families": "--families",
}
BY = KINDS + ("packages", "others")
OTHERS_BY = ("hours", "runs")
# of which the rows are what --of says
OF = {page: KINDS for page in CALENDARS}
OF.update(allocation=ALLOCATED_BY, links=link_page.LINKED_BY)
WITHOUT_RAW = OF_ALLOCATION + ("links",)
WITHOUT_TOP = ("endings",)
NAMES_EXECUTABLES = ("executables", "failures")
UPDATED = ("starttime", "endtime", "page", "form", "output", "by", "of", "top", "raw", "full_paths", "families")
OPTIONS = {"exec": "--exec", "lib": "--lib", "module": "--module", "pkg": "--pkg", "account": "--account",
           "partition": "--partition", "node": "--node"}  # fmt: skip


def of_what(page, options):
    """What its rows are."""
    return options.of or ("executables" if page == "trends" else None)


def takes(page, name, options):
    """Whether the option of this name does something for the page, as it is given."""
    value = getattr(options, name)
    if name == "by":
        return page in BY and (page != "others" or value in OTHERS_BY)
    if name == "of":
        return value in OF.get(page, ())
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
    if page == "links":
        return next((OPTIONS[name] for name in link_page.UNFIT if getattr(options, name)), None)
    return None


def made(options):
    """The names of the pages that are made where none is asked for."""
    return [page for page in PAGES if unfit(page, options) is None]


def check(options):
    """Failure where options do not fit together, as they are given."""
    for page in options.page:
        if page not in PAGES:
            text = "there is no page %s%s" % (escape(page), hint(page, PAGES) or "; there are " + ", ".join(PAGES))
            raise Failure(text)
    if options.update:
        check_update(options)
    for page in options.page:
        option = unfit(page, options)
        if option and page == "links":
            raise Failure("%s does not choose links: their records do not have it" % option)
        if option:
            raise Failure("%s does not go with the page %s: time that no program had is of no program" % (option, page))
    for page in options.page if options.of else ():
        if options.of not in OF.get(page, (options.of,)):
            raise Failure("there is no page %s of %s; there is --of %s" % (page, options.of, ", ".join(OF[page])))
    for name, option in FORMS.items():
        if getattr(options, name) in (None, False):
            continue
        fits = [page for page in options.page or PAGES if takes(page, name, options)]
        if not fits:
            raise Failure(no_fit(name, option, options))


def no_fit(name, option, options):
    value = " " + getattr(options, name) if name in ("by", "of") else ""
    others = [page for page in PAGES if takes(page, name, options)]
    text = "%s%s does nothing for %s" % (option, value, " and ".join(options.page))
    return text + ("; it does for " + ", ".join(others) if others else "")


def check_update(options):
    names = UPDATED + chosen.PEOPLE + chosen.SOFTWARE + ("node",)
    if any(getattr(options, name) not in (None, False, []) for name in names):
        raise Failure(
            "--update makes no report, and goes with --store and --summary alone: call jobtrail-report once more for that"
        )
