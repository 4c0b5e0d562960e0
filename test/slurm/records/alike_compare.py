# SPDX-License-Identifier: LGPL-2.1-or-later
"""alike_compare LIBRARY STORE ADDRESS KINDS [--no-sacct] [--witness]: asks terminal, mail, JSON, CSV and, with Slurm's accounting,
the web for state, cause, memory and processor time of each job of alike.bash's table, and prints what is not the same, or not what
the table has. The last line is the number of jobs. --witness: the kernel witness must have told the memory of jobs that ran long."""

import contextlib
import csv
import email
import email.policy
import html
import io
import json
import re
import sys
import urllib.error
import urllib.request

PLACE, STORE, ADDRESS, KINDS, *OPTIONS = sys.argv[1:]
sys.path.insert(0, PLACE)

from jobtrail.acct import main as acct  # noqa: E402 pylint: disable=wrong-import-position
from jobtrail.job import main as job  # noqa: E402 pylint: disable=wrong-import-position

ASKED = [option for option in OPTIONS if option == "--no-sacct"]
BROWSER = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
LABELS = ("state", "why", "memory", "CPUs")


def said(main, *words):
    """What the program prints."""
    out, sys.argv = io.StringIO(), ["program", "--store", STORE, *ASKED, *words]
    with contextlib.redirect_stdout(out):
        main()
    return out.getvalue()


def fetched(target):
    """A page; of a job that was requeued that of its last start."""
    try:
        return BROWSER.open(ADDRESS.partition("?")[0] + target).read().decode()
    except urllib.error.HTTPError as error:
        assert error.status == 300, (target, error.status)
        return fetched(target + "&restart=%d" % max(map(int, re.findall(r"restart=([0-9]+)", error.read().decode()))))


def of_text(text):
    """{label: lines} of the page on a terminal."""
    found, label = {}, None
    for line in text.splitlines():
        label = line[2:22].strip() or label
        found.setdefault(label, []).append(line[23:])
    return {label: found.get(label) for label in LABELS}


def of_web(page):
    """The same of the page of the job in the web."""
    facts = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page, re.S)
    found = {html.unescape(name): html.unescape(re.sub("<br/?>", "\n", value)).split("\n") for name, value in facts}
    return {label: found.get(label) for label in LABELS}


def rows(*words):
    asked = said(acct.main, "--allusers", "-X", *words, "-j", ",".join(name for name, _, _ in KIND))
    return asked


def check(name, what, *values):
    if any(value != values[0] for value in values[1:]):
        print("%s: %s differs: %s" % (name, what, " | ".join(map(repr, values))))


with open(KINDS, encoding="utf-8") as file:
    KIND = [line.rstrip("\n").split("\t") for line in file]
TABLE = {row["JobID"]: row for row in csv.DictReader(io.StringIO(rows("--csv", "-o", "JobID,State,ExitCode,Cause,UsedCPU,UsedMemory")))}
RUNS = {run["job"]: run for run in json.loads(rows("--json"))["runs"]}
if not ASKED:
    BROWSER.open(ADDRESS)
    JOBS = {row["job"]: row for row in csv.DictReader(io.StringIO(fetched("jobs.csv?from=now-1days")))}
for name, state, cause in KIND:
    found = json.loads(said(job.main, "--allusers", "--json", name))
    row, run = TABLE[name], RUNS[name]
    why = (found["why"] or [""])[0]
    used = [None if value is None else round(value, 3) for value in (found["memory"]["used"], found["cpus"]["seconds"])]
    check(name, "state", found["job"]["state"], row["State"], run["state"], *([JOBS[name]["state"]] if not ASKED else []))
    check(name, "exit", found["job"]["exit"], row["ExitCode"])
    check(name, "cause", why, row["Cause"], run["cause"] or "")
    of_row = [None if text == "" else round(float(text), 3) for text in (row["UsedMemory"], row["UsedCPU"])]
    check(name, "memory and CPU time", used, of_row, [None if value is None else round(value, 3) for value in (run["used_memory"], run["used_cpu"])])
    text = said(job.main, "--allusers", name)
    pages = [of_text(text)] + ([of_web(fetched("job?id=" + name.replace("+", "%2B")))] if not ASKED else [])
    if not ASKED:
        mail = email.message_from_string(said(job.main, "--allusers", "--mail", "jtuser", name), policy=email.policy.default)
        pages.append(of_text(mail.get_content()))
    check(name, "page", *pages)
    check(name, "cause on the page", why, (pages[0]["why"] or [""])[0])
    if not ASKED and found["job"]["state"] != state:
        print("%s: is %s and not %s" % (name, found["job"]["state"], state))
    if not ASKED and not (re.search(cause, why) if cause else why == ""):
        print("%s: the cause is %r and not %r" % (name, why, cause))
    if "--witness" in OPTIONS and found["memory"]["source"] is None:
        print("%s: no memory" % name)
print(len(KIND))
