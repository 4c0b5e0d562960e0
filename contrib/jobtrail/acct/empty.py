# SPDX-License-Identifier: LGPL-2.1-or-later
"""Messages where nothing was found: which users and times were asked for, and which names the store does not have."""

from ..hints import hint, tell
from ..hostlist import expand, split
from ..text import escape
from ..times import format_time
from .select import user_name, window

# options with names, as written, in `options`, and as the store has them
NAMES = (
    ("-A", "account", "account"),
    ("-M", "cluster", "cluster"),
    ("-N", "node", "node"),
    ("-r", "partition", "coalesce(job_part.partition, job_part.queue)"),
)
ALL_OF_THEM = {"cluster": "all"}
# what is said in other words, and what does not choose runs
SAID = {"jobs", "user", "allusers", "starttime", "endtime"}
# what libraries have gone through, of all users
OF_LIBRARIES = ("changes", "events")


def tell_users(store, options):
    """Of those that no run in the store is of: -u takes each name."""
    for user in map(user_name, split(options.user or "")):
        if not store.lookup("SELECT 1 FROM job_part WHERE user = ? LIMIT 1", (user,)):
            names = [name for name, in store.lookup("SELECT DISTINCT user FROM job_part") if name]
            tell("-u %s: the store has no run of that user%s" % (escape(user), hint(user, names)))


def tell_names(store, options):
    for option, name, column in NAMES:
        text = getattr(options, name)
        words = (expand if name == "node" else split)(text or "")
        if not words or text.lower() == ALL_OF_THEM.get(name):
            continue
        known = [have for have, in store.lookup("SELECT DISTINCT %s FROM job_part" % column) if have]
        forms = {have.lower() for have in known}
        for word in words:
            if word.lower() not in forms:
                tell("%s %s: the store has none%s" % (option, escape(word), hint(word, known)))


def whom(options):
    if options.user:
        return " of " + ", ".join(escape(user_name(user)) for user in split(options.user))
    return "" if options.allusers else " of %s (-a: of all users)" % escape(options.asker)


def moment(epoch):
    """As the user wants times, whatever their format has."""
    return escape(format_time(epoch))


def when(options, now):
    start, end = window(options, now, bool(options.jobs or options.uuid))
    if start == end == now:
        return " now"
    text = "" if start is None else " from " + moment(start)
    if end == now:
        return text + " until now"
    return text if end is None else text + (" to " if text else " up to ") + moment(end)


def newest(store, options):
    """When the last run of those users began that the store has."""
    users = [user_name(user) for user in split(options.user or "")]
    if not users and not options.allusers:
        users = [options.asker]
    where = "run.user IN (%s) AND " % ", ".join("?" * len(users)) if users else ""
    rows = store.lookup(
        "SELECT run.start_time FROM run WHERE %srun.start_time IS NOT NULL"
        " ORDER BY run.start_time DESC LIMIT 1" % where,
        users,
    )
    return rows[0][0] if rows else None


def words_of(option, value):
    """An option as it may have been written."""
    if isinstance(value, list):
        return " ".join(words_of(option, one) for one in value)
    return option if value is True else "%s %s" % (option, escape(str(value)))


def tell_empty(what, store, options, now, chosen):
    """`what` there is none of; `chosen`: {name in `options`: how it is written} of the options that select."""
    tell_names(store, options)
    jobs = " of job " + escape(options.jobs) if options.jobs else ""
    fit = [words_of(option, getattr(options, name)) for name, option in chosen.items() if name not in SAID]
    last = None if options.jobs or options.uuid or what in ("links", *OF_LIBRARIES) else newest(store, options)
    tell(
        "no %s%s%s%s%s%s"
        % (
            what,
            jobs,
            "" if what in OF_LIBRARIES else whom(options),
            when(options, now),
            " with " + " ".join(fit) if fit else "",
            "" if last is None else "; the newest run began " + moment(last),
        )
    )
