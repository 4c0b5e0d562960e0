# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a page is made of: who asks, the period and the filters in its address, the store, and the sums of the report."""


from ... import extensions
from ...hints import hint
from ...pattern import Pattern
from ...report import days
from ...report import main as report
from ...report.families import Families
from ...report.model import Model
from ...report.summary import Summary
from ...slurm import Accounting
from ...text import escape
from . import tables
from .request import Refused, as_asked

NUMBER = Pattern(r"[0-9]{1,6}\Z")
# What every page takes. `table`: of a page with several, the one that is shown whole.
PERIOD = ("from", "to")
PLACE = ("user", "account", "cluster", "partition", "node", "exec", "lib", "module", "pkg")
VIEW = ("find", "sort", "page", "rows", "table")

FIRST_DAY = days.of_text("2002-01-01")  # before which there was no Slurm
DAYS_AHEAD = 366  # that a clock may be wrong, or a period reach into the future


def bound_period(options):
    """To where there can be runs: the months and days of centuries would take a page all of its time."""
    options.last_day = max(min(options.last_day, days.of_time(options.now) + DAYS_AHEAD), FIRST_DAY)
    options.first_day = min(max(options.first_day, FIRST_DAY), options.last_day)


def both(one, other):
    """Of two functions that choose programs for a Model, or None, the one that chooses what both do."""
    if one is None or other is None:
        return one or other

    def choose(model, options):
        (some, has_left_out), (others, have_left_out) = one(model, options), other(model, options)
        return some & others, has_left_out and have_left_out

    return choose


class Context:
    """`asker`: see the parameter `own` of acct.main() and report.main(), and its `rights`. `page`: request.Page.
    `more`: names of the page's own parameters."""

    def __init__(self, asker, page, now, more=()):
        self.asker, self.page, self.now = asker, page, now
        self.values = page.values
        self.check_names(PERIOD + PLACE + VIEW + tuple(more))
        self.scopes = asker.scopes()
        self.found_store = self.found_model = self.found_zone = None
        # one, since it asks Slurm no more after a failure
        self.accounting = Accounting([], False, self.scopes) if self.scopes else None

    def check_names(self, names):
        for name in self.values:
            if name not in names:
                raise Refused(400, "There is no parameter %s here%s" % (escape(name), hint(name, names) or "."))

    def get(self, name):
        return self.values.get(name, "")

    def check_choice(self, name, choices, of=None):
        """`of`: {a choice: the extension that has it}."""
        value = self.get(name)
        if value and value not in choices:
            lacking = of and extensions.lacking(of.get(value))
            if lacking:
                raise Refused(400, "%s=%s cannot be answered: %s" % (name, value, lacking))
            raise Refused(400, "%s must be one of %s." % (name, ", ".join(choices)))

    def number(self, name, default, most):
        text = self.get(name)
        if not text:
            return default
        if not NUMBER.match(text) or not 1 <= int(text) <= most:
            raise Refused(400, "%s must be a number from 1 to %d." % (name, most))
        return int(text)

    def view(self):
        return tables.View(
            self.get("find"), self.get("sort"), self.number("page", 1, 999999), self.number("rows", tables.ROWS, tables.ROWS_MAX)
        )

    @property
    def whole(self):
        """Whether all rows are wanted."""
        return self.page.form != "html"

    @property
    def store(self):
        if self.found_store is None:
            self.found_store = self.asker.open()
            self.found_zone = days.use_zone_of(self.found_store)
        return self.found_store

    def options(self, programs=None):
        """Those of jobtrail-report. `programs`: which ones are chosen beside the filters of the address, as in Model."""
        arguments = ["--top=0"] + ["--%s=%s" % (name, self.get(name)) for name in PLACE if self.get(name)]
        arguments += ["--%stime=%s" % (option, self.get(name)) for name, option in zip(PERIOD, ("start", "end")) if self.get(name)]
        with as_asked():
            options = report.parser(self.asker).parse_args(arguments)
            report.check_options(options, self.asker)
            report.read_times(options, self.now)
            bound_period(options)
            for day in (options.first_day, options.last_day + 1):
                days.begin(day)  # raises ValueError
        options.programs = both(options.programs, programs)
        return options

    def model(self, programs=None, **changes):
        """The sums of the period. `changes`: of options."""
        store = self.store
        self.chosen_options = options = self.options(programs)
        for name, value in changes.items():
            setattr(options, name, value)
        summary = Summary(store, self.asker.address, self.asker.summary, False, self.asker.is_seen, options.node)
        families = Families(None)
        with as_asked():
            self.found_model = Model(store, summary, options, families, self.found_zone)
        return self.found_model
