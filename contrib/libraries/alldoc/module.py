# SPDX-License-Identifier: LGPL-2.1-or-later
"""Modulefiles of Lmod and of Environment Modules: their help, read as text. Nothing in them is executed, so texts that a
modulefile computes are not found, and variables in them stay as they are written."""

import re

from ...pattern import Pattern
from .extract import document

LUA_CALL = Pattern(r"\b(help|whatis)\s*\(\s*(?:\[(={0,8})\[|([\"']))")
TCL_HELP = Pattern(r"^[ \t]*proc[ \t]+ModulesHelp\b[^{\n]*\{[^}\n]*\}[ \t]*\{", re.M)
TCL_WHATIS = Pattern(r"^[ \t]*module-whatis[ \t]+(.*)$", re.M)
PUTS = Pattern(r"^[ \t]*puts[ \t]+(?:-nonewline[ \t]+)?(?:stderr[ \t]+)?", re.M)
FIELD = Pattern(r"\s*(Name|Version|Description|URL)\s*:\s*(.*)", re.I | re.S)


def lua(text):
    """(help, [whatis])"""
    helps, whatis = [], []
    at = 0
    match = LUA_CALL.search(text)
    while match:
        name, level, quote = match.groups()
        end = text.find(quote if quote else "]" + level + "]", match.end())
        end = len(text) if end < 0 else end
        (helps if name == "help" else whatis).append(text[match.end() : end])
        at = end + 1
        match = LUA_CALL.search(text, at)
    return "\n".join(helps), whatis


def tcl(text):
    """(help, [whatis])"""
    whatis = [line.strip().strip('"{}') for line in TCL_WHATIS.findall(text)]
    match = TCL_HELP.search(text)
    if match is None:
        return "", whatis
    depth, end = 1, match.end()
    for brace in re.compile(r"\\.|[{}]", re.S).finditer(text, match.end()):
        depth += {"{": 1, "}": -1}.get(brace.group(), 0)
        end = brace.start()
        if depth == 0:
            break
    lines = PUTS.sub("", text[match.end() : end]).split("\n")
    return "\n".join(line.strip().strip('"{}') for line in lines), whatis


def documents(text, path, file_name):
    """The Document of a modulefile; none where the file is no modulefile. path: below the tree."""
    is_lua = file_name.endswith(".lua")
    if not is_lua and not text.startswith("#%Module"):
        return []
    helps, whatis = lua(text) if is_lua else tcl(text)
    fields = {}
    for line in whatis:
        match = FIELD.match(line)
        if match:
            fields.setdefault(match.group(1).lower(), match.group(2).strip())
    parts = (path[: -len(".lua")] if is_lua else path).split("/")
    name, version = (parts[-2], parts[-1]) if len(parts) > 1 else (parts[-1], "")
    summary = fields.get("description") or (whatis[0] if whatis else helps)
    libraries = [name] + ([fields["name"]] if fields.get("name") else [])
    body = "\n".join([helps] + whatis)
    return [document("/".join(parts), body, libraries=libraries, version=version or fields.get("version", ""), summary=summary)]
