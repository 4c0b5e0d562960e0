# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a user may see.

Everybody sees their own runs. `see`, a key of jobtrail.conf(5), says what more: `all`: everybody sees everything;
`own`: nobody sees more; `slurm`: what sacct(1) shows them. For slurmdbd that is

- everything for root and for users whose AdminLevel is Operator or Administrator,
- everything for everybody, unless its PrivateData has `jobs` or cannot be known,
- the runs in the accounts whose coordinator they are; with an account come those below it.

The operators of the configuration see everything, also where Slurm does not answer. Then others see their own runs.
"""

import pwd
import subprocess
import time

SECONDS = 20
KEEP_SECONDS = 300  # an answer of Slurm's
RETRY_SECONDS = 15  # a failure to get one
OPERATORS = ("operator", "administrator")
SEE_OWN, SEE_SLURM, SEE_ALL = "own", "slurm", "all"


class Rights:
    """`all`: everything may be seen; else the runs of `users`, and those in `accounts`, which are in lower case as
    Slurm has them. `lacking`: why there may be more than Slurm could say now; None: nothing is lacking."""

    def __init__(self, users=(), accounts=(), everything=False, lacking=None):
        self.all = everything
        self.users = frozenset(users)
        self.accounts = frozenset(account.lower() for account in accounts)
        self.lacking = lacking

    def may_see(self, user, account):
        """Whether a run of this user in this account may be seen."""
        return self.all or user in self.users or (account or "").lower() in self.accounts


class Unavailable(Exception):
    """Why Slurm's accounting did not answer."""


# sacctmgr's message where the site has no slurmdbd: nobody is an operator or a coordinator then
NO_ACCOUNTING = "You are not running a supported accounting_storage plugin"


def sacctmgr(*words):
    """The rows that sacctmgr shows, each a list of texts."""
    command = ["sacctmgr", "--noheader", "--parsable2", "--readonly", "show", *words]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=SECONDS,
        )
    except FileNotFoundError:
        raise Unavailable("there is no sacctmgr here") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(str(error)) from None
    if done.returncode != 0:
        lines = done.stderr.decode(errors="replace").strip().splitlines() or ["sacctmgr ended with %d" % done.returncode]
        raise Unavailable(next((line for line in lines if NO_ACCOUNTING in line), lines[-1]))
    return [line.split("|") for line in done.stdout.decode(errors="replace").splitlines()]


def hides_jobs():
    """Whether slurmdbd shows users the jobs of others. True, if it does not say so. sacctmgr of Slurm 26.05 prints values of
    its own as those of slurmdbd. By that StorageType is known: slurmdbd itself cannot store by way of slurmdbd."""
    is_of_slurmdbd, found = False, {}
    for row in sacctmgr("configuration"):
        name, _, value = "|".join(row).partition("=")
        if name.startswith("SlurmDBD"):  # before it are the values of slurm.conf
            is_of_slurmdbd = True
        elif is_of_slurmdbd:
            found[name.strip()] = value.strip().lower()
    if found.get("StorageType") == "accounting_storage/slurmdbd":
        return True
    return bool({"jobs", "all"} & set(found.get("PrivateData", "jobs").split(",")))


def ask_slurm():
    """What slurmdbd says of all users: {"hidden": bool, "operators": [user], "coordinators": {user: [account]}}, as
    JSON can have it. Raises Unavailable."""
    operators, coordinators = [], {}
    try:
        rows = sacctmgr("user", "withcoord", "format=User,AdminLevel,Coordinators")
    except Unavailable as reason:
        if NO_ACCOUNTING not in str(reason):
            raise
        return {"hidden": True, "operators": [], "coordinators": {}}
    for row in rows:
        if len(row) == 3 and row[0]:
            name, level, accounts = row
            if level.lower() in OPERATORS:
                operators.append(name)
            if accounts:
                coordinators[name] = accounts.split(",")
    return {"hidden": hides_jobs(), "operators": operators, "coordinators": coordinators}


def of_slurm(user, said):
    """The rights that ask_slurm() gives the user; `said` is its result."""
    everything = not said["hidden"] or user in said["operators"]
    return Rights([user], said["coordinators"].get(user, ()), everything)


def without_slurm(user, settings):
    """The rights that need no question to Slurm, or None. `settings` has `see` and `operators`, a list of names."""
    is_root = user_id(user) == 0
    if settings.see == SEE_ALL or user in settings.operators or is_root and settings.see == SEE_SLURM:
        return Rights([user], everything=True)
    return Rights([user]) if settings.see == SEE_OWN else None


def user_id(name):
    try:
        return pwd.getpwnam(name).pw_uid
    except KeyError:
        return None


class Directory:
    """What Slurm said last, kept for some minutes. A program asks by of(). A process that must not wait looks at
    is_fresh() and is_usable(), lets another process call ask_slurm(), and gives the result to take() or fail()."""

    def __init__(self, settings):
        self.settings = settings
        self.said, self.failure, self.until = None, None, 0.0

    def is_fresh(self):
        return time.monotonic() < self.until

    def is_usable(self):
        """Whether known() may be called: rights that Slurm gave are not too old, or it has given none."""
        return self.is_fresh() or self.failure is not None

    def take(self, said):
        self.said, self.failure = said, None
        self.until = time.monotonic() + KEEP_SECONDS

    def fail(self, reason):
        self.said, self.failure = None, reason
        self.until = time.monotonic() + RETRY_SECONDS

    def known(self, user):
        """The rights by what is known now, see is_usable()."""
        found = without_slurm(user, self.settings)
        if found is None and self.said is not None:
            found = of_slurm(user, self.said)
        return Rights([user], lacking=self.failure) if found is None else found

    def of(self, user):
        """The rights of the user of this name. Asks Slurm if that is needed."""
        if without_slurm(user, self.settings) is None and not self.is_fresh():
            try:
                self.take(ask_slurm())
            except Unavailable as reason:
                self.fail(str(reason))
        return self.known(user)
