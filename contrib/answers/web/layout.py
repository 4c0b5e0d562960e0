# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Sheet as a page for a browser, in the frame of the report's page.

All text of the store is escaped twice, as there: as for a terminal, and for HTML.
"""

import functools
import html

from ... import site_libraries
from ...report import fitting
from ...report.columns import Page
from ...report.text_output import filters_line, not_told_lines, weight_line
from ...text import cell, escape
from ..page import charts, frame, html_output
from ..page.html_output import GROUPS, NAMES
from ..page.html_table import linked, table
from . import site, things
from .data import PERIOD, PLACE
from .request import url
from .tables import first_order

# columns that name a thing, and its page
THING_OF = {
    "executable": "executable", "library": "library", "module": "module", "package": "package", "with": "package",
    "user": "user", "built_by": "user", "account": "account", "job": "job", "job_b": "job", "run": "run",
}  # fmt: skip
# the same in one table alone
THING_IN = {("coverage", "program"): "executable"}
LANGUAGE = {"package": "program", "with": "with_program"}  # the column beside
DOCUMENTATION = (("words", "Words"), ("routine", "Routine"), ("library", "Library"), ("version", "Version"), ("kind", "Kind"))
STORED = [("jobs", "Jobs"), ("runs", "Runs")]
FORM = (("from", "From"), ("to", "To"), ("user", "Users"), ("account", "Accounts"), ("cluster", "Clusters"),
        ("partition", "Partitions"), ("exec", "Executables"), ("module", "Modules"))  # fmt: skip


def attribute(text):
    """The text for the value of an attribute: what is not seen, or turns text round, is a number in the page."""
    return "".join(c if c.isprintable() else "&#%d;" % ord(c) for c in html.escape(text))


class Writer:
    def __init__(self, sheet):
        self.sheet, self.context = sheet, sheet.context

    def kept(self, *names):
        """The parameters of these names, as they were asked for."""
        return [(name, self.context.get(name)) for name in names]

    def here(self, form="html", **changes):
        """The address of this page with other parameters."""
        values = dict(self.sheet.subject + self.kept(*PERIOD, *PLACE, "table", "find", "sort", "rows"), **changes)
        return url(self.context.page.route, values.items(), form)

    # ---- Frame

    def page(self):
        sheet = self.sheet
        top = "".join(map(frame.note, self.lines())) + self.period()
        main = [self.question(), self.facts(), self.text()]
        if sheet.head is not None:
            top += html_output.cards(sheet.head)
            if sheet.has_overview:
                main.append(html_output.overview(sheet.head, sheet.model))
        main += map(self.section, sheet.tables)
        if self.context.page.route in ("job", "run"):
            main.append(self.comparison())
        return frame.document(sheet.title, top, self.navigation(), "\n".join(main), "jobtrail, " + html.escape(cell(self.context.asker.user)))

    def lines(self):
        """Whose runs all of this is about, and how they were counted."""
        head = self.sheet.head
        yield self.seen()
        yield from self.sheet.said
        if head is not None:
            yield filters_line(head)
            yield weight_line(head)
            yield from not_told_lines(head)

    def seen(self):
        rights = self.context.asker.rights
        if rights.all:
            return "Of all users."
        text = "Only runs that you may see: of %s" % ", ".join(sorted(map(escape, rights.users)))
        if rights.accounts:
            text += ", and in %s" % ", ".join(sorted(map(escape, rights.accounts)))
        text += ". Other runs are in no row and no sum."
        if rights.lacking is not None:
            text += " You may be allowed to see more: Slurm's accounting does not answer (%s)." % escape(rights.lacking)
        return text

    def form(self, values, fields, button, more=""):
        hidden = "".join(
            '<input type="hidden" name="%s" value="%s">' % (name, attribute(text)) for name, text in values if text
        )
        inputs = "".join(
            '<label>%s<input name="%s" value="%s" size="11"></label>' % (label, name, attribute(self.context.get(name)))
            for name, label in fields
        )
        action = html.escape(url(self.context.page.route))
        return '<form class="asked" action="%s"%s>%s%s<button>%s</button></form>' % (action, more, hidden, inputs, button)

    def period(self):
        others = [name for name in PLACE if name not in dict(FORM)]
        return self.form(self.sheet.subject + self.kept("table", *others), FORM, "Show")

    def question(self):
        if not self.sheet.is_asked:
            return ""
        form = self.form(self.kept(*PERIOD, *PLACE), DOCUMENTATION, "Search", ' role="search"')
        note = (
            "Searches man pages, share/doc, modules, pkg-config, headers and commands on the host that answers. A hit has all"
            " the words; name* finds words that begin so."
        )
        return frame.section("question", "Search", form, frame.note(note))

    def text(self):
        if self.sheet.text is None:
            return ""
        return frame.section("text", "Text", '<pre class="scroll" tabindex="0" role="region" aria-label="Text">%s</pre>' % html.escape(self.sheet.text))

    def comparison(self):
        form = (
            '<form class="asked" action="diff"><input type="hidden" name="a" value="%s">'
            '<label>Another job, step or run<input name="b" required></label><button>Compare</button></form>'
        )
        return frame.section("compare", "Compare with", form % html.escape(self.context.get("id")))

    def navigation(self):
        kept = self.kept(*PERIOD, *PLACE)
        groups = [("Overview", [(url("", kept), "Overview")])]
        for title, names in GROUPS:
            groups.append((title, [(url(name, self.fitting(name)), NAMES[name]) for name in names if self.is_there(name)]))
        groups.append(("Lists", [(url(name, kept), text) for name, text in STORED]))
        if site.has_documentation():
            groups.append(("Help", [(url("documentation", kept), "Documentation")]))
        return frame.navigation(groups, url(self.context.page.route, self.fitting(self.context.page.route)))

    def fitting(self, page):
        """The parameters that are kept of which a page of libraries can be; all of them for others."""
        without = fitting.UNFIT[page] if page in fitting.OF_LIBRARIES else ()
        return self.kept(*(name for name in PERIOD + PLACE if name not in without))

    def is_there(self, name):
        """Whether there is such a page of the report for who asks, with this address."""
        if name == "unused":
            return self.context.asker.rights.all and site_libraries.default() is not None
        if name == "uncalled":
            return self.context.asker.rights.all
        return name != "removal" or bool(self.context.get("lib") or self.context.get("module"))

    def facts(self):
        if not self.sheet.facts:
            return ""
        listed = "".join("<dt>%s</dt><dd>%s</dd>" % tuple(map(html.escape, fact)) for fact in self.sheet.facts)
        title = {"diff": "The two sides", "document": "Document"}.get(self.context.page.route, "In Slurm")
        return frame.section("facts", title, '<dl class="facts">%s</dl>' % listed)

    # ---- Tables

    def section(self, shown):
        whole, is_one = shown.table, self.sheet.is_one
        some = Page(whole.name, whole.title, whole.columns, shown.rows, whole.chart, total=shown.total, order=whole.order)
        if self.sheet.head is not None:
            some = some.for_people(self.sheet.head["numbers"])
        parts = []
        if is_one:
            values = self.sheet.subject + self.kept(*PERIOD, *PLACE, "table", "sort", "rows")
            parts.append(self.form(values, [("find", "In all rows")], "Find", ' role="search"'))
        link = functools.partial(self.link, whole.name)
        parts.append(self.chart(shown, link))
        parts.append(table(some, link, self.order(shown), lambda key: self.order_href(shown, key)) if shown.rows else frame.note("Nothing."))
        parts.append('<p class="soft">%s</p>' % self.below(shown))
        parts.append(frame.note(whole.note))
        return frame.section(whole.name, whole.title, *parts)

    @staticmethod
    def chart(shown, link):
        if shown.view.page > 1 or shown.view.find:
            return ""
        return shown.table.drawn(charts, link) if shown.table.drawn else charts.bars(shown.table, link)

    @staticmethod
    def order(shown):
        sort = shown.view.sort
        return (sort.lstrip("-"), "descending" if sort.startswith("-") else "ascending") if sort else shown.table.order

    def order_href(self, shown, key):
        """Where a column's head leads to; None: the rows have no such order."""
        kind = next(kind for name, _, kind in shown.table.columns if name == key)
        if not shown.can_sort(key):
            return None
        first = first_order(key, kind)
        other = key if first.startswith("-") else "-" + key
        changes = {"sort": other if shown.view.sort == first else first}
        if not self.sheet.is_one:
            changes["table"] = shown.table.name
        return self.here(**changes)

    def link(self, table_name, key, value, row):
        """The page of what is named; None: there is none."""
        if key == "document":
            return None if row["kind"] == "command" else url("document", [("path", row["place"]), ("name", value), *self.kept(*PERIOD, *PLACE)])
        if table_name == "documentation" and not self.is_used(value):
            return None
        if (table_name, key) == ("removal", "program"):
            key = "executable" if row["runs"] is not None or row["links"] is not None else key
        thing = THING_OF.get(key) or THING_IN.get((table_name, key))
        if thing is None or value in things.NO_THING:
            return None
        # not each of them has run something
        if (key == "built_by" or key == "user" and table_name in ("changes", "removal")) and value not in things.users_of(self.sheet.model):
            return None
        if key == "library" and self.is_of_calls(table_name) and value not in things.libraries_of(self.sheet.model):
            return None
        if thing in ("job", "run"):
            # a number alone can be that of other users' jobs, of other clusters, and of other attempts
            names = (("cluster", "cluster"), ("owner", "user"), ("restart", "restart"))
            return url(thing, [("id", value)] + [(name, row.get(column)) for name, column in names])
        more = [("program", row.get(LANGUAGE[key]))] if thing == "package" else []
        return url(thing, [("name", value), *more, *self.kept(*PERIOD, *PLACE)])

    def is_of_calls(self, table_name):
        """Whether its libraries are those that are designated: an archive has no page."""
        return table_name in ("routines", "uncalled") or self.context.get("use") == "called"

    def is_used(self, name):
        """Whether the report has a library of this name."""
        model = self.sheet.model
        if model is None:
            return False
        names = model.once("library names", lambda: {have.partition(" ")[0] for have in things.libraries_of(model)})
        return name in names

    def below(self, shown):
        """How many rows there are, and the ways to the others."""
        words = [shown.counted()] if shown.counted() else []
        name = shown.table.name
        if not self.sheet.is_one:
            if shown.has_more:
                words.append(linked("all rows", self.here(table=name, sort="", find="")))
            words += [linked(form.upper(), self.here(form, table=name)) for form in ("csv", "json")]
            return " · ".join(words)
        if shown.view.page > 1:
            words.append(linked("page before", self.here(page=shown.view.page - 1)))
        if shown.has_more:
            words.append(linked("next page", self.here(page=shown.view.page + 1)))
        if self.context.get("table"):
            words.append(linked("all tables", self.here(table="", find="", sort="")))
        words += [linked(form.upper(), self.here(form)) for form in ("csv", "json")]
        return " · ".join(words)


def show(sheet):
    return Writer(sheet).page()


def show_message(status, text):
    """`text` is escaped as for a terminal."""
    navigation = frame.navigation([("Overview", [(".", "Overview")])])
    return frame.document(str(status), "", navigation, frame.section("message", "No page", frame.note(text)), "jobtrail")


def texts():
    """([styles], [scripts]) of each page, for its Content-Security-Policy."""
    return [frame.read("page.css")], [frame.read("page.js")]
