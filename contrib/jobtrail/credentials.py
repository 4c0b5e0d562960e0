# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the option file with the password of the database, in the same way as jobtrail-load
(submit/load/database/credentials.c): the groups [client] and [jobtrail], and in them the options below. XALT's database
has a group of its own, [xalt]."""

import os
import stat

from .program import Failure, os_trouble
from .text import escape

PATH = "/etc/jobtrail/mariadb.cnf"
TEXTS = ("user", "password", "host", "port", "socket", "ssl-ca", "ssl-capath", "ssl-cert", "ssl-key",
         "ssl-cipher", "ssl-crl", "tls-version")  # fmt: skip
SWITCHES = ("ssl", "ssl-verify-server-cert")
WORDS = {"0": False, "off": False, "no": False, "false": False,
         "1": True, "on": True, "yes": True, "true": True}  # fmt: skip
ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "r": "\r", "s": " ", "\\": "\\"}
TLS_VERSIONS = {"TLSv1.0": "TLSv1", "TLSv1.1": "TLSv1_1", "TLSv1.2": "TLSv1_2", "TLSv1.3": "TLSv1_3"}


class Unknown(Exception):
    """An option that is not known and may be about TLS."""


def path():
    return os.environ.get("JOBTRAIL_CREDENTIALS") or PATH


def read(group="jobtrail"):
    """{name: text, or a bool for SWITCHES} of the options that are set, in [client] or the group; {} without a file."""
    try:
        with open(path(), encoding="utf-8", errors="surrogateescape") as file:
            facts = os.fstat(file.fileno())
            if facts.st_uid not in (0, os.geteuid()) or facts.st_mode & (
                stat.S_IRWXG | stat.S_IRWXO
            ):
                raise Failure("%s: must belong to root or you, and be readable by nobody else" % escape(path()))
            return read_lines(file, group)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Failure(os_trouble(error)) from None


def read_lines(lines, group):
    found, ours = {}, False
    for number, line in enumerate(lines, 1):
        line = line.strip(" \t\r\n")
        try:
            if line.startswith("["):
                ours = line[1:].split("]")[0] in ("client", group)
            elif line.startswith("!"):
                raise Unknown
            elif ours and line and line[0] not in "#;":
                add_option(found, line)
        except Unknown:
            raise Failure(
                "%s:%d: unknown option; see jobtrail-load(1), MARIADB" % (escape(path()), number)
            ) from None
    return found


def add_option(found, line):
    """NAME, NAME = VALUE, skip-NAME"""
    name, equals, value = line.partition("=")
    name, value = name.strip(" \t").replace("_", "-"), value.strip(" \t")
    if name.startswith("loose-"):
        name = name[len("loose-") :]
    off = False
    for prefix in ("skip-", "disable-"):
        if name.startswith(prefix):
            name, off = name[len(prefix) :], True
            break
    if name in SWITCHES:
        word = "0" if off else unquoted(value).lower() if equals else "1"
        if word not in WORDS:
            raise Unknown
        found[name] = WORDS[word]
    elif name in TEXTS and equals and not off:
        found[name] = unquoted(value)
    elif name.startswith(("ssl", "tls")):
        raise Unknown


def unquoted(value):
    if len(value) > 1 and value[0] in "'\"" and value[-1] == value[0]:
        value = value[1:-1]
    parts, at = [], 0
    while at < len(value):
        escaped = ESCAPES.get(value[at + 1 : at + 2]) if value[at] == "\\" else None
        parts.append(value[at] if escaped is None else escaped)
        at += 1 if escaped is None else 2
    return "".join(parts)


def tls(options):
    """The TLS context of a TCP connection: the server must prove that it is the host that was asked for,
    unless the file has skip-ssl-verify-server-cert. None: no TLS, by skip-ssl."""
    if not options.get("ssl", True):
        return None
    try:
        return tls_context(options)
    except (OSError, ValueError) as error:
        raise Failure("%s: TLS: %s" % (escape(path()), escape(str(error)))) from None


def tls_context(options):
    import ssl  # a third of the start of who needs none

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not options.get("ssl-verify-server-cert", True):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if "ssl-ca" in options or "ssl-capath" in options:
        context.load_verify_locations(options.get("ssl-ca"), options.get("ssl-capath"))
    else:
        context.load_default_certs()
    if "ssl-crl" in options:
        context.load_verify_locations(options["ssl-crl"])
        context.verify_flags |= ssl.VERIFY_CRL_CHECK_LEAF
    if "ssl-cert" in options:
        context.load_cert_chain(options["ssl-cert"], options.get("ssl-key"))
    if "ssl-cipher" in options:
        context.set_ciphers(options["ssl-cipher"])
    if "tls-version" in options:
        wanted = {version.strip() for version in options["tls-version"].split(",")}
        if not wanted or wanted - set(TLS_VERSIONS):
            raise ValueError("tls-version must be one of " + ", ".join(sorted(TLS_VERSIONS)))
        for version, name in TLS_VERSIONS.items():
            if version not in wanted:
                context.options |= getattr(ssl, "OP_NO_" + name)
    return context
