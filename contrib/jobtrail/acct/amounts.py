# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads amounts as sacct writes them, such as 61.5M. None: sacct has none."""

from ..pattern import Pattern

SIZE = Pattern(r"(\d+(?:\.\d+)?)([KMGTPE]?)([cn]?)\Z")
TIME = Pattern(r"(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\Z")
UNITS = "KMGTPE"


def size(text, cpus=None, nodes=None):
    """Bytes of 61.5M, 62464K, or a number. Older releases write ReqMem as 100Mc or 100Mn, for each CPU or node."""
    match = SIZE.match(text or "")
    if match is None:
        return None
    number, letter, each = match.groups()
    found = float(number) * 1024 ** (UNITS.index(letter) + 1 if letter else 0)
    if each:
        times = cpus if each == "c" else nodes
        return None if times is None else int(found * times)
    return int(found)


def seconds(text):
    """Of [DAYS-[HOURS:]]MINUTES:SECONDS; None for UNLIMITED, Partition_Limit and the like."""
    match = TIME.match(text or "")
    if match is None:
        return None
    days, hours, minutes, rest = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest


def cpu_time(number):
    """Seconds as sacct writes TotalCPU: MM:SS.mmm, HH:MM:SS from an hour on, D-HH:MM:SS."""
    if number is None:
        return None
    thousandths = round(number * 1000)
    minutes, rest = divmod(thousandths, 60000)
    hours, minutes = divmod(minutes, 60)
    if hours == 0:
        return "%02d:%02d.%03d" % (minutes, rest // 1000, rest % 1000)
    days, hours = divmod(hours, 24)
    text = "%02d:%02d:%02d" % (hours, minutes, rest // 1000)
    return "%d-%s" % (days, text) if days else text


def resources(text):
    """{name: text} of billing=1,cpu=4,mem=400M,node=1"""
    return dict(part.split("=", 1) for part in (text or "").split(",") if "=" in part)


def whole(text):
    return int(text) if (text or "").isdecimal() else None


def size_text(number):
    """With three digits or four: 61.5M"""
    if number is None:
        return None
    letter = "K"
    number /= 1024
    for letter in UNITS:
        if number < 1000 or letter == UNITS[-1]:
            break
        number /= 1024
    return ("%.0f%s" if number >= 100 or number == int(number) else "%.1f%s") % (number, letter)
