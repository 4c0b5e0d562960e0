# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page of a job as a mail."""

from ..pattern import Pattern
from ..text import cell, cut
from ..times import format_elapsed

# or several, with commas. Fewer than mail itself knows: no word that a reader of mails decodes (=?...?=), nothing in quotes.
ADDRESS = r"[A-Za-z0-9_](?:[A-Za-z0-9_.+%~!#$&'*/^`{}-]|=(?!\?))*(?:@[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?)?"
MAIL_ADDRESS = Pattern(r"(?=.{1,254}\Z)%s(?:,%s)*\Z" % (ADDRESS, ADDRESS))
SUBJECT_MAX = 900  # characters


def subject(found):
    """In Slurm's own form, as users' filters know it."""
    job = found["job"]
    word = "Ended" if job["state"] == "COMPLETED" else "Failed"
    took = format_elapsed(found["time"]["elapsed"]) or "unknown"
    name = "" if job["name"] is None else " Name=" + cell(job["name"])
    return "Slurm Job_id=%s%s %s, Run time %s, %s, ExitCode %s" % (
        job["job"], name, word, took, job["state"], job["exit"])  # fmt: skip


def header(text):
    """One line of ASCII, or words that readers of mails decode. What looks like such a word in the text is none: it could
    become lines of the head."""
    text = cut(text, SUBJECT_MAX, "...")
    if "=?" not in text and all(" " <= char <= "~" for char in text):
        return text
    import email.header  # as in mail()

    # RFC 2047 allows 76 characters in a line, and the library does not count the blank at its start
    return email.header.Header(text, "utf-8", maxlinelen=75, header_name="Subject").encode(linesep="\n")


def mail(found, to, title, text):
    """`to`: fits MAIL_ADDRESS; `title`: without control characters."""
    import email.message  # slow to load, and needed for mails alone
    import email.policy

    message = email.message.EmailMessage(policy=email.policy.SMTP.clone(linesep="\n", max_line_length=998))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(text, cte="quoted-printable")
    # the library would decode words in these, and read the text that comes out
    return "To: %s\nSubject: %s\n%s" % (to, header(title), message.as_string())
