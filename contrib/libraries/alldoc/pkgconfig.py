# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of pkg-config: which libraries there are, in which versions, and where their headers lie."""

import re

from ...pattern import Pattern
from .extract import document

VARIABLE = Pattern(r"\$\{([\w.]{1,60})\}")
LIBRARY = Pattern(r"(?:\A|\s)-l(\S{1,200})")
INCLUDE = Pattern(r"(?:\A|\s)-I\s?(\S{1,1000})")
TEXT_MAX = 64 << 10  # those of packages have hundreds of bytes
VALUE_MAX = 4096
ROUNDS = 8  # of variables in variables


def expand(value, variables):
    for _ in range(ROUNDS):
        if "${" not in value:
            break
        value = VARIABLE.sub(lambda match: variables.get(match.group(1), ""), value)[:VALUE_MAX]
    return value


def fields(text):
    """Keywords of a .pc file in lower case, with their values."""
    variables, found = {}, {}
    for line in text[:TEXT_MAX].split("\n"):
        name, mark, value = re.match(r"\s*([\w.]{0,60})\s*([=:]?)(.*)", line[:VALUE_MAX]).groups()
        if mark == "=":
            variables[name] = value.strip()
        elif mark == ":":
            found[name.lower()] = value.strip()
    return {name: expand(value, variables) for name, value in found.items()}


def include_directories(found):
    return INCLUDE.findall(found.get("cflags", ""))


def documents(text, path, file_name):
    found = fields(text)
    name = file_name[: -len(".pc")]
    libraries = [name] + LIBRARY.findall(found.get("libs", ""))[:50]
    body = "\n".join("%s: %s" % field for field in found.items())
    return [document(name, body, libraries=libraries, version=found.get("version", ""), summary=found.get("description", ""))]
